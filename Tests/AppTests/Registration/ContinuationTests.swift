import AppTesting
import DeviceProfile
import Testing

@testable import App
@testable import Registry

/// Whoever was moved in stays who they are: the app's first report goes on with what an import or
/// the backend made, whatever name the app has for itself.
@Suite struct ContinuationTests {
  private typealias Case = RegistrationCase

  /// What is left behind has no person; with another token it keeps them, as calls may come to it.
  @Test func aPersonIsWhereTheirTokensAre() throws {
    func left(_ imported: Installation) throws -> Installation {
      let decision = try Registration.decide(
        .init(
          appID: 1, id: Case.own, owners: [Case.key("a1"): TokenOwner(id: Case.other)],
          holders: [Case.other: imported], now: Case.time(60)),
        try Case.parse(
          """
          {"platform": "ios", "environment": "production",
           "credentials": {"apns": \(Case.json("a1"))}}
          """))
      let loss = decision.loss(of: imported)
      #expect(loss.events.isEmpty && loss.ledgerEntries.isEmpty)
      return try #require(loss.after)
    }
    let bare = try left(Case.imported)
    #expect(bare.tokenKeys.isEmpty && bare.userID == nil && bare.languageOverride == nil)
    #expect(bare.tags.isEmpty && bare.attributes == nil && bare.languages == ["fr-CA"])
    var calls = Case.imported
    calls.credentials[.voip] = Case.device.credentials[.voip]
    #expect(try left(calls).userID == "u42")
    var claimed = Case.imported
    claimed.secretHash = [1]
    #expect(try left(claimed).userID == "u42")
  }

  @Test(arguments: Transport.allCases, [true, false])
  func aMessageReachesWhoWasMovedIn(transport: Transport, isImported: Bool) async throws {
    // Users have to be proven; the token is proof enough.
    let app = try await TestApp.make(
      transport, settings: ["identity_verification": "required"])
    let (old, new, token) = (Sample.id(), Sample.id(), Sample.token())
    var record = Sample.report(token)
    record["user"] = ["id": "ada"]
    record["tags"] = ["vip"]
    record["attributes"] = ["plan": "pro"]
    record["languages"] = ["fr-CA"]
    if isImported {
      record["installation_id"] = .string(old)
      let reply = try await app.admin.post("\(app.path)/installations/import", record)
      #expect(reply.json["accepted"] == 1)
    } else {
      #expect(try await app.sender.put(app.installation(old), record).status == 201)
    }
    _ = try await app.sender.put("\(app.path)/users/ada/language", ["language": "it"])
    let start = try await app.sender.get("\(app.path)/changes?after=now").json["next_cursor"]

    let first = try await app.client.put(app.installation(new), Sample.report(token))
    #expect(first.status == 201)
    for (name, value) in [
      ("user", ["id": "ada"]), ("tags", ["vip"]), ("attributes", ["plan": "pro"]),
      ("languages", ["fr-CA"]), ("language_override", "it"),
    ] as [(String, JSON)] {
      #expect(first.json[name] == value, "\(name)")
    }
    let left = try await app.admin.get(app.installation(old)).json
    #expect(left["user"] == .null && left["credentials"] == [:] && left["tags"] == [])

    let rendered = try await app.sender.post(
      "\(app.path)/render", ["message": ["alert": "Hi"], "to": ["user": "ada"]])
    let lines = rendered.text.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) }
    #expect(lines.compactMap { $0["token"].string } == [token], "\(rendered.text)")

    let history = try await app.admin.get("\(app.installation(new))/history").json["items"][0]
    var change = JSON.absent
    try await eventually {
      let path = "\(app.path)/changes?after=\(start.string ?? "")"
      // That of before may be told behind the start, while other transactions are under way.
      let changes = try await app.sender.get(path).json["items"].elements
      change = changes.first { $0["event"] == "moved" } ?? .absent
      return change != .absent
    }
    for told in [history, change] {
      #expect(told["event"] == "moved" && told["reason"] == "continued")
      #expect(told["installation_id"] == .string(new))
      #expect(told["from_installation_id"] == .string(old))
    }

    // From now on it is the app's: another name for the token begins anew.
    let again = try await app.client.put(app.installation(Sample.id()), Sample.report(token))
    #expect(again.status == 201 && again.json["user"] == .null)
  }
}
