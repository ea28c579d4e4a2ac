import Foundation

extension JSONValue {
  /// Reads JSON text (RFC 8259) in UTF-8; `nil` when it is none.
  ///
  /// `JSONSerialization`, because it reads the whole text at once: `JSONDecoder` took twice as long
  /// for a typical report. What it leaves open, or takes though the RFC does not:
  ///
  /// - UTF-16 and UTF-32, which it guesses: refused here. JSON begins with an ASCII character, so
  ///   that in these one of the first four bytes is zero.
  /// - A comma behind the last member: refused here.
  /// - The same name twice in an object: the last one counts.
  /// - More than 512 levels, or a number beyond a `Double` such as `1e400`: it refuses the text.
  public init?(parsing text: [UInt8]) {
    guard !text.prefix(4).contains(0),
      let tree = try? JSONSerialization.jsonObject(
        with: Data(text), options: .fragmentsAllowed),
      !text.hasTrailingComma
    else { return nil }
    self.init(tree: tree)
  }

  /// Takes over a value of Foundation's tree: `String`, `NSNumber` (also for booleans), `NSNull`,
  /// `[Any]` or `[String: Any]`. Types are compared first, for a cast that fails is slow.
  private init(tree: Any) {
    if let text = tree as? String {
      self = .string(text)
    } else if type(of: tree) == [String: Any].self, let members = tree as? [String: Any] {
      self = .object(members.mapValues(JSONValue.init(tree:)))
    } else if type(of: tree) == [Any].self, let elements = tree as? [Any] {
      self = .array(elements.map(JSONValue.init(tree:)))
    } else if let number = tree as? NSNumber {
      self.init(number: number)
    } else {
      self = .null
    }
  }

  private init(number: NSNumber) {
    switch UInt8(bitPattern: number.objCType.pointee) {
    // A boolean is a `char`, which no number of a JSON text becomes.
    case UInt8(ascii: "c"): self = .bool(number.boolValue)
    case UInt8(ascii: "d"): self.init(fraction: number)
    default: self = Int64(exactly: number).map(JSONValue.integer) ?? .double(number.doubleValue)
    }
  }

  /// A `Double`, or a decimal of more digits: its conversion to `Int64` wraps around just beyond
  /// the bounds, so that only its own digits tell whether it fits.
  private init(fraction number: NSNumber) {
    let value = number.doubleValue
    if value.magnitude < 0x1p53 {
      self = Int64(exactly: value).map(JSONValue.integer) ?? .double(value)
    } else {
      self = Int64(number.stringValue).map(JSONValue.integer) ?? .double(value)
    }
  }
}
