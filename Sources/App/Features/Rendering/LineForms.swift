internal import DeviceProfile
internal import Postgres
internal import Rendering

/// The addressees of one message, each read once, with a number for their circumstances.
///
/// It belongs to its loop.
final class KnownAddressees {
  /// What is known of all devices with the same traits. An object, as it goes through many hands.
  final class Known: Sendable {
    /// Why there is no way to them.
    let unreachable: SkipReason?
    /// `nil` where there is no way to them.
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

  /// - Parameter maximumBytes: Of traits; what is more is forgotten, and read again.
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

/// What lines of the same kind become, remembered for those that follow. It belongs to the
/// rendering under way.
final class LineForms: @unchecked Sendable {
  /// What becomes of lines of the same kind.
  enum Outcome {
    case form(LineForm)
    case skipped(SkipReason)
    /// Each has a rendering of its own.
    case alone
  }

  /// The kind of a line: all that its request depends on but for the words.
  struct Key: Hashable {
    /// The number of the device's circumstances.
    let circumstances: Int
    /// The parameters with a value, a bit each.
    let given: UInt64
    let badge: Int?
    let hasCollapseID: Bool
    /// The values of the parameters that are no words, with a zero byte behind each.
    let fixed: [UInt8]
  }

  private let maximumBytes: Int
  private var outcomes: [Key: Outcome] = [:]
  /// Kinds of which one line came.
  private var seen: Set<Key> = []
  private var last: (key: Key, outcome: Outcome)?
  private var bytes = 0

  /// - Parameter maximumBytes: About; what is more is forgotten, and made again.
  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// What becomes of lines of a kind. The first has a rendering of its own, as there may be no
  /// second; then it is made once for all others.
  /// - Parameter make: `nil` when the words of this line, such as too long ones, do not tell.
  func outcome(of key: Key, _ make: () -> Outcome?) -> Outcome {
    // Most lines are like the one before.
    if let last, last.key == key { return last.outcome }
    if let known = outcomes[key] {
      last = (key, known)
      return known
    }
    if bytes >= maximumBytes { (outcomes, seen, bytes) = ([:], [], 0) }
    if seen.insert(key).inserted {
      bytes += 128 + key.fixed.count
      return .alone
    }
    guard let outcome = make() else { return .alone }
    seen.remove(key)
    if case .form(let form) = outcome { bytes += form.request.byteCount }
    outcomes[key] = outcome
    last = (key, outcome)
    return outcome
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
