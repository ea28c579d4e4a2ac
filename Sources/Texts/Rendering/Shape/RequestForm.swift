import APNs
public import DeviceProfile
public import FoundationEssentials
import JSON

/// The JSON of a request of the HTTP contract, without the parts that differ between devices in the
/// same circumstances: constant bytes with gaps between them. A million requests are then copies
/// with other words in the gaps.
///
///     {"index":7,"installation_id":"…","token":"…",…,"payload":{"aps":{"alert":"… is ready"}},…}
public struct RequestForm: Sendable {
  private enum Gap: Sendable {
    case index, installation, token, environment, id, payloadBytes
    /// A word of the recipient's own.
    case word(Int)
  }

  /// The device that gets a request: what fills all gaps but those of words.
  public struct Addressee: Sendable {
    /// The place of the recipient in a list; nil when there is none.
    public var index: Int?
    /// The installation's id.
    public var installation: UUID
    /// The bytes of the device token.
    public var token: [UInt8]
    /// Where the token is valid.
    public var environment: Environment
    /// The `apns-id`.
    public var id: UUID

    public init(
      index: Int? = nil, installation: UUID, token: [UInt8], environment: Environment, id: UUID
    ) {
      self.index = index
      self.installation = installation
      self.token = token
      self.environment = environment
      self.id = id
    }
  }

  /// The words for the gaps: texts that JSON and a device's formatter leave as they are, so without
  /// quotation marks, backslashes, control characters and percent signs. None is empty.
  public struct Words: Sendable {
    /// UTF-8.
    public var bytes: [UInt8] = []
    /// Where the word of each gap stands in ``bytes``: as many as the form has gaps, or more.
    public var ranges: [Range<Int>]

    public static var none: Words { Words(ranges: []) }

    /// Room for words, which are to be added to ``bytes``.
    public init(ranges: [Range<Int>]) { self.ranges = ranges }

    /// Whether a byte may stand in a word.
    public static func takes(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "%"), 0x7F: false
      default: byte >= 0x20
      }
    }

    fileprivate func count(_ words: [Int]) -> Int { words.reduce(0) { $0 + ranges[$1].count } }
  }

  private var constants: [UInt8] = []
  /// Each gap with the end of the constant part before it.
  private var gaps: [(end: Int, gap: Gap)] = []
  /// The words in the payload, and its bytes without them.
  private let payload: (words: [Int], bytes: Int)
  private let maximumPayloadBytes: Int
  /// The words in the collapse id, and its bytes without them.
  private let collapseID: (words: [Int], bytes: Int)
  private let hasWords: Bool
  /// Whether the device puts words into texts of its own, and so may show one again and again.
  private let isForClient: Bool

  /// About how many bytes of memory it takes.
  public var byteCount: Int { constants.count + 64 * gaps.count }

  /// The form of a content, with its payload as answers carry it.
  /// - Parameter form: `json` if the content has gaps.
  public init(_ content: RenderedContent, _ form: PayloadForm) {
    let headers = content.headers
    let leavesGaps = content.gaps != nil
    let name = JSONWriter.written(leavingGaps: leavesGaps) { $0.string(headers.collapseID ?? "") }
    collapseID = (name.gaps.map(\.word), name.bytes.count - 2)
    payload = ((content.gaps ?? []).map(\.word), content.payload.count)
    hasWords = !payload.words.isEmpty || !collapseID.words.isEmpty
    maximumPayloadBytes = headers.maximumPayloadBytes
    isForClient = content.mode == .client
    append("{")
    append(.index)
    append("\"installation_id\":\"")
    append(.installation)
    append("\",\"token\":\"")
    append(.token)
    append("\",\"environment\":\"")
    append(.environment)
    append("\",\"path\":\"/3/device/")
    append(.token)
    append("\",\"headers\":{")
    // In the order of their names, as everywhere.
    func fields(_ areChosen: (String) -> Bool) -> JSONWriter {
      JSONWriter.written(leavingGaps: leavesGaps) { writer in
        for field in headers.fields where areChosen(field.name) {
          writer.member(field.name, field.value)
        }
      }
    }
    let before = fields { $0 < "apns-id" }
    append(before)
    append(before.bytes.isEmpty ? "\"apns-id\":\"" : ",\"apns-id\":\"")
    append(.id)
    append("\",")
    append(fields { $0 > "apns-id" })
    append("},")
    append(
      JSONWriter.written {
        $0.key("payload")
        if let gaps = content.gaps {
          $0.raw(content.payload, gaps: gaps)
        } else {
          form.write(content.payload, to: &$0)
        }
        $0.key("payload_bytes")
      })
    append(.payloadBytes)
    append(",")
    append(JSONWriter.written { content.writeRemarks(to: &$0) })
    append("}")
  }

  private mutating func append(_ text: String) { constants += text.utf8 }
  private mutating func append(_ gap: Gap) { gaps.append((constants.count, gap)) }
  private mutating func append(_ json: JSONWriter) {
    for gap in json.gaps { gaps.append((constants.count + gap.offset, .word(gap.word))) }
    constants += json.bytes
  }

  // MARK: Filling

  /// Appends the request for a device.
  /// - Returns: Whether the request was appended. It is not, and nothing is, when the words are
  ///   longer than APNs takes, or are no text of a header field.
  public func append(
    for addressee: Addressee, _ words: Words = .none, to output: inout [UInt8]
  ) -> Bool {
    let payloadBytes = payload.bytes + words.count(payload.words)
    guard !hasWords || takes(words, payloadBytes) else { return false }
    let own = gaps.reduce(0) { sum, gap in
      switch gap.gap {
      case .word(let word): sum + words.ranges[word].count
      case .installation, .id: sum + 36
      case .token: sum + 2 * addressee.token.count
      // The longest environment, a number of twenty digits with its name.
      case .environment, .payloadBytes, .index: sum + 32
      }
    }
    let start = output.count
    let room = constants.count + own
    output.append(contentsOf: repeatElement(0, count: room))
    let written = output.withUnsafeMutableBytes { output in
      var cursor = ByteCursor(UnsafeMutableRawBufferPointer(rebasing: output[start...]))
      fill(addressee, words, payloadBytes, &cursor)
      return cursor.count
    }
    output.removeLast(room - written)
    return true
  }

  /// Whether all parts with words in them are as APNs and the device take them.
  private func takes(_ words: Words, _ payloadBytes: Int) -> Bool {
    payloadBytes <= maximumPayloadBytes
      && collapseID.bytes + words.count(collapseID.words) <= RequestHeaders.maximumCollapseIDBytes
      && collapseID.words.allSatisfy { word in
        words.bytes[words.ranges[word]].allSatisfy(RequestHeaders.isVisible)
      }
      && (!isForClient
        || payload.words.allSatisfy { words.ranges[$0].count <= MessageLimits.clientWordBytes })
  }

  private func fill(
    _ addressee: Addressee, _ words: Words, _ payloadBytes: Int, _ cursor: inout ByteCursor
  ) {
    constants.withUnsafeBytes { constants in
      var from = 0
      for (end, gap) in gaps {
        cursor.append(UnsafeRawBufferPointer(rebasing: constants[from..<end]))
        from = end
        switch gap {
        case .index: addressee.index.map { cursor.append(index: $0) }
        case .installation: cursor.append(addressee.installation)
        case .token: addressee.token.withUnsafeBytes { cursor.append(hex: $0) }
        case .environment: cursor.append(addressee.environment.rawValue)
        case .id: cursor.append(addressee.id)
        case .payloadBytes: cursor.append(decimal: payloadBytes)
        case .word(let word):
          words.bytes.withUnsafeBytes {
            cursor.append(UnsafeRawBufferPointer(rebasing: $0[words.ranges[word]]))
          }
        }
      }
      cursor.append(UnsafeRawBufferPointer(rebasing: constants[from...]))
    }
  }
}

extension JSONWriter {
  /// The JSON that the calls in `body` write.
  fileprivate static func written(
    leavingGaps: Bool = false, _ body: (inout JSONWriter) -> Void
  ) -> JSONWriter {
    var writer = JSONWriter(leavesGaps: leavingGaps)
    body(&writer)
    return writer
  }
}

extension RenderedContent {
  /// Writes the members that follow the payload.
  func writeRemarks(to writer: inout JSONWriter) {
    writer.member("mode", mode.rawValue)
    writer.member("language", language)
    writer.key("problems")
    writer.array(problems) { $1.write(to: &$0) }
    if let explanation {
      writer.key("explain")
      explanation.write(to: &writer)
    }
  }
}

/// Writes into room that is known to be enough.
private struct ByteCursor {
  private let room: UnsafeMutableRawBufferPointer
  /// Bytes that are written.
  private(set) var count = 0

  init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: room[count..<count + bytes.count]).copyMemory(
      from: bytes)
    count += bytes.count
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  mutating func append(index: Int) {
    append("\"index\":")
    append(decimal: index)
    append(",")
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
    for byte in bytes { append(hex: byte) }
  }

  mutating func append(_ uuid: UUID) {
    withUnsafeBytes(of: uuid.uuid) { bytes in
      for (index, byte) in bytes.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 { append(UInt8(ascii: "-")) }
        append(hex: byte)
      }
    }
  }

  private mutating func append(hex byte: UInt8) {
    append(Self.digit(byte >> 4))
    append(Self.digit(byte & 15))
  }

  private mutating func append(_ byte: UInt8) {
    room[count] = byte
    count += 1
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }
}
