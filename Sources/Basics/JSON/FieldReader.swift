internal import ASCII

/// Reads the fields of one JSON object, and notes every fault with its JSON Pointer (RFC 6901); at
/// the end also every field that nobody asked for.
///
/// A fault never stops the reading: one answer tells them all. A field with a fault counts as kept.
public final class FieldReader {
  /// The pointer to the object.
  public let pointer: String
  /// The faults found so far in the whole input.
  public let problems: InputProblems
  private let members: JSONObject
  /// A Bloom filter of one word: it has a bit for the shape of each field's name. Most fields that
  /// a caller asks for are not there, and the filter says so without a hash.
  private let shapes: UInt64
  /// The names of the fields that were asked for and are there.
  private var taken: [String] = []
  /// The names of all fields that were asked for, kept for bodies of backends: there a typo is an
  /// error.
  private var asked: [String] = []
  private var takesUnknownFields = false
  /// Other names for our fields, and what to send instead: `` `key` `` for `loc-key`. A name that
  /// differs only in hyphens, capitals or a leading `apns-` needs no entry.
  public var otherNames: [String: String] = [:]

  private init(_ members: JSONObject, at pointer: String, _ problems: InputProblems) {
    self.members = members
    self.pointer = pointer
    self.problems = problems
    shapes = members.keys.reduce(0) { $0 | Self.shape($1) }
    taken.reserveCapacity(members.count)
  }

  /// One bit, from the length and the first byte of a name.
  private static func shape(_ name: String) -> UInt64 {
    1 << ((UInt64(name.utf8.count) &* 7 &+ UInt64(name.utf8.first ?? 0)) & 63)
  }

  /// Reads a value that should be an object; `nil` after noting a fault.
  static func read<Value>(
    _ value: JSONValue, at pointer: String, _ problems: InputProblems,
    _ read: (FieldReader) -> Value?
  ) -> Value? {
    guard case .object(let members) = value else {
      problems.refuse(wrongType(at: pointer, "an object", value))
      return nil
    }
    let fields = FieldReader(members, at: pointer, problems)
    defer { fields.refuseUnknownFields() }
    return read(fields)
  }

  /// The names of all fields that are there, sorted.
  public var names: [String] {
    members.keys.sortedBySpelling()
  }

  /// Whether a field is there and not null.
  public func has(_ name: String) -> Bool { members[name].map { $0 != .null } ?? false }

  // MARK: Values

  /// Any JSON but null.
  public func json(_ name: String) -> Change<JSONValue> {
    if problems.policy == .strict { asked.append(name) }
    guard shapes & Self.shape(name) != 0, let value = members[name] else { return .keep }
    taken.append(name)
    if case .null = value { return .clear }
    return .set(value)
  }

  /// A text within bounds, in bytes of UTF-8, without U+0000.
  /// - Parameters:
  ///   - isSecondary: Whether any other value is left out, and refuses nothing.
  ///   - takesIntegers: Whether a whole number is taken, as the text of its digits.
  public func text(
    _ name: String, maximum: Int, minimum: Int = 0, isSecondary: Bool = false,
    takesIntegers: Bool = false
  ) -> Change<String> {
    string(name, isSecondary: isSecondary, takesIntegers: takesIntegers).compactMap { text in
      guard let (fault, detail) = TextBounds(minimum: minimum, maximum: maximum).fault(of: text)
      else { return text }
      note(fault.problem(at: pointer(to: name), detail), isSecondary: isSecondary)
      return nil
    }
  }

  /// `true` or `false`.
  /// - Parameter isSecondary: Whether any other value is left out, and refuses nothing.
  public func flag(_ name: String, isSecondary: Bool = false) -> Change<Bool> {
    value(name, "true or false", isSecondary: isSecondary) {
      if case .bool(let flag) = $0 { flag } else { nil }
    }
  }

  public func integer<Number: FixedWidthInteger & Sendable>(
    _ name: String, in range: ClosedRange<Number>
  ) -> Change<Number> {
    json(name).compactMap { value in
      switch value {
      case .integer(let number):
        if let number = Number(exactly: number), range.contains(number) { return number }
      case .double(let number) where number == number.rounded(): break
      case .longNumber(let text) where text.utf8.dropFirst().allSatisfy(\.isASCIIDigit): break
      default:
        refuseType(name, "a whole number", value)
        return nil
      }
      refuse(.outOfRange, at: name, "From \(range.lowerBound) to \(range.upperBound).")
      return nil
    }
  }

  public func number(_ name: String, in range: ClosedRange<Double>) -> Change<Double> {
    json(name).compactMap { value in
      if let number = value.double, range.contains(number) { return number }
      switch value {
      case .integer, .double:
        refuse(.outOfRange, at: name, "From \(range.lowerBound) to \(range.upperBound).")
      case .longNumber: refuse(.outOfRange, at: name, JSONValue.tooManyDigits)
      default: refuseType(name, "a number", value)
      }
      return nil
    }
  }

  /// One word of a fixed list.
  /// - Parameter isSecondary: Whether any other value is left out, and refuses nothing.
  public func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Word.Type = Word.self, isSecondary: Bool = false
  ) -> Change<Word> {
    string(name, isSecondary: isSecondary).compactMap { text in
      if let word = Word(spelled: text) { return word }
      let detail = "One of: \(Word.allCases.map(\.rawValue).joined(separator: ", "))."
      note(InputFault.unknownValue.problem(at: pointer(to: name), detail), isSecondary: isSecondary)
      return nil
    }
  }

  /// A list of texts of at most `maximum` bytes each, in order. With `isUnique` duplicates are
  /// dropped. A text in which `fault` finds a fault is left out.
  /// - Parameters:
  ///   - isSecondary: Whether entries that are too many or cannot be read are left out, and refuse
  ///     nothing. A list of which no entry can be read counts as kept.
  ///   - fault: Returns the fault of a text, if any. It may change the text to its usual spelling.
  public func texts(
    _ name: String, maximumCount: Int, maximum: Int, isUnique: Bool = true,
    isSecondary: Bool = false, fault: (inout String) -> (InputFault, String)? = { _ in nil }
  ) -> Change<[String]> {
    let change: Change<[JSONValue]> = value(
      name, "an array of strings", isSecondary: isSecondary
    ) {
      if case .array(let elements) = $0 { elements } else { nil }
    }
    return change.compactMap { elements in
      if elements.count > maximumCount {
        let detail = "At most \(maximumCount) entries\(isSecondary ? "; the first are taken" : "")."
        note(InputFault.tooMany.problem(at: pointer(to: name), detail), isSecondary: isSecondary)
        if !isSecondary { return nil }
      }
      var texts: [String] = []
      texts.reserveCapacity(elements.count)
      var known = Set<Spelling>(minimumCapacity: isUnique ? texts.capacity : 0)
      for (index, element) in elements.prefix(maximumCount).enumerated() {
        func place() -> String { "\(pointer(to: name))/\(index)" }
        guard case .string(var text) = element else {
          note(Self.wrongType(at: place(), "a string", element), isSecondary: isSecondary)
          continue
        }
        if let (fault, detail) = fault(&text) {
          problems.leaveOut(fault.problem(at: place(), detail))
        } else if let (fault, detail) = TextBounds(maximum: maximum).fault(of: text) {
          note(fault.problem(at: place(), detail), isSecondary: isSecondary)
        } else if !isUnique || known.insert(Spelling(text)).inserted {
          texts.append(text)
        }
      }
      return isSecondary && texts.isEmpty && !elements.isEmpty ? nil : texts
    }
  }

  /// A nested object.
  /// - Parameter isSecondary: Whether any other value is left out, and refuses nothing.
  public func object<Value>(
    _ name: String, isSecondary: Bool = false, _ read: (FieldReader) -> Value?
  ) -> Change<Value> {
    json(name).compactMap { value in
      if case .object = value { return nested(value, at: pointer(to: name), read) }
      note(Self.wrongType(at: pointer(to: name), "an object", value), isSecondary: isSecondary)
      return nil
    }
  }

  /// Reads a value that should be an object, wherever it came from; `nil` after noting a fault.
  public func nested<Value>(
    _ value: JSONValue, at pointer: String, _ read: (FieldReader) -> Value?
  ) -> Value? {
    Self.read(value, at: pointer, problems, read)
  }

  // MARK: Rules

  /// The value of a field that cannot be cleared; `nil` when it was left out.
  public func unclearable<Value>(_ change: Change<Value>, _ name: String) -> Value? {
    if case .clear = change { refuse(.wrongType, at: name, "This field cannot be null.") }
    return change.value
  }

  /// The value of a field that must be there; `nil` after noting a fault.
  public func required<Value>(_ change: Change<Value>, _ name: String) -> Value? {
    if members[name] == nil { refuse(.missingField, at: name, "This field is required.") }
    return unclearable(change, name)
  }

  public func ignoreUnknownFields() { takesUnknownFields = true }

  /// The names of the fields that nobody has asked for so far, sorted.
  public var unknownNames: [String] {
    guard members.count > taken.count else { return [] }
    let taken = Set(taken.lazy.map(Spelling.init))
    return names.filter { !taken.contains($0) }
  }

  private func refuseUnknownFields() {
    guard !takesUnknownFields else { return }
    for name in unknownNames {
      let isShort = name.utf8.count <= InputLimits.quotedNameBytes
      let own = isShort ? otherNames[name] ?? ownName(of: name).map { "`\($0)`" } : nil
      leaveOut(
        .unknownField, at: name,
        "The contract has no such field here" + (own.map { "; send \($0)." } ?? "."))
    }
  }

  /// The name of our field that a similar name means: `interruption_level` for
  /// `interruption-level`.
  private func ownName(of name: String) -> String? {
    func letters(_ name: String) -> String { name.lowercased().filter { $0 != "-" && $0 != "_" } }
    let wanted = letters(name.hasPrefix("apns-") ? String(name.dropFirst(5)) : name)
    return asked.first { letters($0) == wanted }
  }

  // MARK: Faults

  /// The pointer to a field (RFC 6901); a long name is shortened.
  public func pointer(to name: String) -> String { "\(pointer)/\(escapedPointer(name))" }

  /// Notes a fault of a field.
  public func refuse(_ fault: InputFault, at name: String, _ detail: String) {
    problems.refuse(fault.problem(at: pointer(to: name), detail))
  }

  /// Notes a fault anywhere.
  public func refuse(_ problem: InputProblem) { problems.refuse(problem) }

  /// Notes a fault at a pointer that the caller gives whole.
  public func refuse(_ fault: InputFault, pointer: String, _ detail: String) {
    refuse(fault.problem(at: pointer, detail))
  }

  /// Notes that a field has another type than expected, `a string`.
  public func refuseType(_ name: String, _ expected: String, _ value: JSONValue) {
    problems.refuse(Self.wrongType(at: pointer(to: name), expected, value))
  }

  /// Notes secondary data that is left out (refused under ``FieldPolicy/strict``).
  public func leaveOut(_ fault: InputFault, at name: String, _ detail: String) {
    problems.leaveOut(fault.problem(at: pointer(to: name), detail))
  }

  /// Notes a fault. It refuses the input, or, in secondary data, leaves out the value.
  private func note(_ problem: InputProblem, isSecondary: Bool) {
    if isSecondary { problems.leaveOut(problem) } else { problems.refuse(problem) }
  }

  private func value<Value>(
    _ name: String, _ expected: String, isSecondary: Bool, _ convert: (JSONValue) -> Value?
  ) -> Change<Value> {
    json(name).compactMap { value in
      if let value = convert(value) { return value }
      note(Self.wrongType(at: pointer(to: name), expected, value), isSecondary: isSecondary)
      return nil
    }
  }

  private func string(
    _ name: String, isSecondary: Bool, takesIntegers: Bool = false
  ) -> Change<String> {
    value(name, "a string", isSecondary: isSecondary) { value in
      switch value {
      case .string(let text): text
      case .integer(let number) where takesIntegers: number.description
      default: nil
      }
    }
  }

  private static func wrongType(
    at pointer: String, _ expected: String, _ value: JSONValue
  ) -> InputProblem {
    InputFault.wrongType.problem(at: pointer, "Expected \(expected), not \(value.article).")
  }
}

/// A name as a token of an RFC 6901 pointer (section 3), shortened when very long.
public func escapedPointer(_ name: String) -> String {
  let name = name.shortened(to: InputLimits.quotedNameBytes)
  guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
    return name
  }
  return name.unicodeScalars.reduce(into: "") { escaped, character in
    switch character {
    case "~": escaped += "~0"
    case "/": escaped += "~1"
    default: escaped.unicodeScalars.append(character)
    }
  }
}
