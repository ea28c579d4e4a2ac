import AppTesting
import Foundation
import Synchronization
import Testing

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The real program on one port, which is killed and started again.
final class MortalServer: Sendable {
  /// An app on it, with keys.
  struct App: Sendable {
    var name: String
    var clientKey: String
    var adminKey: String
  }

  private struct State {
    var process: RunningProcess
    var deaths = 0
  }

  private let database: ScratchDatabase
  private let port: UInt16
  private let settings: [String: String]
  private let state: Mutex<State>

  /// - Parameter settings: Of the program, besides those that it needs.
  init(database: ScratchDatabase, settings: [String: String] = [:]) async throws {
    self.database = database
    self.settings = settings
    let process = try Self.serve(database, port: 0, settings)
    port = try await process.ready()
    state = Mutex(State(process: process))
  }

  /// Its address.
  var url: URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)") else { preconditionFailure("a port") }
    return url
  }

  /// How often it was killed.
  var deaths: Int { state.withLock { $0.deaths } }

  private static func serve(
    _ database: ScratchDatabase, port: UInt16, _ settings: [String: String]
  ) throws -> RunningProcess {
    let needed = [
      "DATABASE_URL": database.conninfo, "POSTILION_ROOT_KEY": TestService.rootKey,
      "POSTILION_LOOPS": "2", "POSTILION_DATABASE_TIMEOUT_SECONDS": "60",
    ]
    return try RunningProcess(
      ["serve", "--listen", "127.0.0.1:\(port)"],
      environment: needed.merging(settings) { $1 })
  }

  /// Ends it without a word, and starts another.
  func killAndStart() async throws {
    let old = state.withLock { $0.process }
    old.signal(SIGKILL)
    _ = try await old.end()
    if ScratchCluster.isDistributed { try await ended() }
    let new = try Self.serve(database, port: port, settings)
    _ = try await new.ready()
    state.withLock {
      $0.process = new
      $0.deaths += 1
    }
  }

  /// Waits for what the dead server had under way. It is written, though nobody was told: on one
  /// PostgreSQL within milliseconds, before another server is there; a commit of Citus takes
  /// longer, and might be seen behind what the device reports next.
  private func ended() async throws {
    try await eventually {
      try await database.value(
        """
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
          AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'
        """) == "0"
    }
  }

  /// Ends it in order.
  func stop() async throws {
    let process = state.withLock { $0.process }
    process.signal(SIGTERM)
    _ = try await process.end()
  }

  /// Makes an app, with a key for clients and one for administration.
  func makeApp() async throws -> App {
    let name = "storm"
    _ = try await send(
      "PUT", "/v1/apps/\(name)",
      #"{"bundle_id": "com.example.storm", "identity_verification": "off"}"#)
    func key(_ kind: String) async throws -> String {
      let (_, made) = try await send(
        "POST", "/v1/apps/\(name)/keys", #"{"kind": "\#(kind)"}"#)
      return made["key"].string ?? ""
    }
    return App(
      name: name, clientKey: try await key("client"), adminKey: try await key("admin"))
  }

  /// Reads something; again while it is down.
  func get(_ path: String, _ key: String) async throws -> (status: Int, json: JSON) {
    try await send("GET", path, nil, key: key)
  }

  private func send(
    _ method: String, _ path: String, _ body: String?, key: String = TestService.rootKey
  ) async throws -> (status: Int, json: JSON) {
    var request = URLRequest(url: url.appending(path: path))
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    let transport = URLSessionTransport()
    let deadline = Date() + 120
    while true {
      do {
        let response = try await transport.send(request)
        if response.status != 503 || Date() > deadline {
          return (response.status, JSON(parsing: Array(response.body)))
        }
      } catch let error as URLError {
        if Date() > deadline { throw error }
      }
      try await Task.sleep(nanoseconds: 50_000_000)
    }
  }
}
