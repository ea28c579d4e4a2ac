internal import JSON

/// An attribute by which installations are found: the value of a name.
package struct AttributeFilter: Hashable, Sendable {
  /// The attribute's name.
  package let name: String
  /// A text as it is; a number or boolean as in JSON.
  package let value: String

  /// An attribute of a value.
  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the index holds it.
  package var isSearchable: Bool {
    name.utf8.count + value.utf8.count <= RegistryLimits.attributeFacetBytes
  }
}

extension Attributes {
  /// All that have a value, by name.
  var entries: [AttributeFilter] {
    guard case .object(let members)? = JSONValue(parsing: Array(json.utf8)) else { return [] }
    return members.sorted { $0.key < $1.key }.compactMap { name, value in
      switch value {
      case .string(let text): AttributeFilter(name: name, value: text)
      case .bool, .integer, .double: AttributeFilter(name: name, value: value.jsonText)
      case .null, .array, .object: nil
      }
    }
  }
}
