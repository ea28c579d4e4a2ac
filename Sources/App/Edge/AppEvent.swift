internal import DeviceProfile
internal import Postgres
internal import Registry

/// Something that happened to an app, of which the feed of changes tells: a row of `app_history`
/// without an installation.
struct AppEvent: Sendable {
  /// What happened.
  enum Name: String, Sendable, CaseIterable {
    /// Apps report many failures of a kind.
    case failureBurst = "failure_burst"
    /// Refusals of tokens are not believed.
    case breakerOpened = "breaker_opened"
    /// They are believed again.
    case breakerClosed = "breaker_closed"
    /// Devices have a build without a catalog.
    case buildWithoutCatalog = "build_without_catalog"
  }

  var appID: Int32
  var name: Name
  var source: TokenEvent.Source
  var at: Timestamp
  /// Of a breaker.
  var environment: Environment?
  /// Of failures.
  var kind: String?
  /// Of devices.
  var build: String?
}

/// Writes an event of an app.
struct InsertAppEvent: Statement {
  static let sql = """
    INSERT INTO app_history (app_id, event, source, at, environment, kind, app_build)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    """
  let event: AppEvent

  func bind(to parameters: inout Parameters) { parameters.append(event) }
}

/// Writes an event of an app, unless the same was written since a time. Behind
/// ``LockAppFor`` it is written once, whichever instances notice it.
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
