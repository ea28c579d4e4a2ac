import AppTesting
import DeviceProfile
import EventLoop
import Foundation
import Postgres
import Testing

@testable import App
@testable import Registry

/// Where tokens went and why, as an admin reads it.
@Suite struct HistoryTests {
  /// An event in short, with the names of a story for ids and tokens.
  private func told(_ items: [JSON], _ names: [String: String]) -> [String] {
    items.map { item in
      let fields = [
        "event", "token", "installation_id", "from_installation_id", "source", "reason",
      ]
      return fields.compactMap { item[$0].string }.map { names[$0] ?? $0 }.joined(separator: " ")
    }
  }

  /// Feedback arrives: what APNs said of the token of an installation.
  private func hear(
    _ status: CredentialStatus, _ reason: String, of id: String, in app: TestApp
  ) async throws {
    let service = app.service.service
    let slug = try #require(AppSlug(app.slug))
    let appID = try #require(service.shared.directory.snapshot.apps[slug]?.id)
    let installation = try #require(InstallationID(id))
    let context = service.contexts[0]
    let now = Timestamp(microseconds: Monotonic.wallClockMicroseconds()).wholeMilliseconds
    let failure = await context.loop.run { () -> (any Error)? in
      do {
        try await context.registrar.revise(
          appID: appID, id: installation, at: now, .init(.feedback)
        ) {
          stored in
          guard let stored else { return .keep }
          return .write(
            stored.revised(at: now) { next in
              next.credentials[.apns]?.status = status
              next.credentials[.apns]?.reason = reason
              next.credentials[.apns]?.invalidatedAt = now
            })
        }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// The life of a device, and of the one that had its token for a while.
  @Test(arguments: Transport.allCases)
  func aLifeIsToldFromItsBeginningToItsEnd(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (phone, tablet) = (Sample.id(), Sample.id())
    let (first, second) = (Sample.token(), Sample.token())
    var client = app.client
    let created = try await client.put(app.installation(phone), Sample.report(first))
    client.secret = created.json["installation_secret"].string
    func bring(_ token: String) async throws {
      #expect(try await client.put(app.installation(phone), Sample.report(token)).status == 200)
    }
    try await bring(second)
    _ = try await app.admin.put(app.installation(tablet), Sample.report(second))
    try await bring(second)
    try await hear(.quarantined, "BadDeviceToken", of: phone, in: app)
    try await bring(second)
    try await hear(.invalid, "Unregistered", of: phone, in: app)
    try await bring(second)
    try await bring(second)
    #expect(try await client.delete("\(app.installation(phone))/credentials/apns").status == 204)
    try await bring(second)
    #expect(try await client.delete(app.installation(phone)).status == 204)

    let names = [phone: "phone", tablet: "tablet", first: "first", second: "second"]
    let life = [
      "registered first phone app",
      "replaced first phone app", "rotated second phone app",
      "moved second tablet phone backend", "moved second phone tablet app continued",
      "quarantined second phone feedback BadDeviceToken", "revived second phone app",
      "invalidated second phone feedback Unregistered", "revived second phone app",
      "removed second phone app credential_deleted", "registered second phone app",
      "removed second phone app installation_deleted",
    ]
    let histories: [(String, [String])] = [
      ("installations/\(phone.uppercased())", life),
      ("installations/\(tablet)", life.filter { $0.contains("tablet") }),
      ("tokens/\(first)", Array(life.prefix(2))),
      ("tokens/\(second.uppercased())", Array(life.dropFirst(2))),
      ("tokens/%3C\(second.prefix(8))%20\(second.dropFirst(8))%3E", Array(life.dropFirst(2))),
    ]
    for (path, expected) in histories {
      let list = "\(app.path)/\(path)/history"
      let lines = try await app.admin.send(
        "GET", list, fields: [("Accept", "application/x-ndjson")])
      let streamed = lines.text.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) }
      #expect(told(streamed, names) == expected.reversed(), "\(path)")
      let table = try await app.admin.send("GET", list, fields: [("Accept", "text/csv")])
      #expect(
        CSVTable.parse(table.body).map { $0[1] } == ["event"] + streamed.map { $0["event"].string })
      for limit in [1, 5, 1000] {
        let items = try await app.admin.items("\(list)?limit=\(limit)")
        #expect(told(items, names) == expected.reversed(), "\(path)")
        for item in items {
          #expect(item["kind"] == "apns" && item["environment"] == "production")
          #expect(item.names.count == 9 && item["at"].string?.hasSuffix("Z") == true)
        }
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func bothKindsAndEnvironmentsAreTold(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let id = Sample.id()
    let (apns, voip) = (Sample.token(), Sample.token())
    var report = Sample.report(apns)
    report["credentials"]["voip"] = ["token": .string(voip)]
    _ = try await app.admin.put(app.installation(id), report)
    let names = [id: "phone", apns: "apns", voip: "voip"]
    let list = "\(app.installation(id))/history?"
    #expect(
      told(try await app.admin.items(list), names).sorted() == [
        "registered apns phone backend", "registered voip phone backend",
      ])
    report["environment"] = "sandbox"
    _ = try await app.admin.put(app.installation(id), report)
    let newest = try await app.admin.items(list).prefix(4)
    #expect(
      told(Array(newest), names).sorted() == [
        "registered apns phone backend", "registered voip phone backend",
        "removed apns phone backend environment_changed",
        "removed voip phone backend environment_changed",
      ])
    let history = try await app.admin.items("\(app.path)/tokens/\(voip)/history?")
    #expect(history.map { $0["environment"] } == ["sandbox", "production", "production"])
    #expect(history.allSatisfy { $0["kind"] == "voip" })
  }

  @Test(arguments: Transport.allCases)
  func whatNeverWasHasNoHistory(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let unknown = try await app.admin.get("\(app.installation(Sample.id()))/history")
    #expect(unknown.problem == "installation_not_found")
    let token = try await app.admin.get("\(app.path)/tokens/\(Sample.token())/history")
    #expect(token.problem == "token_not_found")
    let stream = try await app.admin.send(
      "GET", "\(app.path)/tokens/\(Sample.token())/history", fields: [("Accept", "text/csv")])
    #expect(stream.problem == "token_not_found")
    let faults = [
      "740f470": "token_odd_length", "740f4707": "token_too_short", "xyz": "token_not_hex",
      "%7Blength%20=%2032,%20bytes%20=%200x740f%7D": "token_description",
    ]
    for (spelling, code) in faults {
      let reply = try await app.admin.get("\(app.path)/tokens/\(spelling)/history")
      #expect(reply.problem == "invalid_input")
      #expect(reply.faults == ["token \(code)"])
    }
    let notAnID = try await app.admin.get("\(app.installation("x"))/history")
    #expect(notAnID.faults == ["installation_id invalid_uuid"])
    for query in ["limit=0", "cursor=x", "kind=apns"] {
      let reply = try await app.admin.get("\(app.installation(Sample.id()))/history?\(query)")
      #expect(reply.problem == "invalid_input")
    }
  }

  /// What is there and has nothing to tell is not what is not there.
  @Test(arguments: Transport.allCases)
  func whatIsOlderThanItsHistoryIsStillThere(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (id, token) = (Sample.id(), Sample.token())
    _ = try await app.admin.put(app.installation(id), Sample.report(token))
    try await app.service.database.query(
      "DELETE FROM token_history WHERE installation_id = '\(id)'")
    for path in ["installations/\(id)", "tokens/\(token)"] {
      let reply = try await app.admin.get("\(app.path)/\(path)/history")
      #expect(reply.status == 200)
      #expect(reply.json == ["items": [], "next_cursor": .null])
    }
  }

  @Test(arguments: [
    (
      Query.listInstallationHistory(
        installation: InstallationKey(appID: 1, id: InstallationID(UUID())), before: 9, limit: 8
      ).sql,
      "int4, uuid, int8, int8, int4, uuid, int8, int8, int8",
      "1, gen_random_uuid(), 9, 9, 1, gen_random_uuid(), 9, 9, 9", 2
    ),
    (
      Query.listTokenHistory(
        appID: 1, token: DeviceToken(bytes: Array(repeating: 0, count: 32))!, before: 9, limit: 8
      ).sql,
      "int4, bytea, int8, int8", "1, '\\x00', 9, 9", 1
    ),
  ])
  func everyPartIsReadByItsIndex(
    sql: String, types: String, values: String, parts: Int
  ) async throws {
    let plan = try await ScratchCluster.database().query(
      """
      SET enable_seqscan = off;
      SET enable_bitmapscan = off;
      PREPARE history (\(types)) AS \(sql);
      EXPLAIN EXECUTE history (\(values))
      """
    ).compactMap { $0[0] }
    #expect(plan.count { $0.contains("Index Scan") } == parts, "\(plan)")
    // Its order comes from the index: as much is read as is shown.
    #expect(plan.count { $0.contains("Index Cond") && $0.contains("id < ") } == parts, "\(plan)")
    #expect(!plan.contains { $0.contains("Sort  (") }, "\(plan)")
  }
}
