internal import ASCII
internal import CatalogFormats
package import DeviceProfile
package import EventLoop
internal import JSON
package import Localization
package import Postgres
package import Rendering
internal import Synchronization

/// The catalogs and messages of all apps for the requests of one loop: kept in memory, changed in
/// the database, and told to all instances.
package final class ContentStore: @unchecked Sendable {
  package let database: PostgresClient
  private let memory: ContentMemory
  /// Language matches that this loop has made; a match costs microseconds.
  package var matches = MatchMemo()

  package init(_ database: PostgresClient, memory: ContentMemory) {
    self.database = database
    self.memory = memory
  }

  /// A new number whenever a catalog or a message may have changed since. Code that keeps a result
  /// of them reads this number before it reads them, and again before it uses the result.
  package var generation: UInt64 { memory.generation.load(ordering: .acquiring) }

  // MARK: Catalogs

  package func catalog(_ version: String?, of appID: Int32) async throws -> LoadedCatalog? {
    guard let version else { return nil }
    return try await catalog(CatalogKey(appID: appID, version: version))
  }

  package func catalog(_ key: CatalogKey) async throws -> LoadedCatalog? {
    try await memory.catalogs.catalog(key, database)
  }

  /// The catalog of a version, which must be there. Without a version, the catalog of the last
  /// upload, if any.
  /// - Throws: ``ContentFailure/catalogNotFound``; ``PostgresError``.
  package func catalog(
    asked version: String?, of appID: Int32
  ) async throws -> (version: String, loaded: LoadedCatalog)? {
    var name = version
    if name == nil { name = try await catalogVersions(of: appID).used(by: []).first }
    guard let name, let loaded = try await catalog(name, of: appID) else {
      if version == nil { return nil }
      throw ContentFailure.catalogNotFound
    }
    return (name, loaded)
  }

  package func catalogVersions(of appID: Int32) async throws -> CatalogVersions {
    try await memory.catalogs.versions(of: appID, database)
  }

  /// A catalog as a device sees it.
  package func view(_ loaded: LoadedCatalog?, for device: Device) -> CatalogView? {
    loaded.map { loaded in
      CatalogView(
        loaded.catalog, id: loaded.id,
        chain: matches.chain(for: device.languages, in: loaded.catalog, catalogID: loaded.id))
    }
  }

  /// Whether it is news that a build has no catalog: nobody was told since the app's catalogs
  /// changed.
  package func isNews(missing build: String, of appID: Int32) -> Bool {
    memory.catalogs.isNews(missing: build, of: appID)
  }

  /// Changes a catalog in one transaction, behind all other changes of the app's catalogs. This
  /// instance uses the change on return, the others as soon as the database has told them.
  /// - Parameter change: Is given the stored record, and adds the statements that change it.
  /// - Throws: ``ContentFailure/appDeleted``; errors of `change`; ``PostgresError``.
  package func changeCatalog<Result>(
    _ key: CatalogKey, _ change: (CatalogRecord?, Transaction) async throws -> Result
  ) async throws -> Result {
    let result = try await self.change(key) { stored, transaction in
      let result = try await change(stored, transaction)
      transaction.add(SendNotice(notice: .catalog(key)))
      return result
    }
    memory.forget(.catalog(key))
    return result
  }

  // MARK: Messages

  /// The message of a choice, with its name when it is stored, and the values of its parameters.
  /// - Throws: ``ContentFailure/messageNotFound``; ``InputFailure`` when the stored message does
  ///   not have these arguments; ``PostgresError``.
  package func resolve(
    _ choice: MessageChoice, of appID: Int32
  ) async throws -> (name: String?, message: Message, arguments: Arguments) {
    switch choice {
    case .inline(let message, let known, let arguments):
      let (_, subscribed) = try await resolve(.inline(message, known: known), of: appID)
      return (nil, subscribed, arguments)
    case .stored(let stored, let given):
      let (name, message) = try await resolve(.stored(stored), of: appID)
      let body = JSONValue.object(["arguments": given])
      let arguments = try body.read { fields in
        fields.object("arguments") { Arguments(reading: $0, for: message) }.value
      }
      return (name, message, arguments.body)
    }
  }

  /// The message of a source, with its name when it is stored.
  /// - Throws: ``ContentFailure/messageNotFound``; ``PostgresError``.
  package func resolve(
    _ source: MessageSource, of appID: Int32
  ) async throws -> (name: String?, message: Message) {
    switch source {
    case .inline(let message, _): return (nil, try await subscribed(message, of: appID))
    case .stored(let name):
      let key = MessageKey(appID: appID, name: name)
      let stored = try await memory.messages.value(key, on: database.loop) { [database] _ in
        let record = try await database.read(LoadRecord(key)).first
        return try record.map { (message: try $0.message(), bytes: $0.body.utf8.count) }
      }
      guard let stored else { throw ContentFailure.messageNotFound }
      return (name.text, try await subscribed(stored.message, of: appID))
    }
  }

  /// The message with the channel that its activity subscribes to, as APNs has it now.
  private func subscribed(_ message: Message, of appID: Int32) async throws -> Message {
    guard let name = message.push?.inputChannelName else { return message }
    var message = message
    let channel = try await channel(name, of: appID)
    guard message.push?.type?.isSpelled(like: channel.type) == true else {
      throw ContentFailure.channelOfOtherType
    }
    message.push?.inputChannel = channel
    return message
  }

  /// A channel that APNs has.
  /// - Throws: ``ContentFailure/channelNotFound``, ``ContentFailure/channelNotCreated``;
  ///   ``PostgresError``.
  package func channel(_ name: String, of appID: Int32) async throws -> BroadcastChannel {
    let record = try await channelRecord(name, of: appID)
    guard record.status == .created else { throw ContentFailure.channelNotCreated }
    return record.channel
  }

  /// A channel, whether APNs has it or not.
  /// - Throws: ``ContentFailure/channelNotFound``; ``PostgresError``.
  package func channelRecord(_ name: String, of appID: Int32) async throws -> ChannelRecord {
    let found = try await database.read(LoadRecord(ChannelKey(appID: appID, name: name))).first
    guard let found else { throw ContentFailure.channelNotFound }
    return found
  }

  /// Changes a message in one transaction, behind all other changes of the app's messages. This
  /// instance uses the change on return, the others as soon as the database has told them.
  /// - Parameter change: Is given the stored record, and adds the statements that change it, with
  ///   the notice.
  /// - Throws: ``ContentFailure/appDeleted``; errors of `change`; ``PostgresError``.
  package func changeMessage<Result>(
    _ key: MessageKey, _ change: (MessageRecord?, Transaction) async throws -> Result
  ) async throws -> Result {
    let result = try await self.change(key, change)
    memory.forget(.message(key))
    return result
  }

  // MARK: Channels

  /// Changes a channel in one transaction, behind all other changes of the app's content.
  /// - Parameter change: Is given the stored record, and adds the statements that change it.
  /// - Throws: ``ContentFailure/appDeleted``; errors of `change`; ``PostgresError``.
  package func changeChannel<Result>(
    _ name: String, of appID: Int32,
    _ change: (ChannelRecord?, Transaction) async throws -> Result
  ) async throws -> Result {
    try await self.change(ChannelKey(appID: appID, name: name), change)
  }

  /// Changes a record of an app's content in one transaction, behind all other changes of the
  /// content.
  private func change<Key: RecordKey, Result>(
    _ key: Key, _ change: (Key.Record?, Transaction) async throws -> Result
  ) async throws -> Result {
    try await database.transaction { transaction in
      let lock = transaction.add(LockApp(appID: key.appID))
      let stored = transaction.add(LoadRecord(key))
      try await transaction.send()
      try lock.checkApp()
      let result = try await change(stored.rows.first, transaction)
      try await transaction.send()
      return result
    }
  }
}

/// The catalogs and messages that an instance keeps in memory, for all its loops.
package final class ContentMemory: Sendable {
  let catalogs: CatalogCache
  let messages = ReadThroughCache<MessageKey, (message: Message, bytes: Int)?>(
    maximumCount: ContentLimits.rememberedMessages,
    maximumBytes: ContentLimits.rememberedMessageBytes,
    bytes: { $0?.bytes ?? 0 })
  let generation = Atomic<UInt64>(0)

  /// An empty memory.
  /// - Parameter workers: The threads that read catalogs.
  package init(workers: WorkerThreads) {
    catalogs = CatalogCache(workers: workers)
  }

  /// Something was changed: the next call reads it anew.
  package func forget(_ notice: Notice) {
    switch notice {
    case .directory: break
    case .catalog(let key): catalogs.forget(key)
    case .message(let key): messages.forget(key)
    }
    generation.add(1, ordering: .releasing)
  }

  /// Anything may have changed.
  package func forgetAll() {
    catalogs.forgetAll()
    messages.forgetAll()
    generation.add(1, ordering: .releasing)
  }
}
