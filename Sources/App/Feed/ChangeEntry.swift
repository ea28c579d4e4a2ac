internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// A change as answers show it. It says little: a reader that must know more asks for it with its
/// own key, and gets what is true by then.
struct ChangeEntry: Sendable {
  var position: ChangePosition
  var at: Timestamp
  /// A word of ``TokenEvent``, ``InstallationEvent`` or ``AppEvent``; one of a later release is
  /// passed on.
  var event: String
  var source: String
  /// Whose it is; `nil` for what happened to the app.
  var installation: UUID?
  /// Whose the token was before.
  var from: UUID?
  var environment: String?
  /// Of the token, or of the failures.
  var kind: String?
  var reason: String?
  var build: String?

  /// Writes it, with the cursor of a reader that has come so far.
  func write(to writer: inout JSONWriter, in life: ChangeEpoch) {
    writer.object { writer in
      writer.member("app_build", build)
      writer.member("at", at.rfc3339)
      writer.member("cursor", cursor(in: life).text)
      writer.member("environment", environment)
      writer.member("event", event)
      writer.member("from_installation_id", from.map { InstallationID($0).text })
      writer.member("installation_id", installation.map { InstallationID($0).text })
      writer.member("kind", kind)
      writer.member("reason", reason)
      writer.member("source", source)
    }
  }

  /// Where a reader stands that has read it.
  func cursor(in life: ChangeEpoch) -> ChangeCursor {
    ChangeCursor(epoch: life.number, position: position, at: at)
  }
}

/// Some changes of an app in their order.
struct ChangePage: Sendable {
  let life: ChangeEpoch
  let changes: [ChangeEntry]
  /// Whether there are more.
  let hasMore: Bool
  /// Where the reader stands that has read them.
  let cursor: ChangeCursor
  /// Whether the reader may go on from its place, which an earlier life may have told it.
  let goesOn: Bool

  /// Changes that were found behind a place.
  /// - Parameters:
  ///   - limit: So many are given at most.
  ///   - now: When they were looked for. The cursor of a reader that has seen all gets this time,
  ///     so that it does not expire while nothing happens.
  init(
    _ found: [ChangeEntry], behind position: ChangePosition, limit: Int, in life: ChangeEpoch,
    at now: Timestamp, goesOn: Bool = true
  ) {
    self.life = life
    self.goesOn = goesOn
    changes = Array(found.prefix(limit))
    hasMore = found.count > limit
    cursor = ChangeCursor(
      epoch: life.number, position: changes.last?.position ?? position,
      at: hasMore ? changes.last?.at ?? now : now)
  }
}
