internal import JSON
internal import Rendering
internal import Synchronization

/// Messages that came along with the latest calls, as they were read. A caller that sends one
/// message to many people sends it with each call, and reading it takes a fifth of the time of a
/// rendering.
final class RecentMessages: Sendable {
  /// The messages of all loops: the meaning of a message depends on its JSON alone.
  static let ofProcess = RecentMessages()

  private struct Entry: Sendable {
    let json: JSONValue
    /// The size, which tells most other messages from this one.
    let bytes: Int
    let message: Message
    let number: Int
  }

  private struct Entries: Sendable {
    /// The oldest first, which goes next.
    var latest: [Entry] = []
    var nextNumber = 0
  }

  private let entries = Mutex(Entries())

  /// The message of a value: a remembered message, with its number, or else the message that `read`
  /// makes of the value. That message is remembered when it is short.
  /// - Parameter read: Reads the message; `nil` for a message that must not be remembered.
  func message(
    _ json: JSONValue, _ read: () -> Message?
  ) -> (message: Message, number: Int?)? {
    let bytes = json.approximateBytes
    let latest = entries.withLock { $0.latest }
    for entry in latest where entry.bytes == bytes && entry.json == json {
      return (entry.message, entry.number)
    }
    guard let message = read() else { return nil }
    if bytes <= ContentLimits.recentMessageBytes {
      entries.withLock { entries in
        if entries.latest.count == ContentLimits.recentMessages { entries.latest.removeFirst() }
        entries.latest.append(
          Entry(json: json, bytes: bytes, message: message, number: entries.nextNumber))
        entries.nextNumber += 1
      }
    }
    return (message, nil)
  }
}
