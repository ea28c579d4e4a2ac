package import ASCII
package import JSON

/// An app's own facts about an installation: names with text, number, boolean or null values.
///
/// Held, and stored, as JSON text in the one spelling that ``JSONWriter`` gives a value: two are
/// equal when their texts are, and an answer takes the text as it is.
package struct Attributes: Hashable, Sendable {
  @Spelled package private(set) var json: String

  /// Attributes read from the database.
  package init(json: String) { self.json = json }

  package init(_ values: JSONObject) {
    json = JSONValue.object(values).jsonText
  }
}

extension Attributes {
  /// Lays these attributes over the stored ones, by name; null takes a name away (RFC 7396).
  ///
  /// | stored | these | result |
  /// |---|---|---|
  /// | `{"plan": "free", "n": 1}` | `{"plan": "pro"}` | `{"n": 1, "plan": "pro"}` |
  /// | `{"plan": "free", "n": 1}` | `{"n": null}` | `{"plan": "free"}` |
  ///
  /// - Returns: `nil` when there would be more than an installation may have.
  func merged(into stored: Attributes?) -> Attributes? {
    guard case .object(let changes)? = JSONValue(parsing: Array(json.utf8)) else { return stored }
    var members: JSONObject = [:]
    if let stored, case .object(let former)? = JSONValue(parsing: Array(stored.json.utf8)) {
      members = former
    }
    for (name, value) in changes { members[name] = value == .null ? nil : value }
    guard members.count <= RegistryLimits.attributes else { return nil }
    var writer = JSONWriter()
    writer.value(.object(members))
    guard writer.bytes.count <= RegistryLimits.attributesBytes else { return nil }
    return Attributes(json: writer.text)
  }
}

extension FieldReader {
  /// An object of any names with text, number, boolean or null values. Beyond its limits it is left
  /// out, and so is a single entry that cannot be kept; without any entry left it counts as kept.
  package func attributes(_ name: String) -> Change<Attributes> {
    object(name, isSecondary: true) { fields in
      defer { fields.ignoreUnknownFields() }
      let names = fields.names
      guard names.count <= RegistryLimits.attributes else {
        leaveOut(.tooMany, at: name, "At most \(RegistryLimits.attributes) entries.")
        return nil
      }
      let entries = names.compactMap { name in fields.attribute(name).map { (name, $0) } }
      guard !entries.isEmpty || names.isEmpty else { return nil }
      var writer = JSONWriter()
      writer.object { writer in
        for (name, value) in entries { writer.member(name, value) }
      }
      guard writer.bytes.count <= RegistryLimits.attributesBytes else {
        leaveOut(.tooLong, at: name, "At most \(RegistryLimits.attributesBytes) bytes as JSON.")
        return nil
      }
      return Attributes(json: writer.text)
    }
  }

  /// The value of an entry; `nil` after noting what is wrong with it.
  private func attribute(_ name: String) -> JSONValue? {
    let value = json(name).value ?? .null
    var fault = TextBounds(minimum: 1, maximum: RegistryLimits.attributeNameBytes).fault(of: name)
    switch value {
    case .string(let text):
      fault = fault ?? TextBounds(maximum: RegistryLimits.attributesBytes).fault(of: text)
    case .array, .object:
      fault = fault ?? (.wrongType, "Expected a string, number, boolean or null.")
    case .null, .bool, .integer, .double, .longNumber: break
    }
    guard let (fault, detail) = fault else { return value }
    leaveOut(fault, at: name, detail)
    return nil
  }
}
