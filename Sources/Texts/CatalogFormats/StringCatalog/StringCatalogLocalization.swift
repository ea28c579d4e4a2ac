internal import ASCII
internal import JSON
internal import Localization

/// What one entry of a string catalog says in one language.
struct StringCatalogLocalization {
  /// The state of each text.
  private(set) var states: [String] = []
  /// Whether it is not certain what a device shows: a text in state `new` shows in the source
  /// language, or a part of a text that varies is left out.
  private(set) var isUncertain = false
  private let newTexts: NewTexts
  private var variations = CatalogVariations()
  private var hasText = false
  /// The substitutions that have texts.
  private var substitutions: Set<Spelling> = []
  private var dropped: [[CatalogVariation]] = []
  private var devices: Set<DeviceClass> = []

  /// What becomes of texts in the state `new`.
  enum NewTexts {
    /// They are as good as any: the entry was not merely taken over from the code.
    case taken
    /// They ship, as the source language needs no translation.
    case shipped
    /// Xcode compiles no text that it has only taken over from the code.
    case dropped
  }

  init(newTexts: NewTexts) {
    self.newTexts = newTexts
  }

  /// Reads a localization: its entry, or nil when there is no text. `others` are texts that show
  /// the number of a plural if its own texts do not.
  mutating func read(
    _ localization: JSONNode.Member, others: OtherNumber, _ findings: inout FindingList
  ) throws(Finding) -> Entry? {
    let fields = try localization.object()
    try place(localization, at: [], &findings)
    if let phrases = fields["stringSet"], !hasText { try addFirst(of: phrases, &findings) }
    var names: Set<Spelling> = []
    if let members = fields["substitutions"] {
      for member in try members.object().distinct(&findings) {
        try substitution(member, &findings)
        names.insert(member.name)
      }
    }
    guard hasText || !names.isEmpty else { return nil }
    if !dropped.isEmpty, !hasText || substitutions != names || hasLostOther {
      guard hasText || !substitutions.isEmpty else { return nil }
      isUncertain = true
      findings.warn(
        .incompleteTranslation, at: localization.offset,
        "Too little of this is translated: the key counts as untranslated here.")
      return nil
    }
    let result = variations.entry(offset: localization.offset, others: others)
    for finding in result.findings { findings.append(finding) }
    return result.entry
  }

  /// Whether a text was dropped that stands in for others. Such a text is the one of `other`, or,
  /// if there is no `other`, the one of any device.
  private var hasLostOther: Bool {
    dropped.contains { path in
      switch path.last {
      case .plural(.other), .device(.other): true
      case .device: !devices.contains(.other)
      default: false
      }
    }
  }

  /// Reads a text, variations, or nothing. If there are both, Xcode compiles the variations.
  private mutating func place(
    _ member: JSONNode.Member, at path: [CatalogVariation], _ findings: inout FindingList
  ) throws(Finding) {
    let fields = try member.object()
    if let unit = fields["stringUnit"] { try add(unit, at: path) }
    guard let variations = fields["variations"] else { return }
    if case .plural = path.last {
      throw variations.fault(
        .nestedInPlural, "The text of a plural category cannot vary: substitutions can do this.")
    }
    try vary(variations, at: path, &findings)
  }

  private mutating func vary(
    _ variations: JSONNode.Member, at path: [CatalogVariation], _ findings: inout FindingList
  ) throws(Finding) {
    for kind in try variations.object() {
      if kind.value.content == .scalar(.null) { continue }
      if kind.name.isSpelled(like: "plural") {
        try vary(byPlural: kind, at: path, &findings)
      } else if kind.name.isSpelled(like: "device") {
        try vary(kind, isByDevice: true, at: path, &findings)
      } else if kind.name.isSpelled(like: "width") {
        try vary(kind, isByDevice: false, at: path, &findings)
      } else {
        findings.fail(
          .unsupportedVariation, at: kind.offset,
          "Texts vary by 'plural', 'device' and 'width' only: this is left out.")
      }
    }
  }

  private mutating func vary(
    byPlural plural: JSONNode.Member, at path: [CatalogVariation], _ findings: inout FindingList
  ) throws(Finding) {
    guard path != [.device(.other)] else {
      throw plural.fault(
        .pluralInOtherDevice, "The texts of the device 'other' cannot vary by plural.")
    }
    for member in try plural.object().distinct(&findings) {
      guard let category = PluralCategory(spelled: member.name) else {
        findings.warn(.unknownCategory, at: member.offset, "No plural category is called so.")
        continue
      }
      try place(member, at: path + [.plural(category)], &findings)
    }
  }

  /// Reads variations by device or by width: at the top, or one kind within the other.
  private mutating func vary(
    _ rule: JSONNode.Member, isByDevice: Bool, at path: [CatalogVariation],
    _ findings: inout FindingList
  ) throws(Finding) {
    for step in path {
      switch step {
      case .width where isByDevice, .device where !isByDevice: continue
      default:
        throw rule.fault(
          .unsupportedVariation, "Texts can vary by \(rule.name) only at the top.")
      }
    }
    for member in try rule.object().distinct(&findings) {
      if isByDevice, let device = DeviceClass(spelled: member.name) {
        devices.insert(device)
        try place(member, at: path + [.device(device)], &findings)
      } else if isByDevice {
        findings.warn(.unknownDevice, at: member.offset, "No class of devices is called so.")
      } else if let width = Int(member.name), width >= 0 {
        try place(member, at: path + [.width(width)], &findings)
      } else {
        findings.warn(.unknownWidth, at: member.offset, "A width is a number.")
      }
    }
  }

  private mutating func add(
    _ unit: JSONNode.Member, at path: [CatalogVariation]
  ) throws(Finding) {
    let fields = try unit.object()
    let isNew = try isNew(fields["state"])
    let value = fields["value"]
    guard !isNew || newTexts == .taken || newTexts == .shipped && value != nil else {
      dropped.append(path)
      return
    }
    if isNew, newTexts == .shipped { isUncertain = true }
    guard let value else { throw unit.fault(.missingField, "'value' is missing.") }
    try add(try value.string(), at: path, offset: value.offset)
  }

  /// Notes a state, and returns whether it is `new`.
  private mutating func isNew(_ field: JSONNode.Member?) throws(Finding) -> Bool {
    guard let field else { return false }
    let state = try field.string()
    try TableLimits.check(key: "", text: state, offset: field.offset)
    states.append(state.shortened(to: Limits.wordBytes))
    return state.isSpelled(like: "new")
  }

  private mutating func add(
    _ text: String, at path: [CatalogVariation], offset: Int
  ) throws(Finding) {
    try TableLimits.check(key: "", text: text, offset: offset)
    if case .substitution(let name) = path.first {
      substitutions.insert(name)
    } else {
      hasText = true
    }
    variations.add(text, at: path, offset: offset)
  }

  /// Adds one phrase of a shortcut: Siri takes any of them, but a text to show is only one.
  private mutating func addFirst(
    of phrases: JSONNode.Member, _ findings: inout FindingList
  ) throws(Finding) {
    let fields = try phrases.object()
    if try isNew(fields["state"]), newTexts == .dropped { return }
    guard let values = fields["values"], let first = try values.array().first else { return }
    guard case .scalar(.string(let text)) = first.content else {
      throw values.wrongType("an array of strings")
    }
    findings.warn(
      .severalTexts, at: phrases.offset, "Of the texts of a 'stringSet' the first is taken.")
    try add(text, at: [], offset: values.offset)
  }

  private mutating func substitution(
    _ member: JSONNode.Member, _ findings: inout FindingList
  ) throws(Finding) {
    try TableLimits.check(key: member.name, text: "", offset: member.offset)
    let name = Spelling(member.name)
    let fields = try member.object()
    guard let variations = fields["variations"] else {
      throw member.fault(.missingField, "'variations' are missing.")
    }
    guard let specifier = fields["formatSpecifier"] else {
      throw member.fault(.missingField, "'formatSpecifier' is missing.")
    }
    guard CaseTexts.isNumberSpecifier(try specifier.string()) else {
      throw specifier.fault(.invalidValue, "This should be like 'lld' or '@'.")
    }
    var argument: Int?
    if let number = fields["argNum"] {
      argument = Int(exactly: try number.integer())
      guard let argument, 1...Limits.argumentNumber ~= argument else {
        throw number.fault(.invalidValue, "This should be 1 to \(Limits.argumentNumber).")
      }
    }
    self.variations.declare(name, argument: argument, specifier: try specifier.string())
    try vary(variations, at: [.substitution(name)], &findings)
  }
}
