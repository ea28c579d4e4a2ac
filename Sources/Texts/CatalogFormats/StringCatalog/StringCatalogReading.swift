internal import ASCII
internal import JSON
internal import Localization

/// One walk through a string catalog: what it has gathered for each language so far.
struct StringCatalogReading {
  private(set) var tables: [FileTable] = []
  /// Texts under a name that is no language, and of more languages than a file may have.
  private(set) var textsLeftOut = 0
  var findings = FindingList()
  private let name: String
  private var places: PositionCounter?
  private var indices: [Spelling: Int] = [:]
  private var source: Int?

  /// A walk through `text`, which is only looked at to count lines.
  init(table: String, text: [UInt8], recordsPlaces: Bool) {
    name = table
    places = recordsPlaces ? PositionCounter(text) : nil
  }

  /// Reads the members of the whole catalog; throws when it cannot be read as one.
  mutating func read(_ catalog: [JSONNode.Member]) throws(Finding) {
    guard let version = catalog["version"] else { throw Self.missing("version") }
    guard try version.string().hasBytes(atStart: "1.") else {
      throw version.fault(.unsupportedVersion, "Only versions 1.0 and later 1.x are read.")
    }
    var fault: Finding?
    do throws(Finding) {
      guard let language = catalog["sourceLanguage"] else { throw Self.missing("sourceLanguage") }
      source = try index(of: try language.string(), at: language.offset)
    } catch {
      fault = error
    }
    for member in catalog where !Self.fields.contains(member.name) {
      findings.warn(
        .unknownField, at: member.offset,
        "No known version of the format has '\(member.name.quoted)': it is ignored.")
    }
    guard let strings = catalog["strings"] else { throw Self.missing("strings") }
    let entries = try strings.object().distinct(&findings)
    for (count, entry) in entries.enumerated() {
      try TableLimits.check(count: count, offset: entry.offset)
      try Finding.checkCancellation()
      do throws(Finding) {
        try add(entry)
      } catch {
        findings.append(error)
        if let source { tables[source].leftOut.insert(entry.name) }
      }
    }
    // Last, so that one upload shows all errors.
    if let fault { throw fault }
  }

  private static let fields: Set<Spelling> = ["sourceLanguage", "strings", "version"]

  private mutating func add(_ entry: JSONNode.Member) throws(Finding) {
    try TableLimits.check(key: entry.name, text: "", offset: entry.offset)
    let place = places?.position(of: entry.offset)
    let fields = try entry.object()
    let isExtracted = try fields["extractionState"]?.string() == nil
    let localizations = try fields["localizations"]?.object().distinct(&findings) ?? []
    let sourceLanguage = source.map { tables[$0].localization }
    let others = OtherNumber {
      let source = sourceLanguage.flatMap { language in
        localizations.first { $0.name.isSpelled(like: language) }
      }
      return (source?.value.unitTexts ?? []) + [entry.name]
    }
    for member in localizations {
      try Finding.checkCancellation()
      do throws(Finding) {
        let index = try index(of: member.name, at: member.offset)
        let errors = findings.errors
        let text = text(
          of: member, key: entry.name, others: others, in: index,
          newTexts: !isExtracted ? .taken : index == source ? .shipped : .dropped)
        if findings.errors > errors { tables[index].leftOut.insert(entry.name) }
        if let text { set(text, for: entry.name, in: index, at: place) }
      } catch {
        findings.append(error)
        textsLeftOut += 1
      }
    }
    if let source, tables[source].entries[entry.name] == nil,
      !tables[source].leftOut.contains(entry.name)
    {
      set(.text(entry.name), for: entry.name, in: source, at: place)
    }
  }

  /// The entry that a localization has for a key; nil when it has no text, or none that can be
  /// read.
  private mutating func text(
    of member: JSONNode.Member, key: String, others: OtherNumber, in index: Int,
    newTexts: StringCatalogLocalization.NewTexts
  ) -> Entry? {
    var localization = StringCatalogLocalization(newTexts: newTexts)
    do throws(Finding) {
      let text = try localization.read(member, others: others, &findings)
      tables[index].count(Set(localization.states))
      if localization.isUncertain { tables[index].uncertain.insert(key) }
      return text
    } catch {
      findings.append(error)
      return nil
    }
  }

  private mutating func set(
    _ entry: Entry, for key: String, in index: Int, at place: Place?
  ) {
    tables[index].entries[key] = entry
    if let place { tables[index].places[key] = place }
  }

  /// The index of a language's table.
  private mutating func index(
    of language: String, at offset: Int
  ) throws(Finding) -> Int {
    if let index = indices[language] { return index }
    guard LanguageTag(language) != nil else {
      throw Finding(
        offset: offset, code: .invalidLanguage,
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

extension JSONNode {
  /// The texts of a localization, without the texts of its substitutions.
  fileprivate var unitTexts: [String] {
    guard case .object(let members) = content else { return [] }
    return members.flatMap { member in
      if member.name.isSpelled(like: "value"),
        case .scalar(.string(let text)) = member.value.content
      {
        return [text]
      }
      return member.name.isSpelled(like: "substitutions") ? [] : member.value.unitTexts
    }
  }
}
