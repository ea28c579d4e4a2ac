import AppTesting
import Testing

/// The log is read by more people than the registry.
@Suite struct LogTests {
  @Test(arguments: Transport.allCases)
  func nothingThatIsSecretIsLogged(transport: Transport) async throws {
    let service = try await TestService.start()
    let app = try await service.app(transport)
    let path = app.installation(Sample.id())
    let report = Sample.fullReport()
    var secrets = [TestService.rootKey] + app.keys.values
    for kind in ["apns", "voip"] {
      secrets.append(try #require(report["credentials"][kind]["token"].string))
    }
    secrets += ["u42", "message from nowhere", "wrongsecret", "pst_admin_unknown0123456789"]

    let created = try await app.client.put(path, report)
    let secret = try #require(created.json["installation_secret"].string)
    var client = app.client
    client.secret = "wrongsecret"
    _ = try await client.put(path, report)
    client.secret = secret
    _ = try await client.patch(
      path, ["credentials": ["apns": ["token": .string(secrets[3] + "x")]]])
    _ = try await service.client(transport, key: "pst_admin_unknown0123456789").get(path)
    _ = try await app.admin.get("\(app.path)/installations?token=\(secrets[4])&user=u42&x=u42")
    _ = try await app.client.post(
      "\(app.path)/failures",
      ["kind": "apns", "error": ["domain": "d", "code": 1, "message": "message from nowhere"]])
    // The database refuses a row: its message goes into the log, the row does not.
    try await service.database.query(
      "ALTER TABLE installation ADD CONSTRAINT refused CHECK (locale <> 'en_XX') NOT VALID")
    let failed = try await client.put(path, ["locale": "en_XX"])
    #expect(failed.status == 500)
    #expect(failed.problem == "internal_error")
    #expect(!failed.text.contains("refused"))

    let log = service.log.text
    #expect(log.contains("\"cause\":\"postgres 23514"))
    #expect(log.contains("\"operation\":\"putInstallation\""))
    for secret in secrets + [secret] {
      #expect(!log.lowercased().contains(secret.lowercased()), "\(secret)")
    }
    await service.stop()
  }

  /// Whatever of a request a line or an answer shows is short, so that no one fills the disk with
  /// few bytes, or has the service write more than was sent.
  @Test func whatARequestSaysIsShortInLinesAndAnswers() async throws {
    let service = try await TestService.start()
    let app = try await service.app(.socket)
    let long = String(repeating: "M", count: 8_000)
    let client = service.client(.socket)
    #expect(try await client.send(long, "/").status == 501)
    #expect(try await client.send("GET", "/\(long)").status == 404)
    let coded = try await app.client.send(
      "PUT", app.installation(Sample.id()), body: [],
      fields: [("Content-Encoding", long), ("X-Request-Id", long), ("User-Agent", long)])
    #expect(coded.problem == "unsupported_content_encoding")
    let unknown = try await app.admin.get("\(app.path)/installations?\(long.prefix(7_900))=1")
    #expect(unknown.problem == "invalid_input")
    let many = String(repeating: "1,", count: 2_000)
    let listed = try await app.admin.get("\(app.path)/installations?tags[any]=[\(many)1]")
    #expect(listed.json["errors"].elements.count == 50)
    for reply in [coded, unknown] { #expect(reply.body.count < 2_000) }
    await service.stop()
    let longest = service.log.text.split(separator: "\n").map(\.utf8.count).max() ?? 0
    #expect(longest < 1_000)
    let rejected = service.log.records.filter { $0["event"] == "request_rejected" }
    #expect(rejected.map { $0["client"] } == ["127.0.0.1"])
  }
}
