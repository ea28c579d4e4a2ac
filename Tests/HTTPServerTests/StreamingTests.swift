import EventLoop
import Glibc
import HTTP
import Synchronization
import Testing

@testable import HTTPServer

/// Answers that are written while they are made.
@Suite(.timeLimit(.minutes(10))) struct StreamingTests {
  private struct SourceFailed: Error {}

  @Test func aStreamArrivesInChunksAndTheConnectionIsKept() async throws {
    try await withServer(handler: { _, _ in
      Response(.ok, contentType: "text/plain") { writer in
        for number in 0..<3 { try await writer.write(Array("line \(number)\n".utf8)) }
        try await writer.write([])
      }
    }) { test in
      let client = try test.client()
      for _ in 0..<2 {
        try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = try await client.answer()
        #expect(answer.fields["transfer-encoding"] == "chunked")
        #expect(answer.body == "line 0\nline 1\nline 2\n")
      }
      #expect(test.events.count("opened") == 1)
      client.close()
    }
  }

  @Test func aStreamToHTTP10EndsWithTheConnection() async throws {
    try await withServer(handler: { _, _ in
      Response(.ok, contentType: "text/plain") { try await $0.write(Array("all".utf8)) }
    }) { test in
      let client = try test.client()
      try await client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      let answer = try await client.answer()
      #expect(answer.fields["transfer-encoding"] == nil)
      #expect(answer.fields["connection"] == "close")
      #expect(answer.body == "all")
      client.close()
    }
  }

  @Test func theSourceWaitsForThePeer() async throws {
    let produced = Atomic<Int>(0)
    let total = 64 << 20
    try await withServer(handler: { head, _ in
      guard head.path == "/" else { return Response(.notFound) }
      return Response(.ok, contentType: "a/b") { writer in
        let piece = [UInt8](repeating: 0x61, count: 16 << 10)
        for _ in 0..<total / piece.count {
          try await writer.write(piece)
          produced.add(piece.count, ordering: .relaxed)
        }
      }
    }) { test in
      let client = try test.client(receiveBufferBytes: 8192)
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      var last = -1
      while last <= 0 || last != produced.load(ordering: .relaxed) {
        last = produced.load(ordering: .relaxed)
        await test.loop.sleep(nanoseconds: .milliseconds(20))
      }
      // The kernel's buffers and ours are full, and nothing more was made.
      #expect(last > 0)
      #expect(last < total / 4)
      client.close()
      await test.events.wait(for: "aborted")
    }
  }

  @Test func aStreamThatBreaksOffIsNoWholeAnswer() async throws {
    try await withServer(handler: { head, _ in
      guard head.path == "/broken" else { return Response(.ok, text: "whole") }
      return Response(.ok, contentType: "text/plain") { writer in
        try await writer.write(Array("part".utf8))
        throw SourceFailed()
      }
    }) { test in
      let client = try test.client()
      try await client.send(
        "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /broken HTTP/1.1\r\nHost: x\r\n\r\n")
      // Answers before it are not lost with it.
      #expect(try await client.answer().body == "whole")
      let rest = try await client.readToEnd()
      #expect(rest.contains("part"))
      #expect(!rest.contains("\r\n0\r\n"))
      #expect(test.events.names.contains("aborted"))
      client.close()
    }
  }

  @Test func aSourcesParseErrorIsNotAnsweredInMidStream() async throws {
    try await withServer(handler: { head, _ in
      guard head.path == "/broken" else { return Response(.ok, text: "whole") }
      return Response(.ok, contentType: "text/plain") { _ in
        throw ParseError(.badRequest, "of_another_parser", "")
      }
    }) { test in
      let client = try test.client()
      try await client.send("GET /broken HTTP/1.1\r\nHost: x\r\n\r\n")
      let all = try await client.readToEnd()
      #expect(all.hasPrefix("HTTP/1.1 200"))
      #expect(!all.contains("400"))
      client.close()
    }
  }

  @Test func aBrokenStreamToHTTP10IsReset() async throws {
    try await withServer(handler: { head, _ in
      guard head.path == "/broken" else { return Response(.ok, text: "whole") }
      return Response(.ok, contentType: "text/plain") { writer in
        try await writer.write([UInt8](repeating: 0x61, count: 40_000))
        throw SourceFailed()
      }
    }) { test in
      let client = try test.client()
      try await client.send("GET /broken HTTP/1.0\r\n\r\n")
      await #expect(throws: SystemError("recv", number: ECONNRESET)) {
        try await client.readToEnd()
      }
      client.close()
    }
  }

  @Test(arguments: [true, false])
  func aSourceThatHasNothingToSayHearsThatItsClientIsGone(isGoneBefore: Bool) async throws {
    let cancelled = Atomic<Bool>(false)
    let (starts, start) = AsyncStream<Void>.makeStream()
    try await withServer(handler: { head, _ in
      guard head.path == "/silent" else { return Response(.ok, text: "whole") }
      return Response(.ok, contentType: "text/plain") { writer in
        try await writer.write(Array("part".utf8))
        start.yield()
        let (waiting, _) = AsyncStream<Void>.makeStream()
        for await _ in waiting {}
        cancelled.store(Task.isCancelled, ordering: .relaxed)
        try Task.checkCancellation()
      }
    }) { test in
      let client = try test.client()
      try await client.send("GET /silent HTTP/1.1\r\nHost: x\r\n\r\n")
      if !isGoneBefore { for await _ in starts { break } }
      client.close()
      await test.events.wait(for: "aborted")
      let wasCancelled = cancelled.load(ordering: .relaxed)
      #expect(wasCancelled)
    }
  }

  /// Also before there is anything of an answer.
  @Test func aHandlerHearsThatItsClientIsGone() async throws {
    let (starts, start) = AsyncStream<Void>.makeStream()
    let (ends, end) = AsyncStream<Bool>.makeStream()
    try await withServer(handler: { head, _ in
      guard head.path == "/" else { return Response(.notFound) }
      start.yield()
      let (waiting, _) = AsyncStream<Void>.makeStream()
      for await _ in waiting {}
      end.yield(Task.isCancelled)
      return Response(.badRequest)
    }) { test in
      let client = try test.client()
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      for await _ in starts { break }
      client.close()
      for await wasCancelled in ends {
        #expect(wasCancelled)
        break
      }
    }
  }

  @Test func aHeadRequestRunsNoStream() async throws {
    let runs = Atomic<Int>(0)
    try await withServer(handler: { head, _ in
      Response(.ok, contentType: "text/plain") { _ in runs.add(1, ordering: .relaxed) }
    }) { test in
      let client = try test.client()
      try await client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.answer(toHead: true).fields["transfer-encoding"] == "chunked")
      #expect(runs.load(ordering: .relaxed) == 0)
      client.close()
    }
  }
}
