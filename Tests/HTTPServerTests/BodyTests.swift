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
    let memory = ClientMemory(limit: 99_000)
    try await withServer(memory: memory) { test in
      let half = [UInt8](repeating: 0x78, count: 20_000)
      func begin(from number: UInt8) async throws -> Client {
        let client = try test.client(from: number)
        try await client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 40000\r\n\r\n")
        try await client.send(half)
        return client
      }
      func held(_ bytes: Int) async {
        while memory.bytes < bytes { await test.loop.sleep(nanoseconds: .milliseconds(1)) }
      }
      var clients: [Client] = []
      func expectRefused(from number: UInt8) async throws {
        let refused = try await begin(from: number)
        let answer = try await refused.answer()
        #expect(answer.status == 503)
        #expect(answer.fields["connection"] == "close")
        refused.close()
      }
      // One customer has half of what is free at most, and leaves room for the next one.
      clients.append(try await begin(from: 2))
      await held(20_000)
      try await expectRefused(from: 2)
      clients.append(try await begin(from: 3))
      await held(40_000)
      try await expectRefused(from: 4)
      #expect(test.events.count("turned away") == 2)
      // A client that leaves makes room for another.
      clients[1].close()
      await test.events.wait(for: "closed", count: 3)
      clients[1] = try await begin(from: 4)
      await held(40_000)
      // A body that comes whole has room: it is not its client that it waits for.
      clients.append(try test.client(from: 2))
      let head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n"
      try await clients[2].send(Array(head.utf8) + half)
      #expect(try await clients[2].answer().status == 200)
      for client in clients { client.close() }
      await test.events.wait(for: "closed", count: 6)
      #expect(memory.bytes == 0)
    }
  }
}
