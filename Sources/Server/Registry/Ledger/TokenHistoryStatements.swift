internal import DeviceProfile
internal import FoundationEssentials
package import Postgres

extension TokenEvent: RowDecodable {
  /// The columns of an event, without its number, in the order of the properties.
  package static let columns = """
    app_id, installation_id, environment, kind, token, event, source, at, reason,
      from_installation_id
    """

  package init(row: inout RowReader) throws(PostgresError) { self = try row.next(into: Self.init) }
}

/// Writes events of tokens. It comes after the other writes of its transaction, which lock the
/// tokens: so the rows get their numbers in the order in which the tokens changed.
package struct InsertTokenEvents: Statement {
  package static let sql = """
    INSERT INTO token_history (\(TokenEvent.columns))
    SELECT * FROM unnest(
        $1::int4[], $2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[],
        $8::timestamptz[], $9::text[], $10::uuid[])
    """
  package let events: [TokenEvent]

  package func bind(to parameters: inout Parameters) {
    parameters.append(column: events.map(\.installation.appID))
    parameters.append(column: events.map(\.installation.id.uuid))
    parameters.append(column: events.map(\.token.environment.rawValue))
    parameters.append(column: events.map(\.token.kind.rawValue))
    parameters.append(column: events.map { Bytea($0.token.token.bytes) })
    parameters.append(column: events.map(\.name.rawValue))
    parameters.append(column: events.map(\.source.rawValue))
    parameters.append(column: events.map(\.at))
    parameters.append(column: events.map(\.reason))
    parameters.append(column: events.map(\.from?.uuid))
  }
}
