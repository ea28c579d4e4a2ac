import EventLoop
import HTTP
import Synchronization
import Testing

@testable import HTTPServer

/// A server on a loop of its own, with the clients of a test on the same loop.
final class TestServer: @unchecked Sendable {
  let loop: EventLoop
  let server: HTTPServer
  let address: SocketAddress
  let events: Events

  init(
    _ loop: EventLoop, timeouts: ServerTimeouts, memory: ClientMemory,
    handler: @escaping (RequestHead, any BodyReader) async -> Response
  ) throws {
    self.loop = loop
    let events = Events(loop)
    self.events = events
    server = HTTPServer(
      loop: loop, timeouts: timeouts, memory: memory, customer: { $1.customer },
      observe: { events.append($0) },
      rejection: { Response($0.status, text: $0.code) },
      handler: { head, body, _ in await handler(head, body) })
    let taken = try TakenAddress(try #require(SocketAddress("127.0.0.1:0")), listeners: 1)
    try server.listen(on: taken)
    address = taken.address
  }

  /// - Parameter number: The last of the client's address, 127.0.0.1 to 127.0.0.255.
  func client(from number: UInt8 = 1, receiveBufferBytes: Int32? = nil) throws -> Client {
    try Client(address, loop: loop, from: number, receiveBufferBytes: receiveBufferBytes)
  }

  /// What the server told, by name; tests wait for it.
  final class Events: @unchecked Sendable {
    private let loop: EventLoop
    private(set) var names: [String] = []
    private var waiters: [(name: String, count: Int, UnsafeContinuation<Void, Never>)] = []

    init(_ loop: EventLoop) { self.loop = loop }

    func append(_ event: HTTPServerEvent) {
      switch event {
      case .connectionOpened: names.append("opened")
      case .connectionClosed: names.append("closed")
      case .requestRejected(let error, _): names.append("rejected \(error.code)")
      case .timedOut(let phase): names.append("timed out \(phase.rawValue)")
      case .bodyTurnedAway: names.append("turned away")
      case .connectionGivenUp: names.append("given up")
      case .streamAborted: names.append("aborted")
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
}

/// Runs a test beside a server, and asserts at the end that it still serves.
func withServer(
  timeouts change: (inout ServerTimeouts) -> Void = { _ in },
  memory: ClientMemory = ClientMemory(),
  handler: @Sendable @escaping (RequestHead, any BodyReader) async -> Response = standardHandler,
  _ body: @Sendable @escaping (TestServer) async throws -> Void
) async throws {
  var timeouts = ServerTimeouts()
  change(&timeouts)
  let chosen = timeouts
  let loop = try EventLoop()
  loop.start()
  defer { loop.stop() }
  try await Task(executorPreference: loop) {
    let test = try TestServer(loop, timeouts: chosen, memory: memory, handler: handler)
    try await body(test)
    guard !test.server.isDraining else { return }
    let client = try test.client()
    try await client.send("GET /missing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(try await client.answer().status >= 200)
    client.close()
    await test.server.drain()
    #expect(test.events.count("opened") == test.events.count("closed"))
  }.value
}

/// `/` says hello, `/echo` repeats the body, `/ignore` does not look at it.
@Sendable func standardHandler(_ head: RequestHead, _ body: any BodyReader) async -> Response {
  switch head.path {
  case "/", "/ignore": return Response(.ok, text: "hello")
  case "/echo":
    do {
      return Response(
        .ok, contentType: "application/octet-stream", bytes: try await body.collect(upTo: 1 << 20))
    } catch let error as ParseError {
      return Response(error.status, text: error.code)
    } catch is NoRoomForBody {
      return Response(.serviceUnavailable, text: "no room")
    } catch {
      return Response(.contentTooLarge, text: "too large")
    }
  case let path where path.hasPrefix("/text/"):
    return Response(.ok, text: String(path.dropFirst(6)))
  default: return Response(.notFound, text: "nothing here")
  }
}

extension UInt64 {
  static func milliseconds(_ count: UInt64) -> UInt64 { count * 1_000_000 }
  static func minutes(_ count: UInt64) -> UInt64 { count * 60_000_000_000 }
}
