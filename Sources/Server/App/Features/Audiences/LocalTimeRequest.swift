internal import JSON
internal import Postgres
internal import Registry

/// The body of `POST …/audiences/local-time`: the audience, and the time that its clocks are to
/// show.
struct LocalTimeRequest: RequestBody {
  static var policy: FieldPolicy { .strict }

  let audience: SlicedAudience
  /// Seconds of the day.
  let time: Int64
  /// The day as its beginning in UTC, in seconds; `nil` for the next time in each time zone.
  let day: Int64?
  /// The time zone of devices that do not report one.
  let defaultTimeZone: String?

  init?(reading fields: FieldReader) {
    let audience = fields.required(fields.object("to", SlicedAudience.init(reading:)), "to")
    let time = fields.required(
      fields.seconds("at", bytes: 5, "A time of day from 00:00 to 23:59, such as 09:00.") {
        "1970-01-01T\($0):00Z"
      }, "at")
    let detail = "A date from 1970-01-01 to 9999-01-01, such as 2026-11-23."
    let day = fields.seconds("on", bytes: 10, detail) { "\($0)T00:00:00Z" }.value
    if let day, !Limits.localTimeDays.contains(day) { fields.refuse(.outOfRange, at: "on", detail) }
    defaultTimeZone = fields.timeZone("default_time_zone").value
    guard let audience, let time else { return nil }
    self.audience = audience
    self.time = time
    self.day = day
  }
}

extension FieldReader {
  /// Reads a part of an RFC 3339 time with the given number of bytes, in seconds since 1970.
  fileprivate func seconds(
    _ name: String, bytes: Int, _ detail: String, whole: (String) -> String
  ) -> Change<Int64> {
    text(name, maximum: 64).compactMap { text in
      if text.utf8.count == bytes, let time = Timestamp(rfc3339: whole(text)) {
        return time.microseconds / 1_000_000
      }
      refuse(.invalidTimestamp, at: name, detail)
      return nil
    }
  }
}

/// An audience that can be cut into slices: a filter, a person, or all devices. A slice is named
/// like the audience, with one more condition.
struct SlicedAudience: Sendable {
  /// The filter, which has no app yet.
  let filter: InstallationFilter
  /// The filter as it came; empty for all.
  private let members: JSONObject

  init?(reading fields: FieldReader) {
    let given = ["filter", "user", "all"].filter(fields.has)
    guard given.count == 1 else {
      let detail = "Give exactly one of filter, user and all; lists of names cannot be divided."
      let fault = given.isEmpty ? InputFault.missingField : .tooMany
      fields.refuse(fault.problem(at: fields.pointer, detail))
      fields.ignoreUnknownFields()
      return nil
    }
    switch given[0] {
    case "filter":
      guard let json = fields.json("filter").value,
        let filter = fields.nested(
          json, at: fields.pointer(to: "filter"), { InstallationFilter(reading: $0) }),
        case .object(let members) = json
      else { return nil }
      self.filter = filter
      self.members = members
    case "user":
      guard let user = fields.text("user", maximum: RegistryLimits.userIDBytes, minimum: 1).value
      else { return nil }
      var filter = InstallationFilter(appID: 0)
      filter.userIDs = [user]
      self.filter = filter
      members = ["user": .string(user)]
    default:
      if fields.flag("all").value == false {
        fields.refuse(.unknownValue, at: "all", "Only true names an audience.")
      }
      filter = InstallationFilter(appID: 0)
      members = [:]
    }
  }

  /// The `to` of a rendering for the devices in some time zones.
  func inside(_ timeZones: [String]) -> JSONValue { named(Self.anyOf(timeZones)) }

  /// The `to` of a rendering for all other devices: devices in other time zones, and devices that
  /// do not report one.
  func outside(_ timeZones: [String]) -> JSONValue {
    guard timeZones.isEmpty else { return named(.object(["not": Self.anyOf(timeZones)])) }
    return .object(members.isEmpty ? ["all": .bool(true)] : ["filter": .object(members)])
  }

  /// The filter stays outermost, because only the outermost filter may name a token.
  private func named(_ condition: JSONValue) -> JSONValue {
    var members = members
    let parts: [JSONValue] = if case .array(let parts) = members["all"] { parts } else { [] }
    members["all"] = .array(parts + [condition])
    return .object(["filter": .object(members)])
  }

  private static func anyOf(_ timeZones: [String]) -> JSONValue {
    let each = timeZones.map { JSONValue.object(["time_zone": .string($0)]) }
    return each.count == 1 ? each[0] : .object(["any": .array(each)])
  }
}
