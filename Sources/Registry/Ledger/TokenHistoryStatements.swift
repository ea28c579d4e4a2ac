internal import DeviceProfile
internal import FoundationEssentials
package import Postgres

/// Writes events of tokens. It comes after the other writes of its transaction, which lock the
/// tokens: so the rows get their numbers in the order in which the tokens changed.
package struct InsertTokenEvents: Statement {
  package static let sql = """
    INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event,
      source, reason, from_installation_id)
    SELECT * FROM unnest(
        $1::int4[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::bytea[], $7::text[],
        $8::text[], $9::text[], $10::uuid[])
    """
  package let events: [TokenEvent]

  package init(events: [TokenEvent]) {
    self.events = events
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(column: events.map(\.installation.appID))
    parameters.append(column: events.map(\.installation.id.uuid))
    parameters.append(column: events.map(\.at))
    parameters.append(column: events.map(\.token.environment.rawValue))
    parameters.append(column: events.map(\.token.kind.rawValue))
    parameters.append(column: events.map { Bytea($0.token.token.bytes) })
    parameters.append(column: events.map(\.name.rawValue))
    parameters.append(column: events.map(\.source.rawValue))
    parameters.append(column: events.map(\.reason))
    parameters.append(column: events.map(\.from?.uuid))
  }
}
