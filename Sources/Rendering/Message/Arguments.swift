public import APNs
public import Localization

/// The values of a message's parameters for one sending.
public struct Arguments: Sendable, Hashable {
  private var values: [String: ArgumentValue]
  /// Whether there is a value that each locale writes in its own way.
  private(set) var dependOnLocale = false

  /// Checks the `arguments` of a request against a message's parameters, and tells all faults.
  ///
  /// - Parameters:
  ///   - json: an object by parameter name; nil when the request has none.
  ///   - message: whose parameters count; a default stands in for an argument left out.
  ///   - pointer: where in the request it stands.
  public init(
    json: JSONValue?, for message: Message, at pointer: String = "/arguments"
  ) throws(MessageFaults) {
    values = [:]
    var reader = FieldReader(json ?? .object([:]), at: pointer)
    if reader.problems.isEmpty { read(message.parameters, from: &reader) }
    guard reader.problems.isEmpty else { throw MessageFaults(problems: reader.problems) }
    dependOnLocale = values.values.contains { if case .string = $0 { false } else { true } }
  }

  /// The value of a parameter; nil when the message does not declare it.
  public subscript(name: String) -> ArgumentValue? { values[name] }

  /// A value as it stands in identifiers and data: no grouping, ASCII digits.
  func plainText(_ name: String) -> String? {
    switch values[name] {
    case .string(let text): text
    case .integer(let number): number.description
    case nil: nil
    }
  }

  private mutating func read(
    _ parameters: [String: Parameter], from reader: inout FieldReader
  ) {
    for (name, parameter) in parameters.sorted(by: { $0.key < $1.key }) {
      guard let value = reader.take(name) else {
        values[name] = parameter.defaultValue
        if parameter.defaultValue == nil {
          reader.fault(
            name, "missing_argument", "The message needs `\(name)`, and it has no default.")
        }
        continue
      }
      values[name] = parameter.type.argument(value)
      if values[name] == nil {
        reader.wrongType(name, parameter.type.expectation, value)
      } else if case .string(let text) = value, text.utf8.count > MessageLimits.argumentBytes {
        reader.fault(name, "too_long", "At most \(MessageLimits.argumentBytes) bytes are allowed.")
      }
    }
    for name in reader.remainingNames {
      reader.fault(name, "unknown_argument", "The message has no parameter `\(name)`.")
    }
  }
}
