import ASCII

/// Takes a format apart on its UTF-8 bytes, as CoreFoundation does: left to right, every text is
/// a format, numbers that are too large count as too large.
public struct FormatParser: Sequence, IteratorProtocol, Sendable {
  private let bytes: ArraySlice<UInt8>
  private var index: Int

  /// A parser of the bytes, from their first index.
  public init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  /// A parser of a text; ranges count its UTF-8 bytes.
  public init(_ text: String) {
    self.init(Array(text.utf8)[...])
  }

  public mutating func next() -> FormatPart? {
    guard index < bytes.endIndex else { return nil }
    let start = index
    guard bytes[start] == UInt8(ascii: "%") else {
      index = bytes[start...].firstIndex(of: UInt8(ascii: "%")) ?? bytes.endIndex
      return .text(start..<index)
    }
    index += 1
    var specifier = FormatSpecifier()
    switch read(&specifier) {
    case .complete: return .specifier(specifier, start..<index)
    case .incomplete:
      index = bytes.endIndex
      return .incomplete(start..<index)
    case .none:
      let shown = start + 1..<Swift.min(start + 1 + length(at: start + 1), bytes.endIndex)
      index = Swift.max(index, shown.upperBound)
      return .escaped(shown: shown, whole: start..<index)
    }
  }

  private enum Outcome { case complete, incomplete, none }

  private mutating func read(_ specifier: inout FormatSpecifier) -> Outcome {
    var isPrecision = false
    // Whether the next `@` begins a name, and the next `[` does.
    var (isNamed, isBracketed) = (false, true)
    while index < bytes.endIndex {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "#"):
        specifier.flags.insert(.alternate)
        isNamed = true
      case UInt8(ascii: " "):
        if !specifier.flags.contains(.plus) { specifier.flags.insert(.space) }
      case UInt8(ascii: "-"):
        specifier.flags.insert(.left)
        specifier.flags.remove(.zero)
      case UInt8(ascii: "+"):
        specifier.flags.insert(.plus)
        specifier.flags.remove(.space)
      case UInt8(ascii: "0") where !isPrecision:
        if !specifier.flags.contains(.left) { specifier.flags.insert(.zero) }
      case let digit where digit.isASCIIDigit:
        readNumber(&specifier, isPrecision: isPrecision)
        continue
      case UInt8(ascii: "*"): specifier.width = .argument(nil)
      case UInt8(ascii: "."):
        isPrecision = true
        specifier.precision = nil
        if bytes[(index + 1)...].first == UInt8(ascii: "*") {
          index += 1
          specifier.precision = .argument(nil)
        }
      case UInt8(ascii: "h"): specifier.bits = specifier.bits == 16 ? 8 : 16
      case UInt8(ascii: "l"), UInt8(ascii: "q"), UInt8(ascii: "t"), UInt8(ascii: "z"),
        UInt8(ascii: "j"), UInt8(ascii: "L"):
        specifier.bits = 64
      case UInt8(ascii: "@") where isNamed:
        isNamed = false
        if let outcome = readName(&specifier) { return outcome }
        continue
      case UInt8(ascii: "[") where isBracketed:
        isBracketed = false
        if let outcome = readName(&specifier) {
          specifier.conversion = .object
          return outcome
        }
        continue
      default:
        index += length(at: index)
        guard let conversion = FormatSpecifier.Conversion(byte) else { return .none }
        specifier.conversion = conversion
        // To C a point alone is a precision of 0. The conversions of whole numbers here take it for
        // none.
        if isPrecision, specifier.precision == nil, conversion != .integer {
          specifier.precision = .number(0)
        }
        return .complete
      }
      index += 1
    }
    return .incomplete
  }

  /// `12` is a width or precision, `12$` a position.
  private mutating func readNumber(_ specifier: inout FormatSpecifier, isPrecision: Bool) {
    var number = 0
    while index < bytes.endIndex, bytes[index].isASCIIDigit {
      number = Swift.min(
        number * 10 + Int(bytes[index] - UInt8(ascii: "0")), Limits.formatNumber)
      index += 1
    }
    if index < bytes.endIndex, bytes[index] == UInt8(ascii: "$") {
      index += 1
      if specifier.precision == .argument(nil) {
        specifier.precision = .argument(number)
      } else if specifier.width == .argument(nil) {
        specifier.width = .argument(number)
      } else {
        specifier.position = number
      }
    } else if isPrecision {
      specifier.precision = .number(number)
    } else {
      specifier.width = .number(number)
    }
  }

  /// Reads the name and the `@` behind it, from the character before the name. `nil` when the name
  /// ends otherwise: Foundation reads on, as if neither had been there.
  private mutating func readName(_ specifier: inout FormatSpecifier) -> Outcome? {
    let start = index + 1
    guard let end = bytes[start...].firstIndex(where: { !$0.isNameByte }) else {
      return .incomplete
    }
    index = end + length(at: end)
    guard bytes[end] == UInt8(ascii: "@") else { return nil }
    specifier.flags.remove(.alternate)
    specifier.conversion = .variable(Spelling(String(decoding: bytes[start..<end], as: UTF8.self)))
    return .complete
  }

  /// The bytes of the character at a place.
  private func length(at place: Int) -> Int {
    guard place < bytes.endIndex else { return 0 }
    return switch bytes[place] {
    case 0xF0...: 4
    case 0xE0...: 3
    case 0xC0...: 2
    default: 1
    }
  }
}

extension FormatSpecifier.Conversion {
  fileprivate init?(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "@"): self = .object
    case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "D"), UInt8(ascii: "u"),
      UInt8(ascii: "U"):
      self = .integer
    case UInt8(ascii: "x"): self = .hexadecimal(uppercase: false)
    case UInt8(ascii: "X"): self = .hexadecimal(uppercase: true)
    case UInt8(ascii: "o"), UInt8(ascii: "O"): self = .octal
    case UInt8(ascii: "f"), UInt8(ascii: "F"): self = .fixed
    case UInt8(ascii: "e"), UInt8(ascii: "E"): self = .scientific
    case UInt8(ascii: "g"), UInt8(ascii: "G"): self = .general
    case UInt8(ascii: "a"): self = .hexadecimalFloat(uppercase: false)
    case UInt8(ascii: "A"): self = .hexadecimalFloat(uppercase: true)
    case UInt8(ascii: "c"), UInt8(ascii: "C"): self = .character
    case UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: "P"): self = .pointedText
    case UInt8(ascii: "p"), UInt8(ascii: "n"): self = .pointer
    default: return nil
    }
  }
}

extension UInt8 {
  /// In a name a bracket counts as a letter.
  fileprivate var isNameByte: Bool {
    isASCIILetter || isASCIIDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "]")
  }
}
