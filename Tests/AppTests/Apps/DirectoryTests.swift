import AppTesting
import EventLoop
import Postgres
import Synchronization
import Testing

@testable import App

/// Apps and keys in memory: read anew after each change, and no more often than it takes.
@Suite struct DirectoryTests {
  /// Readings that end when they are let.
  private final class Readings: Sendable {
    private let state = Mutex((began: 0, isOpen: false))

    var began: Int { state.withLock(\.began) }

    func open() { state.withLock { $0.isOpen = true } }

    func read() async -> Directory.Snapshot {
      state.withLock { $0.began += 1 }
      while !state.withLock(\.isOpen) { await Task.yield() }
      return Directory.Snapshot()
    }
  }

  @Test func manyChangesAtOnceShareAReading() async throws {
    let loop = try EventLoop()
    loop.start()
    defer { loop.stop() }
    let (directory, readings) = (Directory(), Readings())
    let first = Task { try await directory.load(on: loop) { await readings.read() } }
    try await eventually { readings.began == 1 }
    let others = (0..<50).map { _ in
      Task { try await directory.load(on: loop) { await readings.read() } }
    }
    // All wait for a reading that begins after they asked.
    try await eventually { directory.waitingCount == 50 }
    readings.open()
    for task in [first] + others { try await task.value }
    #expect(readings.began == 2)
    try await directory.load(on: loop) { await readings.read() }
    #expect(readings.began == 3)
  }

  @Test func whoWaitsIsToldOfAFailureAndTheNextReadingIsAnother() async throws {
    let loop = try EventLoop()
    loop.start()
    defer { loop.stop() }
    let directory = Directory()
    let begun = Mutex(0)
    // Whoever comes while the first reading ends has the one behind it read in the same way.
    let read: @Sendable () async throws -> Directory.Snapshot = {
      let number = begun.withLock { begun in
        begun += 1
        return begun
      }
      guard number > 1 else { throw Problem(.internalError, "") }
      return Directory.Snapshot()
    }
    await #expect(throws: Problem.self) { try await directory.load(on: loop, read) }
    try await directory.load(on: loop, read)
  }
}
