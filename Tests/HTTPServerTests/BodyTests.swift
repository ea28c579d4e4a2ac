import EventLoop
import HTTP
import Synchronization
import Testing

@testable import HTTPServer

/// Bodies that are slow, unwanted or too many.
@Suite(.timeLimit(.minutes(10))) struct BodyTests {
  /// The rest of the body never comes, and nobody waits for it.
  @Test(arguments: ["Content-Length: 1000", "Transfer-Encoding: chunked"])
  func anAnswerDoesNotWaitForABodyThatNobodyReads(framing: String) async throws {
    try await withServer(timeouts: { $0.bodyNanoseconds = .minutes(60) }) { test in
      let client = try test.client()
      try await client.send("POST /ignore HTTP/1.1\r\nHost: x\r\n\(framing)\r\n\r\n5\r\nhe")
      let answer = try await client.answer()
      #expect(answer.status == 200)
      #expect(answer.fields["connection"] == "close")
      #expect(await client.isEnded())
      // The client may go on meanwhile, and is not reset.
      try await client.send("llo")
      try await client.send("\r\n")
      client.shutdownWriting()
      #expect(try await client.readToEnd() == "")
      await test.events.wait(for: "closed")
      client.close()
    }
  }

  /// Every byte is progress, and the body is late all the same.
  @Test func aBodyThatTricklesIsAnswered408() async throws {
    try await withServer(timeouts: {
      $0.bodyNanoseconds = .milliseconds(300)
      $0.bodyBytesPerSecond = 1 << 30
    }) { test in
      let client = try test.client()
      try await client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
      let sending = Task(executorPreference: test.loop) {
        while !Task.isCancelled {
          try await client.send("x")
          // What is tested is a peer that takes its time.
          await test.loop.sleep(nanoseconds: .milliseconds(1))
        }
      }
      defer { sending.cancel() }
      let answer = try await client.answer()
      #expect(answer.status == 408)
      #expect(answer.body == "body_timeout")
      sending.cancel()
      _ = await sending.result
      client.close()
      await test.events.wait(for: "closed")
    }
  }

  @Test func bodiesShareABoundedMemory() async throws {
    let bodies = BodyMemory(limit: 100_000) {}
    try await withServer(bodies: bodies) { test in
      let half = [UInt8](repeating: 0x78, count: 20_000)
      func begin() async throws -> Client {
        let client = try test.client()
        try await client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 40000\r\n\r\n")
        try await client.send(half)
        return client
      }
      func held(_ bytes: Int) async {
        while bodies.bytes < bytes { await test.loop.sleep(nanoseconds: .milliseconds(1)) }
      }
      var clients: [Client] = []
      for number in 1...5 {
        clients.append(try await begin())
        await held(20_000 * number)
      }
      let refused = try await begin()
      let answer = try await refused.answer()
      #expect(answer.status == 503)
      #expect(answer.fields["connection"] == "close")
      #expect(test.events.count("turned away") == 1)
      // A client that leaves makes room for another, here for the other half of the first.
      clients[4].close()
      await test.events.wait(for: "closed")
      try await clients[0].send(half)
      #expect(try await clients[0].answer().body.utf8.count == 40_000)
      for client in clients + [refused] { client.close() }
      await test.events.wait(for: "closed", count: 6)
      #expect(bodies.bytes == 0)
    }
  }

  @Test func memoryIsGivenBackWhenALargeLoadIsOver() {
    let trims = Atomic<Int>(0)
    let bodies = BodyMemory(limit: 1 << 30) { trims.add(1, ordering: .relaxed) }
    func load(_ bytes: Int) {
      for _ in 0..<10 { #expect(bodies.take(bytes / 10)) }
      for _ in 0..<10 { bodies.give(bytes / 10) }
    }
    load(Limits.trimmedBodyBytes - 16)
    #expect(trims.load(ordering: .relaxed) == 0)
    load(2 * Limits.trimmedBodyBytes)
    #expect(trims.load(ordering: .relaxed) == 1)
    load(100)
    #expect(trims.load(ordering: .relaxed) == 1)
    load(2 * Limits.trimmedBodyBytes)
    #expect(trims.load(ordering: .relaxed) == 2)
    #expect(bodies.bytes == 0)
  }
}
