import AppTesting
import Foundation
import Testing

/// `postilion demo`: a sample app to look at.
@Suite struct DemoTests {
  @Test func thirtyDaysOfASampleAppAreThere() async throws {
    let process = try RunningProcess(
      ["demo", "--listen", "127.0.0.1:0"],
      environment: [
        "POSTILION_DEMO_DEVICES": "600", "POSTILION_LOOPS": "2",
        "POSTILION_DATABASE_TIMEOUT_SECONDS": "60",
      ])
    try await eventually { process.standardOutput.contains("/#key=") }
    let line = try #require(
      process.standardOutput.firstMatch(
        of: /http:\/\/127\.0\.0\.1:(\d+)\/#key=(pst_admin_[A-Za-z0-9_-]+)\n/))
    let port = try #require(UInt16(line.output.1))
    func get(_ path: String) async throws -> JSON {
      let request = """
        GET /v1/apps/food\(path) HTTP/1.1\r\nHost: a\r
        Authorization: Bearer \(line.output.2)\r\n\r\n
        """
      return try await exchange(port, Array(request.utf8)).json
    }
    let stats = try await get("/stats")
    #expect(stats["total"] == 600)
    #expect(stats["registrations"].elements.count { ($0["count"].whole ?? 0) > 0 } >= 29)
    #expect((stats["language"]["top"].elements.count) > 5)
    for name in ["rotations", "invalidations", "failures"] {
      #expect(stats[name].elements.contains { ($0["count"].whole ?? 0) > 0 }, "\(name)")
    }
    #expect(stats["breakers"].elements.map { $0["environment"] } == ["sandbox"])
    #expect(stats["builds_without_catalog"][0]["app_build"] == "380")
    let coverage = try await get("/catalogs/415/coverage")
    #expect(
      coverage["languages"].elements.compactMap { $0["language"].string }.sorted()
        == ["ar", "en", "fr", "ja"])
    #expect(
      try await get("/catalogs/415")["key_count"].whole
        == (try await get("/catalogs/412")["key_count"].whole ?? 0) - 1)
    let messages = try await get("/messages")["items"].elements
    #expect(messages.count == 4)
    #expect(messages.allSatisfy { $0["message"]["alert"] != .absent })
    let of42 = try await get("/installations?user=u42")["items"].elements
    #expect(of42.map { $0["languages"] } == [["de-DE", "en-DE"]])
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }
}
