internal import JSON
internal import Rendering

/// A message with the values of its parameters, as a body names them.
enum MessageChoice: Sendable {
  /// It came along.
  case inline(Message, Arguments)
  /// It is stored under a name; what its parameters take is not known yet.
  case stored(MessageName, arguments: JSONValue)
}

extension FieldReader {
  /// `message`, a name or the message itself, and its `arguments`.
  func messageChoice() -> MessageChoice? {
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

extension LoopContext {
  /// The message that is meant, with its name when it is stored, and the values of its parameters.
  /// - Throws: ``InputFailure`` when the arguments are not those of the stored message.
  func resolve(
    _ choice: MessageChoice, of app: AppRecord
  ) async throws -> (name: String?, message: Message, arguments: Arguments) {
    switch choice {
    case .inline(let message, let arguments): return (nil, message, arguments)
    case .stored(let name, let given):
      let key = MessageStore.Key(appID: app.id, name: name)
      guard let message = try await shared.messages.message(key, on: self) else {
        throw Problem.messageNotFound
      }
      let body = JSONValue.object(["arguments": given])
      let arguments = try body.read { fields in
        fields.object("arguments") { Arguments(reading: $0, for: message) }.value
      }
      return (name.text, message, arguments.body)
    }
  }
}

extension Problem {
  /// Nothing is stored under the name.
  static let messageNotFound = Problem(
    .messageNotFound, "There is no such message in this app.")
}
