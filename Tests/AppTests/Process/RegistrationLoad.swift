import AppTesting
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Registry

/// Registrations over many connections, through whatever happens to the service and its database.
final class RegistrationLoad: Sendable {
  private struct State {
    var acknowledged: [String: String] = [:]
    var longestOutage = Duration.zero
    var isOver = false
  }

  private let port: UInt16
  private let state = Mutex(State())
  private let connections = DispatchGroup()

  /// Makes the app, and begins over so many connections.
  init(_ process: RunningProcess, connections count: Int = 32) async throws {
    port = try await process.ready()
    try await eventually { [port] in
      let made = try await Self.call(port, "PUT", "", ["bundle_id": "com.example.load"])
      return [200, 201].contains(made.status)
    }
    for _ in 0..<count {
      connections.enter()
      Thread.detachNewThread { [self] in
        register()
        connections.leave()
      }
    }
  }

  /// How many registrations were acknowledged so far.
  var count: Int { state.withLock { $0.acknowledged.count } }

  /// Waits until so many more are acknowledged.
  func more(_ number: Int) async throws {
    let goal = count + number
    try await eventually { count >= goal }
  }

  /// Ends it.
  /// - Returns: The tokens that were acknowledged, by installation, and the longest time that one
  ///   connection waited from one acknowledgement to the next.
  func end() async throws -> (acknowledged: [String: String], longestOutage: Duration) {
    state.withLock { $0.isOver = true }
    return try await blocking { [self] in
      connections.wait()
      return state.withLock { ($0.acknowledged, $0.longestOutage) }
    }
  }

  /// One connection: a registration after the other, each as an app does it, again and again until
  /// there is an answer.
  private func register() {
    let clock = ContinuousClock()
    var latest = clock.now
    var wire: Wire?
    while !state.withLock({ $0.isOver }) {
      let (id, token) = (Sample.id(), Sample.token())
      let request = Self.request(
        "PUT", "/installations/\(id)", Sample.report(token))
      var isAcknowledged = false
      while !isAcknowledged, !state.withLock({ $0.isOver }) {
        do {
          let open = try wire ?? Wire(port: port)
          wire = open
          try open.send(request)
          isAcknowledged = [200, 201].contains(try open.receive().status)
        } catch {
          wire = nil
        }
        if !isAcknowledged { usleep(5_000) }
      }
      let now = clock.now
      state.withLock { state in
        if isAcknowledged { state.acknowledged[id] = token }
        state.longestOutage = max(state.longestOutage, now - latest)
      }
      latest = now
    }
  }

  // MARK: Calls

  /// All installations' tokens, as the list shows them.
  static func tokens(_ port: UInt16) async throws -> [String: String] {
    var tokens: [String: String] = [:]
    var cursor: String?
    repeat {
      let query = "limit=1000" + (cursor.map { "&cursor=\($0)" } ?? "")
      let reply = try await call(port, "GET", "/installations?\(query)")
      if reply.status == 503 { continue }
      guard reply.status == 200 else { throw Unexpected(reply: reply) }
      for item in reply.json["items"].elements {
        tokens[item["installation_id"].string ?? ""] =
          item["credentials"]["apns"]["token"].string ?? ""
      }
      cursor = reply.json["next_cursor"].string
    } while cursor != nil
    return tokens
  }

  /// Registers one installation, once.
  static func put(_ port: UInt16, installation id: String) async throws -> Reply {
    try await call(port, "PUT", "/installations/\(id)", Sample.report())
  }

  private static func call(
    _ port: UInt16, _ method: String, _ path: String, _ body: JSON? = nil
  ) async throws -> Reply {
    try await exchange(port, request(method, path, body))
  }

  /// The bytes of a request about the app, with the root key.
  private static func request(_ method: String, _ path: String, _ body: JSON?) -> [UInt8] {
    let text = body?.text ?? ""
    return Array(
      """
      \(method) /v1/apps/load\(path) HTTP/1.1\r\nHost: a\r\n\
      Authorization: Bearer \(TestService.rootKey)\r\n\
      Content-Length: \(text.utf8.count)\r\n\r\n\(text)
      """.utf8)
  }
}

/// Sends a request over a connection of its own.
func exchange(_ port: UInt16, _ request: [UInt8]) async throws -> Reply {
  try await blocking {
    let wire = try Wire(port: port)
    try wire.send(request)
    return try wire.receive()
  }
}

/// Asks for a path without a key.
func get(_ port: UInt16, _ path: String) async throws -> Reply {
  try await exchange(port, Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
}
