import APNs

/// Takes typed fields out of a JSON object and remembers each fault with its place, so that one
/// answer tells them all. A field that is `null` counts as absent.
struct FieldReader {
  let pointer: String
  private(set) var problems: [MessageProblem] = []
  private var members: [String: JSONValue] = [:]

  init(_ value: JSONValue, at pointer: String) {
    self.pointer = pointer
    if case .object(let members) = value {
      self.members = members
    } else {
      fault(at: pointer, "wrong_type", "An object is expected here, not \(value.article).")
    }
  }

  /// The place of a member.
  func place(_ name: String) -> String {
    pointer + "/" + escapedPointer(name)
  }

  /// The names that have not been taken yet, sorted.
  var remainingNames: [String] { members.keys.sorted() }

  func has(_ name: String) -> Bool { members[name].map { $0 != .null } ?? false }

  mutating func fault(at pointer: String, _ code: String, _ detail: String) {
    guard problems.count < MessageLimits.problems else { return }
    problems.append(MessageProblem(pointer: pointer, code: code, detail: detail))
  }

  mutating func fault(_ name: String, _ code: String, _ detail: String) {
    fault(at: place(name), code, detail)
  }

  /// Takes a field of any type.
  mutating func take(_ name: String) -> JSONValue? {
    guard let value = members.removeValue(forKey: name), value != .null else { return nil }
    return value
  }

  mutating func string(
    _ name: String, maximumBytes: Int = MessageLimits.identifierBytes
  ) -> String? {
    guard let value = take(name) else { return nil }
    guard case .string(let text) = value else {
      wrongType(name, "A string", value)
      return nil
    }
    guard !text.isEmpty else {
      fault(name, "empty", "Leave the field out instead of giving an empty string.")
      return nil
    }
    guard text.utf8.count <= maximumBytes else {
      fault(name, "too_long", "At most \(maximumBytes) bytes are allowed.")
      return nil
    }
    return text
  }

  mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let value = take(name) else { return nil }
    guard case .integer(let number) = value else {
      wrongType(name, "A whole number", value)
      return nil
    }
    guard let number = Int(exactly: number), range.contains(number) else {
      fault(
        name, "out_of_range", "The number is from \(range.lowerBound) to \(range.upperBound).")
      return nil
    }
    return number
  }

  mutating func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
    let number: Double
    switch take(name) {
    case nil: return nil
    case .integer(let value): number = Double(value)
    case .double(let value): number = value
    case let value?:
      wrongType(name, "A number", value)
      return nil
    }
    guard range.contains(number) else {
      fault(
        name, "out_of_range", "The number is from \(range.lowerBound) to \(range.upperBound).")
      return nil
    }
    return number
  }

  /// Takes a switch: `true` or `false`, or Apple's 1 or 0.
  mutating func flag(_ name: String) -> Bool? {
    switch take(name) {
    case nil: return nil
    case .bool(let value): return value
    case .integer(1): return true
    case .integer(0): return false
    case let value?:
      wrongType(name, "true or false", value)
      return nil
    }
  }

  /// Takes one of a few words.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Word.Type = Word.self
  ) -> Word? {
    guard let text = string(name) else { return nil }
    if let word = Word(rawValue: text) { return word }
    let words = Word.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    fault(name, "unknown_value", "The value is one of \(words).")
    return nil
  }

  /// Takes an array of strings.
  mutating func strings(_ name: String, maximumCount: Int) -> [String]? {
    guard let value = take(name) else { return nil }
    guard case .array(let elements) = value else {
      wrongType(name, "An array of strings", value)
      return nil
    }
    guard elements.count <= maximumCount else {
      fault(name, "too_many", "At most \(maximumCount) are allowed.")
      return nil
    }
    var strings: [String] = []
    for (index, element) in elements.enumerated() {
      if case .string(let text) = element {
        strings.append(text)
      } else {
        fault(
          at: place(name) + "/\(index)", "wrong_type",
          "A string is expected here, not \(element.article).")
      }
    }
    return strings
  }

  /// Takes an object and reads it with a reader of its own, whose faults are ours.
  mutating func object<Result>(
    _ name: String, _ read: (inout FieldReader) -> Result?
  ) -> Result? {
    guard let value = take(name) else { return nil }
    return nested(value, at: place(name), read)
  }

  /// Reads a value that is or should be an object, wherever it came from.
  mutating func nested<Result>(
    _ value: JSONValue, at pointer: String, _ read: (inout FieldReader) -> Result?
  ) -> Result? {
    var reader = FieldReader(value, at: pointer)
    let result = reader.problems.isEmpty ? read(&reader) : nil
    reader.refuseUnknownFields()
    for problem in reader.problems { fault(at: problem.pointer, problem.code, problem.detail) }
    return result
  }

  mutating func wrongType(_ name: String, _ expected: String, _ value: JSONValue) {
    fault(name, "wrong_type", "\(expected) is expected here, not \(value.article).")
  }

  /// To be called when all known fields have been taken: what is left is a typo.
  mutating func refuseUnknownFields() {
    for name in remainingNames {
      fault(name, "unknown_field", "There is no such field here.")
    }
    members = [:]
  }
}

/// A member's name as a token of an RFC 6901 pointer.
func escapedPointer(_ name: String) -> String {
  guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
    return name
  }
  return name.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
    .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
}

extension JSONValue {
  fileprivate var article: String {
    switch self {
    case .null: "null"
    case .array, .integer, .object: "an \(typeName)"
    case .bool, .double, .string: "a \(typeName)"
    }
  }
}
