internal import JSON
internal import Postgres
internal import Rendering

/// Stored messages in memory, read from the database when first asked for.
final class MessageStore: Sendable {
  /// One app's message of one name.
  struct Key: Hashable, Sendable {
    var appID: Int32
    var name: MessageName
  }

  private struct Loaded: Sendable {
    let message: Message
    let bytes: Int
  }

  private let cache = ReadThroughCache<Key, Loaded>(
    maximumCount: Limits.rememberedMessages, maximumBytes: Limits.rememberedMessageBytes,
    bytes: \.bytes)

  /// The message, `nil` when the app has none of that name.
  func message(_ key: Key, on context: LoopContext) async throws -> Message? {
    try await cache.value(key, on: context.loop) { _ in
      guard let record = try await context.database.read(LoadMessage(key)).first else { return nil }
      return Loaded(message: try record.message(), bytes: record.body.utf8.count)
    }?.message
  }

  /// The message was changed or deleted: the next question reads it anew.
  func forget(_ key: Key) { cache.forget(key) }

  /// Anything may have changed.
  func forgetAll() { cache.forgetAll() }
}
