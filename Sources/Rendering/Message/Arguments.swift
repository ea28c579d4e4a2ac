public import APNs
import FoundationEssentials
import Localization

/// The values of a message's parameters for one sending.
public struct Arguments: Sendable, Hashable {
  private struct Entry: Hashable {
    var type: ParameterType
    var value: Argument
  }

  private var entries: [String: Entry] = [:]
  /// Whether there is a value that each locale writes in its own way.
  private(set) var dependOnLocale = false
  /// Whether there is a value that each time zone writes in its own way.
  private(set) var dependOnTimeZone = false

  /// Checks the `arguments` of a request against a message's parameters, and tells all faults.
  ///
  /// - Parameters:
  ///   - json: an object by parameter name; nil when the request has none.
  ///   - message: whose parameters count; a default stands in for an argument left out.
  ///   - pointer: where in the request it stands.
  public init(
    json: JSONValue?, for message: Message, at pointer: String = "/arguments"
  ) throws(MessageFaults) {
    var reader = FieldReader(json ?? .object([:]), at: pointer)
    if reader.problems.isEmpty { read(message.parameters, from: &reader) }
    guard reader.problems.isEmpty else { throw MessageFaults(problems: reader.problems) }
    for entry in entries.values {
      if case .text = entry.value { continue }
      dependOnLocale = true
      if case .date = entry.type { dependOnTimeZone = true }
    }
  }

  /// The value of a parameter; nil when the message does not declare it.
  public subscript(name: String) -> Argument? { entries[name]?.value }

  /// Whether a device that is given the value as text shows it as the server would: a text, or a
  /// moment, which nobody expects a device to write by itself.
  func isText(_ name: String) -> Bool {
    switch entries[name]?.value {
    case .text, .moment: true
    default: false
    }
  }

  /// A value as it stands in identifiers and data.
  func plainText(_ name: String) -> String? { entries[name]?.value.plainText }

  /// A value for a text in a locale.
  func value(_ name: String, locale: String, timeZone: TimeZone) -> ArgumentValue? {
    guard let entry = entries[name] else { return nil }
    if case .text(let text) = entry.value { return .string(text) }
    return entry.type.value(of: entry.value, locale: locale, timeZone: timeZone)
  }

  private mutating func read(
    _ parameters: [String: Parameter], from reader: inout FieldReader
  ) {
    for (name, parameter) in parameters.sorted(by: { $0.key < $1.key }) {
      guard let value = reader.take(name) else {
        if let value = parameter.defaultValue {
          entries[name] = Entry(type: parameter.type, value: value)
        } else {
          reader.fault(
            name, "missing_argument", "The message needs `\(name)`, and it has no default.")
        }
        continue
      }
      guard let argument = parameter.type.argument(value) else {
        reader.wrongType(name, parameter.type.expectation, value)
        continue
      }
      guard argument.plainText.utf8.count <= MessageLimits.argumentBytes else {
        reader.fault(name, "too_long", "At most \(MessageLimits.argumentBytes) bytes are allowed.")
        continue
      }
      entries[name] = Entry(type: parameter.type, value: argument)
    }
    for name in reader.remainingNames {
      reader.fault(name, "unknown_argument", "The message has no parameter `\(name)`.")
    }
  }
}
