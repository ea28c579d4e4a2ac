internal import Content
internal import DeviceProfile
internal import EventLoop
internal import Postgres
internal import Registry
internal import Rendering

/// The circumstances of devices. Equal circumstances are one object, as long as they are
/// remembered.
final class KnownCircumstances: Hashable, @unchecked Sendable {
  let circumstances: Circumstances
  /// The entry for a recipient without anything of its own in these circumstances. An audience asks
  /// for it at each device. Only the ``LineMemory`` of their message touches it.
  var plain: LineMemory.Entry?

  init(_ circumstances: Circumstances) { self.circumstances = circumstances }

  static func == (left: KnownCircumstances, right: KnownCircumstances) -> Bool {
    left.circumstances == right.circumstances
  }

  func hash(into hasher: inout Hasher) { hasher.combine(circumstances) }
}

/// The known facts about all devices with the same traits, or about a channel.
///
/// A class, as it is copied a lot.
final class KnownDevice: @unchecked Sendable {
  /// The reason why the devices cannot be reached; `nil` when they can.
  let unreachable: SkipReason?
  /// `nil` when the devices cannot be reached.
  let circumstances: KnownCircumstances?
  /// The build of their app, or else the version; empty when neither is known.
  let build: String
  /// Whether it is noted that the devices get texts of another build. Only the rendering of the
  /// current piece touches it.
  var isTold = false

  init(unreachable: SkipReason) {
    (self.unreachable, circumstances, build) = (unreachable, nil, "")
  }

  fileprivate init(_ device: Device, _ circumstances: KnownCircumstances) {
    (unreachable, self.circumstances) = (nil, circumstances)
    build = device.appBuild ?? device.appVersion ?? ""
  }
}

enum Destination: Sendable {
  case device(AudienceRow)
  indirect case channel(ChannelRecord)
}

/// A device of a recipient, or a channel, before its request is made.
struct PreparedDevice: Sendable {
  let destination: Destination
  let known: KnownDevice
}

/// The devices of one message by their traits: equal traits are read once.
///
/// It belongs to its event loop.
final class KnownDevices {
  let catalogs: RenderCatalogs
  private let plan: RenderPlan
  private let loop: EventLoop
  private let maximumBytes: Int
  private var byTraits: [RawColumns: KnownDevice] = [:]
  private var bytes = 0
  private var circumstances: Set<KnownCircumstances> = []

  /// - Parameter maximumBytes: The maximum bytes of traits. Beyond that, all traits are forgotten,
  ///   and read again when needed.
  init(_ plan: RenderPlan, _ catalogs: RenderCatalogs, _ loop: EventLoop, maximumBytes: Int) {
    self.plan = plan
    self.catalogs = catalogs
    self.loop = loop
    self.maximumBytes = maximumBytes
  }

  /// Finds the known facts for the devices of rows.
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
          // Other tasks of this loop get their turn.
          await loop.sleep(nanoseconds: 0)
          turnBegan = nil
        }
      }
      prepared.append(PreparedDevice(destination: .device(row), known: known))
    }
    return prepared
  }

  /// The known facts about a device, which need not belong to a row.
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
