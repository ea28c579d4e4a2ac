import Glibc
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct ListenerTests {
  private func withListener(
    _ body: @Sendable @escaping (EventLoop, Listener, Record<Int32>) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      try await withListener(on: loop) { try await body(loop, $0, $1) }
    }
  }

  private func withListener(
    on loop: EventLoop, _ body: (Listener, Record<Int32>) async throws -> Void
  ) async throws {
    let accepted = Record<Int32>()
    let listener = try Listener(try taken(listeners: 1), loop: loop) { accepted.append($0) }
    try listener.start()
    defer {
      listener.close()
      for descriptor in accepted.all { Glibc.close(descriptor) }
    }
    try await body(listener, accepted)
  }

  private func taken(
    _ address: String = "127.0.0.1:0", listeners: Int
  ) throws -> TakenAddress {
    try TakenAddress(try #require(SocketAddress(address)), listeners: listeners)
  }

  @Test func tellsThePortThatTheKernelPicked() async throws {
    try await withListener { _, listener, _ in
      #expect(listener.address.port != 0)
      #expect(listener.address.description.hasPrefix("127.0.0.1:"))
    }
  }

  /// More than it takes per event.
  @Test func acceptsAFlood() async throws {
    try await withListener { loop, listener, accepted in
      let count = 3 * Limits.acceptsPerEvent + 1
      let clients = try (0..<count).map { _ in try connect(to: listener.address) }
      await accepted.wait(for: count)
      #expect(accepted.all.count == count)
      for client in clients { Glibc.close(client) }
    }
  }

  /// Whoever closes would have those reset that the kernel has completed.
  @Test func acceptsWhatWaitsBeforeItCloses() async throws {
    try await withListener { _, listener, accepted in
      listener.setPaused(true)
      let count = Limits.acceptsPerEvent + 1
      let clients = try (0..<count).map { _ in try connect(to: listener.address) }
      listener.acceptWaiting()
      listener.close()
      listener.acceptWaiting()
      #expect(accepted.all.count == count)
      for client in clients { Glibc.close(client) }
    }
  }

  @Test func acceptsNothingWhilePausedAndEverythingAfter() async throws {
    try await withListener { loop, listener, accepted in
      listener.setPaused(true)
      let client = try connect(to: listener.address)
      // The end of a pause for want of descriptors is not the end of the owner's.
      listener.loopTimerFired()
      // Who comes later, to another listener of the loop, is accepted.
      try await withListener(on: loop) { other, acceptedThere in
        let later = try connect(to: other.address)
        await acceptedThere.wait(for: 1)
        Glibc.close(later)
      }
      #expect(accepted.all.isEmpty)
      listener.setPaused(false)
      await accepted.wait(for: 1)
      Glibc.close(client)
    }
  }

  @Test func refusesOnceItIsClosed() async throws {
    try await withListener { _, listener, _ in
      listener.close()
      listener.close()
      listener.setPaused(true)
      #expect(throws: SystemError("connect", number: ECONNREFUSED)) {
        try connect(to: listener.address)
      }
    }
  }

  @Test func oneThatNeverStartedTakesNobodysPlace() async throws {
    try await withLoop { loop in
      let (address, accepted) = (try taken(listeners: 2), Record<Int32>())
      let listener = try Listener(address, loop: loop) { accepted.append($0) }
      try listener.start()
      defer { listener.close() }
      let idle = try Listener(address, loop: loop) { _ in }
      idle.close()
      let client = try connect(to: address.address)
      await accepted.wait(for: 1)
      for descriptor in accepted.all + [client] { Glibc.close(descriptor) }
    }
  }

  @Test func anAddressOfAnotherMachineIsRefused() {
    // TEST-NET-1 (RFC 5737) belongs to nobody.
    #expect(throws: SystemError("bind", number: EADDRNOTAVAIL)) {
      try taken("192.0.2.1:8080", listeners: 1)
    }
  }

  /// Two starts at once: who listens first has the address alone.
  @Test func anAddressIsForOneProcess() async throws {
    try await withLoop { loop in
      let picked = try Listener(try taken(listeners: 1), loop: loop) { _ in }
      picked.close()
      let first = try taken("\(picked.address)", listeners: 1)
      #expect(throws: SystemError("connect", number: ECONNREFUSED)) {
        try connect(to: first.address)
      }
      let second = try taken("\(first.address)", listeners: 1)
      let listener = try Listener(first, loop: loop) { _ in }
      defer { listener.close() }
      #expect(throws: SystemError("listen", number: EADDRINUSE)) {
        try Listener(second, loop: loop) { _ in }
      }
      #expect(throws: SystemError("bind", number: EADDRINUSE)) {
        try taken("\(first.address)", listeners: 0)
      }
    }
  }
}
