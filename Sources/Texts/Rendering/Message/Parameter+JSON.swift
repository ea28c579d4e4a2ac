import ASCII
import JSON
internal import Localization

extension Parameter {
  /// Reads the field `parameters`.
  static func readAll(_ fields: FieldReader) -> [String: Parameter]? {
    defer { fields.ignoreUnknownFields() }
    guard fields.names.count <= MessageLimits.parameters else {
      fields.refuse(
        .tooMany, pointer: fields.pointer, "At most \(MessageLimits.parameters) parameters.")
      return nil
    }
    var parameters: [String: Parameter] = [:]
    for name in fields.names {
      guard Template.isName(name), name.utf8.count <= MessageLimits.identifierBytes else {
        fields.refuse(
          .invalidName, at: name,
          "A parameter's name has letters, digits and `_`, no digit first.")
        continue
      }
      // A faulty parameter counts as declared, so that its uses are not told as faults of their
      // own.
      parameters[name] = fields.object(name, Parameter.read).value ?? Parameter(type: .string)
    }
    return parameters
  }

  private static func read(_ fields: FieldReader) -> Parameter? {
    let name = fields.required(fields.word("type", of: TypeName.self), "type")
    guard let type = name?.read(fields) else {
      // Which options a type has is not known without the type.
      fields.ignoreUnknownFields()
      return nil
    }
    var parameter = Parameter(type: type)
    if let value = fields.json("default").value {
      parameter.defaultValue = type.argument(value, at: "default", fields)
    }
    parameter.attribute = attribute(fields, type)
    // A client may write null for the options of other types.
    for name in fields.names where !fields.has(name) && TypeName.options.containsSpelling(name) {
      _ = fields.json(name)
    }
    return parameter
  }

  /// The attribute that `from` names.
  private static func attribute(_ fields: FieldReader, _ type: ParameterType) -> String? {
    guard let text = fields.identifier("from").value else { return nil }
    let prefix = "attributes."
    guard text.hasBytes(atStart: prefix), text.utf8.count > prefix.utf8.count else {
      fields.refuse(.unknownValue, at: "from", "`attributes.` and the name of an attribute.")
      return nil
    }
    if case .list = type {
      fields.refuse(.unknownValue, at: "from", "No attribute is a list.")
      return nil
    }
    return String(Substring(text.utf8.dropFirst(prefix.utf8.count)))
  }
}

/// The names of the types in JSON.
private enum TypeName: String, CaseIterable {
  case string, integer, decimal, percent, currency, date, duration, list, choice
  case relativeDate = "relative_date"

  /// The options of all types.
  static let options = [
    "currency", "date", "kind", "maximum_fraction_digits", "minimum_fraction_digits", "of",
    "skeleton", "style", "time", "width",
  ]

  /// Reads the options that belong to the type.
  func read(_ fields: FieldReader) -> ParameterType? {
    switch self {
    case .string: .string
    case .integer: .integer
    case .decimal: .decimal(fractionDigits(fields))
    case .percent: .percent(fractionDigits(fields))
    case .currency: currency(fields)
    case .date: date(fields)
    case .relativeDate:
      .relativeDate(fields.word("style").value ?? .numeric, fields.word("width").value ?? .wide)
    case .duration: .duration(fields.word("width").value ?? .wide)
    case .list: .list(fields.word("kind").value ?? .and)
    case .choice: choice(fields)
    }
  }

  private func choice(_ fields: FieldReader) -> ParameterType {
    let words = fields.required(
      fields.texts("of", maximumCount: MessageLimits.choices, maximum: MessageLimits.choiceBytes),
      "of")
    if words?.isEmpty == true { fields.refuse(.tooShort, at: "of", "At least one word.") }
    if let index = words?.firstIndex(where: \.isEmpty) {
      fields.refuse(
        .tooShort, pointer: "\(fields.pointer(to: "of"))/\(index)", "A word is not empty.")
    }
    return .choice(words ?? [])
  }

  private func fractionDigits(_ fields: FieldReader) -> ParameterType.FractionDigits? {
    let minimum = fields.integer("minimum_fraction_digits", in: 0...20).value
    let maximum = fields.integer("maximum_fraction_digits", in: 0...20).value
    guard minimum != nil || maximum != nil else { return nil }
    let least = minimum ?? 0
    let most = maximum ?? max(least, 3)
    guard least <= most else {
      fields.refuse(
        .outOfRange, at: "maximum_fraction_digits", "The maximum is not less than the minimum.")
      return nil
    }
    return ParameterType.FractionDigits(minimum: least, maximum: most)
  }

  private func currency(_ fields: FieldReader) -> ParameterType? {
    guard let code = fields.required(fields.identifier("currency"), "currency") else { return nil }
    let isCode =
      code.utf8.count == 3
      && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    guard isCode else {
      fields.refuse(.unknownValue, at: "currency", "An ISO 4217 code such as `EUR` is expected.")
      return nil
    }
    return .currency(code: code)
  }

  /// Reads a date by a skeleton, which says all, or by the lengths of day and time.
  private func date(_ fields: FieldReader) -> ParameterType? {
    guard let text = fields.identifier("skeleton").value else { return .date(dateStyle(fields)) }
    guard let skeleton = DateSkeleton(text) else {
      fields.refuse(
        .unknownValue, at: "skeleton",
        "Fields as in `yMMMEd` or `jmm` are expected, each once: G y Q M w d E j H h m s z v O."
      )
      return nil
    }
    return .dateFields(skeleton)
  }

  /// The style that the fields name; if they name none, a day and a time of day.
  private func dateStyle(_ fields: FieldReader) -> DateStyle {
    let saysNothing = !fields.has("date") && !fields.has("time")
    let date: DateStyle.Length? = fields.word("date").value
    let time: DateStyle.Length? = fields.word("time").value
    if saysNothing { return DateStyle(date: .medium, time: .short) }
    let style = DateStyle(date: date ?? .none, time: time ?? .none)
    if date == DateStyle.Length.none || date == nil,
      time == DateStyle.Length.none
    {
      fields.refuse(.unknownValue, at: "time", "One of `date` and `time` must be written.")
    }
    return style
  }
}
