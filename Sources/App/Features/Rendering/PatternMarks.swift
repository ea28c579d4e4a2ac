internal import Crypto
internal import JSON

/// Marks that stand for words while a pattern is made: texts that no message has, in ASCII that may
/// stand in a header field.
struct PatternMarks: Sendable {
  /// What a mark stands for.
  enum Mark: Sendable, Hashable {
    case installation, token, id, badge, collapseID, payloadBytes
    case argument(Int)

    fileprivate var code: UInt8 {
      switch self {
      case .argument(let index): UInt8(index)
      case .installation: 0xF0
      case .token: 0xF1
      case .id: 0xF2
      case .collapseID: 0xF3
      case .badge: 0xF4
      case .payloadBytes: 0xF5
      }
    }

    fileprivate init?(code: UInt8) {
      switch code {
      case 0..<64: self = .argument(Int(code))
      case 0xF0: self = .installation
      case 0xF1: self = .token
      case 0xF2: self = .id
      case 0xF3: self = .collapseID
      default: return nil
      }
    }
  }

  /// A mark in a text.
  typealias Found = (range: Range<Int>, mark: Mark)

  /// The badge that stands for any.
  static let badge = 1_987_654_321

  /// A tilde and a random text.
  private let beginning: [UInt8]
  private static let end = Array("~".utf8)

  /// - Parameter random: Eight bytes that nobody can foresee.
  init(random: [UInt8]) {
    beginning = Array("~\(Hex.encode(random.prefix(6)))".utf8)
  }

  /// The mark as a text.
  func text(_ mark: Mark) -> [UInt8] {
    beginning + Array(Hex.encode([mark.code]).utf8) + Self.end
  }

  /// The marks in a text, in order; `nil` when one is not whole.
  func gaps(in text: [UInt8]) -> [Found]? {
    var found: [Found] = []
    var index = 0
    let length = beginning.count + 2 + Self.end.count
    while index <= text.count - beginning.count {
      guard text[index] == beginning[0],
        text[index..<index + beginning.count].elementsEqual(beginning)
      else {
        index += 1
        continue
      }
      let digits = index + beginning.count
      guard digits + 2 + Self.end.count <= text.count,
        text[(digits + 2)..<(index + length)].elementsEqual(Self.end),
        let code = Hex.decode(String(decoding: text[digits..<digits + 2], as: UTF8.self))?.first,
        let mark = Mark(code: code)
      else { return nil }
      found.append((index..<index + length, mark))
      index += length
    }
    return found
  }

  /// Where the badge is; `nil` unless it is there once.
  func badge(in text: [UInt8]) -> Found? {
    let digits = Array(Self.badge.description.utf8)
    var found: Range<Int>?
    for index in text.indices.dropLast(digits.count - 1)
    where text[index] == digits[0] && text[index..<index + digits.count].elementsEqual(digits) {
      if found != nil { return nil }
      found = index..<index + digits.count
    }
    return found.map { ($0, .badge) }
  }
}
