internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// An event and its number: the order in which things happened.
struct NumberedTokenEvent: Sendable {
  var id: Int64
  var event: TokenEvent

  static let selection = "id, \(TokenEvent.columns)"
}

extension NumberedTokenEvent: RowDecodable {
  init(row: inout RowReader) throws(PostgresError) { self = try row.next(into: Self.init) }
}

/// An event as answers show it.
struct TokenEventView: ListItem {
  private let event: TokenEvent

  init(_ numbered: NumberedTokenEvent) { event = numbered.event }

  static let fields = ItemFields<Self>([
    .text("at") { $0.event.at.rfc3339 },
    .text("event") { $0.event.name.rawValue },
    .text("kind") { $0.event.token.kind.rawValue },
    .text("environment") { $0.event.token.environment.rawValue },
    .text("token") { $0.event.token.token.hex },
    .text("installation_id") { $0.event.installation.id.text },
    .text("from_installation_id") { $0.event.from?.text },
    .text("source") { $0.event.source.rawValue },
    .text("reason") { $0.event.reason },
  ])
}
