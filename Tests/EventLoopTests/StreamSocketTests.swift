import Glibc
import Testing

@testable import EventLoop

/// One end is a ``StreamSocket``, the other a bare descriptor.
@Suite(.timeLimit(.minutes(10))) struct StreamSocketTests {
  private func withPair(
    _ body: @Sendable @escaping (EventLoop, StreamSocket, Int32) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      let (mine, theirs) = try makePair()
      let socket = try StreamSocket(mine, loop: loop)
      defer {
        socket.close()
        Glibc.close(theirs)
      }
      try await body(loop, socket, theirs)
    }
  }

  private static func text(of socket: StreamSocket) throws -> String? {
    try socket.readAvailable { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Reading

  @Test func readsWhatIsThere() async throws {
    try await withPair { _, socket, peer in
      try #expect(Self.text(of: socket) == nil)
      send(peer, "abc", 3, 0)
      try #expect(Self.text(of: socket) == "abc")
      try #expect(Self.text(of: socket) == nil)
    }
  }

  @Test func wakesWhenBytesCome() async throws {
    try await withPair { loop, socket, peer in
      for text in ["one", "two"] {
        loop.execute { send(peer, text, 3, 0) }
        #expect(await socket.waitReadable() == .ready)
        try #expect(Self.text(of: socket) == text)
      }
    }
  }

  @Test func wakesAtTheEndOfTheStream() async throws {
    try await withPair { loop, socket, peer in
      loop.execute { shutdown(peer, Int32(SHUT_WR)) }
      #expect(await socket.waitReadable() == .ready)
      try #expect(Self.text(of: socket) == "")
    }
  }

  @Test func aPeersEndOfStreamComesAfterItsBytes() async throws {
    try await withPair { _, socket, peer in
      send(peer, "last", 4, 0)
      shutdown(peer, Int32(SHUT_WR))
      try #expect(Self.text(of: socket) == "last")
      try #expect(Self.text(of: socket) == "")
    }
  }

  /// Whether or not the loop was told of the bytes before they were read.
  @Test(arguments: [false, true]) func nothingIsMissedAfterAShortRead(
    isToldFirst: Bool
  ) async throws {
    try await withPair { loop, socket, peer in
      send(peer, "some", 4, 0)
      if isToldFirst { #expect(await socket.waitReadable() == .ready) }
      try #expect(Self.text(of: socket) == "some")
      #expect(socket.isDrained)
      loop.execute { send(peer, "more", 4, 0) }
      while socket.isDrained { #expect(await socket.waitReadable() == .ready) }
      send(peer, "!", 1, 0)
      shutdown(peer, Int32(SHUT_WR))
      try #expect(Self.text(of: socket) == "more!")
      while socket.isDrained { #expect(await socket.waitReadable() == .ready) }
      try #expect(Self.text(of: socket) == "")
    }
  }

  // MARK: Deadlines

  @Test func aWaitEndsAtItsDeadline() async throws {
    try await withPair { loop, socket, _ in
      let deadline = loop.deadline(in: .milliseconds(10))
      #expect(await socket.waitReadable(until: deadline) == .timedOut)
      #expect(Monotonic.now() >= deadline)
    }
  }

  /// The timer of an earlier, shorter wait is still set when a longer one begins.
  @Test func anEarlierDeadlineDoesNotEndALaterWait() async throws {
    try await withPair { loop, socket, peer in
      loop.execute { send(peer, "x", 1, 0) }
      #expect(await socket.waitReadable(until: loop.deadline(in: .milliseconds(500))) == .ready)
      try #expect(Self.text(of: socket) == "x")
      let deadline = loop.deadline(in: .milliseconds(700))
      #expect(await socket.waitReadable(until: deadline) == .timedOut)
      #expect(Monotonic.now() >= deadline)
    }
  }

  @Test func aShorterWaitBehindALongerOneEndsInTime() async throws {
    try await withPair { loop, socket, peer in
      loop.execute { send(peer, "x", 1, 0) }
      let long = loop.deadline(in: 30_000_000_000)
      #expect(await socket.waitReadable(until: long) == .ready)
      try #expect(Self.text(of: socket) == "x")
      #expect(await socket.waitReadable(until: loop.deadline(in: .milliseconds(5))) == .timedOut)
      #expect(Monotonic.now() < long)
    }
  }

  // MARK: Interruption and end

  @Test func anInterruptionEndsTheWaitOfNowOnly() async throws {
    try await withPair { loop, socket, peer in
      loop.execute { socket.interrupt() }
      #expect(await socket.waitReadable() == .interrupted)
      loop.execute { send(peer, "x", 1, 0) }
      #expect(await socket.waitReadable() == .ready)
    }
  }

  @Test func closingEndsWaitsOfNowAndLater() async throws {
    try await withPair { loop, socket, _ in
      loop.execute { socket.close() }
      #expect(await socket.waitReadable() == .interrupted)
      #expect(await socket.waitReadable() == .interrupted)
      socket.close()
    }
  }

  @Test func aClosedSocketFailsSoftly() async throws {
    try await withPair { _, socket, _ in
      socket.close()
      socket.shutdownWriting()
      socket.interrupt()
      #expect(throws: SystemError("recv", number: EBADF)) { try Self.text(of: socket) }
      await #expect(throws: SystemError("send", number: EBADF)) {
        try await socket.write([1], allowance: Self.patient)
      }
    }
  }

  @Test func closingEndsASuspendedWrite() async throws {
    try await withPair { loop, socket, _ in
      loop.execute { socket.close() }
      await #expect(throws: SystemError("send", number: ECANCELED)) {
        try await socket.write([UInt8](repeating: 0, count: 4 << 20), allowance: Self.patient)
      }
    }
  }

  @Test func closingTellsThePeer() async throws {
    try await withPair { _, socket, peer in
      socket.close()
      var byte: UInt8 = 0
      #expect(recv(peer, &byte, 1, 0) == 0)
    }
  }

  // MARK: Writing

  private static let patient = PeerAllowance(allowanceNanoseconds: .max, bytesPerSecond: 1)

  /// The bytes are in two pieces, the first of so many.
  @Test(arguments: [0, 100, 2_000_000, 4_000_000])
  func writesMoreThanThePeerTakesAtOnce(first: Int) async throws {
    try await withPair { loop, socket, peer in
      let bytes = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let other = try StreamSocket(dup(peer), loop: loop)
      defer { other.close() }
      let writing = Task(executorPreference: loop) {
        try await socket.write(
          Array(bytes[..<first]), Array(bytes[first...]), allowance: Self.patient)
        socket.shutdownWriting()
      }
      var received: [UInt8] = []
      while true {
        guard
          let count = try other.readAvailable({
            received += $0; return $0.count
          })
        else {
          _ = await other.waitReadable()
          continue
        }
        if count == 0 { break }
      }
      try await writing.value
      #expect(received == bytes)
    }
  }

  @Test func aPeerThatTakesNothingTimesOut() async throws {
    try await withPair { _, socket, _ in
      let error = await #expect(throws: SystemError.self) {
        try await socket.write(
          [UInt8](repeating: 0, count: 4 << 20),
          allowance: PeerAllowance(allowanceNanoseconds: .milliseconds(10), bytesPerSecond: 1_000))
      }
      #expect(error?.isTimeout == true)
    }
  }

  /// It takes something every time we look, and is given up all the same.
  @Test func aPeerThatTakesTooLittleTimesOut() async throws {
    try await withPair { loop, socket, peer in
      let other = try StreamSocket(dup(peer), loop: loop)
      defer { other.close() }
      let reading = loop.execute {
        var piece = [UInt8](repeating: 0, count: 4096)
        while !Task.isCancelled {
          _ = recv(peer, &piece, piece.count, Int32(MSG_DONTWAIT))
          // What is tested is a peer that takes its time.
          await loop.sleep(nanoseconds: .milliseconds(1))
        }
      }
      let error = await #expect(throws: SystemError.self) {
        try await socket.write(
          [UInt8](repeating: 0, count: 64 << 20),
          allowance: PeerAllowance(
            allowanceNanoseconds: .milliseconds(50), bytesPerSecond: 1 << 40))
      }
      #expect(error?.isTimeout == true)
      reading.cancel()
      await reading.value
    }
  }

  @Test func writingToAPeerThatIsGoneFails() async throws {
    try await withPair { _, socket, peer in
      shutdown(peer, Int32(SHUT_RDWR))
      await #expect(throws: SystemError("send", number: EPIPE)) {
        try await socket.write([1], allowance: Self.patient)
      }
    }
  }

  @Test func errorsNameTheCallAndTheReason() {
    #expect(SystemError("bind", number: EADDRINUSE).description == "bind: Address already in use")
  }
}
