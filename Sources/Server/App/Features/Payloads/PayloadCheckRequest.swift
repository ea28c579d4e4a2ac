internal import APNs
internal import ASCII
internal import Content
internal import JSON
internal import Localization
internal import Postgres

/// The body of `POST …/payloads/check`: a payload, how it is sent, and the device that gets it.
struct PayloadCheckRequest: RequestBody {
  static var policy: FieldPolicy { .strict }

  /// Header fields of the request to APNs, by their names there.
  private struct GivenHeaders: Sendable {
    var topic: String?
    var pushType: PushType?
    var priority: Int?
    var expiration: Int64?
    var collapseID: String?

    init(_ fields: FieldReader) {
      topic = fields.text("apns-topic", maximum: Limits.labelBytes).value
      pushType = fields.word("apns-push-type").value
      priority = fields.number("apns-priority", in: 1...10).map { Int($0) }
      expiration = fields.number("apns-expiration", in: 0...Limits.expirationSeconds)
      collapseID = fields.text("apns-collapse-id", maximum: Limits.labelBytes).value
      _ = fields.text("apns-id", maximum: Limits.labelBytes)
    }
  }

  var payload: JSONObject
  private var pushType: PushType
  private var given: GivenHeaders?
  /// The app version whose strings the device has; `nil` for the last upload.
  var appVersion: String?
  /// The languages of the device, best first; `nil` for the app's development language.
  var languages: [LanguageTag]?

  init?(reading fields: FieldReader) {
    // HTTP/2 has field names in small letters, and people write them in any.
    given = fields.json("headers").value.flatMap { headers in
      fields.nested(
        headers.withSmallNames, at: fields.pointer(to: "headers"), GivenHeaders.init)
    }
    let named: PushType? = fields.word("push_type").value
    appVersion = fields.appCatalog("app_version")
    switch fields.json("languages").value {
    case nil: break
    case .array(let elements): languages = fields.languageTags("languages", in: elements)
    case let value?: fields.refuseType("languages", "an array of language tags", value)
    }
    let payload = fields.required(fields.json("payload"), "payload")
    guard let payload else { return nil }
    guard case .object(let members) = payload else {
      fields.refuseType("payload", "an object", payload)
      return nil
    }
    if let named, let header = given?.pushType, named != header {
      fields.refuse(.unknownValue, at: "push_type", "`apns-push-type` says \(header.rawValue).")
    }
    self.payload = members
    pushType = given?.pushType ?? named ?? PushType(of: members)
  }

  /// The given header fields, as APNs takes them. If none are given, the header fields that we
  /// would send. The topic may be that of any target of the app.
  func headers(of app: AppRecord, now: Timestamp) -> RequestHeaders {
    let suffix = pushType.rules.topicSuffix
    let target = app.bundleIDs.map(\.text).first { bundleID in
      given?.topic?.isSpelled(like: bundleID + suffix) == true
    }
    var headers = RequestHeaders(
      bundleID: app.bundleID.text, pushType: pushType,
      contentAvailable: Payload(payload).aps?.wakesApp == true,
      now: now.microseconds / 1_000_000
    ).addressed(to: target)
    guard let given else { return headers }
    headers.topic = given.topic ?? headers.topic
    // APNs assumes this priority.
    headers.priority = given.priority ?? 10
    headers.expiration = given.expiration
    headers.collapseID = given.collapseID
    return headers
  }
}

extension JSONValue {
  /// An object with the names of its members in small letters; any other value as it is.
  fileprivate var withSmallNames: JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(JSONObject(members.map { (key: $0.key.lowercased(), value: $0.value) }))
  }
}

extension FieldReader {
  /// A number: a text, as in header fields, or a number of JSON.
  fileprivate func number(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
    let value: Int64?
    switch json(name).value {
    case nil: return nil
    case .integer(let number): value = number
    case .string(let text): value = Int64(text)
    case let other?:
      refuseType(name, "a whole number", other)
      return nil
    }
    guard let value, range.contains(value) else {
      refuse(.outOfRange, at: name, "From \(range.lowerBound) to \(range.upperBound).")
      return nil
    }
    return value
  }
}
