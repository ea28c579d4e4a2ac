public import App
internal import EventLoop
internal import Foundation
internal import HTTPServer
package import Postgres
internal import Synchronization

/// A whole service on a scratch database, listening on a port of its own.
public final class TestService: Sendable {
  /// The service.
  public let service: Service
  /// Its database.
  public let database: ScratchDatabase
  /// What it logged.
  public let log: LogLines
  /// Where it listens.
  public let port: UInt16
  /// The very first root key, if it was made now.
  public let firstRootKey: String?

  /// The root key of every test service.
  public static let rootKey = "pst_root_0123456789abcdefghijklmn"

  private init(
    service: Service, database: ScratchDatabase, log: LogLines, port: UInt16,
    firstRootKey: String?
  ) {
    self.service = service
    self.database = database
    self.log = log
    self.port = port
    self.firstRootKey = firstRootKey
  }

  /// Starts a service.
  /// - Parameters:
  ///   - database: A fresh one when none is given.
  ///   - conninfo: How the service reaches the database, when not directly.
  ///   - clock: The clock of the database when none is given.
  ///   - microsecondsAhead: How far the clock of the service's machine is ahead of the right one.
  ///   - rootKey: A root key to install; an empty one is none.
  ///   - databaseWaitSeconds: How long a call waits for the database: on a busy machine the
  ///     service's own five seconds are short.
  ///   - streamPlaces: Exports and statistics of a loop at a time; `nil` is as ever.
  ///   - replica: How a replica is reached, and how many seconds it may be behind.
  ///   - floods: What one client may take.
  ///   - proxies: The proxies that are believed.
  ///   - webhookNetworks: Networks that webhooks may reach beside the public ones, without TLS;
  ///     nothing is delivered until ``Service/startDelivering()``.
  package static func start(
    database given: ScratchDatabase? = nil, conninfo: String? = nil, loops: Int = 1,
    connections: Int = 2, clock: (@Sendable () -> Timestamp)? = nil, microsecondsAhead: Int64 = 0,
    rootKey: String = TestService.rootKey, databaseWaitSeconds: UInt64 = 120,
    streamPlaces: Int? = nil, replica: (conninfo: String, lagSeconds: UInt64)? = nil,
    floods: FloodLimits = FloodLimits(), proxies: TrustedProxies = TrustedProxies(),
    webhookNetworks: [String] = []
  ) async throws -> TestService {
    let database: ScratchDatabase
    if let given { database = given } else { database = try await ScratchCluster.database() }
    let log = LogLines()
    // Clients of tests are slow on a busy machine, and some on purpose.
    var timeouts = ServerTimeouts()
    timeouts.bodyNanoseconds = 600_000_000_000
    timeouts.writeNanoseconds = 600_000_000_000
    let service = try Service(
      database: DatabaseAddress(conninfo ?? database.conninfo), loops: loops,
      connections: connections,
      timeouts: timeouts,
      databaseWaitNanoseconds: databaseWaitSeconds * 1_000_000_000, streamPlaces: streamPlaces,
      replica: try replica.map { (try DatabaseAddress($0.conninfo), $0.lagSeconds) },
      floods: floods, proxies: proxies, webhookNetworks: webhookNetworks,
      startTime: Timestamp(
        microseconds: Monotonic.wallClockMicroseconds() + microsecondsAhead),
      clock: clock,
      log: { log.append($0) })
    let firstRootKey = Mutex<String?>(nil)
    let address: SocketAddress
    do {
      address = try await service.start(
        rootKey: rootKey, patienceNanoseconds: 600_000_000_000
      ) { key in firstRootKey.withLock { $0 = key } }
    } catch {
      await service.stop()
      throw error
    }
    return TestService(
      service: service, database: database, log: log, port: address.port,
      firstRootKey: firstRootKey.withLock { $0 })
  }

  /// Ends the service.
  public func stop() async { await service.stop() }

  /// The first of those that tests share whose apps are theirs alone.
  public static func shared() async throws -> TestService { try await first.value }
  private static let first = Task { try await startToShare() }

  /// One that has room for another app. At each change of an app an instance looks at all apps of
  /// its database: with thousands in one, tests would wait for nothing else.
  fileprivate static func withRoom() async throws -> TestService {
    let service = rooms.withLock { rooms in
      rooms.apps += 1
      if rooms.apps % 150 == 0 { rooms.service = Task { try await startToShare() } }
      return rooms.service
    }
    return try await service.value
  }
  private static let rooms = Mutex((service: first, apps: 0))

  // Tests of exports, statistics and audiences run at once, those without a socket on one loop.
  private static func startToShare() async throws -> TestService {
    try await start(loops: 4, streamPlaces: 32)
  }

  /// A client.
  public func client(_ transport: Transport = .socket, key: String? = rootKey) -> Client {
    Client(service: self, transport: transport, key: key)
  }

  /// Makes an app with a key of each kind, under a name that no other has. It takes any user that a
  /// client names, unless the settings say otherwise.
  public func app(_ transport: Transport = .socket, settings: JSON = [:]) async throws -> TestApp {
    try await Self.gate.pass { try await makeApp(transport, settings) }
  }
  private static let gate = Gate(width: 2)

  /// The same app as one of another instance over the same database.
  public func app(like other: TestApp) -> TestApp {
    TestApp(service: self, transport: other.transport, slug: other.slug, keys: other.keys)
  }

  private func makeApp(_ transport: Transport, _ settings: JSON) async throws -> TestApp {
    let slug = "app-\(UUID().uuidString.lowercased().prefix(13))"
    let root = client(transport)
    var body = settings
    if body["bundle_id"] == .absent { body["bundle_id"] = "com.example.\(slug)" }
    if body["identity_verification"] == .absent { body["identity_verification"] = "off" }
    let created = try await root.put("/v1/apps/\(slug)", body)
    guard created.status == 201 else { throw Unexpected(reply: created) }
    var keys: [String: String] = ["root": Self.rootKey]
    for kind in ["client", "sender", "admin"] {
      let reply = try await root.post("/v1/apps/\(slug)/keys", ["kind": .string(kind)])
      guard let key = reply.json["key"].string else { throw Unexpected(reply: reply) }
      keys[kind] = key
    }
    return TestApp(service: self, transport: transport, slug: slug, keys: keys)
  }
}

/// An app of a test, with keys and clients.
public struct TestApp: Sendable {
  /// Where it is.
  public let service: TestService
  let transport: Transport
  /// Its name in paths.
  public let slug: String
  /// A key of each kind.
  public let keys: [String: String]

  /// An app in a shared service.
  public static func make(_ transport: Transport, settings: JSON = [:]) async throws -> TestApp {
    try await TestService.withRoom().app(transport, settings: settings)
  }

  /// Its path.
  public var path: String { "/v1/apps/\(slug)" }
  /// The path of one of its installations.
  public func installation(_ id: String) -> String { "\(path)/installations/\(id)" }

  /// With the key that ships in the app.
  public var client: Client { service.client(transport, key: keys["client"]) }
  /// With the backend's key.
  public var sender: Client { service.client(transport, key: keys["sender"]) }
  /// With the app's admin key.
  public var admin: Client { service.client(transport, key: keys["admin"]) }

  /// The rows of its tables: installations, owned tokens, failures, catalogs.
  public func stored() async throws -> String {
    let tables = [
      "installation WHERE true", "token_owner WHERE installation_id IS NOT NULL",
      "registration_failure WHERE true", "catalog WHERE true",
    ]
    let id = try await service.database.value("SELECT id FROM app WHERE slug = '\(slug)'")
    guard let id else { return "no app" }
    let counts = tables.map { "(SELECT count(*) FROM \($0) AND app_id = \(id))" }
    return try await service.database.value(
      "SELECT concat_ws(' ', \(counts.joined(separator: ", ")))") ?? ""
  }
}

/// The lines that a service logged.
public final class LogLines: Sendable {
  private let lines = Mutex<[UInt8]>([])

  init() {}

  func append(_ bytes: [UInt8]) { lines.withLock { $0 += bytes } }

  /// Everything so far.
  public var text: String { lines.withLock { String(decoding: $0, as: UTF8.self) } }

  /// Each line as JSON.
  public var records: [JSON] {
    lines.withLock { $0 }.split(separator: UInt8(ascii: "\n")).map { JSON(parsing: Array($0)) }
  }
}
