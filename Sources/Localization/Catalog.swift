public import ASCII

/// The string tables of one app build (or of the server), immutable.
///
/// The keys of a table are stored once for all languages, sorted; a language is a column of
/// entries. A device compares keys by their bytes, and so does this.
/// The strings of `Base` are those of the development language wherever that language has no
/// such table of its own. Two tables of the same name and localization: the later wins whole.
public struct Catalog: Sendable {
  /// The language that the app was written in (`CFBundleDevelopmentRegion`), in the spelling
  /// of its folder when there is one.
  public let developmentLanguage: String
  /// The localizations that have tables, in the spelling and order given; never `Base`.
  public let languages: [String]

  struct Table {
    let keys: [String]
    private let rows: [Spelling: Int]
    let columns: [String: [Entry?]]
    /// How many entries each column has.
    let counts: [String: Int]

    init(_ languages: [String: [Spelling: Entry]]) {
      let keys = languages.values.reduce(into: Set<Spelling>()) { $0.formUnion($1.keys) }.sorted()
      let rows = Dictionary(
        keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      counts = languages.mapValues(\.count)
      columns = languages.mapValues { entries in
        var column = [Entry?](repeating: nil, count: keys.count)
        for (key, entry) in entries {
          if let row = rows[key] { column[row] = entry }
        }
        return column
      }
      self.keys = keys.map(\.text)
      self.rows = rows
    }

    func row(of key: String) -> Int? { rows[key] }

    func entry(_ key: String, localization: String) -> Entry? {
      guard let row = rows[key] else { return nil }
      return columns[localization]?[row]
    }
  }

  let tables: [String: Table]
  /// By table and localization, see ``StringTable/uncertain``.
  private let uncertain: [String: [String: Set<Spelling>]]
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
    var columns: [String: [String: [Spelling: Entry]]] = [:]
    var uncertain: [String: [String: Set<Spelling>]] = [:]
    // Base first: a table of the development language proper then replaces it.
    let ordered =
      tables.filter(Self.isForDevelopment) + tables.filter { !Self.isForDevelopment($0) }
    for table in ordered {
      let language = Self.isForDevelopment(table) ? development : table.localization
      columns[table.name, default: [:]][language] = table.entries
      uncertain[table.name, default: [:]][language] = table.uncertain
    }
    self.tables = columns.mapValues(Table.init)
    self.uncertain = uncertain
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

  /// Whether it is not certain what a device finds under a key, see ``StringTable/uncertain``.
  func isUncertain(_ key: String, table: String, localization: String) -> Bool {
    uncertain[table]?[localization]?.contains(key) == true
  }

  /// How many different keys its tables have in all.
  public var keyCount: Int { tables.values.reduce(0) { $0 + $1.keys.count } }

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

extension [String] {
  /// The elements in order of their first appearance.
  fileprivate func distinct() -> [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}

/// One string table of one localization: what a file such as `fr.lproj/Localizable.strings` says.
public struct StringTable: Sendable, Hashable {
  /// The localization in the spelling of its folder, without `.lproj`: `zh_Hans`, `Base`.
  public var localization: String
  /// The table's name, without extension: `Localizable`.
  public var name: String
  /// The entries by key.
  public var entries: [Spelling: Entry]
  /// Keys of which it is not certain what a device finds in its build, be there an entry or not:
  /// Xcode may compile the text, a part of it or nothing. They are never left to a device.
  public var uncertain: Set<Spelling>

  /// A table of the given entries.
  public init(
    localization: String, name: String, entries: [Spelling: Entry], uncertain: Set<Spelling> = []
  ) {
    self.localization = localization
    self.name = name
    self.entries = entries
    self.uncertain = uncertain
  }
}
