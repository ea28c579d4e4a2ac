internal import Crypto
internal import EventLoop
internal import HTTP
internal import Registry

extension Request {
  /// What the audit log keeps of the call; `nil` of a call that it does not keep, and of those
  /// without a valid key.
  func auditEntry(
    _ endpoint: Endpoint, _ status: Status, from client: @autoclosure () -> IPAddress?,
    _ directory: @autoclosure () -> [AppSlug: AppRecord]
  ) -> AuditEntry? {
    guard let key, isAudited(endpoint, key.kind) else { return nil }
    let apps = directory()
    let named = parameters["app"]
    // An app that the call made is there only now, and one that it deleted no longer.
    let appID = key.appID ?? appRecord?.id ?? named.flatMap { AppSlug($0) }.flatMap { apps[$0]?.id }
    let app = named ?? apps.values.first { $0.id == appID }?.slug.text
    let target = parameters.all.filter { $0.name != "app" }.map { name, value in
      switch name {
      case "token": DeviceToken.redacted(value)
      // Who is erased does not stay here; whoever knows the id finds what was done.
      case "user": String(Hex.encode(SHA256.hash(value)).prefix(16))
      default: value
      }
    }
    return AuditEntry(
      at: now, appID: appID, app: app?.cut, keyID: key.id, keyKind: key.kind, keyLabel: key.label,
      operation: endpoint.operation,
      target: target.isEmpty ? nil : target.joined(separator: "/").cut,
      status: Int16(status.code), requestID: requestID, client: client()?.description)
  }

  private func isAudited(_ endpoint: Endpoint, _ kind: APIKeyKind) -> Bool {
    switch (kind, endpoint.senderAudit) {
    case (.admin, _), (.root, _), (.sender, .all): true
    case (.client, _), (.sender, .none): false
    case (.sender, .exports(let names)):
      names.isDisjoint(with: QueryParameters(head.query)?.names ?? [])
    }
  }
}

extension DeviceToken {
  /// The beginning of a token that stands in a path, also of what is none.
  fileprivate static func redacted(_ text: String) -> String {
    (try? DeviceToken(parsing: text))?.redacted ?? String(text.prefix(8))
  }
}

extension String {
  /// What the audit log keeps of a name in a path.
  fileprivate var cut: String {
    String(decoding: utf8.prefix(Limits.auditNameBytes), as: UTF8.self)
  }
}
