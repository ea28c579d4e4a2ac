import AppTesting
import Testing

/// A client key ships inside the app, so anyone may have it: it reaches only the installation whose
/// secret comes with it.
@Suite struct SecretTests {
  @Test(arguments: Transport.allCases)
  func theSecretIsGivenOnceAndNeededEverAfter(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let created = try await app.client.put(path, Sample.fullReport())
    let secret = try #require(created.json["installation_secret"].string)
    #expect(secret.count >= 32)

    for (given, code) in [
      (nil, "installation_secret_missing"), ("wrong", "installation_secret_wrong"),
      (secret + "x", "installation_secret_wrong"),
    ] {
      var client = app.client
      client.secret = given
      for reply in [
        try await client.put(path, ["locale": "fr_FR"]),
        try await client.patch(path, ["locale": "fr_FR"]),
        try await client.get(path),
        try await client.delete("\(path)/credentials/apns"),
        try await client.delete(path),
      ] {
        #expect(reply.status == 403)
        #expect(reply.problem == code)
        #expect(reply.json["token"] == .absent)
      }
    }
    #expect(try await app.stored() == "1 2 0 0")

    var owner = app.client
    owner.secret = secret
    let changed = try await owner.put(path, ["locale": "fr_FR"])
    #expect(changed.status == 200)
    #expect(changed.json["installation_secret"] == .absent)
    #expect(changed.json["locale"] == "fr_FR")
    #expect(try await owner.get(path).status == 200)
    #expect(try await owner.delete("\(path)/credentials/voip").status == 204)
    #expect(try await owner.delete(path).status == 204)
  }

  @Test(arguments: Transport.allCases)
  func oneInstallationsSecretOpensNoOther(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (mine, yours) = (app.installation(Sample.id()), app.installation(Sample.id()))
    let secret = try await app.client.put(mine, Sample.report()).json["installation_secret"].string
    _ = try await app.client.put(yours, Sample.report())
    var client = app.client
    client.secret = secret
    #expect(try await client.get(mine).status == 200)
    #expect(try await client.get(yours).problem == "installation_secret_wrong")
    #expect(
      try await client.put(yours, Sample.report()).problem == "installation_secret_wrong")
    #expect(try await client.delete(yours).problem == "installation_secret_wrong")
  }

  @Test(arguments: Transport.allCases)
  func backendsNeedNoSecret(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    _ = try await app.client.put(path, Sample.report())
    for backend in [app.sender, app.admin, app.service.client(transport)] {
      let reply = try await backend.put(path, ["locale": "fr_FR"])
      #expect(reply.status == 200)
      #expect(reply.json["installation_secret"] == .absent)
      #expect(try await backend.get(path).status == 200)
    }
    // The device can still be reached only with its own.
    #expect(try await app.client.get(path).problem == "installation_secret_missing")
  }

  /// A backend imported it; the first report of the app itself makes it the app's own.
  @Test(arguments: Transport.allCases)
  func anInstallationWithoutSecretGetsOneFromTheFirstClient(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let imported = try await app.admin.put(path, Sample.report())
    #expect(imported.status == 201)
    #expect(imported.json["installation_secret"] == .absent)
    let adopted = try await app.client.put(path, ["locale": "fr_FR"])
    #expect(adopted.status == 200)
    #expect(adopted.json["installation_secret"].string != nil)
    #expect(try await app.client.get(path).problem == "installation_secret_missing")
  }

  @Test(arguments: Transport.allCases)
  func anUnprovenUserIsNotBelieved(transport: Transport) async throws {
    let app = try await TestApp.make(transport, settings: ["identity_verification": "required"])
    let path = app.installation(Sample.id())
    let refused = try await app.client.put(path, Sample.fullReport())
    #expect(refused.status == 403)
    #expect(refused.problem == "identity_unproven")
    #expect(try await app.stored() == "0 0 0 0")
    // Without a user it registers, and the backend may name one.
    #expect(try await app.client.put(path, Sample.report()).status == 201)
    let named = try await app.sender.patch(path, ["user": ["id": "u42"]])
    #expect(named.json["user"]["id"] == "u42")
  }

  @Test(arguments: Transport.allCases)
  func aReportWhoseAnswerWasLostIsSentAgain(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    var own = app.client
    own.secret = "made-by-the-app-and-kept-in-its-keychain"
    #expect(try await own.put(path, Sample.report()).status == 201)
    #expect(try await own.put(path, Sample.report()).status == 200)
    #expect(try await app.client.get(path).problem == "installation_secret_missing")
    #expect(try await own.get(path).status == 200)
  }
}
