internal import ASCII
package import JSON
package import Rendering

/// A message with the values of its parameters, as a body names them.
package enum MessageChoice: Sendable {
  /// The message came along with the call.
  case inline(Message, known: Int?, Arguments)
  /// The message is stored under a name. The values that its parameters take are not known yet.
  case stored(MessageName, arguments: JSONValue)
}

/// A message, as a body names it.
package enum MessageSource: Sendable {
  /// The message came along with the call. If it came before, it has a number that no other message
  /// has.
  case inline(Message, known: Int?)
  /// The message is stored under a name.
  case stored(MessageName)
}

extension FieldReader {
  /// `message`, a name or the message itself.
  package func messageSource() -> MessageSource? {
    guard let value = required(json("message"), "message") else { return nil }
    if case .string(let text) = value {
      guard let name = MessageName(text) else {
        refuse(.invalidName, at: "message", MessageName.rule)
        return nil
      }
      return .stored(name)
    }
    // A message with faults is not remembered, because each call tells the faults.
    var faulty: Message?
    let message = RecentMessages.ofProcess.message(value) {
      let before = problems.count
      let message = nested(value, at: pointer(to: "message"), Message.init(reading:))
      if problems.count > before { faulty = message }
      return faulty == nil ? message : nil
    }
    return message.map { .inline($0.message, known: $0.number) }
      ?? faulty.map { .inline($0, known: nil) }
  }

  /// `message`, a name or the message itself, and its `arguments`.
  package func messageChoice() -> MessageChoice? {
    let source = messageSource()
    let arguments = json("arguments").value ?? .object([:])
    switch source {
    case nil: return nil
    case .stored(let name): return .stored(name, arguments: arguments)
    case .inline(let message, let known):
      return nested(arguments, at: pointer(to: "arguments")) {
        Arguments(reading: $0, for: message)
      }
      .map { .inline(message, known: known, $0) }
    }
  }
}

/// The name of a stored message: 1 to 64 of `A`–`Z`, `a`–`z`, `0`–`9`, `.`, `_` and `-`. It is
/// neither `.` nor `..`, which a path would lose.
package struct MessageName: Hashable, Sendable {
  /// The name as it stands in a path.
  package let text: String

  /// What a name must be, for messages to developers.
  package static let rule = "A message's name has 1 to 64 of A-Z, a-z, 0-9, `.`, `_` and `-`."

  /// Takes a name; `nil` when it is not one.
  package init?(_ text: String) {
    let signs = ".-_".utf8
    guard (1...64).contains(text.utf8.count), text != ".", text != "..",
      text.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || signs.contains($0) })
    else { return nil }
    self.text = text
  }
}

package struct MessageKey: RecordKey {
  package typealias Record = MessageRecord

  package var appID: Int32
  package var name: MessageName

  package init(appID: Int32, name: MessageName) {
    self.appID = appID
    self.name = name
  }

  package var text: String { name.text }
}
