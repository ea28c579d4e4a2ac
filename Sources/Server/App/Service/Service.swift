internal import CatalogFormats
internal import Content
internal import Crypto
public import EventLoop
package import HTTP
internal import HTTPServer
public import Postgres
internal import Registry
internal import Synchronization
internal import Telemetry

/// The whole service: loops, database clients, servers, and what they share.
///
/// `start` brings it up in order (schema, root key, directory, connections, listeners); `stop`
/// drains it. The process around it (signals, the private PostgreSQL, exit codes) is the
/// executable's.
public final class Service: Sendable {
  let contexts: [LoopContext]
  let shared: Shared
  let dispatcher: Dispatcher
  let features: Features
  private let census: CensusMetrics
  let databaseClock: DatabaseClock
  private let loops: [EventLoop]
  private let servers: [HTTPServer]
  /// Hears of the changes of other instances.
  private let listener = Mutex<Task<Void, Never>?>(nil)
  let address: DatabaseAddress
  /// A connection that tidies up the index of the filters, and looks at the schema.
  private let housekeeper: PostgresClient
  let migrations: [Migration]
  let migrationStop = MigrationStop()
  /// A root key that the start did not install, because the program is too old for the schema. It
  /// is installed once the program is no longer too old.
  let postponedRootKey = Mutex<APIKey?>(nil)
  private let retentionMonths: Int

  /// The release of this program, such as `1.0.0`: the `version` under `info` of `openapi.yaml`,
  /// which is the one place where it is written.
  public static let version = {
    let head = Resources.contract.prefix(256).split(separator: UInt8(ascii: "\n"))
    let line = head.first { $0.starts(with: "  version: ".utf8) } ?? []
    return String(decoding: line.dropFirst("  version: ".utf8.count), as: UTF8.self)
  }()

  /// Why the service could not start.
  public enum StartFailure: Error, Sendable, CustomStringConvertible {
    /// The database could not be reached in time, or refused us.
    case database(PostgresError)
    /// The address cannot be listened on.
    case listen(SocketAddress, SystemError)
    /// The root key of the settings was revoked by a call.
    case rootKeyRevoked

    /// One line.
    public var description: String {
      switch self {
      case .database(let error) where error.code == .login:
        "The database does not let the service in: \(error.message). Look at user, password and "
          + "database in DATABASE_URL."
      case .database(let error): "The database cannot be used: \(error.description)"
      case .listen(let address, let error): "Cannot listen on \(address): \(error.description)"
      case .rootKeyRevoked: "POSTILION_ROOT_KEY names a key that was revoked: set another one."
      }
    }
  }

  /// Puts the parts together; nothing runs yet.
  /// - Parameters:
  ///   - database: Where the database is.
  ///   - clock: The time of the service; `nil` for the time of the database.
  public convenience init(
    _ configuration: Configuration, database: DatabaseAddress,
    clock: (@Sendable () -> Timestamp)? = nil
  ) throws(SystemError) {
    let observation = Observation(
      logger: .unwaiting(
        format: configuration.logFormat, minimumLevel: configuration.logLevel,
        now: { Timestamp.systemNow.microseconds }))
    var timeouts = ServerTimeouts()
    timeouts.drainNanoseconds = UInt64(configuration.drainSeconds) * 1_000_000_000
    try self.init(
      database: database, loops: configuration.loops,
      connections: configuration.databaseConnections, observation: observation,
      retentionMonths: configuration.retentionMonths, timeouts: timeouts,
      replica: configuration.readURL.map {
        ReplicaSettings(
          address: $0, limitNanoseconds: UInt64(configuration.readLagSeconds) * 1_000_000_000)
      },
      answerNanoseconds: UInt64(configuration.databaseTimeoutSeconds) * 1_000_000_000,
      descriptors: DescriptorLimit.current, floods: configuration.floods,
      proxies: configuration.proxies,
      reach: WebhookReach(
        networks: configuration.webhookNetworks,
        takesPlainHTTP: configuration.webhooksTakePlainHTTP),
      clock: clock)
  }

  /// - Parameters:
  ///   - startTime: The time that counts until the database has said its own.
  ///   - clock: Another clock than the database's, for a demo or a test.
  init(
    database address: DatabaseAddress, loops count: Int, connections: Int, observation: Observation,
    retentionMonths: Int, timeouts: ServerTimeouts, replica: ReplicaSettings?,
    answerNanoseconds: UInt64, descriptors: Int, floods: FloodLimits, proxies: TrustedProxies,
    reach: WebhookReach, startTime: Timestamp = .systemNow,
    clock: (@Sendable () -> Timestamp)? = nil
  ) throws(SystemError) {
    let migrations = Migration.all
    let databaseClock = DatabaseClock(startingAt: startTime)
    let shared = Shared(
      observation: observation, floods: floods, proxies: proxies,
      clock: clock ?? { databaseClock.now }, randomBytes: { randomBytes($0) })
    let address = address.beginning(with: shared.sessionBeginning)
    let budget = DescriptorBudget(
      descriptors: descriptors, loops: count, databaseConnections: connections,
      hasReplica: replica != nil)
    features = Features(observation, reach: reach, transfers: budget.webhookTransfers)
    let dispatcher = Dispatcher(features.endpoints, shared: shared)
    census = CensusMetrics(observation)
    observation.metrics.declareBuild()
    var loops: [EventLoop] = []
    for _ in 0..<count { loops.append(try EventLoop()) }
    let standby = replica.map { ReplicaServer($0, observation) }
    let contexts = loops.enumerated().map { number, loop in
      let database = PostgresClient(
        address, connections: connections, loop: loop, answerNanoseconds: answerNanoseconds,
        refusal: { observation.refusal }, observe: { observation.database($0) })
      return LoopContext(
        loop: loop, database: database,
        replica: standby.map { Replica($0, of: database, connections: connections) },
        shared: shared, number: number)
    }
    let memory = ClientMemory()
    observation.metrics.gauge(
      "postilion_http_body_bytes", "Bytes of requests and answers that are held for clients.",
      reading: { Double(memory.bytes) })
    servers = contexts.map { context in
      HTTPServer(
        loop: context.loop, timeouts: timeouts, connections: budget.clientsPerLoop,
        memory: memory, customer: { proxies.customer(of: $1, $0) },
        observe: { observation.wire($0) },
        rejection: { dispatcher.rejection($0, on: context) },
        handler: { await dispatcher.respond(to: $0, $1, from: $2, on: context) })
    }
    housekeeper = PostgresClient(
      address, connections: 1, loop: loops[0], answerNanoseconds: answerNanoseconds,
      refusal: { observation.refusal })
    self.databaseClock = databaseClock
    self.loops = loops
    self.contexts = contexts
    self.shared = shared
    self.dispatcher = dispatcher
    self.address = address
    self.migrations = migrations
    self.retentionMonths = retentionMonths
  }

  /// Takes an address, before a start on it makes anything in the database.
  /// - Parameter listeners: How many loops the service has.
  public static func take(
    _ address: SocketAddress, listeners: Int
  ) throws(StartFailure) -> TakenAddress {
    do throws(SystemError) { return try TakenAddress(address, listeners: listeners) } catch {
      throw .listen(address, error)
    }
  }

  /// Brings the service up; when it returns, connections are accepted.
  /// - Parameters:
  ///   - rootKey: A root key to install.
  ///   - patienceNanoseconds: How long a database that does not answer is tried.
  ///   - madeRootKey: Given the very first root key as soon as it is stored; it is nowhere else.
  func start(
    on address: TakenAddress, rootKey: APIKey?,
    patienceNanoseconds: UInt64 = 30_000_000_000,
    madeRootKey: @escaping @Sendable (_ key: String) -> Void = { _ in }
  ) async throws(StartFailure) {
    for loop in loops { loop.start() }
    let context = contexts[0]
    let prepared = await context.loop.run { [self] in
      await prepare(
        rootKey: rootKey, until: Monotonic.now() + patienceNanoseconds, madeRootKey)
    }
    try prepared.get()
    shared.observation.unprovenUsers(of: Array(shared.directory.snapshot.apps.values))
    for context in contexts { await context.loop.run { context.start() } }
    let listening = context.loop.execute { [self] in await followNotices(context) }
    listener.withLock { $0 = listening }
    for (loop, server) in zip(loops, servers) {
      let result = await loop.run {
        Result { () throws(SystemError) in try server.listen(on: address) }
      }
      if case .failure(let error) = result { throw .listen(address.address, error) }
    }
    shared.observation.note(
      "listening",
      ["address": .string("\(address.address)"), "loops": .integer(loops.count)])
  }

  /// Starts with the settings of a configuration.
  /// - Parameters:
  ///   - address: Its address.
  ///   - madeRootKey: Given the very first root key as soon as it is stored.
  public func start(
    _ configuration: Configuration, on address: TakenAddress,
    madeRootKey: @escaping @Sendable (_ key: String) -> Void
  ) async throws(StartFailure) {
    try await start(on: address, rootKey: configuration.rootKey, madeRootKey: madeRootKey)
    startHousekeeping()
    if configuration.deliversToWebhooks {
      startDelivering()
    } else {
      shared.observation.note("webhooks_off")
    }
  }

  /// Begins the work that a running service does by itself: tidying up, and counting.
  func startHousekeeping() {
    contexts[0].loop.execute { [self] in await maintainDaily() }
    contexts[0].loop.execute { [housekeeper, observation = shared.observation] in
      housekeeper.start()
      await keepFilterIndexShort(housekeeper, failed: observation.filterIndexFailed)
    }
    contexts[0].loop.execute { [self] in await lookForever() }
    contexts[0].loop.execute { [self] in await countForever { await takeCensus() } }
    contexts[0].loop.execute { [self] in await countForever { await countAhead() } }
    // Also an instance that delivers nothing tells how long deliveries wait.
    contexts[0].loop.execute { [contexts, metrics = features.webhooks.metrics] in
      await measureWaitingDeliveries(contexts[0], metrics)
    }
  }

  package func startDelivering() { features.webhooks.deliverer.start(on: contexts[0]) }

  /// Answers a request that comes through no socket, on the first loop.
  /// - Returns: The head of the response, and its whole body.
  package func answer(
    _ head: RequestHead, body: [UInt8]
  ) async throws -> (response: Response, body: [UInt8]) {
    let context = contexts[0]
    let result = await context.loop.run { [self] in
      let response = await dispatcher.respond(
        to: head, BufferedBody(body), from: nil, on: context)
      do {
        return Result<_, any Error>.success((response, try await response.collectBody()))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Stops accepting, finishes the calls in flight within the time of the settings, closes the
  /// database and ends the loops.
  public func stop() async {
    stopMigrating()
    features.changes.followers.close()
    await withTaskGroup(of: Void.self) { group in
      for (loop, server) in zip(loops, servers) {
        group.addTask { await loop.run { await server.drain() } }
      }
      group.addTask { [features] in await features.webhooks.deliverer.stop() }
    }
    listener.withLock { $0 }?.cancel()
    await housekeeper.loop.run { [housekeeper] in housekeeper.close() }
    for context in contexts { await context.loop.run { context.close() } }
    for loop in loops { loop.stop() }
    shared.observation.note("stopped")
    shared.observation.logger.finish()
  }

  /// Tells the log and the metrics what happened to the private PostgreSQL.
  public func observe(_ event: EmbeddedPostgresEvent) {
    shared.observation.embedded(event)
  }

  /// Breaks off a migration that is under way: nothing of its step is left.
  public func stopMigrating() { migrationStop.ask() }

  /// Applies pending migrations and nothing else.
  /// - Returns: The names of the applied migrations.
  @discardableResult
  public static func migrate(
    _ database: DatabaseAddress, stop: MigrationStop = MigrationStop(),
    observe: @escaping @Sendable (MigrationEvent) -> Void = { _ in }
  ) async throws -> [String] {
    let loop = try EventLoop()
    loop.start()
    defer { loop.stop() }
    let task = Task(executorPreference: loop) {
      try await Postgres.migrate(
        database, Migration.all, loop: loop, stop: stop, observe: observe)
    }
    return try await task.value
  }

  /// Tidies up once, without serving.
  /// - Returns: `nil` when another instance is tidying up.
  public func maintain() async throws -> MaintenanceReport? {
    try await withoutServing { [self] _ in try await maintenance.run() }
  }

  /// Does something with the database on the first loop, and ends.
  func withoutServing<Result: Sendable>(
    _ work: @escaping @Sendable (LoopContext) async throws -> Result
  ) async throws -> Result {
    let context = contexts[0]
    context.loop.start()
    defer {
      context.loop.stop()
      shared.observation.logger.finish()
    }
    let task = Task(executorPreference: context.loop) { [self] in
      context.start()
      defer { context.close() }
      // This check comes first: a pooler that shares sessions has other complaints about any other
      // first statement.
      try await requireSessionsOfTheirOwn(
        address, loop: context.loop, within: context.database.answerNanoseconds)
      try await requireFit(context.database)
      try await databaseClock.ask(context.database)
      return try await work(context)
    }
    return try await task.value
  }

  /// Refuses a database that the program cannot use.
  func requireFit(_ database: PostgresClient) async throws(PostgresError) {
    let fitness = try await DatabaseFitness.look(at: database, steps: migrations.map(\.name))
    if let fault = fitness.fault { throw PostgresError(.misuse, fault) }
  }

  var maintenance: Maintenance {
    Maintenance(context: contexts[0], retentionMonths: retentionMonths)
  }

  private func maintainDaily() async {
    while true {
      var report: MaintenanceReport? = MaintenanceReport()
      do {
        report = try await maintenance.run()
      } catch {
        report?.failed = ["\(error)"]
      }
      if let report { shared.observation.maintained(report) }
      // Another instance that is tidying up may be killed in the middle.
      let isDone = report?.failed.isEmpty ?? false
      await contexts[0].loop.sleep(
        nanoseconds: isDone
          ? Limits.maintenanceIntervalNanoseconds : Limits.maintenanceRetryNanoseconds)
    }
  }

  /// Counts every minute. In a large registry it counts more seldom, so that counting stays under a
  /// hundredth of the time, but at least every hour.
  private func countForever(_ count: () async -> Void) async {
    while true {
      let began = Monotonic.now()
      await count()
      let pause = (Monotonic.now() - began) * Limits.censusShare
      await contexts[0].loop.sleep(
        nanoseconds: min(
          max(Limits.censusIntervalNanoseconds, pause), Limits.censusPauseNanoseconds))
    }
  }

  private func lookForever() async {
    while true {
      await contexts[0].loop.sleep(nanoseconds: Limits.lookIntervalNanoseconds)
      await look(at: housekeeper)
      await writeKeyUses(housekeeper)
    }
  }

  /// Writes when keys were used last. A write that fails is tried again at the next look.
  func writeKeyUses(_ database: PostgresClient) async {
    let uses = shared.keyUses.due
    guard !uses.isEmpty, (try? await database.write(WriteKeyUses(uses: uses))) != nil else {
      return
    }
    shared.keyUses.wrote(uses, among: shared.directory.snapshot.keyIDs)
  }

  /// Looks whether this program can serve the database; readiness tells. While the database cannot
  /// be asked, the last result counts.
  func look(at database: PostgresClient) async {
    do throws(PostgresError) {
      shared.observation.found(
        try await DatabaseFitness.look(at: database, steps: migrations.map(\.name)))
      await installPostponedRootKey(database)
    } catch {
      guard [.mismatch, .refusal].contains(error.condition) else { return }
      shared.observation.found(DatabaseFitness(fault: error.stateOfDatabase))
    }
  }

  /// Counts the registry once, for the metrics.
  func takeCensus() async {
    do {
      let taken = try await Census.take(contexts[0])
      shared.usage.counted(taken.usage)
      census.show(taken, at: shared.clock())
    } catch {
      census.failed(error)
    }
  }

  /// Counts once for callers that accept older counts.
  func countAhead() async {
    do {
      try await features.countAhead(contexts[0])
    } catch {
      census.failed(error)
    }
  }
}

extension Timestamp {
  /// The wall clock, for the wiring of the service and of the demo; all else is given a clock.
  static var systemNow: Timestamp {
    Timestamp(microseconds: Monotonic.wallClockMicroseconds())
  }
}
