internal import Localization

/// Counts of the contents of an import.
public struct ImportContents: Sendable {
  /// Distinct keys of all tables of the catalog.
  public let keys: Int
  /// The counts of each language, in the order of ``ImportResult/languages``.
  public let localizations: [LocalizationContents]
}

/// Counts of one language of an import.
public struct LocalizationContents: Sendable {
  /// The localization, as its folder spells it.
  public let language: String
  /// Entries of all tables.
  public let keys: Int
  /// Texts of the entries that vary: one for each case of a variable, each device and width.
  public let variants: Int
  /// Keys by the state of their texts, in the file's own words; empty for formats without states.
  public let states: [String: Int]
}

extension ImportResult {
  public var contents: ImportContents {
    let byLanguage = Dictionary(grouping: tables, by: \.localization)
    return ImportContents(
      keys: catalog.keyCount,
      localizations: languages.map { language in
        let entries = (byLanguage[language] ?? []).flatMap(\.entries.values)
        return LocalizationContents(
          language: language, keys: entries.count,
          variants: entries.reduce(0) { $0 + $1.variants }, states: states[language] ?? [:])
      })
  }
}

extension Entry {
  /// How many texts the entry has if it varies; 0 for a plain text.
  var variants: Int {
    switch self {
    case .text: 0
    case .plural(let format): format.cases
    case .devices(let formats): formats.values.reduce(0) { $0 + max(1, $1.cases) }
    case .widths(let formats): formats.values.reduce(0) { $0 + max(1, $1.cases) }
    }
  }
}

extension PluralFormat {
  fileprivate var cases: Int { variables.values.reduce(0) { $0 + $1.cases.count } }
}
