internal import ASCII
internal import Crypto
internal import EventLoop
internal import FoundationEssentials
internal import HTTP
internal import Postgres
internal import Registry
internal import Synchronization

extension Request {
  /// The entry of the call for the audit log; `nil` for a call that the log does not keep, and for
  /// a call without a valid key.
  func auditEntry(
    _ endpoint: Endpoint, _ status: Status, from client: @autoclosure () -> IPAddress?,
    _ exports: RecordedExports, _ directory: @autoclosure () -> [AppSlug: AppRecord]
  ) -> AuditEntry? {
    guard let key, isAudited(endpoint, key, exports) else { return nil }
    let apps = directory()
    let named = parameters["app"]
    // An app that the call made is there only now, and an app that the call deleted is there no
    // longer.
    let appID = key.appID ?? appRecord?.id ?? named.flatMap { AppSlug($0) }.flatMap { apps[$0]?.id }
    let app = named ?? apps.values.first { $0.id == appID }?.slug.text
    let target = parameters.all.filter { $0.name != "app" }.map { name, value in
      switch name {
      case "token": DeviceToken.redacted(value)
      // The id of an erased person does not stay here. A reader who knows the id finds the entry.
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

  private func isAudited(
    _ endpoint: Endpoint, _ key: KeyRecord, _ exports: RecordedExports
  ) -> Bool {
    switch (key.kind, endpoint.senderAudit) {
    case (.admin, _), (.root, _), (.sender, .all): return true
    case (.client, _), (.sender, .none): return false
    case (.sender, .exports(let place, let names)):
      let given = QueryParameters(head.query)?.names ?? []
      return !given.contains(where: names.containsSpelling)
        && exports.record(
          endpoint.operation, by: key.id, at: now, goesOn: given.containsSpelling(place))
    }
  }
}

/// When this instance last recorded an export of a key.
final class RecordedExports: Sendable {
  private struct Export: Hashable {
    let operation: String
    let key: UUID
  }
  private let times = Mutex<[Export: Timestamp]>([:])

  /// Notes a call that is to be recorded.
  /// - Parameter goesOn: Whether the call says that it continues an earlier one.
  /// - Returns: Whether the call is to be recorded.
  func record(_ operation: String, by key: UUID, at now: Timestamp, goesOn: Bool) -> Bool {
    let export = Export(operation: operation, key: key)
    return times.withLock { times in
      times = times.filter { now < $0.value.advanced(by: Limits.exportContinues) }
      if goesOn, times[export] != nil { return false }
      times[export] = now
      return true
    }
  }
}

extension DeviceToken {
  /// The beginning of a token in a path, also of a text that is no token.
  fileprivate static func redacted(_ text: String) -> String {
    (try? DeviceToken(parsing: text))?.redacted ?? String(text.prefix(8))
  }
}

extension String {
  /// The part of a name in a path that the audit log keeps.
  fileprivate var cut: String {
    String(decoding: utf8.prefix(Limits.auditNameBytes), as: UTF8.self)
  }
}
