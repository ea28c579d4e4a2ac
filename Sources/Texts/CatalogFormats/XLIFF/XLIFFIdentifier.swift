internal import ASCII
internal import Localization

/// The id of a translation unit, taken apart.
///
/// | id | part of KEY |
/// |---|---|
/// | `KEY` | the text |
/// | `KEY\|==\|plural.one` | plural |
/// | `KEY\|==\|device.mac`, `KEY\|==\|device.mac.plural.one` | device |
/// | `KEY\|==\|width.20`, `KEY\|==\|device.mac.width.20` | width |
/// | `KEY\|==\|substitutions.NAME.plural.one` | substitution |
/// | `/KEY:dict/:string` | the text |
/// | `/KEY:dict/NSStringLocalizedFormatKey:dict/:string` | the text |
/// | `/KEY:dict/NAME:dict/one:dict/:string` | substitution |
/// | `/KEY:dict/NAME:dict/NSStringFormatValueTypeKey:dict/:string` | its specifier |
/// | `/KEY:dict/NSStringVariableWidthRuleType:dict/20:dict/:string` | width |
/// | `/KEY:dict/NSStringDeviceSpecificRuleType:dict/mac:dict/:string` | device |
/// | the last two with one of the four before in place of `:string` | within a device or width |
///
/// Ids are read from their end, since keys may hold `/`, `:` and `|==|`; the units of a `.strings`
/// file are keys, whatever they look like. Source: docs/apple.md 5.4.
struct XLIFFIdentifier {
  enum Part: Hashable {
    case text([CatalogVariation])
    /// The specifier of a variable, and the devices and widths that it belongs to.
    case specifier(Spelling, [CatalogVariation])
    /// A constant of the format: nothing to translate.
    case rule
  }

  var key: String
  var part = Part.text([])
  /// Whether the numbers in the texts of substitutions have their final positions.
  var isOfCatalog = false

  private static let mark = "|==|"
  private static let separator = ":dict/"
  private static let suffix = ":dict/:string"

  /// Reads an id of a file that was `original`; throws a finding without place when the id means
  /// nothing.
  init(_ id: String, original: String) throws(Finding) {
    key = id
    guard !original.hasBytes(atEnd: ".strings") else { return }
    if let (key, suffix) = id.split(atLast: Self.mark) {
      let steps = suffix.parts(between: ".", keepsEmpty: true)
      guard ["plural", "device", "width", "substitutions"].containsSpelling(steps[0]) else {
        return
      }
      self.key = key
      part = .text(try Self.path(steps[...]))
      isOfCatalog = true
      if let (_, inner) = key.split(atLast: Self.mark),
        !inner.isEmpty, (try? Self.path(inner.parts(between: ".")[...])) != nil
      {
        throw Self.finding(.ambiguousKey, "The key itself ends like a variation.")
      }
    } else if id.hasBytes(atStart: "/"), id.hasBytes(atEnd: Self.suffix) {
      let path = id.utf8.dropFirst().dropLast(Self.suffix.utf8.count)
      try readDictionary(String(Substring(path)))
    }
  }

  /// The key of an id that cannot be read further.
  static func key(ofUnreadable id: String) -> String {
    if let (key, _) = id.split(atLast: mark) { return key }
    // No key is longer.
    let path = id.utf8.dropFirst(id.hasBytes(atStart: "/") ? 1 : 0).prefix(Limits.identifierBytes)
    var rest = path
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      if rest[colon...].starts(with: separator.utf8) { return String(Substring(path[..<colon])) }
      rest = rest[colon...].dropFirst()
    }
    return String(Substring(path))
  }

  /// `device.mac.plural.one`
  private static func path(_ steps: ArraySlice<String>) throws(Finding) -> [CatalogVariation] {
    var rest = steps
    var choices: [CatalogVariation] = []
    while let kind = rest.first, let name = rest.dropFirst().first, choices.count < 2 {
      if kind.isSpelled(like: "device") {
        choices.append(.device(try device(name)))
      } else if kind.isSpelled(like: "width") {
        choices.append(.width(try width(name)))
      } else {
        break
      }
      rest = rest.dropFirst(2)
    }
    guard let kind = rest.first else { return choices }
    if rest.count == 2, kind.isSpelled(like: "plural") {
      return choices + [.plural(try category(rest[rest.startIndex + 1]))]
    }
    if rest.count >= 4, kind.isSpelled(like: "substitutions"),
      rest[rest.endIndex - 2].isSpelled(like: "plural")
    {
      let name = rest.dropFirst().dropLast(2).joined(separator: ".")
      return choices + [
        .substitution(Spelling(name)), .plural(try category(rest[rest.endIndex - 1])),
      ]
    }
    throw finding(.unsupportedVariation, "'\(kind.quoted)' cannot stand here in an id.")
  }

  /// `KEY:dict/NAME:dict/one`
  private mutating func readDictionary(_ path: String) throws(Finding) {
    var rest = path
    var inner = Part.text([])
    if let (front, last) = path.split(atLast: Self.separator) {
      if last.isSpelled(like: "NSStringLocalizedFormatKey") {
        rest = front
      } else {
        guard let (outer, name) = front.split(atLast: Self.separator) else {
          throw Self.finding(.unsupportedVariation, "'\(last.quoted)' cannot stand here in an id.")
        }
        if try Self.choice(name, last) == nil {
          rest = outer
          inner = try Self.part(of: name, last)
        }
      }
    }
    var choices: [CatalogVariation] = []
    while choices.count < 2, let (front, last) = rest.split(atLast: Self.separator),
      let (outer, rule) = front.split(atLast: Self.separator),
      let choice = try Self.choice(rule, last)
    {
      choices.insert(choice, at: 0)
      rest = outer
    }
    key = rest
    switch inner {
    case .text(let path): part = .text(choices + path)
    case .specifier(let name, _): part = .specifier(name, choices)
    case .rule: part = .rule
    }
  }

  /// The device or width of a rule; nil when it is none.
  private static func choice(_ rule: String, _ name: String) throws(Finding) -> CatalogVariation? {
    if rule.isSpelled(like: "NSStringDeviceSpecificRuleType") { return .device(try device(name)) }
    if rule.isSpelled(like: "NSStringVariableWidthRuleType") { return .width(try width(name)) }
    return nil
  }

  /// The part of a variable.
  private static func part(of variable: String, _ name: String) throws(Finding) -> Part {
    if name.isSpelled(like: "NSStringFormatValueTypeKey") {
      return .specifier(Spelling(variable), [])
    }
    if name.isSpelled(like: "NSStringFormatSpecTypeKey") { return .rule }
    return .text([.substitution(Spelling(variable)), .plural(try category(name))])
  }

  private static func category(_ name: String) throws(Finding) -> PluralCategory {
    guard let category = PluralCategory(spelled: name) else {
      throw finding(.unknownCategory, "No plural category is called '\(name.quoted)'.")
    }
    return category
  }

  private static func device(_ name: String) throws(Finding) -> DeviceClass {
    guard let device = DeviceClass(spelled: name) else {
      throw finding(.unknownDevice, "No class of devices is called '\(name.quoted)'.")
    }
    return device
  }

  private static func width(_ name: String) throws(Finding) -> Int {
    guard let width = Int(name), width >= 0 else {
      throw finding(.unknownWidth, "The width '\(name.quoted)' is no number.")
    }
    return width
  }

  private static func finding(_ code: Diagnostic.Code, _ message: String) -> Finding {
    // A misspelled variation was never shown; with the other faults a text would be lost.
    let isMisspelled = [.unknownCategory, .unknownDevice, .unknownWidth].contains(code)
    return Finding(
      offset: 0, severity: isMisspelled ? .warning : .error, code: code,
      message: message + " It is left out.")
  }
}

extension String {
  /// The texts before and behind the last occurrence of an ASCII text.
  fileprivate func split(atLast separator: String) -> (front: String, back: String)? {
    let bytes = utf8
    let mark = Array(separator.utf8)
    var index = bytes.endIndex
    while let found = bytes[..<index].lastIndex(of: mark[0]) {
      let rest = bytes[found...]
      if rest.starts(with: mark) {
        return (String(self[..<found]), String(self[bytes.index(found, offsetBy: mark.count)...]))
      }
      index = found
    }
    return nil
  }
}
