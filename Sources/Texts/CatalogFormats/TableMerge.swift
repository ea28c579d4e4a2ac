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
  /// For each table, the keys with a translator's text that no file of the build has, so far.
  private var translated: [Set<Spelling>] = []
  /// For each table, the keys that the app's own bundle does not have with this text.
  private var foreign: [Set<Spelling>] = []
  /// The strongest bundle that has a table of this name in any language: the app's own. Only if no
  /// file of a build has the table, a translator's file says the bundle.
  private var owners: [Spelling: String] = [:]
  /// Whether there are more languages than the bound, or too many tables for all of them. Then
  /// nothing is merged.
  private var isTooLarge = false

  /// Merges tables in the order of their files.
  init(
    _ files: [(file: String, table: FileTable)], appNames: [String], keepsParts: Bool
  ) {
    guard Self.isBounded(files) else {
      isTooLarge = true
      return
    }
    let files = Self.withModernNames(Self.inAllLanguages(files))
    let order = BundleOrder(files.lazy.map(\.table), appNames: appNames)
    // Strongest first, so that entries that are there already stay.
    let ordered = files.enumerated().map { place, part in
      let table = part.table
      return (
        -table.origin.group, order[table.bundle], -table.origin.rawValue, table.rank, place
      )
    }.sorted(by: <).map { files[$0.4] }
    for isShipped in [true, false] {
      for (_, table) in ordered where (table.origin.group == 1) == isShipped {
        if owners[table.name] == nil { owners[table.name] = table.bundle }
      }
    }
    for part in ordered where !Task.isCancelled { add(part, keepsParts: keepsParts) }
    for index in tables.indices { tables[index].uncertain.formUnion(foreign[index]) }
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
  /// language. The most that there can be, if the tables are too many to be merged.
  var cells: Int {
    if isTooLarge { return .max }
    let byName = Dictionary(grouping: tables, by: { Spelling($0.name) })
    return byName.values.reduce(0) { count, tables in
      let keys = tables.reduce(into: Set<Spelling>()) { $0.formUnion($1.entries.keys) }
      return count + keys.count * tables.count
    }
  }

  /// Whether tables outside of any `.lproj` can be put into each language, before it is done.
  private static func isBounded(_ files: [Part]) -> Bool {
    var outside = 0
    var localizations: Set<Spelling> = []
    for (_, table) in files {
      if table.isOutside { outside += 1 } else { localizations.insert(table.localization) }
    }
    return localizations.count <= Limits.languages
      && outside * localizations.count <= Limits.outsideTables
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
    let isOwn = owners[table.name]?.isSpelled(like: table.bundle) ?? true
    guard let index = indices[name] else {
      indices[name] = tables.count
      firsts.append([table.origin: part])
      leftOut.append(table.leftOut)
      translated.append(table.origin.group == 2 ? Set(table.entries.keys) : [])
      foreign.append(isOwn ? [] : Set(table.entries.keys))
      tables.append(
        StringTable(
          localization: table.localization, name: table.name, entries: table.entries,
          uncertain: table.uncertain.union(table.leftOut)))
      if keepsParts { parts.append(CatalogLint.Table(file: file, contents: table)) }
      return
    }
    findUncertain(table, isOwn: isOwn, in: index)
    if let rival = rival(of: table, in: firsts[index]) { compare(part, with: rival, in: index) }
    if firsts[index][table.origin] == nil { firsts[index][table.origin] = part }
    if keepsParts {
      var rest = table
      rest.entries = table.entries.filter { tables[index].entries[$0.key] == nil }
      parts.append(CatalogLint.Table(file: file, contents: rest))
    }
    // An export has only the plural categories of its target: the source in another export may have
    // more.
    let areSources = firsts[index].keys.allSatisfy(\.isExchangeSource)
    tables[index].entries.merge(table.entries) { first, next in
      areSources && next.variants > first.variants ? next : first.completed(by: next)
    }
  }

  /// Notes the keys of a weaker table for which it is not certain what a device finds. It looks at
  /// no other keys: there may be thousands of tables.
  ///
  /// - Parameter isOwn: Whether the table is of the app's own bundle. A device finds no keys of
  ///   another one.
  private mutating func findUncertain(_ table: FileTable, isOwn: Bool, in index: Int) {
    for key in table.leftOut where tables[index].entries[key] == nil {
      leftOut[index].insert(key)
      tables[index].uncertain.insert(key)
    }
    for (key, entry) in table.entries {
      if let stronger = tables[index].entries[key] {
        if isOwn, stronger == entry { foreign[index].remove(key) }
        // The build ships the text of its file, and not that of the translator.
        guard table.origin.group == 1, translated[index].remove(key) != nil, stronger != entry
        else { continue }
        tables[index].uncertain.insert(key)
        continue
      }
      if !isOwn { foreign[index].insert(key) }
      // If a file is uncertain of a key and has no entry for it, another file may settle it. But a
      // key that one file has and that cannot be read stays uncertain.
      if !leftOut[index].contains(key) { tables[index].uncertain.remove(key) }
    }
    for key in table.uncertain where tables[index].entries[key] == nil {
      tables[index].uncertain.insert(key)
    }
    if table.origin.group == 2 { translated[index].formUnion(table.entries.keys) }
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
