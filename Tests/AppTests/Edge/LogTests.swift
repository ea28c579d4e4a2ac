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
}
