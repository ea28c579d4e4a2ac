internal import HTTP
internal import JSON
internal import Localization
internal import Postgres

/// The filters and the page of `GET …/installations`.
struct InstallationQuery: Sendable {
  private var list: ListInstallations
  private let prefix: TokenPrefix?
  private let span: ListSpan<TimeCursor>

  /// Reads the query string.
  init(_ call: Call) throws {
    var query = try QueryReader(call)
    let user = query.text("user", maximum: Limits.userIDBytes)
    let language = query.parsed(
      "language", .invalidLanguage, "language is a language tag or the beginning of one: zh-Hant."
    ) { LanguageTag($0)?.text }
    prefix = query.parsed(
      "token", .unknownValue,
      "token is at least \(Limits.tokenPrefixDigits) hex digits of a device token."
    ) { TokenPrefix($0) }
    span = query.span(TimeCursor.self)
    try query.finish()
    list = ListInstallations(appID: try call.app.id, limit: span.limit)
    list.userID = user
    list.language = language
    list.after = span.after ?? .start
  }

  /// Reads the list; a search by token goes through the ledger first.
  func run(_ call: Call) async throws -> ListAnswer<InstallationView> {
    var list = list
    if let prefix {
      list.ids = try await call.context.database.read(
        FindTokenOwners(appID: list.appID, prefix: prefix))
    }
    return try await call.list(
      list, span, view: { InstallationView(installation: $0) },
      position: { TimeCursor(time: $0.createdAt, id: $0.id.uuid) })
  }
}
