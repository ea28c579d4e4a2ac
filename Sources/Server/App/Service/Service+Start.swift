internal import Content
internal import EventLoop
internal import Postgres
internal import Synchronization

/// The steps before the first call, and the work that keeps their results true.
extension Service {
  /// Migrates, installs a root key and loads the directory; again while the database cannot be
  /// reached, until the deadline.
  func prepare(
    rootKey: APIKey?, until deadline: UInt64, _ madeRootKey: @Sendable (_ key: String) -> Void
  ) async -> Result<Void, StartFailure> {
    while true {
      do {
        return .success(try await prepareOnce(rootKey, madeRootKey))
      } catch let failure as StartFailure {
        return .failure(failure)
      } catch {
        let error = error as? PostgresError ?? PostgresError(.misuse, "\(error)")
        guard
          ![.refusal, .mismatch].contains(error.condition), error.code != .login,
          !migrationStop.isAsked, Monotonic.now() < deadline
        else {
          return .failure(.database(error))
        }
        let pause: UInt64 = 250_000_000
        shared.observation.databaseFailed(.connectFailed(error, retryAfterNanoseconds: pause))
        await contexts[0].loop.sleep(nanoseconds: pause)
      }
    }
  }

  private func prepareOnce(
    _ rootKey: APIKey?, _ madeRootKey: (_ key: String) -> Void
  ) async throws {
    let loop = contexts[0].loop
    let database = PostgresClient(
      address, connections: 1, loop: loop, refusal: { [shared] in shared.observation.refusal })
    database.start()
    defer { database.close() }
    do {
      try await migrateSchema(loop)
      await look(at: database)
      try await load(from: database, rootKey, madeRootKey)
    } catch let error as PostgresError where error.condition == .mismatch {
      // The look tells which table or column is at fault.
      await look(at: database)
      let sentences = [
        error.message + ".", shared.observation.fitness.fault,
        // The account that serves need not be an account that may change the schema.
        error.sqlState == "42501" ? Self.wayOfOwner : nil,
      ]
      throw PostgresError(error.code, sentences.compactMap { $0 }.joined(separator: " "))
    }
  }

  /// Applies the steps that are missing. A program that is too old for the schema starts all the
  /// same; it writes nothing, and is not ready.
  private func migrateSchema(_ loop: EventLoop) async throws(PostgresError) {
    do throws(PostgresError) {
      _ = try await Postgres.migrate(
        address, migrations, loop: loop, stop: migrationStop,
        observe: { shared.observation.migration($0) })
    } catch {
      guard error.code == .outdated else { throw error }
      shared.observation.found(DatabaseFitness(fault: error.message, isTooOld: true))
    }
  }

  private static let wayOfOwner =
    "Run postilion migrate with the account that owns the tables, such as postilion_owner of "
    + "sql/roles.sql."

  private func load(
    from database: PostgresClient, _ rootKey: APIKey?, _ madeRootKey: (_ key: String) -> Void
  ) async throws {
    try await databaseClock.ask(database)
    do {
      if let made = try await installRootKey(rootKey, database) { madeRootKey(made) }
      try await ChangeReader(database: database, shared: shared).beginLife()
    } catch let error as PostgresError where error.code == .outdated {
      postponedRootKey.withLock { $0 = rootKey }
    }
    do {
      try await shared.directory.load(database)
    } catch let error as PostgresError
      where error.condition == .mismatch && shared.observation.refusal != nil
    {
      // A newer schema may lack tables or columns that this program reads. The program refuses all
      // calls.
    }
    try await contexts[0].replica?.refusePooler()
  }

  /// Installs the root key that the start could not install. An attempt that fails is made again at
  /// the next look. A notice tells all instances of the key, this one included.
  func installPostponedRootKey(_ database: PostgresClient) async {
    guard let key = postponedRootKey.withLock({ $0 }), shared.observation.refusal == nil else {
      return
    }
    do {
      _ = try await installRootKey(key, database)
      postponedRootKey.withLock { $0 = nil }
    } catch let failure as StartFailure {
      postponedRootKey.withLock { $0 = nil }
      shared.observation.rootKeyRefused(failure.description)
    } catch {}
  }

  /// Keeps the memory of this instance true to the changes of other instances.
  func followNotices(_ context: LoopContext) async {
    let observation = shared.observation
    await withDiscardingTaskGroup { group in
      await listen(
        address, channel: Notice.channel, loop: context.loop,
        observe: { observation.databaseFailed($0) },
        onTime: { databaseClock.hear($0, asked: $1) }
      ) { heard in
        switch heard {
        case .listening, .interrupted:
          shared.content.forgetAll()
          await reloadDirectory(context)
        case .notified(let payload):
          switch Notice(payload: payload) {
          // Notices that come together share one reading.
          case .directory: group.addTask { [self] in await reloadDirectory(context) }
          case let notice?:
            shared.content.forget(notice)
            // The keys of messages count in the coverage of catalogs.
            if case .message(let key) = notice {
              shared.counted.forget("getCoverage", of: key.appID)
            }
          case nil: break
          }
        }
      }
    }
  }

  /// Reads apps and keys until it succeeds: no second notice tells of the change, and until then a
  /// revoked key is taken.
  private func reloadDirectory(_ context: LoopContext) async {
    while !Task.isCancelled {
      do {
        return try await shared.directory.load(context.database)
      } catch {
        await context.loop.sleep(nanoseconds: 250_000_000)
      }
    }
  }
}
