import APNs
import Localization

extension Parameter {
  /// The types of the contract that are not made yet, so that they are named when refused.
  private static let laterTypes: Set<String> = [
    "decimal", "percent", "currency", "date", "duration", "list",
  ]

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
    guard let name = fields.string("type") else { return nil }
    guard let type = ParameterType(rawValue: name) else {
      if laterTypes.contains(name) {
        fields.fault(
          "type", "unsupported_parameter_type", "Parameters of type `\(name)` are not made yet.")
        for field in fields.remainingNames { _ = fields.take(field) }
      } else {
        fields.fault("type", "unknown_value", "The type is `string` or `integer`.")
      }
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

extension ParameterType {
  /// The argument that a JSON value stands for; nil when it has another type.
  func argument(_ value: JSONValue) -> ArgumentValue? {
    switch (self, value) {
    case (.string, .string(let text)): .string(text)
    case (.integer, .integer(let number)): .integer(number)
    default: nil
    }
  }

  var expectation: String {
    switch self {
    case .string: "A string"
    case .integer: "A whole number"
    }
  }
}
