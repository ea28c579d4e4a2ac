import AppTesting
import DeviceProfile
import Postgres
import Testing

@testable import App
@testable import Registry

/// An installation that a backend or an import made becomes the app's by a proof: whoever has the
/// client key, which ships inside the app, may know its name too.
@Suite struct ClaimTests {
  private typealias Case = RegistrationCase

  /// What is stored, what an app reports, and whether that proves it to be on the device.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var stored = RegistrationCase.device { $0.secretHash = nil }
    var report = RegistrationCase.tokens(apns: "a1")
    /// The first byte of the code's hash that the report brings, and of the one that was made.
    var offered: UInt8?
    var made: UInt8?
    /// Seconds from the making of the installation to that of the code, and to the report.
    var madeAfter: Int64 = 60
    var after: Int64 = 120
    let isProven: Bool

    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "its token", isProven: true),
    Row(name: "its VoIP token", report: Case.tokens(voip: "b1"), isProven: true),
    Row(
      name: "one of two tokens, as the other was replaced meanwhile",
      report: Case.tokens(apns: "a2", voip: "b1"), isProven: true),
    Row(
      name: "a token that is out of use", stored: Case.fedBack(.invalid), isProven: true),
    Row(
      name: "its token of another kind",
      stored: Case.device {
        $0.secretHash = nil
        $0.credentials = ByPlace()
        $0.credentials[CredentialPlace(.liveActivities, ["A7C1"])] = .active(
          Case.key("c1").token, in: .production, at: Case.start)
      },
      report: #"{"credentials": {"live_activities": {"A7C1": \#(Case.json("c1"))}}}"#,
      isProven: true),
    Row(name: "another token", report: Case.tokens(apns: "a2"), isProven: false),
    Row(name: "the token of the other kind", report: Case.tokens(apns: "b1"), isProven: false),
    Row(name: "its name alone", report: #"{"locale": "fr"}"#, isProven: false),
    Row(name: "no token", report: Case.tokens(apns: "null"), isProven: false),
    Row(
      name: "its environment",
      report: #"{"environment": "production", "credentials": "#
        + #"{"apns": \#(Case.json("a1"))}}"#, isProven: true),
    Row(
      name: "the other environment",
      report: #"{"environment": "sandbox", "credentials": "#
        + #"{"apns": \#(Case.json("a1")), "voip": null}}"#, isProven: false),
    Row(
      name: "a token for one that has none", stored: Case.device { $0.credentials = .init() },
      isProven: false),
    Row(
      name: "nothing for one that has nothing", stored: Case.device { $0.credentials = .init() },
      report: "{}", isProven: false),
    Row(name: "the code", report: "{}", offered: 7, made: 7, isProven: true),
    Row(
      name: "the code of one without a token", stored: Case.device { $0.credentials = .init() },
      offered: 7, made: 7, isProven: true),
    Row(name: "another code", report: "{}", offered: 8, made: 7, isProven: false),
    Row(name: "no code", report: "{}", made: 7, isProven: false),
    Row(name: "a code that no one made", report: "{}", offered: 7, isProven: false),
    Row(
      name: "the code within the day", report: "{}", offered: 7, made: 7, after: 60 + 86_399,
      isProven: true),
    Row(
      name: "the code after the day", report: "{}", offered: 7, made: 7, after: 60 + 86_400,
      isProven: false),
    Row(
      name: "the code of an earlier one of this name", report: "{}", offered: 7, made: 7,
      madeAfter: -1, isProven: false),
  ]

  @Test(arguments: rows)
  func aClaimNeedsAProof(row: Row) throws {
    let claim = InstallationClaim(
      offeredHash: row.offered.map { [$0] },
      code: row.made.map { ClaimCode(hash: [$0], madeAt: Case.time(row.madeAfter)) })
    let isProven = claim.isProven(
      of: row.stored, by: try Case.parse(row.report), at: Case.time(row.after))
    #expect(isProven == row.isProven)
  }

  // MARK: Over HTTP

  private static let secret = "made-by-the-app-and-kept-in-its-keychain"

  @Test(arguments: Transport.allCases)
  func theNameAloneIsNoClaim(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    var imported = Sample.report()
    imported["user"] = ["id": "u42"]
    #expect(try await app.admin.put(path, imported).status == 201)
    var thief = app.client
    for secret in [nil, Self.secret] {
      thief.secret = secret
      for reply in [
        try await thief.put(path, ["locale": "fr_FR"]),
        try await thief.patch(path, ["user": .null]),
        try await thief.put(path, Sample.report()),
        try await thief.get(path),
        try await thief.delete("\(path)/credentials/apns"),
        try await thief.delete(path),
      ] {
        #expect(reply.status == 403)
        #expect(reply.problem == "installation_claim_needed")
        #expect(!reply.text.contains("u42"))
      }
    }
    let stored = try await app.admin.get(path)
    #expect(stored.json["user"]["id"] == "u42")
    #expect(stored.json["credentials"]["apns"]["token"] == imported["credentials"]["apns"]["token"])
  }

  @Test(arguments: Transport.allCases)
  func theTokenIsAClaim(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    for hasOwnSecret in [true, false] {
      let path = app.installation(Sample.id())
      let report = Sample.report()
      let imported = try await app.admin.put(path, report)
      #expect(imported.json["installation_secret"] == .absent)
      var own = app.client
      if hasOwnSecret { own.secret = Self.secret }
      let claimed = try await own.put(path, report)
      #expect(claimed.status == 200)
      let given = try #require(claimed.json["installation_secret"].string)
      #expect(!hasOwnSecret || given == Self.secret)
      // From now on the token is no proof any more, and the secret is.
      #expect(try await app.client.put(path, report).problem == "installation_secret_missing")
      own.secret = given
      #expect(try await own.put(path, ["locale": "fr_FR"]).status == 200)
    }
  }

  /// A record of another registry, as it comes in: the app brings the same token.
  @Test(arguments: Transport.allCases)
  func anImportedInstallationIsClaimedByItsToken(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (id, token) = (Sample.id(), Sample.token())
    var record = Sample.report(token)
    record["installation_id"] = .string(id)
    record["created_at"] = "2025-01-01T00:00:00Z"
    let path = app.installation(id)
    #expect(try await app.admin.post("\(app.path)/installations/import", record).status == 200)
    var own = app.client
    own.secret = Self.secret
    #expect(
      try await own.put(path, Sample.report()).problem == "installation_claim_needed")
    #expect(try await own.put(path, Sample.report(token)).status == 200)
    #expect(try await own.get(path).status == 200)
  }

  @Test(arguments: Transport.allCases)
  func aCodeIsAClaimOnce(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    #expect(try await app.sender.put(path, Sample.report()).status == 201)
    let made = try await app.sender.post("\(path)/claim-code")
    #expect(made.status == 201)
    #expect(made["cache-control"] == "no-store")
    let code = try #require(made.json["claim_code"].string)
    #expect(code.count == 32)
    #expect(!(app.service.log.text.contains(code)))
    let plain = try await app.service.database.value(
      "SELECT count(*) FROM claim_code WHERE hash = convert_to('\(code)', 'UTF8')")
    #expect(plain == "0")

    var own = app.client
    own.secret = Self.secret
    for wrong in ["", "x", code + "x"] {
      #expect(try await own.claim(path, wrong).problem == "installation_claim_needed")
    }
    // A later one takes its place.
    let later = try #require(
      try await app.admin.post("\(path)/claim-code").json["claim_code"].string)
    #expect(try await own.claim(path, code).problem == "installation_claim_needed")
    let claimed = try await own.claim(path, later)
    #expect(claimed.status == 200)
    #expect(claimed.json["installation_secret"] == .string(Self.secret))
    // The answer was lost: the secret is enough.
    #expect(try await own.claim(path, later).status == 200)

    var thief = app.client
    thief.secret = "made-by-the-thief-for-all-that-he-makes"
    #expect(try await thief.claim(path, later).problem == "installation_secret_wrong")
    let more = try await app.sender.post("\(path)/claim-code")
    #expect(more.status == 409)
    #expect(more.problem == "installation_claimed")
  }

  /// The clock is behind the creation, as after a failover to another machine.
  @Test func aCodeIsOfItsInstallationWhateverTheClockSays() async throws {
    let app = try await TestApp.make(.socket)
    let id = Sample.id()
    #expect(try await app.sender.put(app.installation(id), Sample.report()).status == 201)
    try await app.service.database.query(
      """
      UPDATE installation SET created_at = created_at + interval '2 s'
      WHERE installation_id = '\(id)'
      """)
    let made = try await app.sender.post("\(app.installation(id))/claim-code")
    var own = app.client
    own.secret = Self.secret
    let code = try #require(made.json["claim_code"].string)
    #expect(try await own.claim(app.installation(id), code).status == 200)
  }

  @Test(arguments: Transport.allCases)
  func aCodeIsForItsInstallation(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (mine, yours) = (app.installation(Sample.id()), app.installation(Sample.id()))
    for path in [mine, yours] { _ = try await app.sender.put(path, Sample.report()) }
    let code = try #require(
      try await app.sender.post("\(mine)/claim-code").json["claim_code"].string)
    var own = app.client
    own.secret = Self.secret
    #expect(try await own.claim(yours, code).problem == "installation_claim_needed")
    let nowhere = app.installation(Sample.id())
    #expect(
      try await app.sender.post("\(nowhere)/claim-code").problem == "installation_not_found")
    #expect(try await own.post("\(mine)/claim-code").problem == "key_kind_forbidden")
    // Made anew under the same name, it is another one.
    #expect(try await app.sender.delete(mine).status == 204)
    #expect(try await app.sender.put(mine, Sample.report()).status == 201)
    #expect(try await own.claim(mine, code).problem == "installation_claim_needed")
  }

  @Test(arguments: Transport.allCases)
  func aCodeIsErasedWithItsPerson(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let path = app.installation(Sample.id())
    var report = Sample.report()
    report["user"] = ["id": "u42"]
    _ = try await app.sender.put(path, report)
    #expect(try await app.sender.post("\(path)/claim-code").status == 201)
    #expect(try await app.admin.delete("\(app.path)/users/u42").status == 200)
    let left = try await app.service.database.value(
      "SELECT count(*) FROM claim_code JOIN app ON id = app_id WHERE slug = '\(app.slug)'")
    #expect(left == "0")
  }

  @Test func aCodeEndsAfterADayAndIsForgotten() async throws {
    let start = Timestamp(microseconds: 1_777_000_000_000_000)
    let clock = DemoClock()
    clock.set(start)
    let service = try await TestService.start(clock: { clock.now })
    let app = try await service.app(.inProcess)
    let path = app.installation(Sample.id())
    _ = try await app.sender.put(path, Sample.report())
    let made = try await app.sender.post("\(path)/claim-code")
    #expect(made.json["expires_at"].string == "2026-04-25T03:06:40.000Z")
    let code = try #require(made.json["claim_code"].string)
    clock.set(Timestamp(microseconds: start.microseconds + 86_400_000_000))
    var own = app.client
    own.secret = Self.secret
    #expect(try await own.claim(path, code).problem == "installation_claim_needed")
    clock.set(Timestamp(microseconds: start.microseconds + 86_401_000_000))
    _ = try await service.maintain()
    #expect(try await service.database.value("SELECT count(*) FROM claim_code") == "0")
    await service.stop()
  }
}

extension Client {
  /// Reports with a claim code.
  fileprivate func claim(_ path: String, _ code: String) async throws -> Reply {
    try await send(
      "PUT", path, json: ["locale": "fr_FR"], fields: [("Postilion-Claim-Code", code)])
  }

  /// `POST` without a body.
  fileprivate func post(_ path: String) async throws -> Reply { try await send("POST", path) }
}
