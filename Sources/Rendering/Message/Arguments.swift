import FoundationEssentials
public import JSON
import Localization

/// The values of a message's parameters for one sending.
public struct Arguments: Sendable, Hashable {
  private struct Entry: Hashable {
    var type: ParameterType
    var value: Argument
    var shown: ParameterType.ShownNumber?

    init(type: ParameterType, value: Argument) {
      self.type = type
      self.value = value
      shown = type.shown(value)
    }
  }

  private var entries: [String: Entry] = [:]
  /// Whether there is a value that each locale writes in its own way.
  private(set) var dependOnLocale = false
  /// Whether there is a value that each time zone writes in its own way.
  private(set) var dependOnTimeZone = false

  /// Reads the values of a message's parameters, by name; a default stands in for one left out.
  public init(reading fields: FieldReader, for message: Message) {
    read(message, from: fields)
    for entry in entries.values {
      // A text that is a number may meet `%d`, which writes it as the locale does.
      if case .text(let text) = entry.value, !ArgumentValue.string(text).isNumber { continue }
      dependOnLocale = true
      switch entry.type {
      case .date, .dateFields: dependOnTimeZone = true
      default: break
      }
    }
  }

  /// The value of a parameter; nil when the message does not declare it.
  public subscript(name: String) -> Argument? { entries[name]?.value }

  /// What a value is that a device would not show as the server does, when given as text; `nil`
  /// for a text, or a moment, which nobody expects a device to write by itself.
  func obstacle(_ name: String) -> String? {
    switch entries[name]?.value {
    case .text, .moment: nil
    case .integer, .number: "a number"
    case .list: "a list"
    case .translated(let text): "the key \(text.key)"
    case nil: "unknown"
    }
  }

  /// The moment of a date, in seconds since 1970; nil for anything else.
  func moment(_ name: String) -> Double? {
    if case .moment(let seconds, _)? = entries[name]?.value { seconds } else { nil }
  }

  /// A value as it stands in identifiers and data.
  func plainText(_ name: String) -> String? { entries[name]?.value.plainText }

  /// A text with its placeholders filled by values as they stand in identifiers; nil when there is
  /// nothing, which a device takes an empty text for.
  func text(_ template: Template?) -> String? {
    guard let text = template?.filled({ plainText($0) }), !text.isEmpty else { return nil }
    return text
  }

  /// A value for a text.
  func value(_ name: String, in circumstances: TextCircumstances) -> ArgumentValue? {
    guard let entry = entries[name] else { return nil }
    if case .text(let text) = entry.value { return .string(text) }
    return entry.type.value(of: entry.value, shown: entry.shown, in: circumstances)
  }

  private mutating func read(_ message: Message, from fields: FieldReader) {
    for (name, parameter) in message.parameters.sorted(by: { $0.key < $1.key }) {
      guard let value = fields.json(name).value else {
        if let value = parameter.defaultValue {
          entries[name] = Entry(type: parameter.type, value: value)
        } else {
          fields.refuse(
            .missingArgument, at: name, "The message needs `\(name)`, and it has no default.")
        }
        continue
      }
      guard let argument = parameter.type.argument(value, at: name, fields) else { continue }
      let bounds = TextBounds(maximum: MessageLimits.argumentBytes)
      if let (fault, detail) = bounds.fault(of: argument.plainText) {
        fields.refuse(fault, at: name, detail)
        continue
      }
      if message.badge == .parameter(name), case .integer(let number) = argument,
        let fault = Badge.fault(of: number)
      {
        fields.refuse(.outOfRange, at: name, fault)
        continue
      }
      entries[name] = Entry(type: parameter.type, value: argument)
    }
    for name in fields.names where message.parameters[name] == nil {
      fields.refuse(.unknownArgument, at: name, "The message has no such parameter.")
    }
    fields.ignoreUnknownFields()
  }
}
