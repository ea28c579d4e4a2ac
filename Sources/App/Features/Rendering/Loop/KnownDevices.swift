internal import Content
internal import DeviceProfile
internal import EventLoop
internal import Postgres
internal import Registry
internal import Rendering

/// The circumstances of devices: those that are equal are one object, as long as they are
/// remembered.
final class KnownCircumstances: Hashable, @unchecked Sendable {
  let circumstances: Circumstances
  /// What a recipient without anything of its own gets in them: an audience asks for it at each
  /// device. Only the ``LineMemory`` of their message touches it.
  var plain: LineMemory.Entry?

  init(_ circumstances: Circumstances) { self.circumstances = circumstances }

  static func == (left: KnownCircumstances, right: KnownCircumstances) -> Bool {
    left.circumstances == right.circumstances
  }

  func hash(into hasher: inout Hasher) { hasher.combine(circumstances) }
}

/// What is known of all devices with the same traits, or of a channel.
///
/// A class, as it is copied a lot.
final class KnownDevice: @unchecked Sendable {
  /// Why they cannot be reached; `nil` when they can.
  let unreachable: SkipReason?
  /// `nil` when they cannot be reached.
  let circumstances: KnownCircumstances?
  /// The build of their app, or else the version; empty when neither is known.
  let build: String
  /// Whether it was told that they get texts of another build. Only the piece that is rendered
  /// touches it.
  var isTold = false

  init(unreachable: SkipReason) {
    (self.unreachable, circumstances, build) = (unreachable, nil, "")
  }

  fileprivate init(_ device: Device, _ circumstances: KnownCircumstances) {
    (unreachable, self.circumstances) = (nil, circumstances)
    build = device.appBuild ?? device.appVersion ?? ""
  }
}

/// Where a request goes.
enum Destination: Sendable {
  case device(AudienceRow)
  indirect case channel(ChannelRecord)
}

/// A device of a recipient, or a channel, before its request is made.
struct PreparedDevice: Sendable {
  let destination: Destination
  let known: KnownDevice
}

/// The devices of one message by their traits: each trait is read once.
///
/// It belongs to its loop.
final class KnownDevices {
  let catalogs: RenderCatalogs
  private let plan: RenderPlan
  private let loop: EventLoop
  private let maximumBytes: Int
  private var byTraits: [RawColumns: KnownDevice] = [:]
  private var bytes = 0
  private var circumstances: Set<KnownCircumstances> = []

  /// - Parameter maximumBytes: Of traits. Beyond that all are forgotten, and read again when
  ///   needed.
  init(_ plan: RenderPlan, _ catalogs: RenderCatalogs, _ loop: EventLoop, maximumBytes: Int) {
    self.plan = plan
    self.catalogs = catalogs
    self.loop = loop
    self.maximumBytes = maximumBytes
  }

  /// Looks at the devices of rows.
  func prepare(_ rows: [AudienceRow]) async throws -> [PreparedDevice] {
    var prepared: [PreparedDevice] = []
    prepared.reserveCapacity(rows.count)
    var turnBegan: UInt64?
    for row in rows {
      let known: KnownDevice
      if let device = byTraits[row.traits] {
        known = device
      } else {
        let began = turnBegan ?? Monotonic.now()
        known = try await read(row.traits)
        turnBegan = began
        if Monotonic.now() - began >= Limits.renderTurnNanoseconds {
          // Others of this loop have their turn.
          await loop.sleep(nanoseconds: 0)
          turnBegan = nil
        }
      }
      prepared.append(PreparedDevice(destination: .device(row), known: known))
    }
    return prepared
  }

  /// A device, which does not belong to a row.
  func of(_ device: Device) async throws -> KnownDevice {
    let circumstances = KnownCircumstances(
      plan.circumstances(of: device, try await catalogs.catalogs(for: device)))
    if self.circumstances.count >= Limits.rememberedCircumstances { self.circumstances = [] }
    return KnownDevice(device, self.circumstances.insert(circumstances).memberAfterInsert)
  }

  private func read(_ traits: RawColumns) async throws -> KnownDevice {
    let read = try traits.read(DeviceTraits.init)
    let known =
      if let reason = SkipReason(read.usability) {
        KnownDevice(unreachable: reason)
      } else {
        try await of(read.device)
      }
    if bytes >= maximumBytes { (byTraits, bytes) = ([:], 0) }
    bytes += traits.byteCount
    byTraits[traits] = known
    return known
  }
}
