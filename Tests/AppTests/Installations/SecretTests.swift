import AppTesting
import EventLoop
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
        try await client.post("\(path)/tags", ["add": ["gold"]]),
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
    let tagged = try await owner.post("\(path)/tags", ["add": ["gold"]])
    #expect(tagged.json["tags"] == ["beta", "gold"])
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

  @Test(arguments: Transport.allCases)
  func anUnprovenUserIsNotBelieved(transport: Transport) async throws {
    let app = try await TestApp.make(transport, settings: ["identity_verification": "required"])
    let path = app.installation(Sample.id())
    let taken = try await app.client.put(path, Sample.fullReport())
    #expect(taken.status == 201)
    #expect(taken.json["user"] == .null)
    #expect(taken.ignored == ["/user identity_unproven"])
    #expect(taken.json["installation_secret"].string != nil)
    // The tokens are not lost, and the backend may name the user.
    #expect(try await app.stored() == "1 2 0 0")
    let named = try await app.sender.patch(path, ["user": ["id": "u42"]])
    #expect(named.json["user"]["id"] == "u42")
  }

  /// The app's server signs who is logged in; its secrets take turns.
  @Test(arguments: Transport.allCases)
  func aProvenUserIsBelieved(transport: Transport) async throws {
    let (now, next) = (SignedUser.secret, SignedUser.otherSecret)
    let app = try await TestApp.make(
      transport,
      settings: [
        "identity_verification": "required", "identity_secrets": [.string(now)],
        "identity_lifetime_days": 3650,
      ])
    func login(_ id: String, exp: String = "2e9", secret: String) -> JSON {
      let claims = #"{"sub":"\#(id)","aud":["\#(app.slug)"],"exp":\#(exp)}"#
      let token = SignedUser(claims: claims, secret: secret).text
      return ["user": ["id": .string(id), "token": .string(token)]]
    }
    let path = app.installation(Sample.id())
    var owner = app.client
    owner.secret = "made-by-the-app-and-kept-in-its-keychain"
    var first = Sample.report()
    first["user"] = login("u42", secret: now)["user"]
    let created = try await owner.put(path, first)
    #expect(created.status == 201)
    #expect(created.json["user"] == ["id": "u42"])

    // At a later launch the proof of the stored user may have run out, or be missing.
    let late = login("u42", exp: "1", secret: now)
    #expect(try await owner.put(path, late).status == 200)
    #expect(try await owner.put(path, ["user": ["id": "u42"], "locale": "fr"]).status == 200)
    for (report, code): (JSON, String) in [
      (login("u43", exp: "1", secret: now), "identity_token_expired"),
      (login("u43", exp: "1e10", secret: now), "identity_token_lifetime"),
      (login("u43", secret: next), "identity_token_signature"),
      (["user": ["id": "u43"]], "identity_unproven"),
      (["user": ["id": "u43", "token": late["user"]["token"]]], "identity_token_subject"),
      (["user": ["id": "u43", "token": "x"]], "identity_token_malformed"),
    ] {
      var changed = report
      let token = Sample.token()
      changed["credentials"] = ["apns": ["token": .string(token)]]
      let taken = try await owner.put(path, changed)
      #expect(taken.status == 200)
      #expect(taken.ignored == ["/user \(code)"])
      #expect(taken.json["user"] == ["id": "u42"])
      #expect(taken.json["credentials"]["apns"]["token"] == .string(token))
    }
    let stored = try await app.admin.get(path)
    #expect(stored.json["user"]["id"] == "u42")
    #expect(!stored.text.contains("ey"), "a token is kept nowhere")

    let root = app.service.client(transport)
    _ = try await root.put(app.path, ["identity_secrets": [.string(next), .string(now)]])
    for (id, secret) in [("u43", now), ("u44", next)] {
      let changed = try await owner.patch(path, login(id, secret: secret))
      #expect(changed.json["user"]["id"] == .string(id))
      #expect(changed.ignored == [])
    }
    _ = try await root.put(app.path, ["identity_secrets": [.string(next)]])
    #expect(
      try await owner.patch(path, login("u45", secret: now)).ignored
        == ["/user identity_token_signature"])
    // Logging out needs no proof, logging in again does.
    #expect(try await owner.patch(path, ["user": .null]).json["user"] == .null)
    let again = try await owner.patch(path, ["user": ["id": "u44"]])
    #expect(again.ignored == ["/user identity_unproven"])
    #expect(again.json["user"] == .null)
  }

  /// Whoever has a copy of a proof is that user until it ends: it ends soon, unless the app has set
  /// otherwise, and at once when its secret goes.
  @Test(arguments: Transport.allCases)
  func aProofEndsWithinThirtyDaysUnlessTheAppHasSetOtherwise(transport: Transport) async throws {
    let app = try await TestApp.make(
      transport,
      settings: [
        "identity_verification": "required", "identity_secrets": [.string(SignedUser.secret)],
      ])
    let root = app.service.client(transport)
    func reported(endingIn days: Int64) async throws -> [JSON] {
      let end = Monotonic.wallClockMicroseconds() / 1_000_000 + days * 86_400
      let claims = #"{"sub":"u42","aud":"\#(app.slug)","exp":\#(end)}"#
      var report = Sample.report()
      report["user"] = ["id": "u42", "token": .string(SignedUser(claims: claims).text)]
      let reply = try await app.client.put(app.installation(Sample.id()), report)
      #expect(reply.status == 201)
      return reply.json["ignored"].elements
    }
    #expect(try await root.get(app.path).json["identity_lifetime_days"] == 30)
    #expect(try await reported(endingIn: 30) == [])
    let refused = try #require(try await reported(endingIn: 31).first)
    #expect(refused["code"] == "identity_token_lifetime")
    #expect(refused["detail"].string?.contains("at most 30 days after now") == true)

    _ = try await root.put(app.path, ["identity_lifetime_days": 60])
    #expect(try await reported(endingIn: 60) == [])
    #expect(try await reported(endingIn: 61).first?["code"] == "identity_token_lifetime")
    _ = try await root.put(app.path, ["identity_secrets": [.string(SignedUser.otherSecret)]])
    #expect(try await reported(endingIn: 1).first?["code"] == "identity_token_signature")
    let cleared = try await root.put(app.path, ["identity_lifetime_days": .null])
    #expect(cleared.json["identity_lifetime_days"] == 30)
  }

  /// An issuer that signs with a private key gives only the public one.
  @Test(arguments: Transport.allCases)
  func aUserIsProvenByAPublicKey(transport: Transport) async throws {
    let root = try await TestService.shared().client(transport)
    let app = "/v1/apps/signed-\(transport.rawValue.lowercased())"
    for signed in SignedByKey.all {
      let settings: JSON = [
        "bundle_id": "com.example.signed", "identity_verification": "required",
        "identity_keys": [["jwk": signed.jwk]], "identity_lifetime_days": 3650,
      ]
      let stored = try await root.put(app, settings)
      let shown: JSON = ["algorithm": .string(signed.algorithm), "public_key": .string(signed.pem)]
      #expect(stored.json["identity_keys"] == .array([shown]))
      let again = try await root.put(app, ["identity_keys": stored.json["identity_keys"]])
      #expect(again.json["identity_keys"] == stored.json["identity_keys"])
      #expect(try await root.put(app, ["name": "Signed"]).json["identity_keys"] == .array([shown]))

      var client = root
      client.key = try await root.post("\(app)/keys", ["kind": "client"]).json["key"].string
      var report = Sample.report()
      report["user"] = ["id": "u42", "token": .string(signed.token)]
      let proven = try await client.put("\(app)/installations/\(Sample.id())", report)
      #expect(proven.json["user"] == ["id": "u42"])
      #expect(proven.ignored == [])
      report["user"]["id"] = "u43"
      let unproven = try await client.put("\(app)/installations/\(Sample.id())", report)
      #expect(unproven.ignored == ["/user identity_token_subject"])
    }
    #expect(try await root.put(app, ["identity_keys": .null]).json["identity_keys"] == [])
  }

  /// Whoever logs out has no session of the app's backend any more, and no proof of a user.
  @Test(arguments: Transport.allCases)
  func unregisteringNeedsNoSessionOfTheBackend(transport: Transport) async throws {
    let app = try await TestApp.make(transport, settings: ["identity_verification": "required"])
    let path = app.installation(Sample.id())
    var own = app.client
    own.secret = "made-by-the-app-and-kept-in-its-keychain"
    #expect(try await own.put(path, Sample.fullReport()).status == 201)
    _ = try await app.sender.patch(path, ["user": ["id": "u42"]])
    #expect(try await own.delete("\(path)/credentials/voip").status == 204)
    #expect(try await own.get(path).json["credentials"].names == ["apns"])
    #expect(try await own.delete(path).status == 204)
    #expect(try await app.stored() == "0 0 0 0")
    #expect(try await own.delete(path).problem == "installation_not_found")
  }

  /// What to do about a lost secret: the tokens move to the new installation.
  @Test(arguments: Transport.allCases)
  func aLostSecretHasAWayOut(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    let report = Sample.report()
    #expect(try await app.client.put(path, report).status == 201)
    var own = app.client
    own.secret = "made-by-the-app-and-kept-in-its-keychain"
    let refused = try await own.put(path, report)
    #expect(refused.problem == "installation_secret_wrong")
    #expect(
      refused.json["detail"].string?.contains("a new installation id and a new secret") == true)
    let anew = app.installation(Sample.id())
    #expect(try await own.put(anew, report).status == 201)
    #expect(try await app.admin.get(path).json["credentials"] == [:])
    #expect(
      try await own.get(anew).json["credentials"]["apns"]["token"]
        == report["credentials"]["apns"]["token"])
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
