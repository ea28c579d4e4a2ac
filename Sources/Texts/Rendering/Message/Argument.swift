import ASCII
import JSON

/// The value of a parameter, as it came.
public enum Argument: Sendable, Hashable {
  case text(String)
  /// A whole number, or seconds.
  case integer(Int64)
  case number(Double)
  /// A moment in seconds since 1970, and the text that named it.
  case moment(Double, text: String)
  case list([String])
  /// A text with a wording of its own in each language.
  case translated(TranslatedText)
  /// Any text that is not known yet: the word of this number, see `JSONGap`.
  case gap(Int)

  /// The value as it stands in identifiers and data: no locale's habits, ASCII digits.
  public var plainText: String {
    switch self {
    case .text(let text): text
    case .integer(let number): number.description
    case .number(let number): Self.text(number)
    case .moment(_, let text): text
    case .list(let texts): texts.joined(separator: ", ")
    case .translated(let text): text.key
    case .gap(let word): JSONGap.mark(word)
    }
  }

  /// The value as it stands in data: a number is one, a list an array, all else a text.
  var json: JSONValue {
    switch self {
    case .integer(let number): .integer(number)
    case .number(let number): .double(number)
    case .list(let texts): .array(texts.map(JSONValue.string))
    case .text, .moment, .translated, .gap: .string(plainText)
    }
  }

  private static func text(_ number: Double) -> String {
    var writer = JSONWriter(capacity: 24)
    writer.value(.double(number))
    return writer.text
  }
}

extension ParameterType {
  /// The argument that a JSON value stands for; nil after noting a fault.
  func argument(_ value: JSONValue, at name: String, _ fields: FieldReader) -> Argument? {
    if case .string = self, case .object = value {
      return TranslatedText(value, at: fields.pointer(to: name), fields).map(Argument.translated)
    }
    if let argument = argument(value) { return argument }
    switch (self, value) {
    case (.choice(let words), .string):
      fields.refuse(.unknownValue, at: name, "One of: \(words.joined(separator: ", ")).")
    case (.date, .string), (.dateFields, .string), (.relativeDate, .string):
      fields.refuse(.wrongType, at: name, "Expected \(expectation).")
    case (.decimal, .integer), (.percent, .integer), (.currency, .integer), (_, .longNumber):
      fields.refuse(.outOfRange, at: name, JSONValue.tooManyDigits)
    default: fields.refuseType(name, expectation, value)
    }
    return nil
  }

  /// The argument that a JSON value stands for; nil for a value of another type.
  func argument(_ value: JSONValue) -> Argument? {
    switch (self, value) {
    case (.string, .string(let text)): return .text(text)
    case (.choice(let words), .string(let text)):
      return words.containsSpelling(text) ? .text(text) : nil
    case (.integer, .integer(let number)): return .integer(number)
    case (.decimal, _), (.percent, _), (.currency, _): return value.double.map(Argument.number)
    case (.date, .integer(let seconds)), (.dateFields, .integer(let seconds)),
      (.relativeDate, .integer(let seconds)):
      return Self.moments.contains(seconds)
        ? .moment(Double(seconds), text: seconds.description) : nil
    case (.date, .string(let text)), (.dateFields, .string(let text)),
      (.relativeDate, .string(let text)):
      return Self.seconds(rfc3339: text).map { .moment($0, text: text) }
    case (.duration, .integer(let seconds)):
      return Self.durations.contains(seconds) ? .integer(seconds) : nil
    case (.list, .array(let elements)):
      let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
      return texts.count == elements.count && texts.count <= MessageLimits.parameters
        ? .list(texts) : nil
    default: return nil
    }
  }

  /// The description of a valid value, for messages to developers.
  private var expectation: String {
    switch self {
    case .string: "a string or an object with a `loc-key`"
    case .integer: "a whole number"
    case .decimal, .percent, .currency: "a number"
    case .date, .dateFields, .relativeDate:
      "an RFC 3339 time such as \"2022-05-02T19:32:41Z\", or Unix seconds"
    case .duration: "a whole number of seconds, 0 or more"
    case .choice(let words): "one of the strings \(words.joined(separator: ", "))"
    case .list: "an array of at most \(MessageLimits.parameters) strings"
    }
  }

  /// The years 1 to 9999, which RFC 3339 can name.
  private static let moments: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
  /// Up to a thousand years.
  private static let durations: ClosedRange<Int64> = 0...31_556_952_000

  private static func seconds(rfc3339 text: String) -> Double? {
    guard let microseconds = RFC3339.microseconds(text),
      moments.contains(microseconds / 1_000_000)
    else { return nil }
    return Double(microseconds) / 1_000_000
  }
}
