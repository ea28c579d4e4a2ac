internal import Localization

/// The id of a translation unit, taken apart.
///
/// | id | part of KEY |
/// |---|---|
/// | `KEY` | the text |
/// | `KEY\|==\|plural.one` | plural |
/// | `KEY\|==\|device.mac`, `KEY\|==\|device.mac.plural.one` | device |
/// | `KEY\|==\|substitutions.NAME.plural.one` | substitution |
/// | `/KEY:dict/:string` | the text |
/// | `/KEY:dict/NSStringLocalizedFormatKey:dict/:string` | the text |
/// | `/KEY:dict/NAME:dict/one:dict/:string` | substitution |
/// | `/KEY:dict/NAME:dict/NSStringFormatValueTypeKey:dict/:string` | its specifier |
/// | `/KEY:dict/NSStringVariableWidthRuleType:dict/20:dict/:string` | width |
/// | `/KEY:dict/NSStringDeviceSpecificRuleType:dict/mac:dict/:string` | device |
///
/// Ids are read from their end, since keys may hold `/`, `:` and `|==|`; the units of a `.strings`
/// file are keys, whatever they look like. Source: docs/apple.md 5.4.
struct XLIFFIdentifier {
  enum Part: Hashable {
    case text([CatalogVariation])
    /// The specifier of a variable.
    case specifier(String)
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

  /// Reads an id of a file that was `original`; a finding without place when it means nothing.
  init(_ id: String, original: String) throws(Finding) {
    key = id
    guard !original.hasSuffix(".strings") else { return }
    if let (key, suffix) = id.split(atLast: Self.mark) {
      let steps = suffix.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard ["plural", "device", "width", "substitutions"].contains(steps[0]) else { return }
      self.key = key
      part = .text(try Self.path(steps[...]))
      isOfCatalog = true
      if let (_, inner) = key.split(atLast: Self.mark),
        !inner.isEmpty, (try? Self.path(inner.split(separator: ".").map(String.init)[...])) != nil
      {
        throw Self.finding(.ambiguousKey, "The key itself ends like a variation.")
      }
    } else if id.hasPrefix("/"), id.hasSuffix(Self.suffix) {
      try readDictionary(String(id.dropFirst().dropLast(Self.suffix.count)))
    }
  }

  /// The key of an id that cannot be read further.
  static func key(ofUnreadable id: String) -> String {
    if let (key, _) = id.split(atLast: mark) { return key }
    let path = id.dropFirst(id.hasPrefix("/") ? 1 : 0)
    return String(path[..<(path.firstRange(of: separator)?.lowerBound ?? path.endIndex)])
  }

  /// `device.mac.plural.one`
  private static func path(_ steps: ArraySlice<String>) throws(Finding) -> [CatalogVariation] {
    guard let kind = steps.first else { return [] }
    switch (kind, steps.count) {
    case ("plural", 2): return [.plural(try category(steps[steps.startIndex + 1]))]
    case ("width", 2): return [.width(try width(steps[steps.startIndex + 1]))]
    case ("device", 2), ("device", 4):
      return [.device(try device(steps[steps.startIndex + 1]))] + (try path(steps.dropFirst(2)))
    case ("substitutions", 4...):
      let name = steps.dropFirst().dropLast(2).joined(separator: ".")
      return [.substitution(name)] + (try path(steps.suffix(2)))
    default: throw finding(.unsupportedVariation, "'\(kind.quoted)' cannot stand here in an id.")
    }
  }

  /// `KEY:dict/NAME:dict/one`
  private mutating func readDictionary(_ path: String) throws(Finding) {
    guard let (front, last) = path.split(atLast: Self.separator) else {
      key = path
      return
    }
    if last == "NSStringLocalizedFormatKey" {
      key = front
      return try refuseNesting(front)
    }
    guard let (key, middle) = front.split(atLast: Self.separator) else {
      throw Self.finding(.unsupportedVariation, "'\(last.quoted)' cannot stand here in an id.")
    }
    self.key = key
    switch (middle, last) {
    case ("NSStringDeviceSpecificRuleType", _): part = .text([.device(try Self.device(last))])
    case ("NSStringVariableWidthRuleType", _): part = .text([.width(try Self.width(last))])
    case (_, "NSStringFormatValueTypeKey"): part = .specifier(middle)
    case (_, "NSStringFormatSpecTypeKey"): part = .rule
    default:
      part = .text([.substitution(middle), .plural(try Self.category(last))])
      try refuseNesting(key)
    }
  }

  /// Formats within devices and widths have variables of their own.
  private func refuseNesting(_ front: String) throws(Finding) {
    guard
      let (_, middle) = front.split(atLast: Self.separator)?.front.split(atLast: Self.separator),
      ["NSStringDeviceSpecificRuleType", "NSStringVariableWidthRuleType"].contains(middle)
    else { return }
    throw Self.finding(.unsupportedVariation, "Formats of one device or width are not read.")
  }

  private static func category(_ name: String) throws(Finding) -> PluralCategory {
    guard let category = PluralCategory(rawValue: name) else {
      throw finding(.unknownCategory, "No plural category is called '\(name.quoted)'.")
    }
    return category
  }

  private static func device(_ name: String) throws(Finding) -> DeviceClass {
    guard let device = DeviceClass(rawValue: name) else {
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
    // What is misspelled was never shown; the others are texts that would be lost.
    let isMisspelled = [.unknownCategory, .unknownDevice, .unknownWidth].contains(code)
    return Finding(
      offset: 0, severity: isMisspelled ? .warning : .error, code: code,
      message: message + " It is left out.")
  }
}

extension String {
  /// What stands before and behind the last occurrence of an ASCII text.
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
