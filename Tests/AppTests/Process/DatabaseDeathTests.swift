import AppTesting
import Foundation
import TestSupport
import Testing

@testable import Postgres

/// The private PostgreSQL dies or hangs under a service that goes on.
@Suite(.serialized) final class DatabaseDeathTests: Sendable {
  private let directory = "/tmp/postilion database tests \(UUID().uuidString.prefix(8))"
  private var cluster: String { "\(directory)/data/cluster" }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func serve(_ environment: [String: String] = [:]) throws -> RunningProcess {
    try RunningProcess(
      ["serve", "--listen", "127.0.0.1:0"],
      environment: [
        "POSTILION_DATA_DIR": "\(directory)/data", "POSTILION_ROOT_KEY": TestService.rootKey,
        "POSTILION_LOOPS": "2", "POSTILION_DATABASE_TIMEOUT_SECONDS": "60",
      ].merging(environment) { $1 })
  }

  private func signalPostmaster(_ signal: Int32) throws {
    let text = try String(contentsOfFile: "\(cluster)/postmaster.pid", encoding: .utf8)
    kill(try #require(PostmasterFile(text: text)).process, signal)
  }

  /// The server is killed under load: twice, or as often as `POSTILION_KILLS` says.
  @Test func aKilledDatabaseComesBackAndNothingAcknowledgedIsLost() async throws {
    let kills = environmentNumber("POSTILION_KILLS", 2)
    let process = try serve()
    let load = try await RegistrationLoad(process)
    let port = try await process.ready()
    for number in 1...kills {
      try await load.more(300)
      try signalPostmaster(SIGKILL)
      try await eventually {
        try await get(port, "/metrics").text.contains(
          #"postilion_embedded_database_total{event="restarted"} \#(number)"#)
      }
      try await eventually { try await get(port, "/readyz").status == 200 }
    }
    try await load.more(300)
    let (acknowledged, longestOutage) = try await load.end()

    let present = try await RegistrationLoad.tokens(port)
    let lost = acknowledged.filter { present[$0.key] != $0.value }
    #expect(lost.isEmpty, "\(lost.count) of \(acknowledged.count) are lost")
    let metrics = try await get(port, "/metrics").text
    #expect(metrics.contains(#"postilion_embedded_database_total{event="ended"} \#(kills)"#))
    let log = process.standardError.split(separator: "\n")
    let ends = log.filter { $0.contains(#""event":"embedded_database_ended""#) }
    #expect(!ends.isEmpty && ends.count <= kills, "what repeats is told once, and counted")
    #expect(ends.allSatisfy { $0.contains("ended by signal 9") })
    let downs = log.compactMap { line in
      line.firstMatch(of: /embedded_database_restarted.*"down_ms":(\d+)/).flatMap {
        Int($0.output.1)
      }
    }
    #expect(!downs.isEmpty)
    print(
      "\(kills) kills: \(acknowledged.count) acknowledged, \(lost.count) lost, longest outage "
        + "\(longestOutage), server down \(downs.first ?? 0) ms at first")
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }

  /// Processes that are stopped keep their connections and say nothing. A second was set for what
  /// took from five to twenty-five: each call waits for its own at most, those that come later for
  /// nothing, and nothing that was acknowledged is lost.
  @Test func aDatabaseThatHangsCostsCallsNoMoreThanTheirTime() async throws {
    let process = try serve(["POSTILION_DATABASE_TIMEOUT_SECONDS": "1"])
    let load = try await RegistrationLoad(process)
    let port = try await process.ready()
    try await load.more(100)
    let servers = stopServers()
    defer { for server in servers { kill(server, SIGCONT) } }
    let took = try await ContinuousClock().measure {
      for number in 0..<20 {
        // With a key of an operator the audit log waits for the database, too.
        let reply = try await RegistrationLoad.put(port, installation: Sample.id())
        #expect(reply.status == 503, "call \(number)")
        #expect(reply.problem == "database_unavailable")
        #expect(reply["retry-after"].flatMap { Int($0) } != nil)
      }
    }
    #expect(took < .seconds(60))
    for server in servers { kill(server, SIGCONT) }
    try await load.more(100)
    let acknowledged = try await load.end().acknowledged
    let present = try await RegistrationLoad.tokens(port)
    let lost = acknowledged.filter { present[$0.key] != $0.value }
    #expect(lost.isEmpty, "\(lost.count) of \(acknowledged.count) are lost")
    print("hung: 20 calls took \(took), \(acknowledged.count) acknowledged, \(lost.count) lost")
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }

  /// A probe waits for less.
  @Test func aDatabaseThatHangsIsNotReadyAtOnce() async throws {
    let process = try serve(["POSTILION_DATABASE_TIMEOUT_SECONDS": "5"])
    let port = try await process.ready()
    let servers = stopServers()
    let took = try await ContinuousClock().measure {
      let reply = try await get(port, "/readyz")
      #expect(reply.status == 503)
      #expect(reply.problem == "database_unavailable")
      #expect(reply.json["detail"] == "The database does not answer.")
      #expect(reply["retry-after"] == "1")
    }
    #expect(took < .seconds(10))
    for server in servers { kill(server, SIGCONT) }
    try await eventually { try await get(port, "/readyz").status == 200 }

    // One that hangs and is killed then is started again like any other.
    stopServers()
    try signalPostmaster(SIGKILL)
    try await eventually { process.standardError.contains("embedded_database_restarted") }
    try await eventually { try await get(port, "/readyz").status == 200 }
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }

  /// Stops all servers, also those that begin meanwhile: once the first one is stopped, none does.
  @discardableResult
  private func stopServers() -> Set<pid_t> {
    var stopped: Set<pid_t> = []
    while true {
      let running = Set(ClusterProcesses.running(on: cluster)).subtracting(stopped)
      if running.isEmpty { return stopped }
      for server in running { kill(server, SIGSTOP) }
      stopped.formUnion(running)
    }
  }

  /// Without this file no server starts.
  @Test func aDatabaseThatCannotStartAgainEndsTheService() async throws {
    let process = try serve()
    _ = try await process.ready()
    #expect(rename("\(cluster)/global/pg_control", "\(directory)/pg_control") == 0)
    try signalPostmaster(SIGKILL)
    #expect(try await process.end() == 69)
    let log = process.standardError.split(separator: "\n")
    #expect(log.filter { $0.contains("embedded_database_start_failed") }.count == 2)
    #expect(log.filter { $0.contains("embedded_database_gave_up") }.count == 1)
    #expect(log.last?.contains(#""event":"ended","cause":"PostgreSQL did not start ("#) == true)
  }

  /// PostgreSQL waits for a pipe that its settings include, and hears no signal but the last.
  @Test func aStartThatHangsLeavesNoDatabase() async throws {
    let first = try serve()
    _ = try await first.ready()
    first.signal(SIGTERM)
    #expect(try await first.end() == 0)
    let pipe = "\(directory)-pipe"
    #expect(mkfifo(pipe, 0o666) == 0)
    defer { unlink(pipe) }
    let settings = "\(directory)/data/cluster/postgresql.conf"
    let handle = try FileHandle(forWritingTo: URL(filePath: settings))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("include '\(pipe)'\n".utf8))
    try handle.close()
    let second = try serve()
    try await eventually { !postmasters().isEmpty }
    second.signal(SIGTERM)
    #expect(try await second.end() == 128 + SIGTERM)
    try await eventually { postmasters().isEmpty }
  }

  /// Servers of the cluster, also one that has not come to its folder yet.
  private func postmasters() -> [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { process in
      let line = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
      let arguments = line?.split(separator: "\0").map(String.init) ?? []
      return arguments.first?.hasSuffix("/postgres") == true && arguments.contains(cluster)
    }
  }

  /// A supervisor may end all processes of the service at once.
  @Test func aServiceThatEndsLeavesItsDatabaseDown() async throws {
    let process = try serve()
    _ = try await process.ready()
    process.signal(SIGTERM)
    try? signalPostmaster(SIGTERM)
    #expect(try await process.end() == 0)
    #expect(ClusterProcesses.running(on: cluster).isEmpty)
    #expect(!process.standardError.contains("embedded_database"))
  }
}
