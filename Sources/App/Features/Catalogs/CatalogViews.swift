internal import CatalogFormats
internal import Content
internal import Foundation
internal import JSON
internal import Localization
internal import Postgres
internal import Registry

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

/// What a catalog holds of one language, as answers show it.
struct LocalizationView: Codable, Sendable {
  var language: String
  var keys: Int
  var variants: Int
  var states: [String: Int]

  init(_ contents: LocalizationContents) {
    language = contents.language
    keys = contents.keys
    variants = contents.variants
    states = contents.states
  }
}

/// A catalog as answers show it.
struct CatalogSummary: Encodable, Sendable {
  var version: String
  var developmentLanguage: String
  var languages: [String]
  var keyCount: Int32
  var localizations: [LocalizationView]
  var diagnostics: [DiagnosticView]
  var createdAt: String

  private enum CodingKeys: String, CodingKey {
    case version, languages, localizations, diagnostics
    case developmentLanguage = "development_language"
    case keyCount = "key_count"
    case createdAt = "created_at"
  }

  init(_ record: CatalogRecord) {
    func stored<View: Decodable>(_ json: JSONB) -> [View] {
      (try? JSONDecoder().decode([View].self, from: Data(json.bytes))) ?? []
    }
    version = record.version
    developmentLanguage = record.developmentLanguage
    languages = record.languages
    keyCount = record.keyCount
    localizations = stored(record.localizations)
    diagnostics = stored(record.diagnostics)
    createdAt = record.createdAt.rfc3339
  }
}

extension CatalogSummary: ListItem {
  static let columns: [CSVColumn<Self>] = [
    CSVColumn("version") { $0.version },
    CSVColumn("development_language") { $0.developmentLanguage },
    CSVColumn("languages") { $0.languages.joined(separator: " ") },
    CSVColumn("key_count") { String($0.keyCount) },
    CSVColumn("localizations") {
      String(decoding: JSONText.encode($0.localizations), as: UTF8.self)
    },
    CSVColumn("diagnostics") { String(decoding: JSONText.encode($0.diagnostics), as: UTF8.self) },
    CSVColumn("created_at") { $0.createdAt },
  ]
}
