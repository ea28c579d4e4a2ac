internal import JSON
internal import Postgres
internal import Registry

/// An audience cut by the instants at which its clocks show a time: a pure function of the
/// request, of the number of devices in each time zone, and of now.
struct LocalTimeSlices: Sendable {
  /// Devices whose clocks show the time at one instant.
  struct Slice: Sendable {
    /// Seconds since 1970.
    let instant: Int64
    /// Sorted.
    var timeZones: [String] = []
    var devices: Int64 = 0
    /// Whether the slice includes devices whose time zone is not known.
    var includesUnknown = false
  }

  /// One slice for each instant, in the order of the instants.
  let slices: [Slice]
  /// Devices whose time zone is not known, when they are in no slice.
  let unknown: Int64
  /// All devices of the audience.
  let devices: Int64
  private let audience: SlicedAudience

  /// - Parameters:
  ///   - counts: The number of devices of each time zone; the zone is `nil` for devices without
  ///     one.
  ///   - devices: The number of all devices, also of time zones that are not counted.
  ///   - now: Seconds since 1970.
  init(
    _ request: LocalTimeRequest, counts: [(timeZone: String?, count: Int64)], devices: Int64,
    now: Int64
  ) {
    func instant(_ timeZone: String) -> Int64? {
      guard let clock = LocalClock(timeZone: timeZone) else { return nil }
      guard let day = request.day else {
        return clock.nextInstant(showing: request.time, from: now)
      }
      return clock.firstInstant(showing: day + request.time)
    }
    var slices: [Int64: Slice] = [:]
    var unknown = devices
    for (timeZone, count) in counts {
      guard let timeZone, let instant = instant(timeZone) else { continue }
      slices[instant, default: Slice(instant: instant)].timeZones.append(timeZone)
      slices[instant]?.devices += count
      unknown -= count
    }
    if unknown > 0, let instant = request.defaultTimeZone.flatMap(instant) {
      slices[instant, default: Slice(instant: instant)].devices += unknown
      slices[instant]?.includesUnknown = true
      unknown = 0
    }
    self.slices = slices.values.sorted { $0.instant < $1.instant }.map { slice in
      var sorted = slice
      sorted.timeZones.sort()
      return sorted
    }
    self.unknown = unknown
    self.devices = devices
    audience = request.audience
  }
}

extension LocalTimeSlices: JSONWritable {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("devices", devices)
      writer.key("slices")
      writer.array(slices) { writer, slice in
        writer.object { writer in
          writer.member("utc", Timestamp(microseconds: slice.instant * 1_000_000).rfc3339)
          writer.member("time_zones", slice.timeZones)
          writer.member("includes_unknown", slice.includesUnknown)
          writer.member("devices", slice.devices)
          writer.member("to", recipients(of: slice))
        }
      }
      writer.key("unknown")
      guard unknown > 0 else { return writer.null() }
      writer.object { writer in
        writer.member("devices", unknown)
        writer.member("to", audience.outside(slices.flatMap(\.timeZones)))
      }
    }
  }

  /// Together the slices are the whole audience, and each device is in one slice. A device that
  /// registers in the meantime from a new time zone counts as a device of unknown time zone.
  private func recipients(of slice: Slice) -> JSONValue {
    guard slice.includesUnknown else { return audience.inside(slice.timeZones) }
    return audience.outside(
      slices.filter { $0.instant != slice.instant }.flatMap(\.timeZones))
  }
}
