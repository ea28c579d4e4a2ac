import AppTesting
import Foundation
import Testing

@testable import App

/// A process has so many descriptors, and clients do not get all of them.
@Suite struct DescriptorTests {
  @Test(arguments: [
    (1024, 2, 2, 406), (20_000, 2, 2, 9894), (1_048_576, 8, 4, 131_036), (224, 1, 2, 95),
    (100, 2, 2, 1), (Int.max, 1, 2, Int.max - 203),
  ])
  func clientsGetWhatIsLeft(descriptors: Int, loops: Int, database: Int, clients: Int) {
    let budget = DescriptorBudget(
      descriptors: descriptors, loops: loops, databaseConnections: database)
    #expect(budget.clientsPerLoop == clients)
  }

  /// More clients than the process has descriptors, and a database that goes away and comes back.
  /// The service began with fewer descriptors than it may take.
  @Test func aFloodOfClientsLeavesRoomForTheDatabase() async throws {
    let database = try await ScratchCluster.database()
    let process = try RunningProcess(
      ["serve", "--listen", "127.0.0.1:0", "--loops", "1"],
      environment: [
        "DATABASE_URL": database.conninfo, "POSTILION_ROOT_KEY": TestService.rootKey,
        "POSTILION_DATABASE_TIMEOUT_SECONDS": "10",
      ], descriptors: (first: 64, limit: 224))
    let port = try await process.ready()
    let made = try await exchange(port, Self.makeApp)
    #expect(made.status == 201)
    // The first are served and kept; the last are in the kernel's backlog.
    let crowd = Crowd()
    try await blocking {
      for number in 0..<250 {
        let wire = try Wire(port: port)
        try wire.send(Self.getApp)
        if number < 90 { #expect(try wire.receive().status == 200) }
        crowd.wires.append(wire)
      }
    }
    func ask() async throws -> Int {
      try await blocking {
        try crowd.wires[0].send(Self.getInstallations)
        return try crowd.wires[0].receive().status
      }
    }
    // While it is away, clients could take its places.
    try await database.close()
    try await eventually { try await ask() == 503 }
    try await database.open()
    try await eventually { try await ask() == 200 }
    // Those that waited are served when others leave.
    let last = try await blocking {
      let last = crowd.wires[249]
      crowd.wires = []
      return try last.receive().status
    }
    #expect(last == 200)
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }

  /// Connections, for one thread at a time.
  private final class Crowd: @unchecked Sendable {
    var wires: [Wire] = []
  }

  private static let getApp = request("GET", "")
  private static let getInstallations = request("GET", "/installations")
  private static let makeApp = request("PUT", "", #"{"bundle_id":"com.example.crowd"}"#)

  private static func request(_ method: String, _ path: String, _ body: String = "") -> [UInt8] {
    Array(
      """
      \(method) /v1/apps/crowd\(path) HTTP/1.1\r\nHost: a\r\n\
      Authorization: Bearer \(TestService.rootKey)\r\n\
      Content-Length: \(body.utf8.count)\r\n\r\n\(body)
      """.utf8)
  }
}
