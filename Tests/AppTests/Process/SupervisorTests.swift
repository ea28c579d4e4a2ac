import AppTesting
import Foundation
import Glibc
import Testing

/// What the program says to systemd (`Type=notify`): a start is over when the service answers.
@Suite struct SupervisorTests {
  @Test(arguments: ["/tmp/postilion-supervisor-", "@postilion-supervisor-"])
  func theSupervisorHearsOfTheStartAndOfTheEnd(prefix: String) async throws {
    let database = try await ScratchCluster.database()
    let supervisor = try Listener("\(prefix)\(UUID().uuidString)")
    let process = try RunningProcess(
      ["serve", "--listen", "127.0.0.1:0"],
      environment: [
        "DATABASE_URL": database.conninfo, "POSTILION_ROOT_KEY": TestService.rootKey,
        "POSTILION_LOOPS": "2", "NOTIFY_SOCKET": supervisor.name,
      ])
    let more = "EXTEND_TIMEOUT_USEC=60000000"
    #expect(try await blocking { supervisor.hear() } == more)
    #expect(try await blocking { supervisor.hear(after: more) } == "READY=1")
    _ = try await process.ready()
    process.signal(SIGTERM)
    #expect(try await blocking { supervisor.hear(after: more) } == "STOPPING=1")
    #expect(try await process.end() == 0)
  }

  @Test(
    arguments: [
      (["serve", "--listen", "nowhere"], [:], 64),
      (
        ["serve"], ["DATABASE_URL": "postgres://a@127.0.0.1:1/a", "POSTILION_ROOT_KEY": "short"], 64
      ),
    ] as [([String], [String: String], Int32)])
  func aWrongSettingIsNoStart(
    arguments: [String], environment: [String: String], status: Int32
  ) async throws {
    let supervisor = try Listener("@postilion-supervisor-\(UUID().uuidString)")
    let process = try RunningProcess(
      arguments, environment: environment.merging(["NOTIFY_SOCKET": supervisor.name]) { $1 })
    #expect(try await process.end() == status)
    #expect(!supervisor.all.contains("READY=1"))
  }

  /// A socket as systemd has one.
  private final class Listener: Sendable {
    let name: String
    private let descriptor: Int32

    init(_ name: String) throws {
      self.name = name
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
      if name.hasPrefix("@") { address.sun_path.0 = 0 }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
      let descriptor = descriptor
      let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(status == 0)
      // What does not come fails the test, in the end.
      var deadline = timeval(tv_sec: 120, tv_usec: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVTIMEO, &deadline, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
      close(descriptor)
      if !name.hasPrefix("@") { unlink(name) }
    }

    /// Waits for a message.
    func hear() -> String { receive(0) ?? "" }

    /// Waits for the message behind those that are the same.
    func hear(after message: String) -> String {
      while true {
        let next = hear()
        if next != message { return next }
      }
    }

    /// The messages that have come.
    var all: [String] {
      var messages: [String] = []
      while let message = receive(Int32(truncatingIfNeeded: MSG_DONTWAIT)) {
        messages.append(message)
      }
      return messages
    }

    private func receive(_ flags: Int32) -> String? {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(descriptor, &bytes, bytes.count, flags)
      return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }
}
