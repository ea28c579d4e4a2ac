internal import APNs
internal import DeviceProfile
internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import Rendering

/// The line of a request with gaps for what differs between recipients in the same circumstances:
/// a million lines are then copies with other words in the gaps.
///
/// It is made by rendering once with marks for words. A text that is an argument stands in a
/// payload as it is, wherever it stands; what is not so is left to a rendering of its own:
/// - an argument that is no plain text, see ``QuickLine``, or that has another type: one of the
///   circumstances;
/// - a message that sets arguments apart, or explains;
/// - a payload that is carried as a string, where words are written otherwise;
/// - a line with a problem that may be the mark's;
/// - a payload that is longer than APNs takes, or a collapse id that it does not take as it is.
final class LinePattern: @unchecked Sendable {
  /// What stands in a gap.
  private enum Gap: Hashable {
    case installation, token, id, badge, collapseID, payloadBytes
    case argument(Int)
  }

  /// What a rendering with marks told.
  let content: RenderedContent
  /// A device that it was made for.
  let device: Device
  /// Devices of the piece under way that got it; only its rendering touches it.
  var pendingDevices = 0
  private let constants: [UInt8]
  /// Each gap with the end of the constant part before it.
  private let gaps: [(end: Int, gap: Gap)]
  /// The bytes of the payload, and of the collapse id, without those in gaps.
  private let payloadBase: Int
  private let collapseBase: Int
  /// The gaps in the payload, and in the collapse id.
  private let payloadGaps: [Gap]
  private let collapseGaps: [Gap]

  /// About what it takes of memory.
  var byteCount: Int { constants.count + 64 * gaps.count + content.payload.count }

  /// Takes apart a content that was rendered with marks.
  /// - Parameter hasBadge: Whether the mark of a badge is in it.
  init?(
    _ content: RenderedContent, _ device: Device, _ environment: Environment, _ marks: PatternMarks,
    hasBadge: Bool
  ) {
    guard content.refusal == nil, content.explanation == nil, !content.wasTooLong,
      content.problems.allSatisfy({ Self.harmless.contains($0.code) })
    else { return nil }
    var line: [UInt8] = []
    RequestTemplate(content, .json).append(
      installationID: marks.text(.installation), token: marks.text(.token),
      environment: environment, id: marks.text(.id), to: &line)
    let collapseID = Array((content.headers.collapseID ?? "").utf8)
    var inPayload = marks.gaps(in: content.payload)
    let inCollapse = marks.gaps(in: collapseID)
    guard var found = marks.gaps(in: line) else { return nil }
    guard inPayload != nil, let inCollapse else { return nil }
    if hasBadge {
      guard let badge = marks.badge(in: line), let own = marks.badge(in: content.payload) else {
        return nil
      }
      found.append(badge)
      inPayload?.append(own)
    }
    guard let bytes = Self.payloadBytes(content.payload.count, in: line) else { return nil }
    let markedTexts = found.count - (hasBadge ? 1 : 0) - 4
    let known = (inPayload?.count ?? 0) - (hasBadge ? 1 : 0) + inCollapse.count
    // The token stands in the line twice.
    guard markedTexts == known else { return nil }
    found.append((bytes, PatternMarks.Mark.payloadBytes))
    found.sort { $0.range.lowerBound < $1.range.lowerBound }
    var constants: [UInt8] = []
    var gaps: [(end: Int, gap: Gap)] = []
    var end = 0
    for (range, mark) in found {
      guard range.lowerBound >= end else { return nil }
      constants += line[end..<range.lowerBound]
      gaps.append((constants.count, Self.gap(mark)))
      end = range.upperBound
    }
    constants += line[end...]
    func split(_ bytes: Int, _ marks: [PatternMarks.Found]) -> (Int, [Gap]) {
      (marks.reduce(bytes) { $0 - $1.range.count }, marks.map { Self.gap($0.mark) })
    }
    let payload = split(content.payload.count, inPayload ?? [])
    (payloadBase, payloadGaps) = (payload.0, payload.1)
    let collapse = split(collapseID.count, inCollapse)
    (collapseBase, collapseGaps) = (collapse.0, collapse.1)
    self.constants = constants
    self.gaps = gaps
    self.content = content
    self.device = device
  }

  /// Problems that depend on devices, catalogs and the message alone.
  private static let harmless: Set<String> = [
    "missing_key", "other_catalog_used", RenderProblem.nearestCatalogUsed, "fallback_language_used",
    "priority_changed", "volume_ignored", "mutable_content_ignored", "unverified_keys",
    "attribute_missing", "attribute_unusable",
  ]

  private static func gap(_ mark: PatternMarks.Mark) -> Gap {
    switch mark {
    case .installation: .installation
    case .token: .token
    case .id: .id
    case .badge: .badge
    case .collapseID: .collapseID
    case .payloadBytes: .payloadBytes
    case .argument(let index): .argument(index)
    }
  }

  /// Where the line tells the size of the payload.
  private static func payloadBytes(_ count: Int, in line: [UInt8]) -> Range<Int>? {
    let name = Array("\"payload_bytes\":".utf8)
    let digits = Array(count.description.utf8)
    var start = line.count - name.count - digits.count
    while start >= 0 {
      if line[start] == name[0], line[start..<start + name.count].elementsEqual(name),
        line[(start + name.count)...].starts(with: digits)
      {
        return start + name.count..<start + name.count + digits.count
      }
      start -= 1
    }
    return nil
  }

  // MARK: Filling

  /// What goes into the gaps for one device.
  struct Words {
    /// The place of the recipient in a list; `nil` when there is none.
    let index: Int?
    let installation: UUID
    let token: [UInt8]
    let id: UUID
    let badge: Int
    let quick: QuickLine
    /// What the ranges are of.
    let bytes: UnsafeBufferPointer<UInt8>
    let arguments: [Range<Int>]

    func argument(_ index: Int) -> Range<Int> { arguments[quick.firstArgument + index] }
  }

  /// Appends a line.
  /// - Returns: Whether it could: not when something is longer than APNs takes.
  func append(_ words: Words, to output: inout [UInt8]) -> Bool {
    let badge = LinePattern.digits(words.badge)
    func size(_ gaps: [Gap], _ base: Int) -> Int {
      var size = base
      for gap in gaps {
        switch gap {
        case .argument(let index): size += words.argument(index).count
        case .collapseID: size += words.quick.collapseID?.count ?? 0
        case .badge: size += badge
        default: break
        }
      }
      return size
    }
    let payloadBytes = size(payloadGaps, payloadBase)
    guard payloadBytes <= content.headers.pushType.maximumPayloadBytes, areWordsShort(words),
      size(collapseGaps, collapseBase) <= RequestHeaders.maximumCollapseIDBytes,
      collapseGaps.allSatisfy({ isVisible($0, words) })
    else { return false }
    let arguments = gaps.reduce(0) { sum, gap in
      switch gap.gap {
      case .argument(let index): sum + words.argument(index).count
      case .collapseID: sum + (words.quick.collapseID?.count ?? 0)
      case .installation, .id: sum + 36
      case .token: sum + 2 * words.token.count
      // Ten digits, and those of the payload's size.
      case .badge, .payloadBytes: sum + 20
      }
    }
    let start = output.count
    // The index and its name.
    let room = constants.count + arguments + 32
    output.append(contentsOf: repeatElement(0, count: room))
    let written = output.withUnsafeMutableBytes { output in
      var cursor = LineCursor(UnsafeMutableRawBufferPointer(rebasing: output[start...]))
      fill(words, payloadBytes, &cursor)
      return cursor.count
    }
    output.removeLast(room - written)
    return true
  }

  /// Whether the words of a gap are visible ASCII, as a header field takes them.
  private func isVisible(_ gap: Gap, _ words: Words) -> Bool {
    let range: Range<Int>? =
      switch gap {
      case .argument(let index): words.argument(index)
      case .collapseID: words.quick.collapseID
      case .installation, .token, .id, .badge, .payloadBytes: nil
      }
    return range.map { words.bytes[$0].allSatisfy(RequestHeaders.isVisible) } ?? true
  }

  /// Whether no text of a device's own can become too long: how often it names a word is not known
  /// here.
  private func areWordsShort(_ words: Words) -> Bool {
    content.mode != .client
      || gaps.allSatisfy { gap in
        guard case .argument(let index) = gap.gap else { return true }
        return words.argument(index).count <= Limits.clientWordBytes
      }
  }

  private func fill(_ words: Words, _ payloadBytes: Int, _ cursor: inout LineCursor) {
    constants.withUnsafeBytes { constants in
      // Behind the brace that opens the line.
      var from = 1
      cursor.append("{")
      if let index = words.index {
        cursor.append("\"index\":")
        cursor.append(decimal: index)
        cursor.append(",")
      }
      for (end, gap) in gaps {
        cursor.append(UnsafeRawBufferPointer(rebasing: constants[from..<end]))
        from = end
        switch gap {
        case .installation: cursor.append(words.installation)
        case .token: words.token.withUnsafeBytes { cursor.append(hex: $0) }
        case .id: cursor.append(words.id)
        case .badge: cursor.append(decimal: words.badge)
        case .payloadBytes: cursor.append(decimal: payloadBytes)
        case .argument(let index): cursor.append(words.bytes, words.argument(index))
        case .collapseID: words.quick.collapseID.map { cursor.append(words.bytes, $0) }
        }
      }
      cursor.append(UnsafeRawBufferPointer(rebasing: constants[from...]))
    }
  }

  private static func digits(_ number: Int) -> Int {
    var (count, rest) = (1, number)
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    return count
  }
}

/// Writes into room that is known to be enough.
private struct LineCursor {
  private let room: UnsafeMutableRawBufferPointer
  /// Bytes that are written.
  private(set) var count = 0

  init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, let target = room.baseAddress else { return }
    precondition(room.count - count >= bytes.count)
    memcpy(target + count, source, bytes.count)
    count += bytes.count
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
  }

  mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ byte: UInt8) {
    room[count] = byte
    count += 1
  }

  /// A number that is not negative.
  mutating func append(decimal number: Int) {
    var rest = number
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { digits in
      var first = digits.count
      repeat {
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      append(UnsafeRawBufferPointer(rebasing: digits[first...]))
    }
  }

  mutating func append(hex bytes: UnsafeRawBufferPointer) {
    for byte in bytes {
      append(Self.digit(byte >> 4))
      append(Self.digit(byte & 15))
    }
  }

  mutating func append(_ uuid: UUID) {
    withUnsafeBytes(of: uuid.uuid) { bytes in
      for (index, byte) in bytes.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 { append(UInt8(ascii: "-")) }
        append(Self.digit(byte >> 4))
        append(Self.digit(byte & 15))
      }
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }
}
