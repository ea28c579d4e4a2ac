public import ASCII
public import JSON

/// A JSON value whose strings are templates; its keys are not.
public indirect enum DataTemplate: Sendable, Hashable {
  /// A value without any placeholder.
  case constant(JSONValue)
  /// A string with placeholders; it stays a string when they are filled.
  case text(Template)
  /// A string that is one placeholder: it becomes the value of the parameter, a number a number.
  case value(String)
  /// An array with placeholders somewhere.
  case array([DataTemplate])
  /// An object with placeholders somewhere.
  case object([Spelling: DataTemplate])
}

extension DataTemplate {
  /// Takes a value apart.
  public init(_ value: JSONValue) {
    switch value {
    case .string(let text):
      let template = Template(text)
      if let name = template.onlyName {
        self = .value(name)
      } else {
        self = template.isVerbatim(text) ? .constant(value) : .text(template)
      }
    case .array(let elements):
      let templates = elements.map(DataTemplate.init)
      self = templates.allSatisfy(\.isConstant) ? .constant(value) : .array(templates)
    case .object(let members):
      let templates = members.mapValues(DataTemplate.init)
      self = templates.values.allSatisfy(\.isConstant) ? .constant(value) : .object(templates)
    case .null, .bool, .integer, .double, .longNumber:
      self = .constant(value)
    }
  }

  /// The value with all placeholders filled.
  public func filled(_ value: (String) -> Argument?) -> JSONValue { filled(nil, value) }

  /// The same, with times in a form; nil stands for the text of each.
  func filled(_ dates: DateForm?, _ value: (String) -> Argument?) -> JSONValue {
    switch self {
    case .constant(let constant): constant
    case .text(let template): .string(template.filled { value($0)?.plainText })
    case .value(let name): value(name).map { dates?.json($0) ?? $0.json } ?? .string("")
    case .array(let elements): .array(elements.map { $0.filled(dates, value) })
    case .object(let members):
      .object(JSONObject(members.map { (key: $0.text, value: $1.filled(dates, value)) }))
    }
  }

  var isConstant: Bool {
    if case .constant = self { true } else { false }
  }
}
