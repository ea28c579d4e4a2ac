internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// An event and its number: the order in which things happened.
struct NumberedTokenEvent: Sendable, RowDecodable {
  var id: Int64
  var event: TokenEvent

  /// The columns that ``init(row:)`` reads.
  static let selection = """
    id, app_id, installation_id, at, environment, kind, token, event, source, reason,
      from_installation_id
    """

  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    let installation = try InstallationKey(row: &row)
    let at: Timestamp = try row.next()
    event = TokenEvent(
      installation: installation, token: try TokenKey(row: &row), name: try row.nextWord(),
      source: try row.nextWord(), at: at, reason: try row.nextOptional(),
      from: try row.nextOptional(UUID.self).map { InstallationID($0) })
  }
}

/// An event as answers show it.
struct TokenEventView: ListItem {
  private let event: TokenEvent

  init(_ numbered: NumberedTokenEvent) { event = numbered.event }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("at", event.at.rfc3339)
      writer.member("environment", event.token.environment.rawValue)
      writer.member("event", event.name.rawValue)
      writer.member("from_installation_id", event.from?.text)
      writer.member("installation_id", event.installation.id.text)
      writer.member("kind", event.token.kind.rawValue)
      writer.member("reason", event.reason)
      writer.member("source", event.source.rawValue)
      writer.member("token", event.token.token.hex)
    }
  }

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("at") { $0.event.at.rfc3339 },
    CSVColumn("event") { $0.event.name.rawValue },
    CSVColumn("kind") { $0.event.token.kind.rawValue },
    CSVColumn("environment") { $0.event.token.environment.rawValue },
    CSVColumn("token") { $0.event.token.token.hex },
    CSVColumn("installation_id") { $0.event.installation.id.text },
    CSVColumn("from_installation_id") { $0.event.from?.text },
    CSVColumn("source") { $0.event.source.rawValue },
    CSVColumn("reason") { $0.event.reason },
  ]
}
