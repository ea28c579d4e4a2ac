import APNs
import Localization

extension Parameter {
  /// Reads the field `parameters`.
  static func readAll(_ fields: inout FieldReader) -> [String: Parameter]? {
    guard fields.remainingNames.count <= MessageLimits.parameters else {
      fields.fault(
        at: fields.pointer, "too_many", "At most \(MessageLimits.parameters) parameters.")
      for name in fields.remainingNames { _ = fields.take(name) }
      return nil
    }
    var parameters: [String: Parameter] = [:]
    for name in fields.remainingNames {
      guard Template.isName(name), name.utf8.count <= MessageLimits.identifierBytes else {
        fields.fault(
          name, "invalid_name", "A parameter's name has letters, digits and `_`, no digit first.")
        _ = fields.take(name)
        continue
      }
      // A faulty one counts as declared, so that its uses are not told as faults of their own.
      parameters[name] = fields.object(name, Parameter.read) ?? Parameter(type: .string)
    }
    return parameters
  }

  private static func read(_ fields: inout FieldReader) -> Parameter? {
    guard fields.has("type") else {
      fields.fault(at: fields.pointer, "missing_field", "A parameter has a `type`.")
      return nil
    }
    guard let name: TypeName = fields.word("type"), let type = name.read(&fields) else {
      // Which options a type has is not known without the type.
      for field in fields.remainingNames { _ = fields.take(field) }
      return nil
    }
    var parameter = Parameter(type: type)
    if let value = fields.take("default") {
      parameter.defaultValue = type.argument(value)
      if parameter.defaultValue == nil { fields.wrongType("default", type.expectation, value) }
    }
    return parameter
  }
}

/// The names of the types in JSON.
private enum TypeName: String, CaseIterable {
  case string, integer, decimal, percent, currency, date, duration, list

  /// Reads the options that belong to the type.
  func read(_ fields: inout FieldReader) -> ParameterType? {
    switch self {
    case .string: .string
    case .integer: .integer
    case .decimal: .decimal(fractionDigits(&fields))
    case .percent: .percent(fractionDigits(&fields))
    case .currency: currency(&fields)
    case .date: .date(dateStyle(&fields))
    case .duration: .duration(fields.word("width") ?? .wide)
    case .list: .list(fields.word("kind") ?? .and)
    }
  }

  private func fractionDigits(_ fields: inout FieldReader) -> ParameterType.FractionDigits? {
    let minimum = fields.integer("minimum_fraction_digits", in: 0...20)
    let maximum = fields.integer("maximum_fraction_digits", in: 0...20)
    guard minimum != nil || maximum != nil else { return nil }
    let least = minimum ?? 0
    let most = maximum ?? max(least, 3)
    guard least <= most else {
      fields.fault(
        "maximum_fraction_digits", "out_of_range", "The maximum is not less than the minimum.")
      return nil
    }
    return ParameterType.FractionDigits(minimum: least, maximum: most)
  }

  private func currency(_ fields: inout FieldReader) -> ParameterType? {
    guard fields.has("currency") else {
      fields.fault(at: fields.pointer, "missing_field", "An amount has a `currency`.")
      return nil
    }
    guard let code = fields.string("currency") else { return nil }
    let isCode =
      code.utf8.count == 3
      && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    guard isCode else {
      fields.fault("currency", "unknown_value", "An ISO 4217 code such as `EUR` is expected.")
      return nil
    }
    return .currency(code: code)
  }

  /// A day and a time of day when nothing is said, else what is said.
  private func dateStyle(_ fields: inout FieldReader) -> ParameterType.DateStyle {
    let saysNothing = !fields.has("date") && !fields.has("time")
    let date: ParameterType.DateStyle.Length? = fields.word("date")
    let time: ParameterType.DateStyle.Length? = fields.word("time")
    if saysNothing { return ParameterType.DateStyle(date: .medium, time: .short) }
    let style = ParameterType.DateStyle(date: date ?? .none, time: time ?? .none)
    if date == ParameterType.DateStyle.Length.none || date == nil,
      time == ParameterType.DateStyle.Length.none
    {
      fields.fault("time", "unknown_value", "One of `date` and `time` must be written.")
    }
    return style
  }
}
