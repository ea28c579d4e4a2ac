internal import DeviceProfile
internal import JSON
internal import Postgres
internal import Rendering

/// The devices of one message by their traits: each trait is read once, and gets the number of its
/// circumstances.
///
/// It belongs to its loop.
final class KnownAddressees {
  /// What is known of all devices with the same traits. A class, as it is copied a lot.
  final class Known: Sendable {
    /// Why they cannot be reached; `nil` when they can.
    let unreachable: SkipReason?
    /// `nil` when they cannot be reached.
    let circumstances: NumberedCircumstances?
    /// The build of their app.
    let build: String

    init(_ addressee: Addressee, _ number: (Device, DeviceCatalogs) -> NumberedCircumstances) {
      switch addressee {
      case .unreachable(let reason):
        (unreachable, circumstances, build) = (reason, nil, "")
      case .device(let device, let catalogs):
        (unreachable, circumstances, build) = (nil, number(device, catalogs), device.build)
      }
    }
  }

  private let plan: RecipientPlan
  private let catalogs: RenderCatalogs
  private let maximumBytes: Int
  private var known: [RawColumns: Known] = [:]
  private var numbers: [Circumstances: Int] = [:]
  private var bytes = 0
  /// No number is used twice, also when all are forgotten.
  private var nextNumber = 0

  /// - Parameter maximumBytes: Of traits. Beyond that all are forgotten, and read again when
  ///   needed.
  init(_ plan: RecipientPlan, _ catalogs: RenderCatalogs, maximumBytes: Int) {
    self.plan = plan
    self.catalogs = catalogs
    self.maximumBytes = maximumBytes
  }

  /// The devices with these traits.
  func of(_ traits: RawColumns) async throws -> Known {
    if let known = known[traits] { return known }
    let addressee = try await Addressee(traits, catalogs)
    if bytes >= maximumBytes { (known, numbers, bytes) = ([:], [:], 0) }
    let made = Known(addressee) { numbered(plan.circumstances(of: $0, $1)) }
    bytes += traits.byteCount
    known[traits] = made
    return made
  }

  private func numbered(_ circumstances: Circumstances) -> NumberedCircumstances {
    if let number = numbers[circumstances] {
      return NumberedCircumstances(number: number, circumstances: circumstances)
    }
    defer { nextNumber += 1 }
    numbers[circumstances] = nextNumber
    return NumberedCircumstances(number: nextNumber, circumstances: circumstances)
  }
}

/// Circumstances with a number that others do not have.
struct NumberedCircumstances: Sendable {
  let number: Int
  let circumstances: Circumstances
}

/// The kind of a line: all that its request depends on, except for the words in the gaps.
struct LineKind: Hashable {
  /// The number of the device's circumstances.
  let circumstances: Int
  /// The gaps that have a word, a bit each.
  let given: UInt64
  /// The values that are no words, with a zero byte after each, which no value has.
  let fixed: [UInt8]
}

/// What a recipient has of its own. Of the arguments `{"count":3,"name":"Ana"}` the text is a word
/// for a gap, and the number belongs to the kind of the line: it may choose a plural.
struct OwnWords {
  /// The gap of a collapse id.
  static let collapseIDGap = JSONGap.words - 2
  /// The gap of a badge.
  static let badgeGap = JSONGap.words - 1

  /// The word of each gap, an empty range for none: first the parameters' in the order of their
  /// names. A form has more gaps than words if its message has a character that stands for one.
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

  /// Adds an argument that was left out, for which devices may have an attribute: a byte that is in
  /// no text.
  mutating func addOpen() { fixed += [0xFF, 0] }

  /// Whether a gap has a word.
  func has(_ gap: Int) -> Bool { given & 1 << gap != 0 }

  /// The kind of its lines for devices in circumstances of this number.
  func kind(in circumstances: Int) -> LineKind {
    LineKind(circumstances: circumstances, given: given, fixed: fixed)
  }
}

/// The forms of lines, remembered for later lines of the same kind. Only the rendering that runs
/// touches it.
final class LineForms: @unchecked Sendable {
  /// How lines of the same kind are made.
  enum Treatment {
    /// By filling this form.
    case form(LineForm)
    /// They are skipped.
    case skipped(SkipReason)
    /// Each is rendered by itself.
    case alone
  }

  private let maximumBytes: Int
  private var treatments: [LineKind: Treatment] = [:]
  /// Kinds of which one line came.
  private var seen: Set<LineKind> = []
  private var last: (kind: LineKind, treatment: Treatment)?
  private var bytes = 0

  /// - Parameter maximumBytes: About. Beyond that all are forgotten, and made again when needed.
  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// How a line of a kind is made. The first line of a kind is rendered by itself, as there may be
  /// no second. With the second line the form is made, and all later lines fill it.
  /// - Parameter make: Makes the form. It returns `nil` when this line cannot tell whether the form
  ///   is right, as its words are too long. Then the next line tries.
  func treatment(of kind: LineKind, _ make: () -> Treatment?) -> Treatment {
    // Most lines are like the one before.
    if let last, last.kind == kind { return last.treatment }
    if let known = treatments[kind] {
      last = (kind, known)
      return known
    }
    if bytes >= maximumBytes { (treatments, seen, bytes) = ([:], [], 0) }
    if seen.insert(kind).inserted {
      bytes += 128 + kind.fixed.count
      return .alone
    }
    guard let treatment = make() else { return .alone }
    seen.remove(kind)
    if case .form(let form) = treatment { bytes += form.request.byteCount }
    treatments[kind] = treatment
    last = (kind, treatment)
    return treatment
  }
}

/// The form of lines of one kind.
final class LineForm: @unchecked Sendable {
  let request: RequestForm
  /// What it says, with gaps.
  let content: RenderedContent
  let usesNearestCatalog: Bool
  /// Devices of the piece under way that got it; only its rendering touches it.
  var pendingDevices = 0

  init(_ request: RequestForm, _ content: RenderedContent) {
    self.request = request
    self.content = content
    usesNearestCatalog = content.usesNearestCatalog
  }
}
