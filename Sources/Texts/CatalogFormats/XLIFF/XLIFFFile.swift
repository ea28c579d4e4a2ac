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

  private let original: String?
  private let isVerbatim: Bool
  private let sourceLanguage: String?
  private let targetLanguage: String?
  private let offset: Int
  /// Keys of which a unit cannot be read.
  private var leftOut: Set<Spelling> = []
  /// Units that cannot be read and name no key, and all texts whose language cannot be told.
  private(set) var textsLeftOut = 0
  private var groups: [Group] = []
  private var indices: [Spelling: Int] = [:]
  private var hasTargets = false

  /// The file whose start tag this is.
  init(_ tag: XMLReader.Tag) {
    original = tag["original"]
    isVerbatim = original?.hasBytes(atEnd: ".strings") == true
    sourceLanguage = tag["source-language"]
    targetLanguage = tag["target-language"]
    offset = tag.offset
  }

  /// Notes that a unit cannot be read.
  mutating func leaveOut(key: String?) {
    if let key { leftOut.insert(key) } else { textsLeftOut += 1 }
  }

  /// Adds a unit; of two with the same id the last counts. Throws when there are too many keys.
  mutating func add(_ unit: XLIFFUnit, findings: inout FindingList) throws(Finding) {
    let key = unit.identifier.key
    do throws(Finding) {
      for text in [unit.source, unit.target].compactMap(\.self) {
        try TableLimits.checkLengths(key: key, text: text, offset: unit.offset)
      }
    } catch {
      leaveOut(key: key)
      return findings.append(error)
    }
    if unit.target != nil { hasTargets = true }
    if !unit.hasKnownState {
      findings.warn(
        .unknownState, at: unit.offset,
        "No state is called '\((unit.state ?? "").quoted)': the target is imported.")
    }

    guard let index = indices[key] else {
      try TableLimits.check(count: indices.count, offset: unit.offset)
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
      leaveOut(key: key)
      return findings.fail(
        .limitExceeded, at: unit.offset, "A key has more than \(Limits.units) units.")
    }
    groups[index].places[part] = groups[index].units.count
    groups[index].units.append(unit)
  }

  /// The tables of source and target; none when there is nothing to translate.
  mutating func tables(
    findings: inout FindingList, counter: inout PositionCounter?
  ) -> [FileTable] {
    guard !groups.isEmpty || !leftOut.isEmpty else { return [] }
    guard let original, let sourceLanguage, let name = Self.tableName(original) else {
      let missing =
        original == nil || sourceLanguage == nil
        ? "The file has no original or source-language"
        : "The original is no file of texts, such as Localizable.strings"
      findings.fail(.malformedXLIFF, at: offset, "\(missing): it is left out.")
      textsLeftOut += groups.count + leftOut.count
      return []
    }
    let isDictionary = original.hasBytes(atEnd: ".stringsdict")
    let bundle = LocalizedPath.bundle(of: original)
    var source = FileTable(
      localization: sourceLanguage, name: name.text, bundle: bundle,
      origin: isDictionary ? .exchangeSourceDictionary : .exchangeSource)
    var target = FileTable(
      localization: targetLanguage ?? "", name: name.text, bundle: bundle,
      origin: isDictionary ? .exchangeTargetDictionary : .exchangeTarget)
    if targetLanguage == nil { source.leftOut = leftOut } else { target.leftOut = leftOut }
    for group in groups {
      target.count(Set(group.units.map(\.countedState)))
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
      textsLeftOut += groups.count { $0.units.contains { $0.target != nil } }
    }
    source.restrict(to: name.device)
    target.restrict(to: name.device)
    return (targetLanguage == nil ? [source] : [source, target]).filter { table in
      if LanguageTag(table.localization) != nil { return true }
      findings.fail(
        .noLocalization, at: offset, "'\(table.localization.quoted)' is no language tag.")
      textsLeftOut += table.entries.count + table.leftOut.count
      return false
    }
  }

  /// The name of the file without folders and extension; nil when an app has no table of such a
  /// file, so that no message could name its texts.
  private static func tableName(_ original: String) -> TableName? {
    guard original.utf8.count <= Limits.pathBytes else { return nil }
    let file = original.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.last
    guard let file = file.map(Substring.init), let dot = file.lastDot, dot > file.startIndex else {
      return nil
    }
    let (name, format) = (file[..<dot], String(Substring(file.utf8[dot...].dropFirst())))
    guard tableFormats.contains(format),
      name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    return TableName(name)
  }

  /// The formats of files whose texts Xcode exports.
  private static let tableFormats: Set<Spelling> = [
    "intentdefinition", "plist", "storyboard", "strings", "stringsdict", "xcstrings", "xib",
  ]

  /// Findings that are told of a source text only where no translation stands beside it: Xcode's
  /// export names only those variations of the source text that the translation has.
  private static let ofWholeSources: Set<Diagnostic.Code> = [
    .missingFormat, .missingOther, .undefinedVariable, .unreferencedVariable,
  ]

  /// Adds the entry of one key, and tells its findings, except those whose code was `said` already.
  /// - Returns: The codes of all its findings.
  private func add(
    _ group: Group, to table: inout FileTable, findings: inout FindingList,
    said: Set<Diagnostic.Code>
  ) -> Set<Diagnostic.Code> {
    let isTarget = !table.origin.isExchangeSource
    let units = group.units
    // Nearly all keys have one plain text.
    if units.count == 1, units[0].identifier.part == .text([]),
      isVerbatim
        || (units[0].source ?? units[0].target)?.utf8.contains(UInt8(ascii: "#")) == false
    {
      let text = isTarget ? units[0].importedTarget : units[0].source
      table.entries[group.key] = text.map(Entry.text)
      return []
    }
    let hasTexts = isTarget ? \XLIFFUnit.isTranslated : \.hasSource
    guard units.contains(where: { $0[keyPath: hasTexts] }) else { return [] }
    let others = OtherNumber { units.compactMap(\.source) + [group.key] }
    let (entry, found) = Self.variations(units, isTarget: isTarget)
      .entry(offset: units[0].offset, others: others)
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
    let faults = found.filter {
      isTarget || targetLanguage == nil || !Self.ofWholeSources.contains($0.code)
    }
    for finding in faults where !said.contains(finding.code) { findings.append(finding) }
    if faults.contains(where: { $0.severity == .error }) { table.leftOut.insert(group.key) }
    return Set(faults.map(\.code))
  }

  private static func variations(_ units: [XLIFFUnit], isTarget: Bool) -> CatalogVariations {
    var variations = CatalogVariations()
    var catalogCases: [Spelling: [PluralCategory: String]] = [:]
    var sourceCases = catalogCases
    let isVaried = isTarget && units.contains { $0.variesWhole && $0.isTranslated }
    for unit in units {
      let text = isTarget ? unit.importedTarget : unit.source
      switch unit.identifier.part {
      case .rule: continue
      case .specifier(let name, let path):
        let specifier = (unit.source ?? unit.target ?? "").unicodeScalars.drop { $0 == "%" }
        if CaseTexts.isNumberSpecifier(String(specifier)) {
          variations.declare(name, at: path, argument: nil, specifier: String(specifier))
        }
      case .text([]):
        // The format is often left as it is, since there is nothing to translate in it.
        guard let text = text ?? (isVaried ? nil : unit.source) else { continue }
        variations.add(text, at: [], offset: unit.offset)
      case .text(let path):
        guard let text else { continue }
        variations.add(text, at: path, offset: unit.offset)
        if unit.identifier.isOfCatalog, path.count == 2,
          case (.substitution(let name), .plural(let category)) = (path[0], path[1])
        {
          catalogCases[name, default: [:]][category] = text
          if let source = unit.source { sourceCases[name, default: [:]][category] = source }
        }
      }
    }
    for (name, cases) in catalogCases {
      let number = CaseTexts(cases).number ?? CaseTexts(sourceCases[name] ?? [:]).number
      guard let number else { continue }
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

  /// Whether it has a text in the source language.
  fileprivate var hasSource: Bool {
    guard case .text = identifier.part else { return false }
    return source != nil
  }

  /// Whether it is a variant of the whole text: for a plural category, a device or a width, and not
  /// for a substitution.
  fileprivate var variesWhole: Bool {
    guard case .text(let path) = identifier.part else { return false }
    switch path.first {
    case .plural, .device, .width: return true
    case .substitution, nil: return false
    }
  }

  /// Whether it is a text that was translated.
  fileprivate var isTranslated: Bool {
    guard case .text = identifier.part else { return false }
    return importedTarget != nil
  }
}
