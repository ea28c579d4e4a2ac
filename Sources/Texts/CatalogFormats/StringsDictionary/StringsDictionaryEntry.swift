internal import ASCII
internal import Localization

/// Reads the value of one key of a `.stringsdict` file.
///
/// | case | result |
/// |---|---|
/// | a device or width whose value is a dictionary | read like an entry: a device may vary by
///   width, a width by device |
/// | `NSStringDeviceSpecificRuleType` beside others | these are of the devices that it does not
///   name |
/// | `NSStringFormatSpecTypeKey` is missing or not `NSStringPluralRuleType` | error `unknown_rule`,
///   the entry is left out: the runtime knows no other; a warning when no text refers to it |
/// | `NSStringFormatValueTypeKey` is `%ld` | `ld`, warning `unknown_specifier` |
/// | it is missing, or no specifier of a number | `d`, warning `unknown_specifier` |
/// | a key of a variable that is no category | ignored, warning `unknown_category` |
/// | a device, a width that is none | ignored, warning `unknown_device`, `unknown_width` |
/// | the text of an entry, device, width or category is none | left out, error `ignored_value` |
/// | a variable is no dictionary | ignored, warning `ignored_value` |
/// | a key occurs again | the last value counts, warning `duplicate_key` |
/// | devices within devices, widths within widths | left out, error `unsupported_variation` |
///
/// References between the texts are checked by ``VariableCheck``.
struct StringsDictionaryEntry {
  private typealias Pair = PropertyListValue.Pair

  private enum Name {
    static let format = "NSStringLocalizedFormatKey"
    static let devices = "NSStringDeviceSpecificRuleType"
    static let widths = "NSStringVariableWidthRuleType"
    static let rule = "NSStringFormatSpecTypeKey"
    static let pluralRule = "NSStringPluralRuleType"
    static let specifier = "NSStringFormatValueTypeKey"
  }

  private let offset: Int
  private var findings: FindingList

  /// The entry; nil when it is left out. Throws when it exceeds a bound.
  static func read(
    _ pair: PropertyListValue.Pair, findings: inout FindingList
  ) throws(Finding) -> Entry? {
    var reader = StringsDictionaryEntry(offset: pair.offset, findings: findings)
    // Only one owner at a time, so that no element is ever copied.
    findings = FindingList()
    defer { findings = reader.findings }
    return try reader.entry(pair, within: [])
  }

  /// The entry of a key, a device or a width; `rules` are the rules around it.
  private mutating func entry(_ pair: Pair, within rules: [String]) throws(Finding) -> Entry? {
    switch pair.value {
    case .text(let text): return .text(try checked(text))
    case .other:
      lost(pair)
      return nil
    case .dictionary(let pairs):
      return try entry(pairs, members(pairs), at: pair.offset, within: rules)
    }
  }

  private mutating func entry(
    _ pairs: [Pair], _ members: [Spelling: Pair], at place: Int, within rules: [String]
  ) throws(Finding) -> Entry? {
    let kinds = [Name.devices, Name.widths, Name.format].filter { members[$0] != nil }
    guard let kind = kinds.first, kind != Name.format else {
      guard let format = try format(pairs, members) else { return nil }
      return format.variables.isEmpty ? .text(format.text) : .plural(format)
    }
    if kinds.count > 1 {
      findings.warn(
        .conflictingVariations, at: place, "Of several rules '\(kind)' counts first.")
    }
    guard !rules.contains(kind) else {
      findings.fail(.unsupportedVariation, at: place, "'\(kind)' cannot stand in another one.")
      return nil
    }
    guard kind == Name.devices else {
      let widths = try widths(members[kind], within: rules + [kind])
      if let entry = Entry(widths: widths) { return entry }
      return missingFormat()
    }
    let devices = try devices(members[kind], within: rules + [kind])
    var others: Entry?
    if kinds.count > 1 {
      var rest = members
      rest[kind] = nil
      let pairs = pairs.filter { !$0.key.isSpelled(like: kind) }
      others = try entry(pairs, rest, at: place, within: rules)
    }
    if let entry = Entry(devices: devices, others: others) { return entry }
    return missingFormat()
  }

  /// The pairs by key, the last of each counting.
  private mutating func members(_ pairs: [Pair]) -> [Spelling: Pair] {
    var members: [Spelling: Pair] = [:]
    members.reserveCapacity(pairs.count)
    for pair in pairs where members.updateValue(pair, forKey: Spelling(pair.key)) != nil {
      findings.warn(
        .duplicateKey, at: pair.offset, "This key was already there; the last value counts.")
    }
    return members
  }

  private mutating func devices(
    _ rule: Pair?, within rules: [String]
  ) throws(Finding) -> [DeviceClass: Entry] {
    var entries: [DeviceClass: Entry] = [:]
    for pair in choices(rule) {
      guard let device = DeviceClass(spelled: pair.key) else {
        findings.warn(
          .unknownDevice, at: pair.offset, "No class of devices is called '\(pair.key.quoted)'.")
        continue
      }
      entries[device] = try entry(pair, within: rules)
    }
    return entries
  }

  private mutating func widths(
    _ rule: Pair?, within rules: [String]
  ) throws(Finding) -> [Int: Entry] {
    var entries: [Int: Entry] = [:]
    for pair in choices(rule) {
      guard let width = Int(pair.key), width >= 0 else {
        findings.warn(
          .unknownWidth, at: pair.offset, "The width '\(pair.key.quoted)' is no number.")
        continue
      }
      guard entries.count < Limits.widths else {
        throw Finding(
          offset: pair.offset, code: .limitExceeded,
          message: "There are more than \(Limits.widths) widths.")
      }
      entries[width] = try entry(pair, within: rules)
    }
    return entries
  }

  /// The members of a rule in order; none when it is no dictionary.
  private mutating func choices(_ rule: Pair?) -> [Pair] {
    guard case .dictionary(let pairs) = rule?.value else { return [] }
    return members(pairs).values.sorted { $0.offset < $1.offset }
  }

  /// A format with its variables; nil when it could not be shown.
  private mutating func format(
    _ pairs: [Pair], _ members: [Spelling: Pair]
  ) throws(Finding) -> PluralFormat? {
    guard case .text(let text) = members[Name.format]?.value else { return missingFormat() }
    var format = PluralFormat(try checked(text))
    var refused: [Spelling: Finding] = [:]
    for pair in pairs
    where !pair.key.isSpelled(like: Name.format) && members[pair.key]?.offset == pair.offset {
      guard case .dictionary(let pairs) = pair.value else {
        ignored(pair)
        continue
      }
      guard format.variables.count < Limits.variables else {
        throw Finding(
          offset: pair.offset, code: .limitExceeded,
          message: "There are more than \(Limits.variables) variables.")
      }
      try TableLimits.check(key: pair.key, text: "", offset: pair.offset)
      if let finding = unknownRule(pair, pairs) {
        refused[pair.key] = finding
      } else {
        format.variables[pair.key] = try variable(pair, pairs)
      }
    }
    return checked(format, refused: refused)
  }

  /// The format; nil when it could not be shown.
  private mutating func checked(
    _ format: PluralFormat, refused: [Spelling: Finding]
  ) -> PluralFormat? {
    var references = VariableReferences()
    let reached = VariableCheck.reached(
      from: format.text, variables: format.variables, &references)
    var isComplete = true
    for (name, var finding) in refused.sorted(by: { $0.key < $1.key }) {
      finding.severity = reached.contains(name) ? .error : .warning
      if reached.contains(name) { isComplete = false }
      findings.append(finding)
    }
    guard isComplete else { return nil }
    let names = Set(format.variables.keys)
    do throws(Finding) {
      let warnings = try VariableCheck.findings(
        of: .plural(format), variables: names, offset: offset, &references)
      for warning in warnings { findings.append(warning) }
    } catch {
      findings.append(error)
      return nil
    }
    return format
  }

  /// The fault of a variable's rule; nil when it is the plural rule.
  private func unknownRule(_ owner: Pair, _ pairs: [Pair]) -> Finding? {
    let rule = pairs.last { $0.key.isSpelled(like: Name.rule) }
    if case .text(let text) = rule?.value, text.isSpelled(like: Name.pluralRule) { return nil }
    return Finding(
      offset: rule?.offset ?? owner.offset, code: .unknownRule,
      message: "The variable '\(owner.key.quoted)' needs \(Name.rule) with \(Name.pluralRule).")
  }

  private mutating func variable(_ owner: Pair, _ pairs: [Pair]) throws(Finding) -> PluralVariable {
    var variable = PluralVariable(specifier: "d", cases: [:])
    let members = members(pairs)
    for pair in pairs where members[pair.key]?.offset == pair.offset {
      if [Name.rule, Name.specifier].containsSpelling(pair.key) { continue }
      switch (pair.value, PluralCategory(spelled: pair.key)) {
      case (.text(let text), .some(let category)):
        variable.cases[category] = try checked(text)
      case (_, .some): lost(pair)
      case (_, nil):
        findings.warn(
          .unknownCategory, at: pair.offset, "No plural category is called '\(pair.key.quoted)'.")
      }
    }
    variable.specifier = specifier(members[Name.specifier], of: owner)
    return variable
  }

  private mutating func specifier(_ pair: Pair?, of owner: Pair) -> String {
    if case .text(let specifier) = pair?.value {
      let bare =
        specifier.hasBytes(atStart: "%")
        ? String(specifier.unicodeScalars.dropFirst()) : specifier
      if CaseTexts.isNumberSpecifier(bare) {
        if bare != specifier {
          findings.warn(
            .unknownSpecifier, at: pair?.offset ?? owner.offset,
            "\(Name.specifier) is written without '%'.")
        }
        return bare
      }
    }
    findings.warn(
      .unknownSpecifier, at: pair?.offset ?? owner.offset,
      "The variable '\(owner.key.quoted)' needs \(Name.specifier), as 'd'; it is taken as 'd'.")
    return "d"
  }

  private mutating func missingFormat<Missing>() -> Missing? {
    findings.fail(.missingFormat, at: offset, "There is no text that could be shown for this key.")
    return nil
  }

  private mutating func lost(_ pair: Pair) {
    findings.fail(
      .ignoredValue, at: pair.offset, "'\(pair.key.quoted)' is no text, and is left out.")
  }

  private mutating func ignored(_ pair: Pair) {
    findings.warn(
      .ignoredValue, at: pair.offset, "The value of '\(pair.key.quoted)' is ignored.")
  }

  private func checked(_ text: String) throws(Finding) -> String {
    try TableLimits.check(key: "", text: text, offset: offset)
    return text
  }
}
