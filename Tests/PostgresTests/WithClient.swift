import EventLoop
import Testing

@testable import Postgres

/// Runs a test on a loop of its own.
func withLoop<Result: Sendable>(
  _ body: @Sendable @escaping (EventLoop) async throws -> Result
) async throws -> Result {
  let loop = try EventLoop()
  loop.start()
  defer { loop.stop() }
  return try await Task(executorPreference: loop) { try await body(loop) }.value
}

/// Runs a test with a connected client, and asserts at the end that it is still usable.
func withClient(
  _ address: DatabaseAddress? = nil, connections: Int = 2,
  _ body: @Sendable @escaping (PostgresClient, Events) async throws -> Void
) async throws {
  let address = try address ?? ScratchServer.address
  try await withLoop { loop in
    let events = Events()
    let client = PostgresClient(
      address, connections: connections, loop: loop, answerNanoseconds: 120_000_000_000,
      observe: { events.append($0) })
    client.start()
    defer { client.close() }
    await events.wait(for: "connected")
    try await body(client, events)
    for number in 0..<Int32(2 * connections) {
      try await #expect(client.read(Echo(value: number)) == [number])
    }
    try await #expect(client.write(Echo(value: "still usable")) == ["still usable"])
    try await #expect(
      client.transaction { try await $0.run(Echo(value: Int16(7))) } == [7])
  }
}

/// What a client told, by name; tests wait for it. On the loop.
final class Events: @unchecked Sendable {
  private(set) var names: [String] = []
  private var waiters: [(name: String, count: Int, UnsafeContinuation<Void, Never>)] = []

  func append(_ event: PostgresEvent) {
    switch event {
    case .connected: names.append("connected")
    case .connectFailed: names.append("connect failed")
    case .closed: names.append("closed")
    case .disconnected: names.append("disconnected")
    case .overloaded: names.append("overloaded")
    }
    let met = waiters.filter { count($0.name) >= $0.count }
    waiters.removeAll { count($0.name) >= $0.count }
    for waiter in met { waiter.2.resume() }
  }

  func count(_ name: String) -> Int { names.filter { $0 == name }.count }

  func wait(for name: String, count wanted: Int = 1) async {
    if count(name) >= wanted { return }
    await withUnsafeContinuation { waiters.append((name, wanted, $0)) }
  }
}

/// A value there and back.
struct Echo<Value: PostgresValue>: Statement {
  static var sql: String { "SELECT $1::\(typeName(Value.oid))" }
  let value: Value?
  func bind(to parameters: inout Parameters) { parameters.append(value) }
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Value? {
    try row.next()
  }
}

/// The value as the server writes it.
struct Text<Value: PostgresValue>: Statement {
  static var sql: String { "SELECT $1::\(typeName(Value.oid))::text" }
  let value: Value?
  func bind(to parameters: inout Parameters) { parameters.append(value) }
  static func decode(_ row: inout RowReader) throws(PostgresError) -> String? {
    try row.next()
  }
}

private func typeName(_ oid: UInt32) -> String {
  [
    16: "boolean", 1000: "boolean[]", 21: "smallint", 1005: "smallint[]", 23: "integer",
    1007: "integer[]", 20: "bigint", 1016: "bigint[]", 25: "text", 1009: "text[]", 2950: "uuid",
    2951: "uuid[]", 17: "bytea", 1001: "bytea[]", 3802: "jsonb", 3807: "jsonb[]",
    1184: "timestamptz", 1185: "timestamptz[]",
  ][oid] ?? "unknown"
}

/// 100 divided by a number: an error (22012) for 0.
struct Division: Statement {
  static let sql = "SELECT 100 / $1::int"
  let divisor: Int32
  func bind(to parameters: inout Parameters) { parameters.append(divisor) }
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
}

/// The server's process behind the connection.
struct BackendProcess: Statement {
  static let sql = "SELECT pg_backend_pid()"
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.next() }
}

/// Server processes that run a statement which contains a text.
struct Backends: Statement {
  static let sql = """
    SELECT pid, coalesce(wait_event, '') FROM pg_stat_activity
    WHERE position($1 IN query) > 0 AND pid <> pg_backend_pid()
    """
  let text: String
  func bind(to parameters: inout Parameters) { parameters.append(text) }
  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (process: Int32, wait: String) {
    (try row.next(), try row.next())
  }

  /// Waits until such a process waits for something.
  static func wait(
    for text: String, waiting event: String, _ client: PostgresClient
  ) async throws -> Int32 {
    while true {
      let found = try await client.read(Backends(text: text)).first { $0.wait == event }
      if let found { return found.process }
      await client.loop.sleep(nanoseconds: 2_000_000)
    }
  }
}

/// Ends a server process.
struct Terminate: Statement {
  static let sql = "SELECT pg_terminate_backend($1)"
  let process: Int32
  func bind(to parameters: inout Parameters) { parameters.append(process) }
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.next() }
}
