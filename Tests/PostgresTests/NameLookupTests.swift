import EventLoop
import Foundation
import Testing

@testable import Postgres

/// Servers that have names, which a slow resolver looks up.
@Suite(.timeLimit(.minutes(10))) struct NameLookupTests {
  /// Answers when it is told to.
  private final class Resolver: Sendable {
    let asked = AsyncStream.makeStream(of: String.self)
    private let isTold = DispatchSemaphore(value: 0)
    private let addresses: [String]

    init(_ addresses: [String] = ["192.0.2.1"]) { self.addresses = addresses }

    func answer() { isTold.signal() }

    var names: NameLookup {
      NameLookup { [self] name in
        asked.continuation.yield(name)
        isTold.wait()
        return addresses.isEmpty
          ? .failure(PostgresError(.disconnected, "unknown name")) : .success(addresses)
      }
    }
  }

  /// An address of this machine that nobody else has.
  private static func address() -> String {
    "127.\(UInt8.random(in: 1...250)).\(UInt8.random(in: 1...250)).\(UInt8.random(in: 2...250))"
  }

  @Test func theLoopServesOthersMeanwhileAndAllAddressesAreTried() async throws {
    let root = "/tmp/postilion tests/\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let address = Self.address()
    let server = ScratchServer.make(
      "\(root)/data", ["fsync": "off", "listen_addresses": address])
    defer { server.stop() }
    let user = try #require(
      try server.start().split(separator: " ").first { $0.hasPrefix("user=") })
    let resolver = Resolver([Self.address(), address])
    let names = resolver.names
    try await withLoop { loop in
      nonisolated(unsafe) let links = (0..<2).map { _ in Link(loop: loop, names: names) }
      let opening = Task(executorPreference: loop) {
        try await links[0].open(
          DatabaseAddress("host=db.example dbname=postilion \(user)"))
      }
      let other = Task(executorPreference: loop) {
        try await links[1].open(
          DatabaseAddress("host=db.example dbname=postilion \(user)"))
      }
      var asked = resolver.asked.stream.makeAsyncIterator()
      #expect(await asked.next() == "db.example")
      // Both have begun by then, and the loop goes on.
      await loop.sleep(nanoseconds: 1_000_000)
      #expect(links.map(\.phase) == [.searching, .searching])
      resolver.answer()
      try await opening.value
      try await other.value
      #expect(links.map(\.phase) == [.open, .open])
      for link in links { link.close() }
    }
    resolver.asked.continuation.finish()
    #expect(await resolver.asked.stream.first { _ in true } == nil)
  }

  /// What ends a search, and what is said of it.
  @Test(arguments: [
    ("answer", "unknown name"), ("close", "closed"), ("time", "its address was not found in time"),
  ])
  func aSearchEnds(by end: String, message: String) async throws {
    let resolver = Resolver([])
    defer { resolver.answer() }
    let names = resolver.names
    try await withLoop { loop in
      nonisolated(unsafe) let link = Link(loop: loop, names: names)
      let opening = Task(executorPreference: loop) {
        try await link.open(
          DatabaseAddress("host=db.example"), within: end == "time" ? 1_000_000 : .max)
      }
      var asked = resolver.asked.stream.makeAsyncIterator()
      #expect(await asked.next() == "db.example")
      if end == "answer" { resolver.answer() }
      if end == "close" { link.close() }
      let error = await #expect(throws: PostgresError.self) { try await opening.value }
      #expect(error?.message == message)
      #expect(link.phase == .closed)
    }
  }

  @Test func theSystemKnowsItsNames() async throws {
    let local = NameLookup.system.search("localhost").answers
    let addresses = try #require(await local.first { _ in true }).get()
    #expect(addresses.contains { $0 == "127.0.0.1" || $0 == "::1" })
    let unknown = NameLookup.system.search("nobody.invalid").answers
    let error = await #expect(throws: PostgresError.self) {
      _ = try #require(await unknown.first { _ in true }).get()
    }
    #expect(error?.message.contains("nobody.invalid") == true)
  }
}
