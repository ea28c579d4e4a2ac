internal import DeviceProfile
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

  /// The kind of a line: all that its request depends on, except for the words in the gaps.
  struct Key: Hashable {
    /// The number of the device's circumstances.
    let circumstances: Int
    /// The parameters with a word, a bit each.
    let given: UInt64
    let badge: Int?
    let hasCollapseID: Bool
    /// The values of the other parameters, with a zero byte after each.
    let fixed: [UInt8]
  }

  private let maximumBytes: Int
  private var treatments: [Key: Treatment] = [:]
  /// Kinds of which one line came.
  private var seen: Set<Key> = []
  private var last: (key: Key, treatment: Treatment)?
  private var bytes = 0

  /// - Parameter maximumBytes: About. Beyond that all are forgotten, and made again when needed.
  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// How a line of a kind is made. The first line of a kind is rendered by itself, as there may be
  /// no second. With the second line the form is made, and all later lines fill it.
  /// - Parameter make: Makes the form. It returns `nil` when this line cannot tell whether the form
  ///   is right, as its words are too long. Then the next line tries.
  func treatment(of key: Key, _ make: () -> Treatment?) -> Treatment {
    // Most lines are like the one before.
    if let last, last.key == key { return last.treatment }
    if let known = treatments[key] {
      last = (key, known)
      return known
    }
    if bytes >= maximumBytes { (treatments, seen, bytes) = ([:], [], 0) }
    if seen.insert(key).inserted {
      bytes += 128 + key.fixed.count
      return .alone
    }
    guard let treatment = make() else { return .alone }
    seen.remove(key)
    if case .form(let form) = treatment { bytes += form.request.byteCount }
    treatments[key] = treatment
    last = (key, treatment)
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
