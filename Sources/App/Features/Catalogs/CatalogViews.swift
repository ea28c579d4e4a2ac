internal import CatalogFormats
internal import Content
internal import Foundation
internal import JSON
internal import Localization
internal import Postgres
internal import Registry

/// A finding of the importer, as answers show it.
struct DiagnosticView: Decodable, JSONWritable, Sendable {
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

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("code", code)
      writer.member("column", column)
      writer.member("file", file)
      writer.member("line", line)
      writer.member("message", message)
      writer.member("severity", severity)
    }
  }
}

/// What a catalog holds of one language, as answers show it.
struct LocalizationView: Decodable, JSONWritable, Sendable {
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

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("keys", keys)
      writer.member("language", language)
      writer.member("states", JSONValue.object(states.mapValues { .integer(Int64($0)) }))
      writer.member("variants", variants)
    }
  }
}

/// A catalog as answers show it.
struct CatalogSummary: ListItem {
  var version: String
  var developmentLanguage: String
  var languages: [String]
  var keyCount: Int32
  var localizations: [LocalizationView]
  var diagnostics: [DiagnosticView]
  var createdAt: String

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

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("created_at", createdAt)
      writer.member("development_language", developmentLanguage)
      writer.member("diagnostics", diagnostics)
      writer.member("key_count", keyCount)
      writer.member("languages", languages)
      writer.member("localizations", localizations)
      writer.member("version", version)
    }
  }

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("version") { $0.version },
    CSVColumn("development_language") { $0.developmentLanguage },
    CSVColumn("languages") { $0.languages.joined(separator: " ") },
    CSVColumn("key_count") { String($0.keyCount) },
    CSVColumn("localizations") { $0.localizations.jsonText },
    CSVColumn("diagnostics") { $0.diagnostics.jsonText },
    CSVColumn("created_at") { $0.createdAt },
  ]
}
