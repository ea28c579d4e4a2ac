internal import ASCII
internal import DeviceProfile
internal import Foundation
internal import JSON

/// How records of another service become native ones. `FORMATS.md` beside this file is the same
/// table with the reasons; a test compares them.
struct ForeignFormat: Sendable {
  /// A field of the other service.
  struct Field: Sendable {
    /// Its dotted name; with `*` at the end, all names with that beginning.
    let name: String
    let use: ForeignUse

    init(_ name: String, _ use: ForeignUse) {
      self.name = name
      self.use = use
    }

    init(_ name: String, _ homes: [String] = [], take: @escaping ForeignUse.Taking) {
      self.init(name, ForeignUse(homes, take: take))
    }

    func covers(_ name: String) -> Bool {
      self.name.hasSuffix("*") ? name.hasPrefix(self.name.dropLast(1)) : name == self.name
    }

    /// Its place in a record.
    var pointer: String {
      name.split(separator: ".").filter { $0 != "*" }.map { "/" + $0 }.joined()
    }
  }

  /// Part of the names of derived installations; never changed.
  let name: String
  /// The column names that a CSV header must have; `nil` when the format is never CSV.
  var header: [String]?
  /// Whether a format that can be CSV can be JSON as well.
  var takesJSON = false
  /// The member that holds the records when the body is one object.
  var envelope: String?
  /// Cuts a record into those of single devices; `nil` when a record is one device.
  var devices: (@Sendable (JSONObject) -> [JSONObject])?
  /// All that are known, in the order in which they are taken. A name that two of them cover is the
  /// first one's.
  let fields: [Field]

  /// Takes the fields of a record.
  /// - Returns: The names that no field covers.
  func convert(
    _ record: FlatRecord, _ draft: inout ForeignDraft
  ) throws(InputFailure) -> [String] {
    var unknown: [String] = []
    var members = fields.map { _ in [ForeignValue.Member]() }
    for (name, values) in record.values.sorted(by: { $0.key < $1.key }) {
      if let index = fields.firstIndex(where: { $0.covers(name.text) }) {
        let rest = name.text.dropFirst(fields[index].name.count - 1)
        members[index].append((fields[index].name.hasSuffix("*") ? String(rest) : "", values))
      } else {
        unknown.append(name.text)
      }
    }
    for (field, members) in zip(fields, members) {
      try field.use.take(ForeignValue(pointer: field.pointer, all: members), &draft)
    }
    return unknown
  }

  /// The field that a native place came from, as a pointer: `/credentials/apns/token` was
  /// `/deviceToken`.
  func origin(of pointer: String) -> String {
    fields.first { field in
      field.use.homes.contains { pointer == $0 || pointer.hasPrefix($0 + "/") }
    }?.pointer ?? pointer
  }

  /// Whether a member of a record is a known field, or holds some.
  func knowsMember(_ name: String) -> Bool {
    fields.contains { $0.covers(name) || $0.name.hasPrefix(name + ".") }
  }

  /// The elements of a list of a record, each as a record of its own with the other members; none
  /// when the list is not there.
  ///
  ///     {"id": "u1", "devices": [{"id": "740f…"}, {"id": "5e88…"}]}      becomes
  ///     {"id": "u1", "devices": {"id": "740f…"}}, {"id": "u1", "devices": {"id": "5e88…"}}
  static func each(_ list: String, of record: JSONObject) -> [JSONObject] {
    (record[list]?.elements ?? []).map { element in
      var device = record
      device[list] = element
      return device
    }
  }
}

/// A record of another service on its way into the native form.
struct ForeignDraft {
  /// The other service's own name of the installation, if it has one that lasts.
  var vendorID: String?
  /// The system; iOS when no field names it.
  var platform: Platform?
  var environment: Environment
  /// The bundle id of the app that the record is of; the service refuses those of other apps.
  var bundleID: String?
  /// The other service's own name of the app that the record is of.
  var vendorApp: VendorApp?
  /// The kind of the token: `apns` or `voip`.
  var kind = "apns"
  var token: String?
  /// What is known of the token: `active`, `quarantined` or `invalid`, why, and since when.
  var status = "active"
  var reason: String?
  var invalidatedAt: String?
  var userID: String?
  var languages: [String] = []
  var locale: String?
  var tags: [String] = []
  var attributes: JSONObject = [:]
  /// The permission: `authorized` or `denied`.
  var authorization: String?
  /// Native members that are plain texts: `time_zone`, `app_version`, the times.
  var texts: [String: String] = [:]
  /// What is left out.
  var ignored: [InputProblem] = []

  /// The name of an app at the other service, which says nothing of bundle ids: all records of a
  /// file that could be one app's must have the same.
  struct VendorApp {
    var name: String
    /// The records that could be one app's: `APNS` and `APNS_SANDBOX` are two apps for Amazon SNS.
    var group = ""
    /// The field, as a pointer.
    var pointer: String
  }

  /// The time of day, in microseconds since 1970.
  let now: Int64

  /// Whether it says when it was true.
  var hasTime: Bool { ["updated_at", "last_seen_at", "created_at"].contains { texts[$0] != nil } }

  /// Takes a locale or language tag as the first language and, with a region, as the locale.
  mutating func locale(_ text: String?) {
    guard let text else { return }
    languages.append(text.replacing("_", with: "-"))
    locale = text.replacing("-", with: "_")
  }

  /// The native record; without its id.
  var members: JSONObject {
    var credential: JSONObject = ["status": .string(status)]
    credential["token"] = token.map(JSONValue.string)
    credential["reason"] = reason.map(JSONValue.string)
    credential["invalidated_at"] = invalidatedAt.map(JSONValue.string)
    var members = JSONObject(texts.mapValues(JSONValue.string))
    members["platform"] = .string((platform ?? .ios).rawValue)
    members["environment"] = .string(environment.rawValue)
    members["bundle_id"] = bundleID.map(JSONValue.string)
    members["credentials"] = .object([kind: .object(credential)])
    if !languages.isEmpty { members["languages"] = .array(languages.map(JSONValue.string)) }
    members["locale"] = locale.map(JSONValue.string)
    members["user"] = userID.map { .object(["id": .string($0)]) }
    if !tags.isEmpty { members["tags"] = .array(tags.map(JSONValue.string)) }
    if !attributes.isEmpty { members["attributes"] = .object(attributes) }
    members["authorization"] = authorization.map { .object(["status": .string($0)]) }
    return members
  }
}

/// The codes of records of other services that are left out, or taken in part, before the service
/// sees them; `FORMATS.md` explains them.
enum ForeignFault: String, CaseIterable {
  /// It is of no system of Apple's: another push service, e-mail, a browser.
  case unsupportedPlatform = "unsupported_platform"
  /// It has no device token.
  case missingToken = "missing_token"
  /// It is of another app of the other service than the records before it.
  case otherApp = "other_app"
  /// Its token has another length than nearly all others of the file, or all are short.
  case tokenLength = "token_length"
  /// A cell says NULL, and is taken as empty.
  case nullText = "null_text"
  /// An earlier row of the table has the token for another user.
  case tokenOfTwoUsers = "token_of_two_users"
  /// An earlier row of the table has the token with other values.
  case tokenTwice = "token_twice"
  /// An earlier row of the table has another token of the user.
  case userOfTwoTokens = "user_of_two_tokens"

  /// The fault at a place of the record.
  func problem(at pointer: String, _ detail: String) -> InputProblem {
    InputProblem(pointer: pointer, code: rawValue, detail: detail)
  }
}

extension InputFailure {
  /// A failure with one fault.
  init(_ fault: ForeignFault, at pointer: String, _ detail: String) {
    self.init([fault.problem(at: pointer, detail)])
  }
}

extension Platform {
  /// Reads the name of a system as other services spell it; `nil` when it is none of Apple's.
  init?(foreign text: String) {
    switch text.lowercased().filter({ $0 != " " }) {
    case "ios", "iphoneos": self = .ios
    case "ipados": self = .ipados
    case "macos", "macosx", "osx": self = .macos
    case "tvos": self = .tvos
    case "watchos", "applewatch": self = .watchos
    case "visionos", "xros": self = .visionos
    default: return nil
    }
  }

  /// Guesses the system from a device's model: `iPad13,4`.
  init?(model text: String) {
    let models: [(String, Platform)] = [
      ("iphone", .ios), ("ipod", .ios), ("ipad", .ipados), ("mac", .macos), ("imac", .macos),
      ("appletv", .tvos), ("watch", .watchos), ("realitydevice", .visionos),
    ]
    guard let found = models.first(where: { text.lowercased().hasPrefix($0.0) }) else { return nil }
    self = found.1
  }
}

/// A time as other services and databases write it: RFC 3339, the same with another spelling of the
/// offset or without one (UTC), or a number of seconds or milliseconds since 1970.
///
///     2022-01-01T12:23:45+02:00    as it is
///     2022-01-01 12:23:45.678      2022-01-01 12:23:45.678Z
///     2022-01-01 12:23:45+00       2022-01-01 12:23:45+00:00
///     2022-01-01 12:23:45 +0530    2022-01-01 12:23:45+05:30
///     2022-01-01 12:23:45 UTC      2022-01-01 12:23:45Z
///     1641039825                   2022-01-01T12:23:45.000Z
///     1641039825678                2022-01-01T12:23:45.678Z
struct ForeignTime {
  /// Microseconds since 1970.
  let microseconds: Int64
  /// As the service reads it.
  let rfc3339: String

  init?(_ text: String) {
    for candidate in [text, Self.zoned(text)] {
      guard let time = RFC3339.microseconds(candidate) else { continue }
      (microseconds, rfc3339) = (time, candidate)
      return
    }
    guard let number = Double(text) else { return nil }
    // As seconds, 10^11 is in the year 5138; as milliseconds, it is in 1973.
    let unit: Double = number.magnitude < 1e11 ? 1_000_000 : 1000
    guard let time = Int64(exactly: (number * unit).rounded()), RFC3339.writable.contains(time)
    else { return nil }
    (microseconds, rfc3339) = (time, RFC3339.text(microseconds: time))
  }

  /// The text with its offset in the spelling of RFC 3339; without one it is UTC.
  private static func zoned(_ text: String) -> String {
    // Behind `2022-01-01 12:23:45` there may be a fraction.
    let fraction = text.dropFirst(19).prefix { $0 == "." || $0.isNumber }
    let (clock, offset) = (text[..<fraction.endIndex], text[fraction.endIndex...])
    let sign = offset.drop { $0 == " " }
    return switch sign.count {
    case 0: "\(clock)Z"
    case 3: sign == "UTC" ? "\(clock)Z" : "\(clock)\(sign):00"
    case 5: "\(clock)\(sign.prefix(3)):\(sign.suffix(2))"
    default: "\(clock)\(sign)"
    }
  }
}
