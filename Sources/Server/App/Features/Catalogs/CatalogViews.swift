internal import CatalogFormats
internal import Content
internal import JSON
internal import Localization
internal import Postgres
internal import Registry

/// Languages and keys that a catalog had and its replacement lacks.
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
  /// The languages and keys lost with the previous catalog; `nil` when there was none, or when
  /// nothing was replaced.
  var loss: CatalogLoss?

  static let fields = ItemFields<Self>([
    .text("version") { $0.record.version },
    .text("development_language") { $0.record.developmentLanguage },
    .words("languages") { $0.record.languages },
    .number("key_count") { Int64($0.record.keyCount) },
    .json("localizations") { $0.record.localizations.text },
    .json("diagnostics") { $0.record.diagnostics.text },
    .text("created_at") { $0.record.createdAt.rfc3339 },
    .number("entries_left_out") { Int64($0.record.entriesLeftOut) },
    .member("removed_keys") { item, writer in
      guard let loss = item.loss else { return }
      writer.member("removed_key_count", loss.keys.count)
      writer.key("removed_keys")
      writer.array(loss.keys.prefix(Limits.removedKeys)) { $1.write(to: &$0) }
      writer.member("removed_languages", loss.languages)
    },
  ])
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
  /// The contents of a catalog in one language, as they are stored and as answers show them.
  var jsonValue: JSONValue {
    .object([
      "language": .string(language), "keys": .integer(Int64(keys)),
      "variants": .integer(Int64(variants)),
      "states": .object(JSONObject(states.mapValues { .integer(Int64($0)) })),
    ])
  }
}

extension JSONB {
  /// The JSON text, for example for a cell of a table.
  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
