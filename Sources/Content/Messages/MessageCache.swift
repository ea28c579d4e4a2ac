internal import JSON
internal import Postgres
internal import Rendering
internal import Synchronization

/// Stored messages in memory, read from the database when first asked for.
final class MessageCache: Sendable {
  private struct Loaded: Sendable {
    let message: Message
    let bytes: Int
  }

  private let cache = ReadThroughCache<MessageKey, Loaded>(
    maximumCount: ContentLimits.rememberedMessages,
    maximumBytes: ContentLimits.rememberedMessageBytes,
    bytes: \.bytes)

  /// The message, `nil` when the app has none of that name.
  func message(_ key: MessageKey, _ database: PostgresClient) async throws -> Message? {
    try await cache.value(key, on: database.loop) { _ in
      guard let record = try await database.read(LoadRecord(key)).first else { return nil }
      return Loaded(message: try record.message(), bytes: record.body.utf8.count)
    }?.message
  }

  /// The message was changed or deleted: the next call reads it anew.
  func forget(_ key: MessageKey) { cache.forget(key) }

  /// Anything may have changed.
  func forgetAll() { cache.forgetAll() }
}

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
