internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// A change as answers show it. It says little: a reader that must know more asks with its own key,
/// and gets the state at that time.
struct ChangeEntry: Sendable {
  var position: ChangePosition
  var at: Timestamp
  /// A word of ``TokenEvent``, ``InstallationEvent`` or ``AppEvent``; a word of a later release is
  /// passed on.
  var event: String
  var source: String
  /// The installation that the change concerns; `nil` for an event of the app.
  var installation: UUID?
  /// The installation that had the token before.
  var from: UUID?
  var environment: String?
  /// The kind of the token, or of the failures.
  var kind: String?
  var reason: String?
  var build: String?

  /// Writes the change, with the cursor of a reader that has read it.
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

  /// The cursor of a reader that has read the change.
  func cursor(in life: ChangeEpoch) -> ChangeCursor {
    ChangeCursor(epoch: life.number, position: position, at: at)
  }
}

/// Some changes of an app in their order.
struct ChangePage: Sendable {
  let life: ChangeEpoch
  let changes: [ChangeEntry]
  let hasMore: Bool
  /// The cursor of a reader that has read the changes.
  let cursor: ChangeCursor
  /// Whether the reader may go on from its place, which it may have from an earlier life.
  let goesOn: Bool

  /// Changes that were found behind a place.
  /// - Parameters:
  ///   - limit: The maximum number of changes in the page.
  ///   - now: The time of the search. The cursor of a reader that has seen all changes gets this
  ///     time, so that it does not expire while nothing happens.
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
