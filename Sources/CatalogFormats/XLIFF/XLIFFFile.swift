internal import ASCII
internal import Localization

/// One `<file>` of an XLIFF file: its units by key, until the tables are made of them.
struct XLIFFFile {
  private struct Group {
    let key: String
    /// Where the first unit is: groups come in this order.
    let offset: Int
    var units: [XLIFFUnit]
    /// Where each part is among the units; filled when there are several.
    var places: [XLIFFIdentifier.Part: Int] = [:]
  }

  private let name: String
  private let isVerbatim: Bool
  private let isDictionary: Bool
  private let sourceLanguage: String
  private let targetLanguage: String?
  private let offset: Int
  private var groups: [Group] = []
  private var indices: [Spelling: Int] = [:]
  private var states: [String: Int] = [:]
  private var hasTargets = false

  init(original: String, sourceLanguage: String, targetLanguage: String?, offset: Int) {
    let file = original.split(separator: "/").last ?? ""
    let dot = file.lastDot ?? file.endIndex
    name = String(dot > file.startIndex ? file[..<dot] : file)
    isVerbatim = original.hasSuffix(".strings")
    isDictionary = original.hasSuffix(".stringsdict")
    self.sourceLanguage = sourceLanguage
    self.targetLanguage = targetLanguage
    self.offset = offset
  }

  /// Adds a unit; of two with the same id the last counts.
  mutating func add(_ unit: XLIFFUnit, findings: inout FindingList) throws(Finding) {
    let key = unit.identifier.key
    for text in [unit.source, unit.target ?? ""] {
      try TableLimits.check(key: key, text: text, count: indices.count, offset: unit.offset)
    }
    if unit.target != nil { hasTargets = true }
    if !unit.hasKnownState {
      findings.warn(
        .unknownState, at: unit.offset,
        "No state is called '\((unit.state ?? "").quoted)': the target is imported.")
    }
    let state = unit.countedState.quoted
    let isCounted = states[state] != nil || states.count < Limits.states
    states[isCounted ? state : "other", default: 0] += 1

    guard let index = indices[key] else {
      indices[key] = groups.count
      groups.append(Group(key: key, offset: unit.offset, units: [unit]))
      return
    }
    let part = unit.identifier.part
    if groups[index].places.isEmpty {
      groups[index].places[groups[index].units[0].identifier.part] = 0
    }
    if let previous = groups[index].places[part] {
      findings.warn(
        .duplicateKey, at: unit.offset, "This unit was already there; the last one counts.")
      groups[index].units[previous] = unit
      return
    }
    guard groups[index].units.count < Limits.units else {
      throw Finding(
        offset: unit.offset, code: .limitExceeded,
        message: "A key has more than \(Limits.units) units.")
    }
    groups[index].places[part] = groups[index].units.count
    groups[index].units.append(unit)
  }

  /// The tables of source and target; none when there is nothing to translate.
  func tables(findings: inout FindingList, counter: inout PositionCounter?) -> [FileTable] {
    guard !groups.isEmpty else { return [] }
    guard !name.isEmpty, name.utf8.count <= Limits.pathBytes,
      name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else {
      findings.fail(.malformedXLIFF, at: offset, "The original names no table: it is left out.")
      return []
    }
    var source = FileTable(
      localization: sourceLanguage, name: name,
      origin: isDictionary ? .exchangeSourceDictionary : .exchangeSource)
    var target = FileTable(
      localization: targetLanguage ?? "", name: name,
      origin: isDictionary ? .exchangeTargetDictionary : .exchangeTarget, states: states)
    for group in groups {
      let variesInSource = add(group, to: &source, findings: &findings, said: [])
      if targetLanguage != nil {
        _ = add(group, to: &target, findings: &findings, said: variesInSource)
      }
      guard let place = counter?.position(of: group.offset) else { continue }
      source.places[group.key] = place
      target.places[group.key] = place
    }
    if targetLanguage == nil, hasTargets {
      findings.fail(
        .malformedXLIFF, at: offset, "Without target-language the targets are not imported.")
    }
    return (targetLanguage == nil ? [source] : [source, target]).filter { table in
      if LanguageTag(table.localization) != nil { return true }
      findings.fail(
        .noLocalization, at: offset, "'\(table.localization.quoted)' is no language tag.")
      return false
    }
  }

  /// Adds the entry of one key, and tells what was found; what was `said` is not said again.
  private func add(
    _ group: Group, to table: inout FileTable, findings: inout FindingList,
    said: Set<Diagnostic.Code>
  ) -> Set<Diagnostic.Code> {
    let isTarget = !table.origin.isExchangeSource
    let units = group.units
    // Nearly all keys have one plain text.
    if units.count == 1, units[0].identifier.part == .text([]),
      isVerbatim || !units[0].source.utf8.contains(UInt8(ascii: "#"))
    {
      let text = isTarget ? units[0].importedTarget : units[0].source
      table.entries[group.key] = text.map(Entry.text)
      return []
    }
    guard !isTarget || units.contains(where: \.isTranslated) else { return [] }
    let (entry, found) = Self.variations(units, isTarget: isTarget).entry(offset: units[0].offset)
    let isWhole = entry != nil && !found.contains { $0.code == .missingOther }
    if isTarget, !isWhole || units.contains(where: \.lacksOther),
      units.contains(where: { $0.importedTarget == nil })
    {
      findings.warn(
        .incompleteTranslation, at: units[0].offset,
        "Too little of this key is translated: it is left out.")
      table.uncertain.insert(group.key)
      return []
    }
    table.entries[group.key] = entry
    for finding in found where !said.contains(finding.code) { findings.append(finding) }
    return Set(found.map(\.code))
  }

  private static func variations(_ units: [XLIFFUnit], isTarget: Bool) -> CatalogVariations {
    var variations = CatalogVariations()
    var catalogCases: [String: [PluralCategory: String]] = [:]
    for unit in units {
      let text = isTarget ? unit.importedTarget : unit.source
      switch unit.identifier.part {
      case .rule: continue
      case .specifier(let name):
        let specifier = unit.source.drop { $0 == "%" }
        if CaseTexts.isNumberSpecifier(String(specifier)) {
          variations.declare(name, argument: nil, specifier: String(specifier))
        }
      case .text([]):
        // The format is often left as it is, since there is nothing to translate in it.
        variations.add(text ?? unit.source, at: [], offset: unit.offset)
      case .text(let path):
        guard let text else { continue }
        variations.add(text, at: path, offset: unit.offset)
        if unit.identifier.isOfCatalog, path.count == 2,
          case (.substitution(let name), .plural(let category)) = (path[0], path[1])
        {
          catalogCases[name, default: [:]][category] = text
        }
      }
    }
    for (name, cases) in catalogCases {
      guard let number = CaseTexts(cases).number else { continue }
      variations.declare(
        name, argument: number.isPositioned ? number.argument : nil, specifier: number.specifier)
    }
    return variations
  }
}

extension XLIFFUnit {
  /// Whether it is a text that stands in for others and was not translated.
  fileprivate var lacksOther: Bool {
    guard case .text(let path) = identifier.part, importedTarget == nil else { return false }
    switch path.last {
    case .plural(.other), .device(.other): return true
    default: return false
    }
  }

  /// Whether it is a text that was translated.
  fileprivate var isTranslated: Bool {
    guard case .text = identifier.part else { return false }
    return importedTarget != nil
  }
}
