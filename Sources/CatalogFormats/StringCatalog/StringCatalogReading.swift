internal import ASCII
internal import JSON
internal import Localization

/// One walk through a string catalog: what it has gathered for each language so far.
struct StringCatalogReading {
  private(set) var tables: [FileTable] = []
  var findings = FindingList()
  private let name: String
  private var places: PositionCounter?
  private var indices: [String: Int] = [:]
  private var source: Int?

  /// A walk through `text`, which is only looked at to count lines.
  init(table: String, text: [UInt8], recordsPlaces: Bool) {
    name = table
    places = recordsPlaces ? PositionCounter(text) : nil
  }

  /// Reads the members of the whole catalog.
  mutating func read(_ catalog: [JSONNode.Member]) throws(Finding) {
    guard let version = catalog["version"] else { throw Self.missing("version") }
    guard try version.string().starts(with: "1.") else {
      throw version.fault(.unsupportedVersion, "Only versions 1.0 and later 1.x are read.")
    }
    do throws(Finding) {
      guard let language = catalog["sourceLanguage"] else { throw Self.missing("sourceLanguage") }
      source = try index(of: try language.string(), at: language.offset, severity: .error)
    } catch {
      findings.append(error)
    }
    for member in catalog where !Self.fields.contains(member.name) {
      findings.warn(
        .unknownField, at: member.offset,
        "No known version of the format has '\(member.name.quoted)': it is ignored.")
    }
    guard let strings = catalog["strings"] else { throw Self.missing("strings") }
    let entries = try strings.object().distinct(&findings)
    for (count, entry) in entries.enumerated() {
      guard count < Limits.entries else {
        throw entry.fault(.limitExceeded, "There are more than \(Limits.entries) keys.")
      }
      do throws(Finding) {
        try add(entry)
      } catch {
        findings.append(error)
      }
    }
  }

  private static let fields: Set = ["sourceLanguage", "strings", "version"]

  private mutating func add(_ entry: JSONNode.Member) throws(Finding) {
    try CatalogText.check(key: entry.name, text: "", offset: entry.offset)
    let place = places?.position(of: entry.offset)
    let fields = try entry.object()
    let isExtracted = try fields["extractionState"]?.string() == nil
    for member in try fields["localizations"]?.object().distinct(&findings) ?? [] {
      do throws(Finding) {
        let index = try index(of: member.name, at: member.offset, severity: .warning)
        var localization = StringCatalogLocalization(
          newTexts: !isExtracted ? .taken : index == source ? .shipped : .dropped)
        let text = try localization.read(member, &findings)
        for state in localization.states { count(state, in: index) }
        if localization.isUncertain { tables[index].uncertain.insert(entry.name) }
        if let text { set(text, for: entry.name, in: index, at: place) }
      } catch {
        findings.append(error)
      }
    }
    if let source, tables[source].entries[entry.name] == nil {
      set(.text(entry.name), for: entry.name, in: source, at: place)
    }
  }

  private mutating func set(
    _ entry: Entry, for key: String, in index: Int, at place: Place?
  ) {
    tables[index].entries[key] = entry
    if let place { tables[index].places[key] = place }
  }

  private mutating func count(_ state: String, in index: Int) {
    let name = state.quoted
    let states = tables[index].states
    let isCounted = states[name] != nil || states.count < Limits.states
    tables[index].states[isCounted ? name : "other", default: 0] += 1
  }

  /// The table of a language.
  private mutating func index(
    of language: String, at offset: Int, severity: Diagnostic.Severity
  ) throws(Finding) -> Int {
    if let index = indices[language] { return index }
    guard LanguageTag(language) != nil else {
      throw Finding(
        offset: offset, severity: severity, code: .invalidLanguage,
        message: "This is no language and is left out.")
    }
    guard tables.count < Limits.languages else {
      throw Finding(
        offset: offset, code: .limitExceeded,
        message: "There are more than \(Limits.languages) languages.")
    }
    indices[language] = tables.count
    tables.append(FileTable(localization: language, name: name, origin: .strings))
    return tables.count - 1
  }

  private static func missing(_ field: String) -> Finding {
    Finding(offset: 0, code: .missingField, message: "'\(field)' is missing.")
  }
}

/// The bounds of keys and texts.
enum CatalogText {
  /// Throws when a key or text is too long or holds U+0000.
  static func check(key: String, text: String, offset: Int) throws(Finding) {
    try TableLimits.check(key: key, text: text, count: 0, offset: offset)
    if key.utf8.contains(0) || text.utf8.contains(0) {
      throw Finding(
        offset: offset, code: .nulCharacter, message: "U+0000 can be neither shown nor stored.")
    }
  }
}
