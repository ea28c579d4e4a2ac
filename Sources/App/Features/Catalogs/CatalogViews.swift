internal import CatalogFormats
internal import Content
internal import JSON
internal import Localization
internal import Postgres
internal import Registry

/// What a catalog had, and the one that takes its place has not.
struct CatalogLoss: Sendable {
  let languages: [String]
  let keys: [Catalog.Address]

  init(of old: Catalog, replacedBy new: Catalog) {
    languages = old.languages(goneIn: new)
    keys = old.keys(goneIn: new)
  }
}

/// A catalog as answers show it.
struct CatalogSummary: ListItem {
  let record: CatalogRecord
  /// What went with the catalog before; `nil` when there was none, or when nothing was replaced.
  var loss: CatalogLoss?

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("created_at", record.createdAt.rfc3339)
      writer.member("development_language", record.developmentLanguage)
      writer.key("diagnostics")
      writer.raw(record.diagnostics.bytes)
      writer.member("entries_left_out", record.entriesLeftOut)
      writer.member("key_count", record.keyCount)
      writer.member("languages", record.languages)
      writer.key("localizations")
      writer.raw(record.localizations.bytes)
      if let loss {
        writer.member("removed_key_count", loss.keys.count)
        writer.key("removed_keys")
        writer.array(loss.keys.prefix(Limits.removedKeys)) { $1.write(to: &$0) }
        writer.member("removed_languages", loss.languages)
      }
      writer.member("version", record.version)
    }
  }

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("version") { $0.record.version },
    CSVColumn("development_language") { $0.record.developmentLanguage },
    CSVColumn("languages") { $0.record.languages.joined(separator: " ") },
    CSVColumn("key_count") { String($0.record.keyCount) },
    CSVColumn("localizations") { $0.record.localizations.text },
    CSVColumn("diagnostics") { $0.record.diagnostics.text },
    CSVColumn("created_at") { $0.record.createdAt.rfc3339 },
    CSVColumn("entries_left_out") { String($0.record.entriesLeftOut) },
  ]
}

extension Catalog.Address {
  /// Writes the place of a key as answers show it.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("table", table)
      writer.member("key", key)
    }
  }
}

extension Diagnostic {
  /// A finding of the importer as it is stored, and as answers show it.
  var jsonValue: JSONValue {
    .object([
      "file": .string(file), "line": .integer(Int64(line)), "column": .integer(Int64(column)),
      "severity": .string(severity.rawValue), "code": .string(code), "message": .string(message),
    ])
  }
}

extension LocalizationContents {
  /// What a catalog holds of one language, as it is stored, and as answers show it.
  var jsonValue: JSONValue {
    .object([
      "language": .string(language), "keys": .integer(Int64(keys)),
      "variants": .integer(Int64(variants)),
      "states": .object(JSONObject(states.mapValues { .integer(Int64($0)) })),
    ])
  }
}

extension JSONB {
  /// Its text, as for a cell of a table.
  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
