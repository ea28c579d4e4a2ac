internal import HTTP
internal import JSON
internal import Localization
internal import Postgres

/// The filters and the page of `GET …/installations`.
struct InstallationQuery: Sendable {
  private var list: ListInstallations
  private let prefix: TokenPrefix?
  let limit: Int

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
    let cursor = query.cursor(TimeCursor.self)
    limit = query.limit()
    try query.finish()
    list = ListInstallations(appID: try call.app.id, limit: limit)
    list.userID = user
    list.language = language
    list.after = cursor ?? .start
  }

  /// Reads the page; a search by token goes through the ledger first.
  func run(_ database: PostgresClient) async throws -> [Installation] {
    var list = list
    if let prefix {
      list.ids = try await database.read(FindTokenOwners(appID: list.appID, prefix: prefix))
    }
    return try await database.read(list)
  }
}
