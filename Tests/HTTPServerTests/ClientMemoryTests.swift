import EventLoop
import HTTP
import Synchronization
import Testing

@testable import HTTPServer

/// What is held for clients has a bound for all, and one for each customer.
@Suite(.timeLimit(.minutes(10))) struct ClientMemoryTests {
  @Test func aCustomerHasHalfOfWhatIsFree() {
    let memory = ClientMemory(limit: 900)
    var held = [HeldBytes](repeating: HeldBytes(), count: 4)
    func set(_ number: Int, _ bytes: Int, for customer: UInt128?) -> Bool {
      held[number].set(bytes, in: memory, for: customer)
    }
    #expect([set(0, 300, for: 1), set(0, 301, for: 1)] == [true, false])
    #expect([set(1, 201, for: 2), set(1, 200, for: 2)] == [false, true])
    #expect(memory.bytes == 500)
    // A second connection of the first customer.
    #expect(!set(2, 1, for: 1))
    held[0].release(in: memory)
    #expect([set(2, 233, for: 1), set(2, 234, for: 1)] == [true, false])
    // What has no customer is bounded with all others only.
    #expect([set(3, 467, for: nil), set(3, 468, for: nil)] == [true, false])
    // Less is always possible.
    #expect(set(2, 100, for: 1))
    #expect(memory.bytes == 767)
    for number in held.indices { held[number].release(in: memory) }
    #expect(memory.bytes == 0)
  }

  @Test func memoryIsGivenBackWhenALargeLoadIsOver() {
    let trims = Atomic<Int>(0)
    let memory = ClientMemory(limit: 1 << 30) { trims.add(1, ordering: .relaxed) }
    func load(_ bytes: Int) {
      for _ in 0..<10 { #expect(memory.take(bytes / 10, for: nil)) }
      for _ in 0..<10 { memory.give(bytes / 10, for: nil) }
    }
    load(Limits.trimmedClientBytes - 16)
    #expect(trims.load(ordering: .relaxed) == 0)
    load(2 * Limits.trimmedClientBytes)
    #expect(trims.load(ordering: .relaxed) == 1)
    load(100)
    #expect(trims.load(ordering: .relaxed) == 1)
    load(2 * Limits.trimmedClientBytes)
    #expect(trims.load(ordering: .relaxed) == 2)
    #expect(memory.bytes == 0)
  }

  private static let largeBytes = 8 << 20
  private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

  /// A client that asks and does not read.
  private func unreading(
    _ test: TestServer, from number: UInt8, _ request: String = get
  ) async throws -> Client {
    let client = try test.client(from: number)
    try await client.send(request)
    return client
  }

  /// Waits until so many answers wait to be read, or until so many were given up.
  private func settle(
    _ test: TestServer, _ memory: ClientMemory, held: Int, givenUp: Int
  ) async {
    while memory.bytes < held * Self.largeBytes || test.events.count("given up") < givenUp {
      await test.loop.sleep(nanoseconds: .milliseconds(1))
    }
  }

  @Test(arguments: [true, false])
  func answersThatNobodyReadsAreBounded(isStream: Bool) async throws {
    let memory = ClientMemory(limit: 60 << 20)
    let bytes = [UInt8](repeating: 0x61, count: Self.largeBytes)
    try await withServer(
      timeouts: { $0.writeNanoseconds = .minutes(60) }, memory: memory,
      handler: { head, _ in
        guard head.path == "/" else { return Response(.notFound, text: "nothing here") }
        guard isStream else { return Response(.ok, contentType: "a/b", bytes: bytes) }
        return Response(.ok, contentType: "a/b") { try await $0.write(bytes) }
      }
    ) { test in
      var clients: [Client] = []
      // Of 60 MiB one customer has 16, the next 8.
      for (number, held, givenUp) in [(2, 1, 0), (2, 2, 0), (2, 2, 1), (3, 3, 1), (3, 3, 2)] {
        clients.append(try await unreading(test, from: UInt8(number)))
        await settle(test, memory, held: held, givenUp: givenUp)
      }
      #expect(test.events.count("given up") == 2)
      // Those who read are answered meanwhile, also from there.
      let reader = try test.client(from: 2)
      try await reader.send("GET /missing HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await reader.answer().status == 404)
      // Whoever reads at last gets all, and makes room.
      #expect(try await clients[0].answer().body.utf8.count == Self.largeBytes)
      clients.append(try await unreading(test, from: 3))
      await settle(test, memory, held: 3, givenUp: 2)
      #expect(test.events.count("given up") == 2)
      for client in clients + [reader] { client.close() }
      await test.events.wait(for: "closed", count: 7)
      #expect(memory.bytes == 0)
    }
  }

  /// However many do not read it, there is one of it.
  @Test func aFixedFileIsHeldForNobody() async throws {
    let memory = ClientMemory(limit: 1 << 20)
    let bytes = [UInt8](repeating: 0x61, count: Self.largeBytes)
    try await withServer(
      timeouts: { $0.writeNanoseconds = .minutes(60) }, memory: memory,
      handler: { _, _ in Response(.ok, contentType: "a/b", fixed: bytes) }
    ) { test in
      var clients: [Client] = []
      for _ in 0..<4 { clients.append(try await unreading(test, from: 2, Self.get + Self.get)) }
      for client in clients {
        for _ in 0..<2 {
          #expect(try await client.answer().body.utf8.count == Self.largeBytes)
        }
        client.close()
      }
      #expect(test.events.count("given up") == 0)
    }
  }

  /// Answers without a body gather no further than others.
  @Test func manyHeadsAreWrittenBeforeThereAreMore() async throws {
    let memory = ClientMemory(limit: 400_000)
    try await withServer(
      timeouts: { $0.writeNanoseconds = .minutes(60) }, memory: memory,
      handler: { _, _ in
        var response = Response(.ok, text: "hello")
        response.fields.append("Long", String(repeating: "x", count: 10_000))
        return response
      }
    ) { test in
      let count = 500
      let request = "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"
      let last = "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      let client = try await unreading(
        test, from: 2, String(repeating: request, count: count - 1) + last)
      let answers = try await client.readToEnd()
      #expect(answers.ranges(of: "HTTP/1.1 200 OK").count == count)
      #expect(test.events.count("given up") == 0)
      client.close()
    }
  }

  @Test func headsThatDoNotEndAreBounded() async throws {
    let memory = ClientMemory(limit: 500_000)
    try await withServer(
      timeouts: { $0.headNanoseconds = .minutes(60) }, memory: memory
    ) { test in
      let half = "GET / HTTP/1.1\r\nHost: x\r\nLong: " + String(repeating: "x", count: 30_000)
      var clients: [Client] = []
      func add(from number: UInt8) async throws {
        let (bytes, givenUp) = (memory.bytes, test.events.count("given up"))
        clients.append(try await unreading(test, from: number, half))
        while memory.bytes <= bytes, test.events.count("given up") == givenUp {
          await test.loop.sleep(nanoseconds: .milliseconds(1))
        }
      }
      while clients.count < 20, test.events.count("given up") == 0 { try await add(from: 2) }
      #expect(clients.count > 2)
      #expect(test.events.count("given up") == 1)
      try await add(from: 3)
      try await clients[0].send("\r\n\r\n")
      #expect(try await clients[0].answer().status == 200)
      for client in clients { client.close() }
      await test.events.wait(for: "closed", count: clients.count)
      #expect(test.events.count("given up") == 1)
      #expect(memory.bytes == 0)
    }
  }
}
