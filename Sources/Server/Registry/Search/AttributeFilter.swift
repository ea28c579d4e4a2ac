package import ASCII
internal import JSON

/// An attribute by which installations are found: the value of a name.
package struct AttributeFilter: Hashable, Sendable {
  @Spelled package private(set) var name: String
  /// A text as it is; a number or boolean as in JSON.
  @Spelled package private(set) var value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the index holds it.
  package var isSearchable: Bool {
    name.utf8.count + value.utf8.count <= RegistryLimits.attributeFacetBytes
  }
}

/// An attribute of an installation that has a value.
struct AttributeEntry {
  /// Its name, and its value as a filter names it.
  let filter: AttributeFilter
  /// The number by which the attribute is compared.
  let number: AttributeNumber?
}

extension Attributes {
  /// All attributes that have a value, by name.
  var entries: [AttributeEntry] {
    guard case .object(let members)? = JSONValue(parsing: Array(json.utf8)) else { return [] }
    return members.inOrder.compactMap { name, value in
      value.attributeText.map {
        AttributeEntry(
          filter: AttributeFilter(name: name, value: $0), number: AttributeNumber(value))
      }
    }
  }
}

extension JSONValue {
  /// The value of an attribute as a filter names it: a text as it is, a number or boolean as in
  /// JSON.
  package var attributeText: String? {
    switch self {
    case .string(let text): text
    case .bool, .integer, .double, .longNumber: jsonText
    case .null, .array, .object: nil
    }
  }
}
