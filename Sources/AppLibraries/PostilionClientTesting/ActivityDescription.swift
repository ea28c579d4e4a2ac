import Foundation

/// Describes a type of Live Activities for `postilion activity describe`: which fields its state
/// and its attributes are decoded from. The service then refuses a message whose state no phone
/// could decode. Have a test of your app write the file:
///
/// ```swift
/// let description = try ActivityDescription.json(
///   contentState: DeliveryAttributes.ContentState.self, attributes: DeliveryAttributes.self)
/// try description.write(to: URL(fileURLWithPath: "Delivery.json"))
/// ```
public enum ActivityDescription {
  /// Why a type cannot be described.
  public struct Fault: Error, CustomStringConvertible {
    /// Where the value stands, such as `driver.phase`; empty for the type itself.
    public let path: String

    /// One sentence.
    public var description: String {
      "`\(path)` is decoded in a way of its own. Make an enumeration CaseIterable with raw values, "
        + "or write the description by hand."
    }
  }

  /// The description as JSON.
  /// - Parameters:
  ///   - contentState: the state of an activity.
  ///   - attributes: what does not change.
  /// - Throws: ``Fault``.
  public static func json<State: Decodable, Attributes: Decodable>(
    contentState: State.Type, attributes: Attributes.Type
  ) throws -> Data {
    let members = [
      "dates": "reference", "content_state": try fields(of: State.self),
      "attributes": try fields(of: Attributes.self),
    ]
    return try JSONSerialization.data(
      withJSONObject: members, options: [.prettyPrinted, .sortedKeys])
  }

  private static func fields<Value: Decodable>(of type: Value.Type) throws -> Any {
    let field = DescribedField(path: [])
    _ = try field.value(Value.self)
    return field.json ?? [String: Any]()
  }
}

/// Finds out what a value is decoded from: it stands in for a decoder, writes down what is asked of
/// it, and answers with some value.
private final class DescribedField {
  /// Deeper types are taken for ones that have themselves as a part.
  private static let maximumDepth = 16

  let path: [String]
  /// The field as the description has it; nil until something is asked.
  var json: Any?

  init(path: [String]) { self.path = path }

  var fault: ActivityDescription.Fault {
    ActivityDescription.Fault(path: path.joined(separator: "."))
  }

  /// A value of a type, and what it is decoded from.
  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard path.count < Self.maximumDepth else { throw fault }
    if let (word, some) = Self.leaf(type) {
      json = word
      if let value = some as? Value { return value }
    }
    do {
      return try Value(from: DescribingDecoder(field: self))
    } catch let found as ActivityDescription.Fault {
      throw found
    } catch {
      throw fault
    }
  }

  /// The word of a type without parts, and some value of it.
  private static func leaf(_ type: Any.Type) -> (word: String, some: Any)? {
    switch type {
    case is String.Type: ("string", "")
    case is Bool.Type: ("boolean", false)
    case is Date.Type: ("date", Date(timeIntervalSinceReferenceDate: 0))
    case is Data.Type: ("string", Data())
    case is URL.Type: ("string", URL(fileURLWithPath: "/"))
    case is UUID.Type: ("string", UUID())
    case is Decimal.Type: ("number", Decimal(0))
    case is Double.Type: ("number", 0.0)
    case is Float.Type: ("number", Float(0))
    case let type as any FixedWidthInteger.Type: ("integer", type.zero)
    case let type as any CaseIterable.Type: firstCase(of: type)
    default: nil
    }
  }

  /// Of an enumeration with raw values.
  private static func firstCase(of type: any CaseIterable.Type) -> (word: String, some: Any)? {
    func first<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { type.allCases.first }
    guard let first = first(type), let raw = (first as? any RawRepresentable)?.rawValue else {
      return nil
    }
    switch raw {
    case is String: return ("string", first)
    case is any FixedWidthInteger: return ("integer", first)
    default: return nil
    }
  }
}

private struct DescribingDecoder: Decoder {
  let field: DescribedField
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    if !(field.json is [String: Any]) { field.json = [String: Any]() }
    return KeyedDecodingContainer(DescribedMembers(field: field))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { DescribedElements(field: field) }

  func singleValueContainer() -> any SingleValueDecodingContainer { DescribedValue(field: field) }
}

private struct DescribedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let field: DescribedField
  let codingPath: [any CodingKey] = []
  /// A dictionary has any keys, of which none are known.
  let allKeys: [Key] = []

  /// Only what may be left out is asked for.
  func contains(_ key: Key) -> Bool {
    note("any", key.stringValue + "?")
    return true
  }

  func decodeNil(forKey key: Key) -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let member = DescribedField(path: field.path + [key.stringValue])
    let value = try member.value(type)
    let isOptional = (field.json as? [String: Any])?[key.stringValue + "?"] != nil
    note(member.json ?? "any", key.stringValue + (isOptional ? "?" : ""))
    return value
  }

  private func note(_ json: Any, _ name: String) {
    var members = field.json as? [String: Any] ?? [:]
    members[name] = json
    field.json = members
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw field.fault }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw field.fault
  }

  func superDecoder() throws -> any Decoder { throw field.fault }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw field.fault }
}

/// An array of one element.
private struct DescribedElements: UnkeyedDecodingContainer {
  let field: DescribedField
  let codingPath: [any CodingKey] = []
  let count: Int? = 1
  var isAtEnd: Bool { currentIndex > 0 }
  private(set) var currentIndex = 0

  init(field: DescribedField) { self.field = field }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let element = DescribedField(path: field.path + ["0"])
    let value = try element.value(type)
    field.json = [element.json ?? "any"]
    currentIndex += 1
    return value
  }

  mutating func decodeNil() -> Bool { false }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { throw field.fault }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw field.fault
  }

  mutating func superDecoder() throws -> any Decoder { throw field.fault }
}

private struct DescribedValue: SingleValueDecodingContainer {
  let field: DescribedField
  let codingPath: [any CodingKey] = []

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try field.value(type) }
}
