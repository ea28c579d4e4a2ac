import EventLoop
import HTTP
import Testing

@testable import HTTPServer

/// How long the server waits for a peer.
@Suite(.timeLimit(.minutes(10))) struct TimeoutTests {
  @Test func anIdleConnectionIsClosedWithoutAWord() async throws {
    try await withServer(timeouts: { $0.idleNanoseconds = .milliseconds(1000) }) { test in
      let client = try test.client()
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.answer().status == 200)
      #expect(try await client.readToEnd() == "")
      #expect(test.events.names.contains("timed out idle"))
      client.close()
    }
  }

  @Test func aHeadThatDoesNotComeIsAnswered408() async throws {
    try await withServer(timeouts: { $0.headNanoseconds = .milliseconds(20) }) { test in
      let client = try test.client()
      try await client.send("GET / HTTP/1.1\r\n")
      let answer = try await client.answer()
      #expect(answer.status == 408)
      #expect(answer.body == "head_timeout")
      #expect(await client.isEnded())
      client.close()
    }
  }

  /// Every byte is progress, and the head is late all the same.
  @Test func aHeadThatTricklesIsAnswered408() async throws {
    try await withServer(timeouts: { $0.headNanoseconds = .milliseconds(30) }) { test in
      let client = try test.client()
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
      #expect(answer.body == "head_timeout")
      sending.cancel()
      _ = await sending.result
      client.close()
      await test.events.wait(for: "closed")
    }
  }

  @Test func aBodyThatDoesNotComeIsTheHandlersToAnswer() async throws {
    try await withServer(timeouts: { $0.bodyNanoseconds = .milliseconds(20) }) { test in
      let client = try test.client()
      try await client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")
      let answer = try await client.answer()
      #expect(answer.status == 408)
      #expect(answer.body == "body_timeout")
      #expect(await client.isEnded())
      #expect(test.events.names.contains("timed out body"))
      client.close()
    }
  }

  /// Every byte is progress, and too little for an answer that is in memory.
  @Test func aPeerThatReadsSlowlyIsCutOff() async throws {
    try await withServer(
      timeouts: {
        $0.writeNanoseconds = .milliseconds(1000)
        $0.writeBytesPerSecond = 1 << 40
        $0.streamBytesPerSecond = 1
      },
      handler: { _, _ in
        Response(.ok, contentType: "a/b", bytes: [UInt8](repeating: 0, count: 16 << 20))
      }
    ) { test in
      let client = try test.client(receiveBufferBytes: 4096)
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      while test.events.count("closed") == 0, (try? await client.read()) == true {
        // What is tested is a peer that takes its time.
        await test.loop.sleep(nanoseconds: .milliseconds(1))
      }
      await test.events.wait(for: "closed")
      #expect(test.events.count("timed out write") == 1)
      client.close()
    }
  }

  @Test func aPeerThatDoesNotReadIsCutOff() async throws {
    try await withServer(
      timeouts: { $0.writeNanoseconds = .milliseconds(1000) },
      handler: { _, _ in
        Response(.ok, contentType: "a/b", bytes: [UInt8](repeating: 0, count: 16 << 20))
      }
    ) { test in
      let client = try test.client(receiveBufferBytes: 4096)
      try await client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await test.events.wait(for: "timed out write")
      await test.events.wait(for: "closed")
      client.close()
    }
  }
}
