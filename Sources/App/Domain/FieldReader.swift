import APNs
import HTTP

/// Reads the fields of one JSON object, notes every fault with its JSON Pointer (RFC 6901), and at
/// the end every field that nobody asked for. No `Any` leaves it.
final class FieldReader {
  private let object: [String: Any]
  private let findings: Findings
  private let pointer: String
  private var known: [String] = []
  private var presentCount = 0

  init(_ object: [String: Any], at pointer: String, findings: Findings) {
    self.object = object
    self.pointer = pointer
    self.findings = findings
    known.reserveCapacity(20)
  }

  // MARK: Values

  /// A text within bounds, in bytes of UTF-8, without U+0000.
  func text(_ name: String, maximum: Int, minimum: Int = 0) -> Change<String> {
    let change = value(name, "a string", FoundationJSON.string)
    guard let text = change.value,
      let (fault, detail) = TextBounds(minimum: minimum, maximum: maximum).fault(of: text)
    else { return change }
    refuse(fault, at: name, detail)
    return .keep
  }

  /// `true` or `false`.
  func flag(_ name: String) -> Change<Bool> { value(name, "true or false", FoundationJSON.bool) }

  /// A whole number.
  func integer(_ name: String, in range: ClosedRange<Int64>) -> Change<Int64> {
    let change = value(name, "a whole number", FoundationJSON.integer)
    guard let number = change.value, !range.contains(number) else { return change }
    refuse(.outOfRange, at: name, "From \(range.lowerBound) to \(range.upperBound).")
    return .keep
  }

  /// One word of a fixed list.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Word.Type = Word.self
  ) -> Change<Word> {
    value(name, "a string", FoundationJSON.string).compactMap { text in
      if let word = Word(rawValue: text) { return word }
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      refuse(.unknownValue, at: name, "One of: \(words).")
      return nil
    }
  }

  /// A list of texts of at most `maximum` bytes each: duplicates dropped, order kept. A text for
  /// which `fault` finds one is left out.
  func texts(
    _ name: String, maximumCount: Int, maximum: Int,
    fault: (String) -> (InputFault, String)? = { _ in nil }
  ) -> Change<[String]> {
    value(name, "an array of strings", FoundationJSON.array).compactMap { elements in
      guard elements.count <= maximumCount else {
        refuse(.tooMany, at: name, "At most \(maximumCount) entries.")
        return nil
      }
      var texts: [String] = []
      for (index, element) in elements.enumerated() {
        guard let text = FoundationJSON.string(element) else {
          refuse(.wrongType, at: "\(name)/\(index)", "Expected a string.")
          continue
        }
        if let (fault, detail) = fault(text) {
          leaveOut(fault, at: "\(name)/\(index)", detail)
        } else if let (fault, detail) = TextBounds(minimum: 0, maximum: maximum).fault(of: text) {
          refuse(fault, at: "\(name)/\(index)", detail)
        } else if !texts.contains(text) {
          texts.append(text)
        }
      }
      return texts
    }
  }

  /// Any JSON, to be read by someone else's rules.
  func json(_ name: String) -> Change<JSONValue> { value(name, "JSON", FoundationJSON.any) }

  /// A nested object, read by the same rules.
  func object<Value>(_ name: String, _ read: (FieldReader) -> Value?) -> Change<Value> {
    value(name, "an object", FoundationJSON.object).compactMap { object in
      let fields = FieldReader(object, at: place(name), findings: findings)
      defer { fields.finish() }
      return read(fields)
    }
  }

  /// An object of any names with text, number, boolean or null values.
  func attributes(_ name: String) -> Change<Attributes> {
    value(name, "an object", FoundationJSON.object).compactMap { object in
      guard object.count <= Limits.attributes else {
        refuse(.tooMany, at: name, "At most \(Limits.attributes) entries.")
        return nil
      }
      var entries: [String: Attributes.Value] = [:]
      for (key, element) in object {
        let place = "\(name)/\(Self.escaped(key))"
        let keyBounds = TextBounds(minimum: 1, maximum: Limits.attributeNameBytes)
        if let (fault, detail) = keyBounds.fault(of: key) {
          refuse(fault, at: place, detail)
        } else if let value = FoundationJSON.plain(element) {
          if value.containsNUL { refuse(.containsNUL, at: place, TextBounds.nulDetail) }
          entries[key] = value
        } else {
          refuse(.wrongType, at: place, "Expected a string, number, boolean or null.")
        }
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
    if case .clear = change {
      refuse(.wrongType, at: name, "This field cannot be null.")
    } else if object[name] == nil {
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
    guard object.count > presentCount else { return }
    for name in object.keys.sorted() where !known.contains(name) {
      leaveOut(.unknownField, at: Self.escaped(name), "The contract has no such field here.")
    }
  }

  // MARK: Machinery

  private func value<Value>(
    _ name: String, _ expected: String, _ convert: (Any) -> Value?
  ) -> Change<Value> {
    known.append(name)
    guard let field = object[name] else { return .keep }
    presentCount += 1
    if let value = convert(field) { return .set(value) }
    if FoundationJSON.isNull(field) { return .clear }
    refuse(.wrongType, at: name, "Expected \(expected).")
    return .keep
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
