import APNs
import Foundation

/// What `JSONSerialization` on Linux makes of JSON: `String`, `NSNumber` (also for booleans),
/// `NSNull`, `[Any]` and `[String: Any]`.
enum FoundationJSON {
  /// A string.
  static func string(_ value: Any) -> String? { value as? String }

  /// An array.
  static func array(_ value: Any) -> [Any]? { value as? [Any] }

  /// An object.
  static func object(_ value: Any) -> [String: Any]? { value as? [String: Any] }

  /// `null`.
  static func isNull(_ value: Any) -> Bool { value is NSNull }

  /// `true` or `false`, but not `1` or `0`.
  static func bool(_ value: Any) -> Bool? {
    guard let number = value as? NSNumber, isBool(number) else { return nil }
    return number.boolValue
  }

  /// A number without a fraction that fits, but not `true` or `false`.
  static func integer(_ value: Any) -> Int64? {
    guard let number = value as? NSNumber, !isBool(number) else { return nil }
    return Int64(exactly: number)
  }

  /// An attribute's value.
  static func plain(_ value: Any) -> Attributes.Value? {
    if let text = string(value) { return .string(text) }
    if isNull(value) { return .null }
    guard let number = value as? NSNumber else { return nil }
    if isBool(number) { return .bool(number.boolValue) }
    if let integer = Int64(exactly: number) { return .integer(integer) }
    return .number(number.doubleValue)
  }

  /// The whole value; `nil` for `null`.
  static func any(_ value: Any) -> JSONValue? {
    isNull(value) ? nil : converted(value)
  }

  private static func converted(_ value: Any) -> JSONValue {
    if let text = string(value) { return .string(text) }
    if let members = object(value) { return .object(members.mapValues(converted)) }
    if let elements = array(value) { return .array(elements.map(converted)) }
    guard let number = value as? NSNumber else { return .null }
    if isBool(number) { return .bool(number.boolValue) }
    if let integer = Int64(exactly: number) { return .integer(integer) }
    return .double(number.doubleValue)
  }

  /// `NSNumber` keeps a boolean as a `char`, which no JSON number becomes.
  private static func isBool(_ number: NSNumber) -> Bool {
    number.objCType.pointee == CChar(bitPattern: UInt8(ascii: "c"))
  }
}
