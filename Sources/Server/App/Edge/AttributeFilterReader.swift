internal import ASCII
internal import DeviceProfile
internal import JSON
internal import Registry

/// The filters of attributes, any number of them: `attributes[plan]=pro`, and with a comparison in
/// brackets behind the name `attributes[visits][gte]=10`.
extension FilterReader {
  private static var prefix: String { "attributes[" }

  /// The filters that are one word of the index, and the conditions that are more than one word.
  mutating func attributes() -> (words: [AttributeFilter], conditions: [InstallationCondition]) {
    var words: [AttributeFilter] = []
    var conditions: [InstallationCondition] = []
    var ranges: [Spelling: AttributeRange] = [:]
    let names = names(beginning: Self.prefix)
    guard names.count <= RegistryLimits.filterValues else {
      for name in names { _ = json(name) }
      refuse(names[0], .tooMany, InstallationFilter.tooManyValues)
      return ([], [])
    }
    for parameter in names {
      guard let (name, comparison) = Self.parts(of: parameter) else { continue }
      guard isFindable(name, parameter) else { continue }
      switch comparison {
      case nil:
        guard let text = attributeText(parameter) else { continue }
        if let word = word(name, text, parameter, at: nil) { words.append(word) }
      case .in:
        guard let values = values(name, parameter) else { continue }
        conditions.append(.term(.attribute(name, anyOf: values)))
      case .exists:
        guard let isThere = flag(parameter) else { continue }
        let term = InstallationCondition.term(.attributeExists(name))
        conditions.append(isThere ? term : .not(term))
      case .number(let comparison):
        guard let number = number(parameter) else { continue }
        ranges[Spelling(name), default: AttributeRange()].narrow(comparison, number)
      }
    }
    for (name, range) in ranges.sorted(by: { $0.key < $1.key }) {
      conditions.append(.term(.attributeNumber(name.text, range)))
    }
    return (words, conditions)
  }

  /// `attributes[visits][gte]` → `visits` and the comparison. Any other brackets belong to the
  /// name: `attributes[a][b]` → `a][b`. There is nothing if the last bracket is not closed: then
  /// nobody reads the parameter, so it is unknown.
  private static func parts(of parameter: String) -> (String, AttributeComparison?)? {
    // By bytes: from the back, characters take quadratic time to find (flags of many countries).
    let name = parameter.utf8.dropFirst(prefix.utf8.count)
    guard name.last == UInt8(ascii: "]") else { return nil }
    if let bracket = name.lastIndex(of: UInt8(ascii: "[")), name[..<bracket].last == name.last,
      let comparison = AttributeComparison(
        Substring(name[name.index(after: bracket)...].dropLast()))
    {
      return (String(Substring(name[..<bracket].dropLast())), comparison)
    }
    return (String(Substring(name.dropLast())), nil)
  }

  /// Whether an attribute can have the name.
  private mutating func isFindable(_ name: String, _ parameter: String) -> Bool {
    if !name.isEmpty, name.utf8.count <= RegistryLimits.attributeNameBytes { return true }
    // The parameter counts as read.
    _ = json(parameter)
    refuse(parameter, .tooLong, "A name has 1 to \(RegistryLimits.attributeNameBytes) bytes.")
    return false
  }

  private mutating func word(
    _ name: String, _ text: String, _ parameter: String, at index: Int?
  ) -> AttributeFilter? {
    let filter = AttributeFilter(name: name, value: text)
    guard !text.utf8.contains(0) else {
      refuse(parameter, at: index, .containsNUL, "A value contains no U+0000.")
      return nil
    }
    guard filter.isSearchable else {
      let maximum = RegistryLimits.attributeFacetBytes
      refuse(
        parameter, at: index, .tooLong,
        "An attribute is found by its name and value of at most \(maximum) bytes together.")
      return nil
    }
    return filter
  }

  private mutating func values(_ name: String, _ parameter: String) -> [String]? {
    guard let value = json(parameter) else { return nil }
    guard case .array(let elements) = value, !elements.isEmpty else {
      refuse(parameter, .wrongType, "An array of values, at least one.")
      return nil
    }
    var values: [String] = []
    for (index, element) in elements.enumerated() {
      guard let text = element.attributeText else {
        refuse(parameter, at: index, .wrongType, "A text, a number, true or false.")
        continue
      }
      if let word = word(name, text, parameter, at: index) { values.append(word.value) }
    }
    return values
  }

  private mutating func number(_ parameter: String) -> AttributeNumber? {
    guard let value = json(parameter) else { return nil }
    switch value {
    case .integer, .double, .longNumber:
      if value.double != nil { return AttributeNumber(value) }
      refuse(parameter, .outOfRange, JSONValue.tooManyDigits)
      return nil
    default: if let number = AttributeNumber(value) { return number }
    }
    refuse(
      parameter, .unknownValue, "\(parameter) is a number, or a time or date of RFC 3339.")
    return nil
  }
}

/// The comparison of an attribute, as it stands in brackets.
private enum AttributeComparison {
  case `in`, exists
  case number(AttributeRange.Comparison)

  init?(_ text: Substring) {
    switch Spelling(String(text)) {
    case "in": self = .in
    case "exists": self = .exists
    default:
      guard let comparison = AttributeRange.Comparison(spelled: String(text)) else { return nil }
      self = .number(comparison)
    }
  }
}
