public import ASCII

/// The string tables of one app build (or of the server), immutable.
///
/// The keys of a table are stored once for all languages, sorted; a language is a column of
/// entries. A device compares keys by their bytes, and a catalog does so, too.
/// The strings of `Base` are those of the development language, see ``places(of:along:)`` for their
/// order. If two tables have the same name and localization, the later one replaces the other.
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
    /// The column of `Base`, which ``columns`` have under the development language.
    let base: [Entry?]?
    /// How many entries each column has.
    let counts: [String: Int]

    init(_ languages: [String: [Spelling: Entry]], base: [Spelling: Entry]?) {
      let keys = languages.values.reduce(into: Set<Spelling>()) { $0.formUnion($1.keys) }.sorted()
      let rows = Dictionary(
        keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      counts = languages.mapValues(\.count)
      func column(_ entries: [Spelling: Entry]) -> [Entry?] {
        var column = [Entry?](repeating: nil, count: keys.count)
        for (key, entry) in entries {
          if let row = rows[key] { column[row] = entry }
        }
        return column
      }
      columns = languages.mapValues(column)
      self.base = base.map(column)
      self.keys = keys.map(\.text)
      self.rows = rows
    }

    func row(of key: String) -> Int? { rows[key] }

    func entry(_ key: String, localization: String) -> Entry? {
      guard let row = rows[key] else { return nil }
      return columns[localization]?[row]
    }

    func entry(_ key: String, at place: Place) -> Entry? {
      guard place.isBase else { return entry(key, localization: place.localization) }
      return rows[key].flatMap { base?[$0] }
    }

    func has(_ place: Place) -> Bool {
      place.isBase ? base != nil : columns[place.localization] != nil
    }
  }

  /// Where a key may be looked for: in a localization, or in `Base`.
  struct Place {
    /// The localization, which is the development language for `Base`.
    let localization: String
    /// Whether it is the folder `Base`, and not that of the language.
    var isBase = false
  }

  let tables: [Spelling: Table]
  /// By table and localization, see ``StringTable/uncertain``.
  private let uncertain: [Spelling: [String: Set<Spelling>]]
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
    var columns: [Spelling: [String: [Spelling: Entry]]] = [:]
    var bases: [Spelling: [Spelling: Entry]] = [:]
    var uncertain: [Spelling: [String: Set<Spelling>]] = [:]
    for table in tables where !Self.isForDevelopment(table) {
      columns[Spelling(table.name), default: [:]][table.localization] = table.entries
      uncertain[Spelling(table.name), default: [:]][table.localization] = table.uncertain
    }
    for table in tables where Self.isForDevelopment(table) {
      bases[table.name] = table.entries
      uncertain[Spelling(table.name), default: [:]][table.localization] = table.uncertain
      guard let own = columns[table.name]?[development] else {
        columns[Spelling(table.name), default: [:]][development] = table.entries
        uncertain[Spelling(table.name)]?[development] = table.uncertain
        continue
      }
      // A device that finds the table of its language looks for no more keys in `Base`.
      columns[Spelling(table.name)]?[development] = own.merging(table.entries) { own, _ in own }
      uncertain[Spelling(table.name)]?[development]?.formUnion(
        table.entries.keys.lazy.filter { own[$0] == nil })
    }
    self.tables = Dictionary(
      uniqueKeysWithValues: columns.map { ($0, Table($1, base: bases[$0])) })
    self.uncertain = uncertain
    rules = Dictionary(
      languages.map { ($0, PluralRules(localization: $0)) }, uniquingKeysWith: { rules, _ in rules }
    )
  }

  public func pluralRules(_ localization: String) -> PluralRules {
    rules[localization] ?? PluralRules(localization: localization)
  }

  /// The entry of one key in one localization and table; nil when it has none.
  public func entry(_ key: String, table: String, localization: String) -> Entry? {
    tables[table]?.entry(key, localization: localization)
  }

  /// Whether it is not certain what a device finds under a key, see ``StringTable/uncertain``.
  func isUncertain(_ key: String, table: String, at place: Place) -> Bool {
    let folder = place.isBase ? LanguageMatcher.developmentFolder : place.localization
    return uncertain[table]?[folder]?.contains(key) == true
  }

  /// The entry of one key at one place and table; nil when it has none.
  func entry(_ key: String, table: String, at place: Place) -> Entry? {
    tables[table]?.entry(key, at: place)
  }

  /// Where a key of a table is looked for, in order: along the chain, with `Base` before the
  /// development language, unless that is what the chain begins with.
  ///
  ///     fr, en         fr, Base, en
  ///     en             en, which then has what only Base has, too
  ///     fr-CA, fr, en  fr-CA, fr, Base, en; without the table in fr-CA: fr-CA, Base, fr, en
  ///
  /// Source: CFBundle_Resources.c, which asks the first localization, `Base` and the others.
  func places(of table: String, along chain: [String]) -> [Place] {
    var places = chain.map { Place(localization: $0) }
    guard let found = tables[table], found.base != nil, let first = chain.first,
      !first.isSpelled(like: developmentLanguage)
    else { return places }
    let development = chain.firstIndex { $0.isSpelled(like: developmentLanguage) }
    places.insert(
      Place(localization: developmentLanguage, isBase: true),
      at: found.columns[first] == nil ? 1 : development ?? chain.count)
    return places
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

  /// The first place along `chain` that has the table.
  func firstPlace(of table: String, along chain: [String]) -> Place? {
    guard let found = tables[table] else { return nil }
    return places(of: table, along: chain).first(where: found.has)
  }
}

extension [String] {
  /// The elements in order of their first appearance.
  fileprivate func distinct() -> [String] {
    var seen: Set<Spelling> = []
    return filter { seen.insert($0) }
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
  /// Keys for which it is not certain what a device finds in its build, whether or not there is an
  /// entry: Xcode may compile the text, a part of it or nothing. They are never left to a device.
  public var uncertain: Set<Spelling>

  public init(
    localization: String, name: String, entries: [Spelling: Entry], uncertain: Set<Spelling> = []
  ) {
    self.localization = localization
    self.name = name
    self.entries = entries
    self.uncertain = uncertain
  }
}
