internal import DeviceProfile
internal import Postgres
internal import Registry

/// Something that happened to an app, of which the feed of changes tells: a row of `app_history`
/// without an installation.
struct AppEvent: Sendable {
  enum Name: String, Sendable, CaseIterable {
    /// Apps report many failures of a kind.
    case failureBurst = "failure_burst"
    /// Refusals of tokens are not believed.
    case breakerOpened = "breaker_opened"
    /// Refusals of tokens are believed again.
    case breakerClosed = "breaker_closed"
    /// Devices have a build without a catalog.
    case buildWithoutCatalog = "build_without_catalog"
  }

  var appID: Int32
  var name: Name
  var source: TokenEvent.Source
  var at: Timestamp
  /// The environment of a breaker; `nil` in other events.
  var environment: Environment?
  /// The kind of failures; `nil` in other events.
  var kind: String?
  /// The build of devices; `nil` in other events.
  var build: String?
}

struct InsertAppEvent: Statement {
  static let sql = """
    INSERT INTO app_history (app_id, event, source, at, environment, kind, app_build)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    """
  let event: AppEvent

  func bind(to parameters: inout Parameters) { parameters.append(event) }
}

/// Writes an event of an app, unless the same event was written since a time. After ``LockAppFor``
/// it is written once, even if several instances notice it.
struct InsertAppEventOnce: Statement {
  static let sql = """
    INSERT INTO app_history (app_id, event, source, at, environment, kind, app_build)
    SELECT $1, $2, $3, $4, $5, $6, $7
    WHERE NOT EXISTS (
      SELECT FROM app_history
      WHERE app_id = $1 AND event = $2 AND at > $8 AND installation_id IS NULL
        AND kind IS NOT DISTINCT FROM $6 AND app_build IS NOT DISTINCT FROM $7)
    """
  let event: AppEvent
  let since: Timestamp

  func bind(to parameters: inout Parameters) {
    parameters.append(event)
    parameters.append(since)
  }
}

extension Parameters {
  /// Appends the seven columns of an event.
  fileprivate mutating func append(_ event: AppEvent) {
    append(event.appID)
    append(event.name.rawValue)
    append(event.source.rawValue)
    append(event.at)
    append(event.environment?.rawValue)
    append(event.kind)
    append(event.build)
  }
}
