internal import DeviceProfile
internal import JSON
internal import Rendering

/// The kind of a line: all that it depends on, except for the words in its gaps.
struct LineKind {
  /// The circumstances of the device.
  let circumstances: KnownCircumstances
  /// The gaps that have a word, a bit each.
  let given: UInt64
  /// The values that are not words, each followed by a zero byte, which no value has.
  let fixed: [UInt8]

  /// Whether the recipient has nothing of its own; an audience is such a recipient.
  var isPlain: Bool { given == 0 && fixed.isEmpty }
}

extension LineKind: Hashable {
  /// Circumstances that are equal are one object.
  static func == (left: Self, right: Self) -> Bool {
    left.circumstances === right.circumstances && left.given == right.given
      && left.fixed == right.fixed
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(circumstances))
    hasher.combine(given)
    fixed.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

/// The words that a recipient has of its own. Example: of the arguments `{"count":3,"name":"Ana"}`
/// the text is a word for a gap, and the number belongs to the kind of the line, as it may choose a
/// plural.
struct OwnWords {
  static let collapseIDGap = JSONGap.words - 2
  static let badgeGap = JSONGap.words - 1

  /// The word of each gap, an empty range for none. The words of the parameters come first, in the
  /// order of the parameters' names. A form has more gaps than words if its message has a character
  /// that stands for a gap.
  private(set) var words = RequestForm.Words(
    ranges: Array(repeating: 0..<0, count: JSONGap.words))
  /// The gaps that have a word, a bit each.
  private var given: UInt64 = 0
  private var fixed: [UInt8] = []

  /// Adds a text: as the word of a gap if it can be one. An empty text, or one with a quotation
  /// mark, belongs to the kind of the line.
  mutating func add(_ text: String, at gap: Int) {
    let start = words.bytes.count
    words.bytes += text.utf8
    guard words.bytes.count > start, words.bytes[start...].allSatisfy(RequestForm.Words.takes)
    else {
      words.bytes.removeLast(words.bytes.count - start)
      return addFixed(text)
    }
    words.ranges[gap] = start..<words.bytes.count
    given |= 1 << gap
  }

  /// Adds a value that belongs to the kind of the line.
  mutating func addFixed(_ text: String) {
    fixed += text.utf8
    fixed.append(0)
  }

  /// Marks an argument that was left out, for which devices may have an attribute. The mark is a
  /// byte that is in no text.
  mutating func addOpen() { fixed += [0xFF, 0] }

  /// Whether a gap has a word.
  func has(_ gap: Int) -> Bool { given & 1 << gap != 0 }

  var hasWords: Bool { given != 0 }

  /// The kind of its lines for devices in these circumstances.
  func kind(in circumstances: KnownCircumstances) -> LineKind {
    LineKind(circumstances: circumstances, given: given, fixed: fixed)
  }
}

/// A line of the answer, the same for many devices but for their tokens and the words in its gaps.
/// Its identity stands for its content.
///
/// Only the rendering of the current piece touches it.
final class RenderedLine: @unchecked Sendable {
  /// The content of the line, with gaps.
  let content: RenderedContent
  let usesNearestCatalog: Bool
  /// The request, for a shape with one request for each device.
  let request: RequestForm?
  /// Devices that got it and are not counted yet.
  var devices = 0

  init(_ content: RenderedContent, _ shape: RenderShape) {
    self.content = content
    usesNearestCatalog = content.usesNearestCatalog
    request =
      if case .requests(let form) = shape { RequestForm(content, form) } else { nil }
  }

  /// The approximate size in memory.
  fileprivate var byteCount: Int {
    content.problems.reduce(256 + content.payload.count) { $0 + $1.detail.utf8.count }
      + (request?.byteCount ?? 0)
  }
}

/// The lines of one message, remembered for later devices and recipients of the same kind.
struct LineMemory {
  /// The known result for lines of a kind.
  enum Entry {
    case line(RenderedLine)
    /// The devices are skipped.
    case skipped(SkipReason, detail: String?)
    /// Each line is rendered by itself.
    case alone
  }

  private let maximumBytes: Int
  private let shape: RenderShape
  private var entries: [LineKind: Entry] = [:]
  /// The circumstances that have a plain entry.
  private var plain: [KnownCircumstances] = []
  /// Kinds of which one line was needed so far.
  private var seen: Set<LineKind> = []
  /// Equal contents share one line.
  private var lines: [RenderedContent: RenderedLine] = [:]
  private var bytes = 0

  /// - Parameter maximumBytes: The approximate size of a full memory.
  init(maximumBytes: Int, _ shape: RenderShape) {
    self.maximumBytes = maximumBytes
    self.shape = shape
  }

  subscript(kind: LineKind) -> Entry? {
    kind.isPlain ? kind.circumstances.plain : entries[kind]
  }

  /// Whether the memory must be cleared before it can hold more.
  var isFull: Bool { bytes >= maximumBytes }

  mutating func forget() {
    for circumstances in plain { circumstances.plain = nil }
    self = LineMemory(maximumBytes: maximumBytes, shape)
  }

  /// Whether a line of this kind is worth remembering. The first line with words of its own is
  /// rendered by itself, as there may be no second.
  mutating func isExpected(_ kind: LineKind) -> Bool {
    if kind.isPlain || seen.remove(kind) != nil { return true }
    seen.insert(kind)
    bytes += Self.kindBytes + kind.fixed.count
    return false
  }

  mutating func remember(_ verdict: KindVerdict, of kind: LineKind) -> Entry {
    let entry: Entry =
      switch verdict {
      case .alone: .alone
      case .verdict(.skipped(let reason, let detail)): .skipped(reason, detail: detail)
      case .verdict(.content(let content)): .line(line(of: content))
      }
    if kind.isPlain {
      kind.circumstances.plain = entry
      plain.append(kind.circumstances)
    } else {
      entries[kind] = entry
    }
    bytes += Self.kindBytes
    return entry
  }

  private mutating func line(of content: RenderedContent) -> RenderedLine {
    if let known = lines[content] { return known }
    let line = RenderedLine(content, shape)
    lines[content] = line
    bytes += line.byteCount
    return line
  }

  private static let kindBytes = 128
}
