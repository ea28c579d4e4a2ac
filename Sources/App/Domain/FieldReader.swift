import HTTP

/// Reads the fields of one JSON object, notes every fault with its JSON Pointer (RFC 6901), and at
/// the end every field that nobody asked for.
///
/// The good path builds no pointers and throws nothing.
final class FieldReader {
  private let container: KeyedDecodingContainer<FieldName>
  private let findings: Findings
  private let pointer: String
  private var known: [String] = []
  private var presentCount = 0

  init(_ container: KeyedDecodingContainer<FieldName>, at pointer: String, findings: Findings) {
    self.container = container
    self.pointer = pointer
    self.findings = findings
    known.reserveCapacity(24)
  }

  // MARK: Values

  /// A text of at most `maximum` bytes without U+0000.
  func text(_ name: String, maximum: Int, minimum: Int = 0) -> Change<String> {
    let change = value(name, "a string") { try self.container.decode(String.self, forKey: $0) }
    guard let text = change.value else { return change }
    let faults = TextBounds(minimum: minimum, maximum: maximum).fault(of: text)
    guard let (fault, detail) = faults else { return change }
    refuse(fault, at: name, detail)
    return .keep
  }

  /// `true` or `false`.
  func flag(_ name: String) -> Change<Bool> {
    value(name, "true or false") { try self.container.decode(Bool.self, forKey: $0) }
  }

  /// A whole number.
  func integer(_ name: String, in range: ClosedRange<Int64>) -> Change<Int64> {
    let change = value(name, "a whole number") { try self.container.decode(Int64.self, forKey: $0) }
    guard let number = change.value, !range.contains(number) else { return change }
    refuse(.outOfRange, at: name, "From \(range.lowerBound) to \(range.upperBound).")
    return .keep
  }

  /// One word of a fixed list.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Word.Type = Word.self
  ) -> Change<Word> {
    let change = value(name, "a string") { try self.container.decode(String.self, forKey: $0) }
    return change.compactMap { text in
      if let word = Word(rawValue: text) { return word }
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      self.refuse(.unknownValue, at: name, "One of: \(words).")
      return nil
    }
  }

  /// A list of texts of at most `maximum` bytes each: duplicates dropped, order kept. A text that
  /// `accepts` does not is left out.
  func texts(
    _ name: String, maximumCount: Int, maximum: Int,
    accepts: (String) -> (InputFault, String)? = { _ in nil }
  ) -> Change<[String]> {
    let change = value(name, "an array of strings") { key in
      try self.container.nestedUnkeyedContainer(forKey: key)
    }
    return change.compactMap { elements in
      var elements = elements
      if let count = elements.count, count > maximumCount {
        refuse(.tooMany, at: name, "At most \(maximumCount) entries.")
        return nil
      }
      return uniqueTexts(
        &elements, name, bounds: TextBounds(minimum: 0, maximum: maximum), accepts)
    }
  }

  private func uniqueTexts(
    _ elements: inout any UnkeyedDecodingContainer, _ name: String, bounds: TextBounds,
    _ accepts: (String) -> (InputFault, String)?
  ) -> [String] {
    var texts: [String] = []
    while !elements.isAtEnd {
      let index = elements.currentIndex
      do {
        let text = try elements.decode(String.self)
        if let (fault, detail) = accepts(text) {
          findings.leaveOut(fault.problem(at: "\(place(name))/\(index)", detail))
        } else if let (fault, detail) = bounds.fault(of: text) {
          findings.refuse(fault.problem(at: "\(place(name))/\(index)", detail))
        } else if !texts.contains(text) {
          texts.append(text)
        }
      } catch {
        note(error, at: "\(name)/\(index)", expected: "a string")
        // A failed read does not move on.
        guard (try? elements.decode(Skipped.self)) != nil else { break }
      }
    }
    return texts
  }

  /// A nested object, read by the same rules.
  func object<Value>(
    _ name: String, _ read: (FieldReader) -> Value?
  ) -> Change<Value> {
    let change = value(name, "an object") {
      try self.container.nestedContainer(keyedBy: FieldName.self, forKey: $0)
    }
    return change.compactMap { nested in
      let fields = FieldReader(nested, at: place(name), findings: findings)
      defer { fields.finish() }
      return read(fields)
    }
  }

  /// An object of any names with text, number, boolean or null values.
  func attributes(_ name: String) -> Change<Attributes> {
    let change = value(name, "an object") {
      try self.container.nestedContainer(keyedBy: FieldName.self, forKey: $0)
    }
    return change.compactMap { nested in
      var entries: [String: Attributes.Value] = [:]
      for key in nested.allKeys {
        if let (fault, detail) = TextBounds(minimum: 1, maximum: Limits.attributeNameBytes)
          .fault(of: key.stringValue)
        {
          refuse(fault, at: "\(name)/\(Self.escaped(key.stringValue))", detail)
          continue
        }
        do {
          entries[key.stringValue] = try nested.decode(Attributes.Value.self, forKey: key)
        } catch {
          let place = "\(name)/\(Self.escaped(key.stringValue))"
          note(error, at: place, expected: "a string, number, boolean or null")
        }
      }
      guard entries.count <= Limits.attributes else {
        refuse(.tooMany, at: name, "At most \(Limits.attributes) entries.")
        return nil
      }
      if entries.contains(where: { $0.value == .string("\0") || $0.value.containsNUL }) {
        refuse(.containsNUL, at: name, TextBounds.nulDetail)
        return nil
      }
      let attributes = Attributes(entries)
      guard attributes.json.utf8.count <= Limits.attributesBytes else {
        refuse(.tooLong, at: name, "At most \(Limits.attributesBytes) bytes as JSON.")
        return nil
      }
      return attributes
    }
  }

  // MARK: Rules

  /// The value of a field that cannot be cleared; `nil` when it was left out.
  func unclearable<Value>(_ change: Change<Value>, _ name: String) -> Value? {
    if case .clear = change { refuse(.wrongType, at: name, "This field cannot be null.") }
    return change.value
  }

  /// The value of a field that must be there; `nil` after noting a fault.
  func required<Value>(_ change: Change<Value>, _ name: String) -> Value? {
    if let value = change.value { return value }
    // A present field without a value has its fault noted already, unless it is null.
    let isAbsent = !container.contains(FieldName(name))
    if case .clear = change {
      refuse(.wrongType, at: name, "This field cannot be null.")
    } else if isAbsent {
      refuse(.missingField, at: name, "This field is required.")
    }
    return nil
  }

  /// Notes a fault that refuses the body.
  func refuse(_ fault: InputFault, at name: String, _ detail: String) {
    findings.refuse(fault.problem(at: place(name), detail))
  }

  /// Notes a fault of a device token.
  func refuse(_ fault: DeviceToken.Fault, at name: String) {
    findings.refuse(fault.problem(at: place(name)))
  }

  /// Notes secondary data that is left out (refused under ``FieldPolicy/strict``).
  func leaveOut(_ fault: InputFault, at name: String, _ detail: String) {
    findings.leaveOut(fault.problem(at: place(name), detail))
  }

  /// Notes the fields that nobody asked for.
  func finish() {
    let names = container.allKeys
    guard names.count > presentCount else { return }
    for name in names where !known.contains(name.stringValue) {
      leaveOut(
        .unknownField, at: Self.escaped(name.stringValue), "The contract has no such field here.")
    }
  }

  // MARK: Machinery

  private func value<Value>(
    _ name: String, _ expected: String, _ decode: (FieldName) throws -> Value
  ) -> Change<Value> {
    known.append(name)
    let key = FieldName(name)
    guard container.contains(key) else { return .keep }
    presentCount += 1
    do {
      return .set(try decode(key))
    } catch {
      // Null is told apart only now: most fields have a value.
      if (try? container.decodeNil(forKey: key)) == true { return .clear }
      note(error, at: name, expected: expected)
      return .keep
    }
  }

  private func note(_ error: any Error, at name: String, expected: String) {
    if case DecodingError.dataCorrupted = error, expected.hasSuffix("string") {
      findings.isMalformed = true
    }
    refuse(.wrongType, at: name, "Expected \(expected).")
  }

  private func place(_ name: String) -> String { "\(pointer)/\(name)" }

  /// A name inside a pointer (RFC 6901, section 3), shortened when very long.
  private static func escaped(_ name: String) -> String {
    var escaped = ""
    for character in name.unicodeScalars {
      switch character {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(character)
      }
      if escaped.utf8.count >= Limits.quotedNameBytes { return escaped + "…" }
    }
    return escaped
  }
}

/// The bounds of a text, in bytes of UTF-8; U+0000 is out of them always.
struct TextBounds {
  var minimum: Int
  var maximum: Int

  static let nulDetail = "U+0000 cannot be stored."

  /// The fault of a text, `nil` when it is within the bounds.
  func fault(of text: String) -> (InputFault, String)? {
    if text.utf8.count > maximum { return (.tooLong, "At most \(maximum) bytes.") }
    if text.utf8.count < minimum { return (.tooShort, "At least \(minimum) bytes.") }
    if text.utf8.contains(0) { return (.containsNUL, Self.nulDetail) }
    return nil
  }
}

/// Any JSON value, passed over.
private struct Skipped: Decodable {
  init(from decoder: any Decoder) {}
}
