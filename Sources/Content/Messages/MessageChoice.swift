package import JSON
package import Rendering

/// A message with the values of its parameters, as a body names them.
package enum MessageChoice: Sendable {
  /// It came along.
  case inline(Message, Arguments)
  /// It is stored under a name; what its parameters take is not known yet.
  case stored(MessageName, arguments: JSONValue)
}

extension FieldReader {
  /// `message`, a name or the message itself, and its `arguments`.
  package func messageChoice() -> MessageChoice? {
    let value = required(json("message"), "message")
    let arguments = json("arguments").value ?? .object([:])
    guard let value else { return nil }
    if case .string(let text) = value {
      guard let name = MessageName(text) else {
        refuse(.invalidName, at: "message", MessageName.rule)
        return nil
      }
      return .stored(name, arguments: arguments)
    }
    guard let message = nested(value, at: place("message"), Message.init(reading:)) else {
      return nil
    }
    let read = nested(arguments, at: place("arguments")) { Arguments(reading: $0, for: message) }
    return read.map { .inline(message, $0) }
  }
}
