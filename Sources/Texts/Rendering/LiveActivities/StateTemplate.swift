import APNs
public import ASCII
import FoundationEssentials
import JSON
import Localization

/// A JSON value with placeholders, and with texts that each device gets in its language: the state
/// of a Live Activity.
///
///     {"eta": "{eta}", "step": {"key": "STEP_COOKING", "args": ["cook"]},
///      "note": {"text": {"en": "Soon", "ja": "まもなく"}}}
public indirect enum StateTemplate: Sendable, Hashable {
  /// A value without texts to localize.
  case data(DataTemplate)
  /// A text by key, or with a wording for each language.
  case text(MessageText)
  /// An array with texts somewhere.
  case array([StateTemplate])
  /// An object with texts somewhere.
  case object([Spelling: StateTemplate])
}

extension StateTemplate {
  /// Reads a value. An object is a text if all its members are those of one: `key` with `args`,
  /// `table`, `catalog` or `choose`, or `text` with an object of languages.
  init(
    _ value: JSONValue, parameters: [String: Parameter], at pointer: String, _ fields: FieldReader
  ) {
    switch value {
    case .object(let members) where members.isText:
      let text = MessageText(value, parameters: parameters, at: pointer, fields)
      self = text.map(StateTemplate.text) ?? .data(.constant(.null))
    case .object(let members):
      let states = members.map { name, member in
        let place = "\(pointer)/\(escapedPointer(name))"
        return (
          Spelling(name), StateTemplate(member, parameters: parameters, at: place, fields)
        )
      }
      self =
        states.allSatisfy { $0.1.hasNoText }
        ? .data(DataTemplate(value)) : .object(Dictionary(states) { $1 })
    case .array(let elements):
      let states = elements.enumerated().map { index, element in
        StateTemplate(element, parameters: parameters, at: "\(pointer)/\(index)", fields)
      }
      self = states.allSatisfy(\.hasNoText) ? .data(DataTemplate(value)) : .array(states)
    default:
      fields.checkPlaceholders(in: value, parameters, at: pointer)
      self = .data(DataTemplate(value))
    }
  }

  private var hasNoText: Bool {
    if case .data = self { true } else { false }
  }

  /// All texts, each with its place.
  func texts(at pointer: String) -> [(pointer: String, text: MessageText)] {
    switch self {
    case .data: []
    case .text(let text): [(pointer, text)]
    case .array, .object: children(at: pointer).flatMap { $1.texts(at: $0) }
    }
  }

  /// All other values, each with its place.
  func data(at pointer: String) -> [(pointer: String, data: DataTemplate)] {
    switch self {
    case .data(let data): [(pointer, data)]
    case .text: []
    case .array, .object: children(at: pointer).flatMap { $1.data(at: $0) }
    }
  }

  private func children(at pointer: String) -> [(String, StateTemplate)] {
    switch self {
    case .data, .text: []
    case .array(let elements): elements.enumerated().map { ("\(pointer)/\($0)", $1) }
    case .object(let members):
      members.sorted { $0.key < $1.key }.map { ("\(pointer)/\(escapedPointer($0.text))", $1) }
    }
  }
}

extension JSONObject {
  /// Whether it says a text to localize. A case of a Swift `enum` with a value does not, as in
  /// `{"text": {"_0": …}}`: `_0` is no language.
  var isText: Bool {
    if case .object(let wordings)? = self["text"] {
      let areWordings = self["choose"] != nil || wordings.keys.allSatisfy(\.isLanguageOrOther)
      return areWordings && keys.allSatisfy(["text", "choose"].containsSpelling)
    }
    return self["key"] != nil
      && keys.allSatisfy(["key", "args", "table", "catalog", "choose"].containsSpelling)
  }
}

extension String {
  /// Whether a wording may stand under it.
  fileprivate var isLanguageOrOther: Bool {
    isSpelled(like: TextChoice.other) || LanguageTag(self) != nil
  }
}

/// How a parameter that is a time stands in a state. The raw values are those of the contract.
enum DateForm: String, Sendable, CaseIterable {
  /// As the caller gave it: Unix seconds are a number.
  case asGiven = "as_given"
  /// Seconds since the beginning of 2001, which Swift's `JSONDecoder` reads as a `Date`.
  case referenceSeconds = "reference"
  /// Seconds since the beginning of 1970 (`.secondsSince1970`).
  case unixSeconds = "unix"
  /// `2026-11-27T12:30:00Z` (`.iso8601`, which reads no fractions of a second).
  case iso8601

  /// A value in this form.
  func json(_ argument: Argument) -> JSONValue {
    guard case .moment(let seconds, let text) = argument else { return argument.json }
    func number(_ value: Double) -> JSONValue {
      Int64(exactly: value).map(JSONValue.integer) ?? .double(value)
    }
    return switch self {
    case .asGiven: Int64(text).map(JSONValue.integer) ?? argument.json
    case .referenceSeconds: number(seconds - 978_307_200)
    case .unixSeconds: number(seconds)
    case .iso8601: .string(Date(timeIntervalSince1970: seconds.rounded(.down)).formatted(.iso8601))
    }
  }

  /// Whether a text is a date in the last of these forms.
  static func isISO8601(_ text: String) -> Bool {
    (try? Date.ISO8601FormatStyle().parse(text)) != nil
  }
}

/// Fills state templates for one device.
struct StateRenderer {
  let arguments: Arguments
  let dates: DateForm
  var texts: TextRenderer
  /// Whether a text was found nowhere.
  private(set) var lacksText = false
  /// The localization of the first text.
  private(set) var language: String?
  private var filledBytes = 0

  init(_ arguments: Arguments, _ dates: DateForm, _ texts: TextRenderer) {
    self.arguments = arguments
    self.dates = dates
    self.texts = texts
  }

  /// A state, which is an object; nil when there is none.
  mutating func object(_ state: StateTemplate?) -> JSONObject? {
    guard let state, case .object(let members) = value(state) else { return nil }
    return members
  }

  private mutating func value(_ state: StateTemplate) -> JSONValue {
    switch state {
    case .data(let data): filled(data)
    case .text(let text): .string(self.text(text))
    case .array(let elements):
      .array(elements.reduce(into: []) { $0.append(value($1)) })
    case .object(let members):
      .object(
        JSONObject(
          members.sorted { $0.key < $1.key }.reduce(into: []) {
            $0.append((key: $1.key.text, value: value($1.value)))
          }))
    }
  }

  /// A value that the app gets as the caller gave it.
  mutating func plain(_ data: DataTemplate) -> JSONValue {
    data.filled { argument($0) }
  }

  /// A value that the device shows: an argument that is a key becomes its text.
  private mutating func filled(_ data: DataTemplate) -> JSONValue {
    data.filled(dates) { name in
      guard case .translated(let translated)? = arguments[name] else { return argument(name) }
      let text = texts.text(.body, translated)
      if text.isEmpty { lacksText = true }
      filledBytes += text.utf8.count
      return filledBytes <= MessageLimits.filledBytes ? .text(text) : nil
    }
  }

  private mutating func argument(_ name: String) -> Argument? {
    guard filledBytes <= MessageLimits.filledBytes else { return nil }
    let argument = arguments[name]
    filledBytes += argument?.plainText.utf8.count ?? 0
    return argument
  }

  private mutating func text(_ text: MessageText) -> String {
    guard let source = text.source(arguments), let found = texts.text(.body, source) else {
      lacksText = true
      return ""
    }
    language = language ?? found.localization
    return found.text
  }
}
