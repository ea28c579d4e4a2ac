internal import Postgres

/// A change that every instance must hear of, over `NOTIFY` on one channel.
enum Notice: Sendable, Hashable {
  /// Apps or keys changed.
  case directory
  /// A catalog was replaced or deleted.
  case catalog(appID: Int32, version: String)
  /// A message was changed or deleted.
  case message(MessageStore.Key)

  static let channel: StaticString = "postilion"

  /// The payload: `directory`, `catalog:<app id>:<version>` or `message:<app id>:<name>`.
  var payload: String {
    switch self {
    case .directory: "directory"
    case .catalog(let appID, let version): "catalog:\(appID):\(version)"
    case .message(let key): "message:\(key.appID):\(key.name.text)"
    }
  }

  /// Reads a payload; `nil` for one of a newer release.
  init?(payload: String) {
    let parts = payload.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    if payload == "directory" {
      self = .directory
    } else if parts.count == 3, parts[0] == "catalog", let appID = Int32(parts[1]) {
      self = .catalog(appID: appID, version: String(parts[2]))
    } else if parts.count == 3, parts[0] == "message", let appID = Int32(parts[1]),
      let name = MessageName(String(parts[2]))
    {
      self = .message(MessageStore.Key(appID: appID, name: name))
    } else {
      return nil
    }
  }
}

/// Sends a notice when its transaction commits.
struct SendNotice: Statement {
  static let sql = "SELECT pg_notify('postilion', $1)::text"
  let notice: Notice

  func bind(to parameters: inout Parameters) { parameters.append(notice.payload) }
}
