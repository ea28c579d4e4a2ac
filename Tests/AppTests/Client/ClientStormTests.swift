import AppTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Devices that lose their network, their processes and their clocks, or are in a hotel or have a
/// wrong key, against the real program, which is killed and started again: in the end the server
/// knows what the apps have told, or has left it out and the app was told.
///
/// `POSTILION_STORM=10000 swift test --filter ClientStormTests` is the campaign; a short one is
/// part of each run of the tests. `POSTILION_STORM_SEED` repeats one.
@Suite(.serialized) final class ClientStormTests: Sendable {
  private let directory = "/tmp/postilion storm \(UUID().uuidString.prefix(8))"

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  @Test func whatTheAppsHaveToldIsWhatTheServerKnows() async throws {
    let count = environmentNumber("POSTILION_STORM", 60)
    let seed = environmentNumber("POSTILION_STORM_SEED", 1)
    let database = try await ScratchCluster.database()
    let server = try await MortalServer(database: database)
    let app = try await server.makeApp()
    let tally = Mutex(Tally())
    let kills = Task {
      while !Task.isCancelled {
        let done = tally.withLock { $0.devices }
        // A death for each sixteenth of the devices, and the work goes on meanwhile.
        while !Task.isCancelled, tally.withLock({ $0.devices }) < done + max(4, count / 16) {
          try? await Task.sleep(nanoseconds: 20_000_000)
        }
        if !Task.isCancelled { try await server.killAndStart() }
      }
    }
    try await withThrowingTaskGroup(of: Tally.self) { group in
      for index in 0..<count {
        if index >= 12, let part = try await group.next() { tally.withLock { $0.add(part) } }
        group.addTask {
          try await Self.live(index, seed: UInt64(seed + index), server, app, database)
        }
      }
      for try await part in group { tally.withLock { $0.add(part) } }
    }
    kills.cancel()
    try await kills.value
    let total = tally.withLock { $0 }
    // One installation each, but for the devices that want none.
    let stored = try await database.value(
      """
      SELECT concat_ws(' ', (SELECT count(*) FROM installation),
        (SELECT count(*) FROM token_owner WHERE installation_id IS NOT NULL))
      """)
    #expect(stored == "\(total.installations) \(total.tokens)")
    print(
      """
      storm: \(count) devices from seed \(seed), \(total.requests) requests, \
      \(server.deaths) deaths of the server, \(total.installations) installations, \
      \(total.tokens) tokens, \(total.failures) failures; an unchanged launch cost at most \
      \(total.unchangedRequests) requests
      """)
    try await server.stop()
  }

  private struct Tally: Sendable {
    var devices = 0
    var requests = 0
    var installations = 0
    var tokens = 0
    var failures = 0
    var unchangedRequests = 0

    mutating func add(_ other: Self) {
      devices += other.devices
      requests += other.requests
      installations += other.installations
      tokens += other.tokens
      failures += other.failures
      unchangedRequests = max(unchangedRequests, other.unchangedRequests)
    }
  }

  /// The life of one device, and what the server knows of it then.
  private static func live(
    _ index: Int, seed: UInt64, _ server: MortalServer, _ app: MortalServer.App,
    _ database: ScratchDatabase
  ) async throws -> Tally {
    var configuration = PostilionConfiguration(
      server: server.url, app: app.name, clientKey: app.clientKey)
    configuration.coalescing = 0
    // Some apps ask the person first.
    configuration.waitsForOptIn = index % 8 == 0
    let transport = URLSessionTransport()
    let device = SimulatedDevice("device-\(index)", seed: seed, configuration) {
      try await transport.send($0)
    }
    defer { device.end() }
    await device.live(actions: 20)
    await device.settle()
    try await check(device, seed, server, app)
    let unchanged = await device.launchUnchanged()
    #expect(unchanged <= 1, "seed \(seed): \(unchanged) requests for an unchanged launch")
    try await check(device, seed, server, app)
    let told = device.told
    if told.isOptedIn {
      if told.isLeftOut {
        let problem = await device.problemOfTheDay()
        #expect(problem?.hasPrefix("too_long /tag") == true, "seed \(seed): \(problem ?? "none")")
      }
      // None is lost, and each call of the app is one row at most.
      let stored = try await database.value(
        """
        SELECT count(DISTINCT code) || ' ' || (count(*) <= \(device.failureCalls))
        FROM registration_failure WHERE domain = '\(device.name)'
        """)
      #expect(stored == "\(told.failures) true", "seed \(seed)")
    }
    return Tally(
      devices: 1, requests: device.requests, installations: told.isOptedIn ? 1 : 0,
      tokens: told.isOptedIn ? (told.voip == nil ? 1 : 2) : 0, failures: told.failures,
      unchangedRequests: unchanged)
  }

  private static func check(
    _ device: SimulatedDevice, _ seed: UInt64, _ server: MortalServer, _ app: MortalServer.App
  ) async throws {
    let id = try #require(device.installation).uuidString.lowercased()
    let path = "/v1/apps/\(app.name)/installations/\(id)"
    let (status, stored) = try await server.get(path, app.adminKey)
    let told = device.told
    guard told.isOptedIn else {
      #expect(status == 404, "seed \(seed)")
      return
    }
    let known = SimulatedDevice.Told(
      apns: stored["credentials"]["apns"]["token"].string ?? "",
      voip: stored["credentials"]["voip"]["token"].string,
      languages: stored["languages"].elements.compactMap(\.string),
      user: stored["user"]["id"].string,
      tags: stored["tags"].elements.compactMap(\.string),
      build: stored["app_build"].string ?? "", isOptedIn: status == 200, failures: told.failures)
    var wanted = told
    wanted.tags = told.tags?.filter { $0 != SimulatedDevice.Told.longTag } ?? []
    #expect(known == wanted, "seed \(seed)")
  }
}
