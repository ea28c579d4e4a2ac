import DeviceProfile
import JSON
import Postgres
import Registry

/// How records of another service become ours: every field that we know of, and what it becomes.
/// `FORMATS.md` beside this file is the same table with the reasons; a test compares them.
struct ForeignFormat: Sendable {
  /// A field of the other service.
  struct Field: Sendable, Hashable {
    /// Its dotted name; with `.*` at the end, all names with that beginning.
    var name: String
    /// The pointers of what it becomes in a native record; none when it has no home.
    var homes: [String]

    init(_ name: String, _ homes: String...) {
      self.name = name
      self.homes = homes
    }

    func covers(_ name: String) -> Bool {
      self.name.hasSuffix(".*")
        ? name.hasPrefix(self.name.dropLast(1)) : name == self.name
    }
  }

  /// Part of the names of derived installations; never changed.
  let name: String
  /// The column names that a CSV header must have; `nil` when the format is never CSV.
  let header: [String]?
  /// Whether a format that can be CSV can be JSON as well.
  var takesJSON = false
  /// The member that holds the records when the body is one object.
  let envelope: String?
  let fields: [Field]
  /// What becomes of fields that are not listed: attributes of the same name, or nothing.
  let keepsUnknownFields: Bool
  let convert: @Sendable (FlatRecord, inout ForeignDraft) throws(InputFailure) -> Void

  /// The field that a native place came from, as a pointer: `/credentials/apns/token` was
  /// `/deviceToken`.
  func origin(of pointer: String) -> String {
    let field = fields.first { field in
      field.homes.contains { pointer == $0 || pointer.hasPrefix($0 + "/") }
    }
    return field.map { "/" + $0.name.split(separator: ".").joined(separator: "/") } ?? pointer
  }
}

/// A record of another service on its way into the native form.
struct ForeignDraft {
  /// The other service's own name of the installation, if it has one that lasts.
  var vendorID: String?
  var platform: Platform?
  var environment: Environment
  var kind = CredentialKind.apns
  var token: String?
  var status = CredentialStatus.active
  var reason: String?
  var invalidatedAt: Timestamp?
  var userID: String?
  var languages: [String] = []
  var locale: String?
  var tags: [String] = []
  var attributes: JSONObject = [:]
  var authorization: AuthorizationStatus?
  /// Native members that are plain texts: `time_zone`, `app_version`.
  var texts: [String: String] = [:]
  private(set) var ignored: [InputProblem] = []

  /// The server's time.
  let now: Timestamp

  init(environment: Environment, now: Timestamp) {
    self.environment = environment
    self.now = now
  }

  /// Takes a time under its native name; one that cannot be read is left out.
  mutating func date(_ name: String, _ text: String?) {
    guard let text else { return }
    if let time = Timestamp(foreign: text) {
      texts[name] = time.rfc3339
    } else {
      leaveOut(.invalidTimestamp, "/\(name)", "A time that cannot be read.")
    }
  }

  /// Takes a locale or language tag as the first language and, with a region, as the locale.
  mutating func locale(_ text: String?) {
    guard let text else { return }
    languages.append(text.replacing("_", with: "-"))
    locale = text.replacing("-", with: "_")
  }

  mutating func leaveOut(_ fault: InputFault, _ pointer: String, _ detail: String) {
    ignored.append(fault.problem(at: pointer, detail))
  }

  mutating func leaveOut(_ fault: ImportFault, _ pointer: String, _ detail: String) {
    ignored.append(fault.problem(at: pointer, detail))
  }

  /// The native record; without its id.
  var members: JSONObject {
    var credential: JSONObject = ["status": .string(status.rawValue)]
    credential["token"] = token.map(JSONValue.string)
    credential["reason"] = reason.map(JSONValue.string)
    credential["invalidated_at"] = invalidatedAt.map { .string($0.rfc3339) }
    var members = JSONObject(texts.mapValues(JSONValue.string))
    members["platform"] = .string((platform ?? .ios).rawValue)
    members["environment"] = .string(environment.rawValue)
    members["credentials"] = .object([kind.rawValue: .object(credential)])
    if !languages.isEmpty { members["languages"] = .array(languages.map(JSONValue.string)) }
    members["locale"] = locale.map(JSONValue.string)
    members["user"] = userID.map { .object(["id": .string($0)]) }
    if !tags.isEmpty { members["tags"] = .array(tags.map(JSONValue.string)) }
    if !attributes.isEmpty { members["attributes"] = .object(attributes) }
    members["authorization"] = authorization.map { .object(["status": .string($0.rawValue)]) }
    return members
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
    case "watchos": self = .watchos
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

extension Timestamp {
  /// Reads a time as other services write it: RFC 3339, the same without an offset (UTC), or a
  /// number of milliseconds since 1970.
  init?(foreign text: String) {
    if let time = Timestamp(rfc3339: text) ?? Timestamp(rfc3339: text + "Z") {
      self = time
      return
    }
    guard let milliseconds = Int64(text) else { return nil }
    let (microseconds, isBeyond) = milliseconds.multipliedReportingOverflow(by: 1000)
    guard !isBeyond, Self.writable.contains(microseconds) else { return nil }
    self.init(microseconds: microseconds)
  }
}
