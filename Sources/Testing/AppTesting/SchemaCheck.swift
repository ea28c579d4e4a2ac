/// Holds a value against a schema of `openapi.yaml`: the keywords of JSON Schema that it uses.
///
/// Stricter in one thing: a member that the schema does not name is a fault, unless the schema says
/// what other members are, or is made of others.
struct SchemaCheck {
  /// The whole document, for references.
  let document: JSON
  /// Whether the value is an answer: its times have three digits of a second, while those of a
  /// request may have any number.
  var isAnswer = false

  /// What a reference leads to, or the value itself.
  func resolved(_ value: JSON) -> JSON {
    guard let reference = value["$ref"].string else { return value }
    return resolved(reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] })
  }

  /// What does not fit, each with its place.
  func faults(_ value: JSON, _ schema: JSON, at place: String = "", isPart: Bool = false)
    -> [String]
  {
    let schema = resolved(schema)
    if case .bool(let isAnything) = schema { return isAnything ? [] : ["\(place): not allowed"] }
    var faults = typeFaults(value, schema).map { "\(place): \($0)" }
    let choices = schema["anyOf"].elements + schema["oneOf"].elements
    if !choices.isEmpty {
      let each = choices.map { self.faults(value, $0, at: place) }
      if !each.contains([]) { faults += each.min { $0.count < $1.count } ?? [] }
    }
    for part in schema["allOf"].elements {
      faults += self.faults(value, part, at: place, isPart: true)
    }
    for (index, element) in value.elements.enumerated() where schema["items"] != .absent {
      faults += self.faults(element, schema["items"], at: "\(place)/\(index)")
    }
    guard case .object(let members) = value else { return faults }
    for name in schema["required"].elements.compactMap(\.string) where members[name] == nil {
      faults.append("\(place): lacks \(name)")
    }
    let known = schema["properties"]
    let isComposed = isPart || !choices.isEmpty || schema["allOf"] != .absent
    for (name, member) in members {
      let inner = "\(place)/\(name)"
      if known[name] != .absent {
        faults += self.faults(member, known[name], at: inner)
      } else if schema["additionalProperties"] != .absent {
        faults += self.faults(member, schema["additionalProperties"], at: inner)
      } else if known != .absent, !isComposed {
        faults.append("\(inner): not described")
      }
    }
    return faults
  }

  private func typeFaults(_ value: JSON, _ schema: JSON) -> [String] {
    var faults: [String] = []
    let types = schema["type"].string.map { [$0] } ?? schema["type"].elements.compactMap(\.string)
    if !types.isEmpty, !types.contains(where: { value.has(type: $0) }) {
      faults.append("is no \(types.joined(separator: " or "))")
    }
    // What a later release may have, this one has not.
    for list in ["enum", "x-extensible-enum"].map({ schema[$0] }) where list != .absent {
      let isOther = value != .null && !list.elements.contains(value)
      if isOther { faults.append("is none of \(list.text)") }
    }
    if schema["const"] != .absent, schema["const"] != value { faults.append("is another value") }
    switch value {
    case .number(let number):
      if let minimum = schema["minimum"].whole, number < Double(minimum) {
        faults.append("is too small")
      }
      if let maximum = schema["maximum"].whole, number > Double(maximum) {
        faults.append("is too large")
      }
    case .string(let text):
      if let pattern = schema["pattern"].string, let regex = try? Regex(pattern),
        text.firstMatch(of: regex) == nil
      {
        faults.append("does not match \(pattern)")
      }
      if isAnswer, schema["format"] == "date-time", text.wholeMatch(of: Self.time) == nil {
        faults.append("is no time of an answer: \(text)")
      }
      if let maximum = schema["maxLength"].whole, text.unicodeScalars.count > maximum {
        faults.append("is too long")
      }
    case .array(let elements):
      if let maximum = schema["maxItems"].whole, elements.count > maximum {
        faults.append("is too many")
      }
      if let minimum = schema["minItems"].whole, elements.count < minimum {
        faults.append("is too few")
      }
    default: break
    }
    return faults
  }

  private static var time: Regex<Substring> { /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/ }
}

extension JSON {
  /// Whether it is of a type of JSON Schema.
  fileprivate func has(type: String) -> Bool {
    switch (self, type) {
    case (.null, "null"), (.bool, "boolean"), (.number, "number"), (.string, "string"),
      (.array, "array"), (.object, "object"):
      true
    case (.number, "integer"): whole != nil
    default: false
    }
  }
}
