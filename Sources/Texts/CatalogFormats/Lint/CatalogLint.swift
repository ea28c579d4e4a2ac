internal import ASCII
internal import Localization

/// Compares the entries of each table across localizations.
///
/// Says what a reader of one file cannot see: that a translation leaves out an argument, shows a
/// text where others show a number, or lacks a plural category of its language. Everything it
/// says is a warning. The reference is the text of the development language, else that of the
/// first language that has the key. Takes time in proportion to the entries.
struct CatalogLint {
  /// A table of one file, without the entries that another file overrides.
  struct Table {
    let file: String
    let contents: FileTable
  }

  private struct Item {
    let table: Int
    let key: Spelling
    let entry: Entry
    let place: Place
  }

  private let tables: [Table]
  private let developmentLanguage: String
  /// By table and key.
  private var references: [Spelling: [Spelling: EntryLint.Reference]] = [:]
  private var categories: [String: PluralCategories] = [:]

  /// A lint of tables, in the order of the languages that they are of.
  init(_ tables: [Table], developmentLanguage: String) {
    // A catalog knows how its folders spell the language, and nothing of their texts is needed.
    let folders = tables.map {
      StringTable(localization: $0.contents.localization, name: "", entries: [:])
    }
    let development = Catalog(developmentLanguage: developmentLanguage, tables: folders)
      .developmentLanguage
    self.developmentLanguage = development
    // `Base` stands in for the development language, table by table.
    let own = Set(
      tables.filter { $0.contents.localization == development }
        .map { Spelling($0.contents.name) })
    self.tables = tables.filter {
      $0.contents.localization != Self.base || !own.contains($0.contents.name)
    }
    for table in self.tables where isReference(table) { addReferences(table) }
    for table in self.tables where !isReference(table) { addReferences(table) }
  }

  private static let base = "Base"

  private func language(of table: Table) -> String {
    table.contents.localization == Self.base ? developmentLanguage : table.contents.localization
  }

  private func isReference(_ table: Table) -> Bool { language(of: table) == developmentLanguage }

  private mutating func addReferences(_ table: Table) {
    var known = references.removeValue(forKey: Spelling(table.contents.name)) ?? [:]
    for (key, entry) in table.contents.entries where known[key] == nil {
      let analysis = EntryAnalysis(entry)
      // An empty text is one that nobody has written yet.
      if analysis.isComparable {
        known[key] = EntryLint.Reference(language: language(of: table), analysis: analysis)
      }
    }
    references[table.contents.name] = known
  }

  /// The warnings, file by file and in order of place, at most `limit` for each file.
  mutating func diagnostics(limit: Int) -> [Diagnostic] {
    let byFile = Dictionary(grouping: tables.indices, by: { Spelling(tables[$0].file) })
    return byFile.sorted { $0.key < $1.key }.flatMap { file, indices in
      diagnostics(of: file.text, indices, limit: limit)
    }
  }

  private mutating func diagnostics(
    of file: String, _ indices: [Int], limit: Int
  ) -> [Diagnostic] {
    var report = FileReport(file: file, limit: limit)
    for item in items(indices) where !Task.isCancelled {
      let language = language(of: tables[item.table])
      for finding in findings(on: item) {
        report.add(finding, key: item.key.text, language: language, at: item.place)
      }
    }
    return report.diagnostics
  }

  /// The entries of some tables in order of place.
  private func items(_ indices: [Int]) -> [Item] {
    let items = indices.flatMap { index in
      let table = tables[index].contents
      return table.entries.map { key, entry in
        Item(
          table: index, key: key, entry: entry,
          place: table.places[key] ?? Place(line: 1, column: 1))
      }
    }
    return items.sorted { a, b in
      if a.place.line != b.place.line { return a.place.line < b.place.line }
      if a.place.column != b.place.column { return a.place.column < b.place.column }
      return (a.table, a.key) < (b.table, b.key)
    }
  }

  private mutating func findings(on item: Item) -> [EntryLint.EntryFinding] {
    let table = tables[item.table]
    let language = language(of: table)
    var reference = references[table.contents.name]?[item.key]
    if reference?.language == language { reference = nil }
    let analysis = EntryAnalysis(item.entry)
    var lint = EntryLint(item.entry, analysis, reference: reference)
    lint.checkPlaceholders()
    lint.checkVariants()
    var categories = self.categories[language]
    func known() -> PluralCategories {
      let found = categories ?? PluralCategories(localization: language)
      categories = found
      return found
    }
    lint.checkArguments(categories: known)
    lint.checkPlurals(categories: known)
    self.categories[language] = categories
    return lint.findings.sorted { ($0.code.rawValue, $0.message) < ($1.code.rawValue, $1.message) }
  }
}
