/// The string tables of one app build (or of the server), immutable.
///
/// The keys of a table are stored once for all languages; a language is a column of entries.
/// The strings of `Base` are those of the development language wherever that language has no
/// such table of its own. Two tables of the same name and localization: the later wins whole.
public struct Catalog: Sendable {
  /// The language that the app was written in (`CFBundleDevelopmentRegion`), in the spelling
  /// of its folder when there is one.
  public let developmentLanguage: String
  /// The localizations that have tables, in the spelling and order given; never `Base`.
  public let languages: [String]

  fileprivate struct Table {
    var rows: [String: Int] = [:]
    var columns: [String: [Entry?]] = [:]
  }

  private let tables: [String: Table]
  private let rules: [String: PluralRules]

  /// Collects `tables`; the order of their first appearance is the bundle's order of languages.
  public init(developmentLanguage: String, tables: [StringTable]) {
    let folders = tables.filter { !Self.isForDevelopment($0) }.map(\.localization)
    let development =
      LanguageMatcher.spelling(of: developmentLanguage, in: folders.distinct())
      ?? developmentLanguage
    self.developmentLanguage = development

    self.languages = tables.map { Self.isForDevelopment($0) ? development : $0.localization }
      .distinct()
    var byName: [String: Table] = [:]
    // Base first: a table of the development language proper then replaces it.
    for table in tables.filter(Self.isForDevelopment) {
      byName[table.name, default: Table()].add(table.entries, language: development)
    }
    for table in tables where !Self.isForDevelopment(table) {
      byName[table.name, default: Table()].add(table.entries, language: table.localization)
    }
    self.tables = byName
    rules = Dictionary(
      languages.map { ($0, PluralRules(localization: $0)) }, uniquingKeysWith: { rules, _ in rules }
    )
  }

  /// The plural rules of a localization's language.
  public func pluralRules(_ localization: String) -> PluralRules {
    rules[localization] ?? PluralRules(localization: localization)
  }

  /// The entry of one key in one localization and table; nil when it has none.
  public func entry(_ key: String, table: String, localization: String) -> Entry? {
    tables[table]?.entry(key, localization: localization)
  }

  /// Whether a localization has a table of this name, be it empty.
  public func hasTable(_ table: String, localization: String) -> Bool {
    tables[table]?.columns[localization] != nil
  }

  /// How many keys a localization has in all its tables.
  public func keyCount(_ localization: String) -> Int {
    tables.values.reduce(0) { count, table in
      count + (table.columns[localization]?.count { $0 != nil } ?? 0)
    }
  }

  /// The bundle's chain for these preferred languages, see `LanguageMatcher.bundleLocalizations`.
  public func chain(for preferred: [LanguageTag]) -> [String] {
    LanguageMatcher.bundleLocalizations(
      preferred: preferred, languages: languages, developmentLanguage: developmentLanguage)
  }

  private static func isForDevelopment(_ table: StringTable) -> Bool {
    table.localization == LanguageMatcher.developmentFolder
  }

  /// The first localization of `chain` that has the table, and the key's entry there if any.
  func firstTable(
    _ table: String, chain: [String], key: String
  ) -> (localization: String, entry: Entry?)? {
    guard let found = tables[table] else { return nil }
    for localization in chain where found.columns[localization] != nil {
      return (localization, found.entry(key, localization: localization))
    }
    return nil
  }
}

extension Catalog {
  /// One entry with its full address.
  public struct Item: Sendable, Hashable {
    /// The table's name.
    public let table: String
    /// The localization, as its folder spells it.
    public let language: String
    /// The key.
    public let key: String
    /// What is stored under it.
    public let entry: Entry
  }

  /// All entries, or those of one language, table or key, sorted by (table, language, key).
  public func items(
    language: String? = nil, table: String? = nil, key: String? = nil
  ) -> [Item] {
    var items: [Item] = []
    for name in table.map({ [$0] }) ?? tables.keys.sorted() {
      guard let found = tables[name] else { continue }
      let keys = key.map { [$0] } ?? found.rows.keys.sorted()
      for localization in language.map({ [$0] }) ?? found.columns.keys.sorted() {
        for key in keys {
          guard let entry = found.entry(key, localization: localization) else { continue }
          items.append(Item(table: name, language: localization, key: key, entry: entry))
        }
      }
    }
    return items
  }
}

extension Catalog.Table {
  func entry(_ key: String, localization: String) -> Entry? {
    guard let row = rows[key], let column = columns[localization], row < column.count else {
      return nil
    }
    return column[row]
  }

  mutating func add(_ entries: [String: Entry], language: String) {
    var column = [Entry?](repeating: nil, count: rows.count)
    for (key, entry) in entries {
      if let row = rows[key] {
        column[row] = entry
      } else {
        rows[key] = column.count
        column.append(entry)
      }
    }
    columns[language] = column
  }
}

extension [String] {
  /// The elements in order of their first appearance.
  fileprivate func distinct() -> [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
