import JSON

/// An app's own facts about an installation: names with text, number, boolean or null values.
///
/// Held, and stored, as JSON text in the one spelling that ``JSONWriter`` gives a value: two are
/// equal when their texts are, and an answer takes the text as it is.
struct Attributes: Hashable, Sendable {
  /// The JSON text.
  let json: String

  /// Attributes read from the database.
  init(json: String) { self.json = json }

  /// Encodes values.
  init(_ values: [String: JSONValue]) {
    var writer = JSONWriter()
    writer.value(.object(values))
    json = writer.text
  }
}

extension FieldReader {
  /// An object of any names with text, number, boolean or null values.
  func attributes(_ name: String) -> Change<Attributes> {
    object(name) { fields in
      defer { fields.ignoreUnknownFields() }
      let names = fields.names
      guard names.count <= Limits.attributes else {
        refuse(.tooMany, at: name, "At most \(Limits.attributes) entries.")
        return nil
      }
      var writer = JSONWriter()
      writer.object { writer in
        for name in names {
          writer.key(name)
          writer.value(fields.attribute(name))
        }
      }
      guard writer.bytes.count <= Limits.attributesBytes else {
        refuse(.tooLong, at: name, "At most \(Limits.attributesBytes) bytes as JSON.")
        return nil
      }
      return Attributes(json: writer.text)
    }
  }

  private func attribute(_ name: String) -> JSONValue {
    let bounds = TextBounds(minimum: 1, maximum: Limits.attributeNameBytes)
    if let (fault, detail) = bounds.fault(of: name) { refuse(fault, at: name, detail) }
    let value = json(name).value ?? .null
    switch value {
    case .string(let text):
      if let (fault, detail) = TextBounds(maximum: Limits.attributesBytes).fault(of: text) {
        refuse(fault, at: name, detail)
      }
    case .array, .object:
      refuseType(name, "a string, number, boolean or null", value)
    case .null, .bool, .integer, .double: break
    }
    return value
  }
}
