internal import CatalogFormats
internal import Foundation
internal import JSON
internal import Localization
internal import Postgres

/// A finding of the importer, as answers show it.
struct DiagnosticView: Codable, Sendable {
  var file: String
  var line: Int
  var column: Int
  var severity: String
  var code: String
  var message: String

  init(_ diagnostic: Diagnostic) {
    file = diagnostic.file
    line = diagnostic.line
    column = diagnostic.column
    severity = diagnostic.severity.rawValue
    code = diagnostic.code
    message = diagnostic.message
  }
}

/// A catalog as answers show it.
struct CatalogSummary: Encodable, Sendable {
  var version: String
  var developmentLanguage: String
  var languages: [String]
  var keyCount: Int32
  var diagnostics: [DiagnosticView]
  var createdAt: String

  private enum CodingKeys: String, CodingKey {
    case version, languages, diagnostics
    case developmentLanguage = "development_language"
    case keyCount = "key_count"
    case createdAt = "created_at"
  }

  init(_ record: CatalogRecord) {
    version = record.version
    developmentLanguage = record.developmentLanguage
    languages = record.languages
    keyCount = record.keyCount
    diagnostics =
      (try? JSONDecoder().decode([DiagnosticView].self, from: Data(record.diagnostics.bytes))) ?? []
    createdAt = record.createdAt.rfc3339
  }
}

/// The filters and the page of `GET …/strings`.
struct StringsQuery: Sendable {
  let key: CatalogStore.Key
  private let language: String?
  private let table: String?
  private let stringKey: String?
  private let offset: Int
  private let limit: Int

  init(_ call: Call) throws {
    var query = try QueryReader(call)
    language = query.text("language")
    table = query.text("table")
    stringKey = query.text("key", maximum: 4096)
    let cursor = query.cursor(Int.self)
    offset = max(0, cursor ?? 0)
    limit = query.limit()
    try query.finish()
    key = CatalogStore.Key(appID: try call.app.id, version: try Catalogs.version(call))
  }

  /// The page, by table, language and key. Its cursor counts entries: a catalog does not change
  /// under its readers, it is replaced.
  func page(of catalog: Catalog) -> Page<StringView> {
    let items = catalog.items(language: language, table: table, key: stringKey)
    let shown = items.dropFirst(offset).prefix(limit)
    let end = offset + shown.count
    return Page(
      items: shown.map(StringView.init),
      nextCursor: end < items.count ? Cursor(key: end).text : nil)
  }
}

/// One parsed entry.
struct StringView: Encodable, Sendable {
  var table: String
  var language: String
  var key: String
  var value: String

  init(_ item: Catalog.Item) {
    table = item.table
    language = item.language
    key = item.key
    switch item.entry {
    case .text(let text): value = text
    case .plural, .devices, .widths: value = ""
    }
  }
}
