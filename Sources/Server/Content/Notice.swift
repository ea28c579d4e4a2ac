package import Postgres

/// A change that every instance must hear of, over `NOTIFY` on one channel.
package enum Notice: Sendable, Hashable {
  /// Apps or keys changed.
  case directory
  /// A catalog was replaced or deleted.
  case catalog(CatalogKey)
  /// A message was changed or deleted.
  case message(MessageKey)

  package static let channel: StaticString = "postilion"

  /// The payload: `directory`, `catalog:<app id>:<version>` or `message:<app id>:<name>`.
  package var payload: String {
    switch self {
    case .directory: "directory"
    case .catalog(let key): "catalog:\(key.appID):\(key.version)"
    case .message(let key): "message:\(key.appID):\(key.name.text)"
    }
  }

  /// Reads a payload; `nil` for one of a newer release.
  package init?(payload: String) {
    let parts = payload.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    if payload == "directory" {
      self = .directory
    } else if parts.count == 3, parts[0] == "catalog", let appID = Int32(parts[1]) {
      self = .catalog(CatalogKey(appID: appID, version: String(parts[2])))
    } else if parts.count == 3, parts[0] == "message", let appID = Int32(parts[1]),
      let name = MessageName(String(parts[2]))
    {
      self = .message(MessageKey(appID: appID, name: name))
    } else {
      return nil
    }
  }
}

/// Sends a notice when its transaction commits.
package struct SendNotice: Statement {
  package static let sql = "SELECT pg_notify('postilion', $1)::text"
  package let notice: Notice

  package init(notice: Notice) {
    self.notice = notice
  }

  package func bind(to parameters: inout Parameters) { parameters.append(notice.payload) }
}
