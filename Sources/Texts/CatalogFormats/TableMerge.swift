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
  /// The entries of each file that no stronger file replaces, by language in order of appearance. A
  /// comparison of the languages looks at them. Empty unless asked for.
  private(set) var parts: [CatalogLint.Table] = []
  /// A warning for each table whose texts differ from those of a stronger table.
  private(set) var diagnostics: [Diagnostic] = []

  private struct Name: Hashable {
    @Spelled var localization: String
    @Spelled var table: String
  }

  /// A table of a file.
  private typealias Part = (file: String, table: FileTable)

  private var indices: [Name: Int] = [:]
  /// For each table, the first part of each origin.
  private var firsts: [[FileTable.Origin: Part]] = []
  /// For each table, the keys of which something cannot be read.
  private var leftOut: [Set<Spelling>] = []

  /// Merges tables in the order of their files.
  init(
    _ files: [(file: String, table: FileTable)], appNames: [String], keepsParts: Bool
  ) {
    let files = Self.withModernNames(Self.inAllLanguages(files))
    let order = BundleOrder(files.lazy.map(\.table), appNames: appNames)
    // Strongest first, so that entries that are there already stay.
    let ordered = files.enumerated().map { place, part in
      let table = part.table
      return (
        -table.origin.group, order[table.bundle], -table.origin.rawValue, table.rank, place
      )
    }.sorted(by: <)
    for (_, _, _, _, place) in ordered where !Task.isCancelled {
      add(files[place], keepsParts: keepsParts)
    }
    var places: [String: Int] = [:]
    for localization in files.map(\.table.localization) where places[localization] == nil {
      places[localization] = languages.count
      languages.append(localization)
    }
    func place(_ localization: String) -> Int { places[localization] ?? 0 }
    tables.sort {
      (place($0.localization), Spelling($0.name)) < (place($1.localization), Spelling($1.name))
    }
    parts = parts.enumerated().sorted { a, b in
      (place(a.element.contents.localization), a.offset)
        < (place(b.element.contents.localization), b.offset)
    }.map(\.element)
  }

  /// How many places a catalog of these tables has: in each table, one for each key in each
  /// language.
  var cells: Int {
    Dictionary(grouping: tables, by: { Spelling($0.name) }).values.reduce(0) { count, tables in
      let keys = tables.reduce(into: Set<Spelling>()) { $0.formUnion($1.entries.keys) }
      return count + keys.count * tables.count
    }
  }

  /// The tables, with each table outside of any `.lproj` put into each language of its bundle, or
  /// else into `Base`.
  private static func inAllLanguages(_ files: [Part]) -> [Part] {
    guard files.contains(where: \.table.isOutside) else { return files }
    var languages: [Spelling: [String]] = [:]
    var seen: Set<[Spelling]> = []
    for table in files.lazy.map(\.table) where !table.isOutside && table.origin.group == 1 {
      guard seen.insert([Spelling(table.bundle), Spelling(table.localization)]).inserted else {
        continue
      }
      languages[Spelling(table.bundle), default: []].append(table.localization)
    }
    return files.flatMap { file, table -> [Part] in
      guard table.isOutside else { return [(file, table)] }
      return (languages[table.bundle] ?? ["Base"]).map { language in
        var table = table
        table.localization = language
        return (file, table)
      }
    }
  }

  /// The tables, with each table of `English` moved to `en` where there are both: they are one
  /// language.
  private static func withModernNames(_ files: [Part]) -> [Part] {
    let localizations = Set(files.map(\.table.localization)).sorted()
    guard localizations.count <= Limits.languages else { return files }
    var names: [String: String] = [:]
    for name in localizations where name != "Base" && name.utf8.count > 3 {
      guard name.allSatisfy(\.isLetter) else { continue }
      names[name] = LanguageMatcher.spelling(of: name, in: localizations.filter { $0 != name })
    }
    guard !names.isEmpty else { return files }
    return files.map { file, table in
      var table = table
      table.localization = names[table.localization] ?? table.localization
      return (file, table)
    }
  }

  private mutating func add(_ part: Part, keepsParts: Bool) {
    let (file, table) = part
    if !table.states.isEmpty {
      states[table.localization, default: [:]].merge(table.states, uniquingKeysWith: +)
    }
    let name = Name(localization: table.localization, table: table.name)
    guard let index = indices[name] else {
      indices[name] = tables.count
      firsts.append([table.origin: part])
      leftOut.append(table.leftOut)
      tables.append(
        StringTable(
          localization: table.localization, name: table.name, entries: table.entries,
          uncertain: table.uncertain.union(table.leftOut)))
      if keepsParts { parts.append(CatalogLint.Table(file: file, contents: table)) }
      return
    }
    let stronger = tables[index].entries
    leftOut[index].formUnion(table.leftOut.lazy.filter { stronger[$0] == nil })
    // If a file is uncertain of a key and has no entry for it, another file may settle it. But a
    // key that one file has and that cannot be read stays uncertain.
    tables[index].uncertain = tables[index].uncertain
      .filter { stronger[$0] != nil || table.entries[$0] == nil }
      .union(table.uncertain.filter { stronger[$0] == nil })
      .union(leftOut[index])
    if let rival = rival(of: table, in: firsts[index]) { compare(part, with: rival, in: index) }
    if firsts[index][table.origin] == nil { firsts[index][table.origin] = part }
    if keepsParts {
      var rest = table
      rest.entries = table.entries.filter { stronger[$0.key] == nil }
      parts.append(CatalogLint.Table(file: file, contents: rest))
    }
    // An export has only the plural categories of its target: the source in another export may have
    // more.
    let areSources = firsts[index].keys.allSatisfy(\.isExchangeSource)
    tables[index].entries.merge(table.entries) { first, next in
      areSources && next.variants > first.variants ? next : first.completed(by: next)
    }
  }

  /// The table that a table competes with: one of its kind in any bundle, or one of another bundle.
  private func rival(of table: FileTable, in firsts: [FileTable.Origin: Part]) -> Part? {
    if let same = firsts[table.origin] { return same }
    return firsts.values.filter {
      $0.table.origin.group == table.origin.group && !$0.table.bundle.isSpelled(like: table.bundle)
    }.max { $0.table.origin < $1.table.origin }
  }

  /// Tells of texts that differ from those of a stronger table. Nobody knows for certain which of
  /// two bundles is the app's own, and of two files of one table a device reads only one. So texts
  /// that the two do not have in common are not left to a device.
  private mutating func compare(_ part: Part, with rival: Part, in index: Int) {
    let (file, table) = part
    let differing = table.entries.filter { key, entry in
      rival.table.entries[key].map { $0 != entry } ?? false
    }.keys
    if !table.bundle.isSpelled(like: rival.table.bundle) || table.rank != rival.table.rank {
      let stronger = tables[index].entries
      tables[index].uncertain.formUnion(differing)
      tables[index].uncertain.formUnion(table.entries.keys.lazy.filter { stronger[$0] == nil })
    }
    // Each bundle has a name and a version of its own, which no notification shows.
    let isOfBundle =
      table.name.isSpelled(like: "InfoPlist") && !table.bundle.isSpelled(like: rival.table.bundle)
    // A table that another device reads is no rival.
    let isOfDevice = table.device != rival.table.device
    guard !table.origin.isExchangeSource, !isOfBundle, !isOfDevice else { return }
    let ordered = differing.map { (place: table.places[$0] ?? Place(line: 1, column: 1), key: $0) }
    guard
      let first = ordered.min(by: {
        ($0.place.line, $0.place.column, $0.key) < ($1.place.line, $1.place.column, $1.key)
      })
    else { return }
    diagnostics.append(
      Diagnostic(
        file: file, line: first.place.line, column: first.place.column, severity: .warning,
        code: .duplicateFile,
        message: Self.difference(of: part, from: rival, first: first.key, count: ordered.count)))
  }

  /// The message about texts that another table beats: how many there are, and the first one's key.
  private static func difference(
    of part: Part, from rival: Part, first: Spelling, count: Int
  ) -> String {
    let (file, table) = part
    let key = first.text.quoted
    // If one of the two files is a string catalog, the user should know which file to change.
    let isCatalog = [file, rival.file].map { LocalizedPath.Format(of: $0) == .stringCatalog }
    if table.bundle.isSpelled(like: rival.table.bundle), isCatalog[0] != isCatalog[1] {
      let unused =
        count == 1
        ? "The text of '\(key)' in \(file) is not used: \(rival.file) has this key"
        : "\(count) texts of \(file), such as '\(key)', are not used: \(rival.file) has these keys"
      return unused + " in \(table.localization). Change that file instead, or upload an XLIFF."
    }
    let more = count == 1 ? "" : " Such texts in this file besides: \(count - 1)."
    let bundle = rival.table.bundle.isEmpty ? "the app" : "'\(rival.table.bundle.quoted)'"
    let other = rival.file.isSpelled(like: file) ? "\(bundle) in this file" : rival.file
    return "'\(key)' in \(table.localization) differs from the text of "
      + "\(other), which counts.\(more)"
  }
}
