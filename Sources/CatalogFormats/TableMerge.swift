internal import ASCII
internal import Localization

/// Puts the tables of all files together: one for each table and localization, in the order of
/// the languages.
struct TableMerge {
  /// The tables, by language in order of appearance, then by name.
  private(set) var tables: [StringTable] = []
  /// The localizations in order of appearance.
  private(set) var languages: [String] = []
  /// How many translation units there are of each state, by localization.
  private(set) var states: [String: [String: Int]] = [:]
  /// What each file contributes that nothing stronger replaces, by language in order of
  /// appearance: what a comparison of the languages looks at. Empty unless asked for.
  private(set) var parts: [CatalogLint.Table] = []
  /// A warning for each file that says again what another of its kind does.
  private(set) var diagnostics: [Diagnostic] = []

  private struct Name: Hashable {
    let localization: String
    let table: String
  }
  private var indices: [Name: Int] = [:]
  /// Which file was the first of each kind to have a table.
  private var origins: [[FileTable.Origin: String]] = []

  /// Merges tables in the order of their files.
  init(_ files: [(file: String, table: FileTable)], keepsParts: Bool) {
    // Strongest first, so that what is there already stays.
    let ordered = files.enumerated().sorted {
      ($1.element.table.origin, $0.offset) < ($0.element.table.origin, $1.offset)
    }
    for (file, table) in ordered.map(\.element) { add(table, of: file, keepsParts: keepsParts) }
    var places: [String: Int] = [:]
    for localization in files.map(\.table.localization) where places[localization] == nil {
      places[localization] = languages.count
      languages.append(localization)
    }
    func place(_ localization: String) -> Int { places[localization] ?? 0 }
    tables.sort { (place($0.localization), $0.name) < (place($1.localization), $1.name) }
    parts = parts.enumerated().sorted { a, b in
      (place(a.element.contents.localization), a.offset)
        < (place(b.element.contents.localization), b.offset)
    }.map(\.element)
  }

  /// The places that a catalog of these tables has: each table one for each of its keys in each
  /// of its languages.
  var cells: Int {
    Dictionary(grouping: tables, by: \.name).values.reduce(0) { count, tables in
      let keys = tables.reduce(into: Set<Spelling>()) { $0.formUnion($1.entries.keys) }
      return count + keys.count * tables.count
    }
  }

  private mutating func add(_ table: FileTable, of file: String, keepsParts: Bool) {
    if !table.states.isEmpty {
      states[table.localization, default: [:]].merge(table.states, uniquingKeysWith: +)
    }
    let name = Name(localization: table.localization, table: table.name)
    guard let index = indices[name] else {
      indices[name] = tables.count
      origins.append([table.origin: file])
      tables.append(
        StringTable(
          localization: table.localization, name: table.name, entries: table.entries,
          uncertain: table.uncertain))
      if keepsParts { parts.append(CatalogLint.Table(file: file, contents: table)) }
      return
    }
    if let first = origins[index][table.origin], !table.origin.isExchangeSource {
      let place = first == file ? "this file" : first
      diagnostics.append(
        Diagnostic(
          file: file, severity: .warning, code: .duplicateFile,
          message: "The table \(table.name) in \(table.localization) is in \(place) already, "
            + "whose keys stay."))
    }
    if origins[index][table.origin] == nil { origins[index][table.origin] = file }
    if keepsParts {
      var rest = table
      rest.entries = table.entries.filter { tables[index].entries[$0.key] == nil }
      parts.append(CatalogLint.Table(file: file, contents: rest))
    }
    // What one file leaves uncertain another one may settle.
    let stronger = tables[index].entries
    tables[index].uncertain = tables[index].uncertain
      .filter { stronger[$0] != nil || table.entries[$0] == nil }
      .union(table.uncertain.filter { stronger[$0] == nil })
    tables[index].entries.merge(table.entries) { first, _ in first }
  }
}
