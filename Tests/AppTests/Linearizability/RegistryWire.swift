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
    for kind in CredentialKind.withColumns {
      switch credentials[kind] ?? .keep {
      case .keep: continue
      case .clear: body["credentials"][kind.rawValue] = .null
      case .set(let token): body["credentials"][kind.rawValue] = ["token": .string(token.hex)]
      }
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
    shown = Shown(
      environment: json["environment"].string, apns: ShownCredential(json["credentials"]["apns"]),
      voip: ShownCredential(json["credentials"]["voip"]), version: json["app_version"].string,
      build: json["app_build"].string)
    if case .bool(let flag) = json["applied"] { isApplied = flag }
    tag = reply["etag"]
  }
}

extension RegistryAnswer.ShownCredential {
  fileprivate init?(_ json: AppTesting.JSON) {
    guard json != .absent, json != .null else { return nil }
    token = json["token"].string
    status = json["status"].string
    reason = json["reason"].string
  }
}
