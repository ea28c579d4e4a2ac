package import EventLoop
package import HTTP
package import HTTPServer
package import Postgres
internal import Telemetry

/// The same service for the package's own tests: its clock and its log are given, and a request may
/// come in without a socket.
extension Service {
  /// Puts the parts together; nothing runs yet.
  /// - Parameters:
  ///   - databaseWaitNanoseconds: How long a call waits for the database.
  ///   - streamPlaces: Exports and statistics of a loop at a time; `nil` keeps the usual number.
  ///   - replica: How a replica is reached, and how many seconds it may be behind.
  ///   - webhookNetworks: Networks that webhooks may reach beside the public ones, without TLS.
  ///   - startTime: The time that counts until the database has said its own.
  ///   - clock: Another clock than the database's.
  ///   - log: Takes the lines of the log, debug ones included.
  package convenience init(
    database: DatabaseAddress, loops: Int, connections: Int, timeouts: ServerTimeouts,
    databaseWaitNanoseconds: UInt64, streamPlaces: Int?,
    replica: (address: DatabaseAddress, lagSeconds: UInt64)?, floods: FloodLimits,
    proxies: TrustedProxies, webhookNetworks: [String],
    startTime: Timestamp, clock: (@Sendable () -> Timestamp)?,
    log: @escaping @Sendable ([UInt8]) -> Void
  ) throws(SystemError) {
    let observation = Observation(
      logger: Logger(
        format: .json, minimumLevel: .debug,
        now: { (clock?() ?? .systemNow).microseconds }, sink: log))
    try self.init(
      database: database, loops: loops, connections: connections, observation: observation,
      retentionMonths: 13, timeouts: timeouts,
      replica: replica.map {
        ReplicaSettings(
          address: $0.address, limitNanoseconds: $0.lagSeconds * 1_000_000_000)
      },
      answerNanoseconds: databaseWaitNanoseconds,
      descriptors: .max, floods: floods, proxies: proxies,
      reach: WebhookReach(
        networks: webhookNetworks.compactMap { IPNetwork($0) },
        takesPlainHTTP: !webhookNetworks.isEmpty),
      startTime: startTime, clock: clock)
    for context in contexts {
      if let streamPlaces { context.database.places.limit = streamPlaces }
    }
  }

  /// Brings the service up on a port of the loopback interface that the kernel picks.
  /// - Parameters:
  ///   - rootKey: A root key to install; a text that is no key counts as none.
  ///   - madeRootKey: Given the very first root key.
  /// - Returns: The address in use.
  package func start(
    rootKey: String, patienceNanoseconds: UInt64,
    madeRootKey: @escaping @Sendable (_ key: String) -> Void
  ) async throws(StartFailure) -> SocketAddress {
    guard let address = SocketAddress("127.0.0.1:0") else {
      preconditionFailure("an address of the loopback interface")
    }
    let taken = try Self.take(address, listeners: contexts.count)
    try await start(
      on: taken, rootKey: APIKey(rootKey), patienceNanoseconds: patienceNanoseconds,
      madeRootKey: madeRootKey)
    return taken.address
  }

  /// The answer to bytes that are no request.
  package func answer(_ error: ParseError) -> Response {
    dispatcher.rejection(error, on: contexts[0])
  }
}
