internal import JSON
internal import Rendering
internal import Synchronization

/// Messages that came along with the latest calls, as they were read. Whoever sends one message to
/// many people sends it with each call, and to read it takes a fifth of what a rendering takes.
final class RecentMessages: Sendable {
  /// Those of all loops, as what a message means depends on its JSON alone.
  static let ofProcess = RecentMessages()

  private struct Entry: Sendable {
    let json: JSONValue
    /// By which most others are told from it.
    let bytes: Int
    let message: Message
    let number: Int
  }

  private struct Entries: Sendable {
    var latest: [Entry] = []
    /// The place of the one that goes next.
    var oldest = 0
    var nextNumber = 0
  }

  private let entries = Mutex(Entries())

  /// The message that a value says: one that is remembered, with its number, or what `read` makes
  /// of it, which is remembered when it is short.
  /// - Parameter read: `nil` for what must not be remembered.
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
        let entry = Entry(
          json: json, bytes: bytes, message: message, number: entries.nextNumber)
        entries.nextNumber += 1
        guard entries.latest.count == ContentLimits.recentMessages else {
          entries.latest.append(entry)
          return
        }
        entries.latest[entries.oldest] = entry
        entries.oldest = (entries.oldest + 1) % entries.latest.count
      }
    }
    return (message, nil)
  }
}
