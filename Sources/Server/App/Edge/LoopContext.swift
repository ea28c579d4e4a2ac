internal import Content
internal import EventLoop
internal import Postgres
internal import Registry

/// The things that a request finds on its loop: this loop's database connections and queues, and
/// the service's shared state.
final class LoopContext: @unchecked Sendable {
  let loop: EventLoop
  let database: PostgresClient
  let replica: Replica?
  /// The installations.
  let registrar: Registrar
  /// The catalogs and messages.
  let content: ContentStore
  let audit: AuditWriter
  let readiness: ReadinessProbe
  let shared: Shared
  private let number: Int
  private var nextRequest: UInt64
  private var keptValues: [ObjectIdentifier: AnyObject] = [:]
  private let requestPrefix: String

  init(
    loop: EventLoop, database: PostgresClient, replica: Replica?, shared: Shared, number: Int
  ) {
    self.loop = loop
    self.database = database
    self.replica = replica
    self.shared = shared
    self.number = number
    registrar = Registrar(database)
    shared.registrars.join(registrar)
    content = ContentStore(database, memory: shared.content)
    audit = AuditWriter(database, shared.observation)
    readiness = ReadinessProbe(database)
    requestPrefix =
      String(shared.startedAt.microseconds / 1000 % (36 * 36 * 36 * 36), radix: 36)
      + String(number, radix: 36) + "-"
    nextRequest = 0
  }

  /// Starts the work between requests; on the loop.
  func start() {
    registrar.start()
    audit.start()
    database.start()
    replica?.start()
  }

  /// Ends the connections to the database; on the loop.
  func close() {
    keptValues = [:]
    replica?.close()
    database.close()
  }

  /// The registrar for reports that come to this loop, maybe the registrar of another loop.
  var reportRegistrar: Registrar { shared.registrars.registrar(cameTo: number) }

  /// Reads from the replica, if there is one: the result may lack the changes of the last seconds.
  func readBehind<Result>(
    _ body: (PostgresClient) async throws -> Result
  ) async throws -> Result {
    guard let replica else { return try await body(database) }
    return try await replica.read(body)
  }

  /// The value that a feature keeps for this loop from one request to the next, one of each type.
  /// - Parameter make: Makes the value, the first time.
  func kept<Value: AnyObject>(_ make: () -> Value) -> Value {
    let type = ObjectIdentifier(Value.self)
    if let known = keptValues[type] as? Value { return known }
    let value = make()
    keptValues[type] = value
    return value
  }

  /// A name for a request: short, and not used twice within days.
  func makeRequestID() -> String {
    nextRequest += 1
    return requestPrefix + String(nextRequest, radix: 36)
  }
}
