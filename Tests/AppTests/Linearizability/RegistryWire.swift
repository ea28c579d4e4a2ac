import AppTesting
import DeviceProfile
import Foundation
import JSON
import Postgres

@testable import App
@testable import Registry

/// An app on the service under test, and the keys for it.
struct RegistryApp: Sendable {
  var name: String
  var clientKey: String
  var senderKey: String
}

extension RegistryOperation {
  /// The bytes of the request.
  func request(in segment: RegistrySegment, _ app: RegistryApp) -> [UInt8] {
    let id = segment.ids[installation].text
    var path = "/installations/\(id)"
    var body: AppTesting.JSON?
    let method: String
    switch action {
    case .report(let report, let mayCreate):
      method = mayCreate ? "PUT" : "PATCH"
      body = report.body
    case .read: method = "GET"
    case .delete: method = "DELETE"
    case .deleteCredential(let kind):
      method = "DELETE"
      path += "/credentials/\(kind.rawValue)"
    case .feedback(let item, _):
      method = "POST"
      path = "/feedback"
      body = ["results": [item.body]]
    }
    var fields = ["Authorization: Bearer \(isFromApp ? app.clientKey : app.senderKey)"]
    // At least 32 characters, and its own.
    if isFromApp { fields.append("Postilion-Installation-Secret: secret-of-\(id)") }
    switch condition {
    case .none, .isLastSeen: break
    case .isNew: fields.append("If-None-Match: *")
    case .has(let tag): fields.append("If-Match: \(tag)")
    }
    let text = body?.text ?? ""
    if body != nil { fields.append("Content-Type: application/json") }
    fields.append("Content-Length: \(text.utf8.count)")
    let head = "\(method) /v1/apps/\(app.name)\(path) HTTP/1.1\r\nHost: a\r\n"
    return Array((head + fields.joined(separator: "\r\n") + "\r\n\r\n" + text).utf8)
  }
}

extension RegistrationReport {
  /// The body that says the same.
  fileprivate var body: AppTesting.JSON {
    var body: AppTesting.JSON = [:]
    if let platform { body["platform"] = .string(platform.rawValue) }
    if let environment { body["environment"] = .string(environment.rawValue) }
    for place in credentials.replaced { body.setCredential(at: place, .null) }
    for (place, reported) in credentials.brought {
      var credential: AppTesting.JSON = ["token": .string(reported.token.hex)]
      if let type = reported.details.type { credential["type"] = .string(type) }
      body.setCredential(at: place, credential)
    }
    for (name, change) in [("app_version", appVersion), ("app_build", appBuild)] {
      switch change {
      case .keep: continue
      case .clear: body[name] = .null
      case .set(let text): body[name] = .string(text)
      }
    }
    if let reportedAt { body["reported_at"] = .string(reportedAt.rfc3339) }
    return body
  }
}

extension FeedbackItem {
  fileprivate var body: AppTesting.JSON {
    var body: AppTesting.JSON = ["token": .string(token?.hex ?? "")]
    if let environment { body["environment"] = .string(environment.rawValue) }
    if let kind { body["credential"] = .string(kind.rawValue) }
    if let status { body["status"] = .number(Double(status)) }
    if let reason { body["reason"] = .string(reason) }
    if let sentAt { body["sent_at"] = .string(sentAt.rfc3339) }
    return body
  }
}

extension RegistryAnswer {
  /// What a reply tells.
  init(_ reply: Reply, to operation: RegistryOperation) {
    status = reply.status
    guard status < 300 else {
      code = reply.problem ?? "none"
      return
    }
    guard status != 204 else { return }
    let json = reply.json
    if case .feedback = operation.action {
      let result = json["results"][0]
      let outcome = result["decision"].string ?? "none"
      let isDetailed = outcome == FeedbackEffect.noAction.rawValue
      decision = [outcome, isDetailed ? result["detail"].string : nil].compactMap { $0 }
        .joined(separator: " ")
      return
    }
    var shown = Shown(
      environment: json["environment"].string, version: json["app_version"].string,
      build: json["app_build"].string)
    shown.add(json["credentials"])
    self.shown = shown
    if case .bool(let flag) = json["applied"] { isApplied = flag }
    tag = reply["etag"]
  }
}

extension AppTesting.JSON {
  /// Sets a member of `credentials` of a body.
  fileprivate mutating func setCredential(at place: CredentialPlace, _ value: AppTesting.JSON) {
    func setting(_ names: ArraySlice<String>, in object: AppTesting.JSON) -> AppTesting.JSON {
      guard let name = names.first else { return value }
      var object = object == .absent || object == .null ? [:] : object
      object[name] = setting(names.dropFirst(), in: object[name])
      return object
    }
    self["credentials"] = setting(
      ([place.kind.rawValue] + place.names)[...], in: self["credentials"])
  }
}

extension RegistryAnswer.Shown {
  /// Adds the credentials of an answer, by place.
  fileprivate mutating func add(_ json: AppTesting.JSON, _ place: [String] = []) {
    guard case .object(let members) = json else { return }
    if members["token"]?.string != nil {
      credentials[place.joined(separator: " ")] = RegistryAnswer.ShownCredential(json)
      return
    }
    for (name, member) in members { add(member, place + [name]) }
  }
}

extension RegistryAnswer.ShownCredential {
  fileprivate init(_ json: AppTesting.JSON) {
    token = json["token"].string
    status = json["status"].string
    reason = json["reason"].string
  }
}
