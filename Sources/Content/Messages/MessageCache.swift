internal import JSON
internal import Postgres
internal import Rendering

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
      guard let record = try await database.read(LoadMessage(key)).first else { return nil }
      return Loaded(message: try record.message(), bytes: record.body.utf8.count)
    }?.message
  }

  /// The message was changed or deleted: the next call reads it anew.
  func forget(_ key: MessageKey) { cache.forget(key) }

  /// Anything may have changed.
  func forgetAll() { cache.forgetAll() }
}
