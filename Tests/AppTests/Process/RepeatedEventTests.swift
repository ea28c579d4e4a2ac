import AppTesting
import Foundation
import Glibc
import Testing

/// An event that repeats, as the real program logs it: a standby that is down for hours.
@Suite struct RepeatedEventTests {
  @Test func aStandbyThatIsDownIsToldOnceAndThenCounted() async throws {
    let database = try await ScratchCluster.database()
    let standby = try DeadStandby()
    let process = try RunningProcess(
      ["serve", "--listen", "127.0.0.1:0"],
      environment: [
        "DATABASE_URL": database.conninfo, "POSTILION_ROOT_KEY": TestService.rootKey,
        "POSTILION_LOOPS": "2", "POSTILION_READ_URL": "postgres://a@127.0.0.1:\(standby.port)/a",
      ])
    _ = try await process.ready()
    try await blocking { standby.refuse(40) }
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
    let lines = process.standardError.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) }
      .filter { $0["event"] == "replica_failed" }
    // Where a connection breaks off, it has one of few causes.
    #expect((2...8).contains(lines.count), "\(process.standardError)")
    let told = lines.map { $0["repeated"].whole ?? 1 }
    #expect(told.first == 1)
    // Those of the last connections may still be on their way.
    #expect(told.reduce(0, +) >= 30)
  }

  /// A server that takes connections and closes them at once.
  private final class DeadStandby: Sendable {
    private let descriptor: Int32
    let port: UInt16

    init() throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let (descriptor, size) = (descriptor, length)
      let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, size) == 0 && listen(descriptor, 100) == 0
            ? getsockname(descriptor, $0, &length) : -1
        }
      }
      try #require(status == 0)
      port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    /// Waits for so many connections.
    func refuse(_ count: Int) {
      for _ in 0..<count { close(accept(descriptor, nil, nil)) }
    }
  }
}
