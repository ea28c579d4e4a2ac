import AppTesting
import Testing

/// Senders tell what APNs answered, and the registry follows.
@Suite struct FeedbackTests {
  private static let shared = Task { try await FeedbackService() }

  private func make(_ transport: Transport) async throws -> (TestApp, ManualClock) {
    let shared = try await Self.shared.value
    return (try await shared.service.app(transport), shared.clock)
  }

  private func milliseconds(_ time: Int64) -> JSON { .number(Double(time)) }

  @Test(arguments: Transport.allCases)
  func aDeadTokenIsInvalidUntilItIsRegisteredAgain(transport: Transport) async throws {
    let (app, _) = try await make(transport)
    let (token, id) = (Sample.token(), Sample.id())
    try await app.register(token, id)
    let reply = try await app.report([result(token.uppercased(), "Unregistered")])
    #expect(reply.status == 200)
    for (name, count) in [
      ("invalidated", 1), ("ignored_newer_registration", 0), ("quarantined", 0),
      ("unknown_token", 0), ("no_action", 0),
    ] {
      #expect(reply.json[name].whole == count, "\(name)")
    }
    let expected: [String: JSON] = [
      "token": .string(token), "environment": "production", "credential": "apns",
      "decision": "invalidated", "detail": .null, "reason": "Unregistered",
    ]
    for (name, value) in expected { #expect(reply.json["results"][0][name] == value, "\(name)") }
    #expect(reply.json["results"][0]["action"].string?.isEmpty == false)

    let credential = try await app.admin.get(app.installation(id)).json["credentials"]["apns"]
    #expect(credential["status"] == "invalid")
    #expect(credential["reason"] == "Unregistered")
    #expect(credential["invalidated_at"].string != nil)
    let again = try await app.decisions([result(token, "Unregistered")])
    #expect(again == ["no_action already_invalid"])
    #expect(try await app.feedbackEvents(of: token) == ["invalidated"])

    try await app.register(token, id)
    #expect(try await app.status(of: token) == "active")
  }

  /// The registration is at 0; the rest is in milliseconds from it.
  @Test(
    arguments: Transport.allCases,
    [
      (["timestamp": -1], "ignored_newer_registration", "active"),
      (["timestamp": 0], "invalidated", "invalid Unregistered"),
      (["timestamp": 1], "invalidated", "invalid Unregistered"),
      (["timestamp": 86_400_000], "invalidated", "invalid Unregistered"),
      (["sent_at": -1], "ignored_newer_registration", "active"),
      (["sent_at": 0], "invalidated", "invalid Unregistered"),
      (["timestamp": 0, "sent_at": -1], "invalidated", "invalid Unregistered"),
      ([:], "invalidated", "invalid Unregistered"),
    ] as [([String: Int64], String, String)])
  func theTimestampIsComparedWithTheRegistration(
    transport: Transport, row: (times: [String: Int64], decision: String, status: String)
  ) async throws {
    let (app, clock) = try await make(transport)
    let token = Sample.token()
    try await app.register(token)
    let registered = clock.milliseconds
    let times = row.times.mapValues { milliseconds(registered + $0) }
    #expect(try await app.decisions([result(token, "Unregistered", times)]) == [row.decision])
    #expect(try await app.status(of: token) == row.status)
  }

  /// Only a registration that was taken is one: neither a stranger nor an old report that comes
  /// late keeps a dead token in use.
  @Test(arguments: Transport.allCases)
  func aReportThatIsNotTakenDoesNotCount(transport: Transport) async throws {
    let shared = try await FeedbackService()
    let (app, clock) = (try await shared.service.app(transport), shared.clock)
    let (token, path) = (Sample.token(), app.installation(Sample.id()))
    var report: JSON = [
      "platform": "ios", "environment": "production",
      "credentials": ["apns": ["token": .string(token)]], "reported_at": "2023-11-14T22:13:20Z",
    ]
    #expect(try await app.client.put(path, report).status == 201)
    clock.advance(1000)
    let noticed = milliseconds(clock.milliseconds)
    clock.advance(1000)
    var stranger = app.client
    stranger.secret = "wrong"
    #expect(try await stranger.put(path, report).status == 403)
    report["reported_at"] = "2023-11-14T22:13:19Z"
    #expect(try await app.admin.put(path, report).json["applied"] == false)
    let items = [result(token, "Unregistered", ["timestamp": noticed])]
    #expect(try await app.decisions(items) == ["invalidated"])
    await shared.service.stop()
  }

  /// A launch that changes nothing writes nothing for a day, and yet counts.
  @Test(arguments: Transport.allCases)
  func anUnchangedLaunchCountsAsARegistration(transport: Transport) async throws {
    let shared = try await FeedbackService()
    let (app, clock) = (try await shared.service.app(transport), shared.clock)
    let (token, id) = (Sample.token(), Sample.id())
    try await app.register(token, id)
    clock.advance(1000)
    let noticed = milliseconds(clock.milliseconds)
    clock.advance(1000)
    try await app.register(token, id)
    let items = [result(token, "Unregistered", ["timestamp": noticed])]
    #expect(try await app.decisions(items) == ["ignored_newer_registration"])
    #expect(try await app.status(of: token) == "active")
    let sent: JSON = "2023-11-14T22:13:21Z"
    #expect(
      try await app.decisions([result(token, "Unregistered", ["sent_at": sent])])
        == ["ignored_newer_registration"])
    await shared.service.stop()
  }

  @Test(arguments: Transport.allCases)
  func theResultsAreInTheirOrder(transport: Transport) async throws {
    let (app, _) = try await make(transport)
    let tokens = (0..<300).map { _ in Sample.token() }
    try await withThrowingTaskGroup { group in
      for token in tokens.prefix(200) { group.addTask { try await app.register(token) } }
      try await group.waitForAll()
    }
    let reply = try await app.report(tokens.map { result($0, "Unregistered") })
    #expect(reply.json["invalidated"] == 200)
    #expect(reply.json["unknown_token"] == 100)
    #expect(reply.json["results"].elements.map { $0["token"].string } == tokens)
    #expect(
      reply.decisions.prefix(200).allSatisfy { $0 == "invalidated" }
        && reply.decisions.suffix(100).allSatisfy { $0 == "unknown_token" })
  }

  @Test(arguments: Transport.allCases)
  func oneTokenTwiceIsDecidedOnInOrder(transport: Transport) async throws {
    let (app, _) = try await make(transport)
    let token = Sample.token()
    try await app.register(token)
    #expect(
      try await app.decisions([
        result(token, "BadDeviceToken"), result(token, "BadDeviceToken"),
        result(token, "Unregistered"), result(token, "Unregistered"),
        result(token, "TooManyRequests"),
      ]) == [
        "quarantined", "no_action already_quarantined", "invalidated",
        "no_action already_invalid", "no_action throttled",
      ])
    #expect(try await app.feedbackEvents(of: token) == ["quarantined", "invalidated"])
  }

  @Test(arguments: Transport.allCases)
  func theEnvironmentAndTheKindMustBeRight(transport: Transport) async throws {
    let (app, _) = try await make(transport)
    let (sandbox, voip) = (Sample.token(), Sample.token())
    try await app.register(sandbox, environment: "sandbox")
    try await app.register(voip, kind: "voip")
    #expect(
      try await app.decisions([
        result(sandbox, "BadDeviceToken"), result(sandbox, "Unregistered"),
        result(voip, "DeviceTokenNotForTopic", ["credential": "apns"]),
        result(Sample.token(), "BadDeviceToken"),
      ]) == [
        "unknown_token environment_mismatch", "unknown_token environment_mismatch",
        "unknown_token credential_mismatch", "unknown_token",
      ])
    #expect(try await app.status(of: sandbox) == "active")
    #expect(try await app.status(of: voip, "voip") == "active")
    // The kind is found when it is not told.
    let reply = try await app.report([result(voip, "Unregistered")])
    #expect(reply.json["results"][0]["credential"] == "voip")
    #expect(try await app.status(of: voip, "voip") == "invalid Unregistered")
  }

  @Test(arguments: Transport.allCases)
  func anotherAppsTokensAreUnknown(transport: Transport) async throws {
    let (app, _) = try await make(transport)
    let (other, _) = try await make(transport)
    let token = Sample.token()
    try await app.register(token)
    for reason in ["Unregistered", "BadDeviceToken"] {
      #expect(try await other.decisions([result(token, reason)]) == ["unknown_token"])
    }
    #expect(try await app.status(of: token) == "active")
  }

  // MARK: gorush

  private func gorush(_ token: String, _ error: JSON, _ fields: [String: JSON] = [:]) -> JSON {
    var body: JSON = [
      "notif_id": "7", "type": "failed-push", "platform": "ios", "token": .string(token),
      "message": "Dinner is ready", "error": error,
    ]
    for (name, value) in fields { body[name] = value }
    return body
  }

  @Test(arguments: Transport.allCases)
  func gorushReportsByItself(transport: Transport) async throws {
    let (app, _) = try await make(transport)
    let (dead, bad, both) = (Sample.token(), Sample.token(), Sample.token())
    try await app.register(dead, environment: "sandbox")
    try await app.register(bad)
    try await app.register(both)
    try await app.register(both, environment: "sandbox")
    let rows: [(body: JSON, decision: String)] = [
      (gorush(dead, "Unregistered"), "invalidated"),
      (gorush(bad, "BadDeviceToken", ["platform": 1, "new": true]), "quarantined"),
      (gorush(both, "BadDeviceToken"), "no_action environment_unknown"),
      (gorush(both, "PayloadTooLarge"), "no_action request_error"),
      (gorush(both, "Post \"https://api.push.apple.com\": EOF"), "no_action unrecognized"),
      (gorush(both, "", ["type": "succeeded-push"]), "no_action success"),
      (gorush("fcm:APA91b", "NotRegistered", ["platform": "android"]), "no_action other_platform"),
      (gorush("fcm:APA91b", "NotRegistered", ["platform": 2]), "no_action other_platform"),
      (gorush(both, "Unregistered"), "invalidated"),
    ]
    for row in rows {
      let reply = try await app.sender.send(
        "POST", "\(app.path)/feedback/gorush", body: Array(row.body.text.utf8),
        fields: [("Content-Type", "application/json; charset=utf-8")])
      #expect(reply.status == 200)
      #expect(reply.decisions == [row.decision])
    }
    #expect(try await app.status(of: dead) == "invalid Unregistered")
    #expect(try await app.status(of: both) == "invalid Unregistered, invalid Unregistered")
  }

  /// One that sends to one environment says so in the hook's address.
  @Test(arguments: Transport.allCases)
  func gorushsHookMayNameTheEnvironment(transport: Transport) async throws {
    let (app, _) = try await make(transport)
    let token = Sample.token()
    try await app.register(token, environment: "sandbox")
    let body = gorush(token, "BadDeviceToken")
    let wrong = try await app.sender.post(
      "\(app.path)/feedback/gorush?environment=production", body)
    #expect(wrong.decisions == ["unknown_token environment_mismatch"])
    let right = try await app.sender.post("\(app.path)/feedback/gorush?environment=sandbox", body)
    #expect(right.decisions == ["quarantined"])
    let none = try await app.sender.post("\(app.path)/feedback/gorush?environment=test", body)
    #expect(none.faults == ["environment unknown_value"])
  }

  @Test(arguments: [true, ["ios"], [:]] as [JSON])
  func gorushsPlatformIsATextOrANumber(platform: JSON) async throws {
    let (app, _) = try await make(.socket)
    let reply = try await app.sender.post(
      "\(app.path)/feedback/gorush", gorush("", "Unregistered", ["platform": platform]))
    #expect(reply.status == 422)
    #expect(reply.faults == ["/platform wrong_type"])
  }

  /// What is not Apple's is left alone, and must be what gorush writes all the same.
  @Test(arguments: ["token", "type", "error"])
  func gorushsOtherPlatformsWriteTexts(member: String) async throws {
    let (app, _) = try await make(.socket)
    let body = gorush("fcm:APA91b", "NotRegistered", ["platform": "android", member: [7]])
    let reply = try await app.sender.post("\(app.path)/feedback/gorush", body)
    #expect(reply.faults == ["/\(member) wrong_type"])
  }

  @Test(arguments: Transport.allCases)
  func gorushThatHidesTokensIsToldHowNotTo(transport: Transport) async throws {
    let (app, _) = try await make(transport)
    let reply = try await app.sender.post(
      "\(app.path)/feedback/gorush", gorush("**********f75e4d2a**********", "Unregistered"))
    #expect(reply.status == 422)
    #expect(reply.faults == ["/token token_not_hex"])
    #expect(reply.json["errors"][0]["detail"].string?.contains("hide_token") == true)
  }

  /// Neither tokens nor the text of messages, whether the report is taken or refused.
  @Test(arguments: Transport.allCases)
  func nothingOfAReportIsLogged(transport: Transport) async throws {
    let shared = try await FeedbackService()
    let app = try await shared.service.app(transport)
    let tokens = (0..<25).map { _ in Sample.token() }
    for token in tokens { try await app.register(token) }
    _ = try await app.report([result(tokens[0], "Unregistered")])
    _ = try await app.report(tokens.map { result($0, "BadDeviceToken") })
    _ = try await app.report([result(tokens[0] + "x", "Unregistered")])
    for error in ["Unregistered", "no such host"] {
      _ = try await app.sender.post(
        "\(app.path)/feedback/gorush", gorush(tokens[1], .string(error)))
    }
    // The database fails over a token: its message goes into the log.
    try await shared.service.database.query("ALTER TABLE feedback_breaker DROP COLUMN refused")
    try await app.register(tokens[1])
    let failed = try await app.sender.post(
      "\(app.path)/feedback/gorush", gorush(tokens[2], "BadDeviceToken"))
    #expect(failed.status == 200, "seen open a moment ago")
    shared.clock.advance(1000)
    #expect(try await app.report([result(tokens[2], "BadDeviceToken")]).status == 503)
    let log = shared.service.log.text
    #expect(log.contains("\"operation\":\"reportFeedback\"") && log.contains("42703"))
    for secret in tokens.map({ String($0.dropFirst(8)) }) + ["Dinner", "no such host"] {
      #expect(!log.contains(secret), "\(secret)")
    }
    await shared.service.stop()
  }

  // MARK: Faults

  /// What is no list of results says nothing.
  @Test(
    arguments: Transport.allCases,
    [
      ([:], "/results missing_field"), (["results": [:]], "/results wrong_type"),
      (["results": .null], "/results wrong_type"),
    ] as [(JSON, String)])
  func aReportWithoutAListIsRefused(
    transport: Transport, row: (body: JSON, fault: String)
  ) async throws {
    let (app, _) = try await make(transport)
    let reply = try await app.sender.post("\(app.path)/feedback", row.body)
    #expect(reply.status == 422)
    #expect(reply.faults == [row.fault])
  }

  /// One line that cannot be read costs no other, whatever is wrong with it.
  @Test(
    arguments: [
      (["timestamp": 1_714_678_361], ["/timestamp timestamp_in_seconds"]),
      (["timestamp": 0], ["/timestamp out_of_range"]),
      (["timestamp": "2026-05-02T19:32:41Z"], ["/timestamp wrong_type"]),
      (["timestamp": 1_714_678_361_000_000], ["/timestamp out_of_range"]),
      (["sent_at": 1_714_678_361], ["/sent_at timestamp_in_seconds"]),
      (["sent_at": "yesterday"], ["/sent_at invalid_timestamp"]),
      (["status": 0, "reason": .null], ["/status out_of_range"]),
      (["status": 99], ["/status out_of_range"]),
      (["status": "410"], ["/status wrong_type"]),
      (["reason": ""], ["/reason too_short"]),
      (["reason": .string(String(repeating: "x", count: 129))], ["/reason too_long"]),
      (["environment": "test"], ["/environment unknown_value"]),
      (["environment": .null], ["/environment wrong_type"]),
      (["credential": "fcm"], ["/credential unknown_value"]),
      (["token": "zz"], ["/token token_not_hex"]),
      (["tokn": "zz"], ["/tokn unknown_field"]),
    ] as [(JSON, [String])])
  func aResultThatCannotBeReadCostsNoOther(row: (wrong: JSON, faults: [String])) async throws {
    let (app, _) = try await make(.inProcess)
    let tokens = [Sample.token(), Sample.token(), Sample.token()]
    for token in tokens { try await app.register(token) }
    var wrong = result(tokens[1], "Unregistered")
    for name in row.wrong.names { wrong[name] = row.wrong[name] }
    let reply = try await app.report([
      result(tokens[0], "Unregistered"), wrong, result(tokens[2], "Unregistered"),
    ])
    #expect(reply.status == 200)
    #expect(reply.json["invalidated"] == 2 && reply.json["rejected"] == 1)
    let results = reply.json["results"].elements
    #expect(results.map { $0["decision"] } == ["invalidated", "rejected", "invalidated"])
    #expect(results.map { $0["errors"] == .absent } == [true, false, true])
    let errors = results[1]["errors"].elements
    #expect(
      errors.map { "\($0["pointer"].string ?? "") \($0["code"].string ?? "")" }
        == row.faults.map { "/results/1\($0)" })
    #expect(results[1]["detail"] == errors[0]["code"])
    #expect(results[1]["token"] == (row.wrong["token"] == .absent ? .string(tokens[1]) : .null))
    #expect(try await app.status(of: tokens[1]) == "active")
  }

  /// What is no object, and what has nothing that is needed, beside a field that is none of ours.
  @Test(arguments: Transport.allCases)
  func whateverIsInTheListHasAResult(transport: Transport) async throws {
    let (app, _) = try await make(transport)
    let token = Sample.token()
    try await app.register(token)
    let reply = try await app.sender.post(
      "\(app.path)/feedback",
      [
        "results": [
          7, [:], .null, "410", [], result("cKx8:APA91bH-_zz", "NotRegistered"),
          result(token, "Unregistered"),
        ], "sender": "a",
      ])
    #expect(reply.json["rejected"] == 6 && reply.json["invalidated"] == 1)
    #expect(reply.decisions.last == "invalidated")
    #expect(
      reply.json["results"][1]["errors"].elements.map { $0["pointer"].string } == [
        "/results/1/token", "/results/1/environment", "/results/1/status",
      ])
    #expect(reply.json["results"][0]["errors"][0]["code"] == "wrong_type")
    #expect(try await app.status(of: token) == "invalid Unregistered")
  }

  @Test(arguments: Transport.allCases)
  func aThousandResultsAreTheMost(transport: Transport) async throws {
    let (app, _) = try await make(transport)
    let item: JSON = ["token": .string(Sample.token()), "environment": "sandbox", "status": 200]
    let most = try await app.report(Array(repeating: item, count: 1000))
    #expect(most.json["no_action"] == 1000)
    let more = try await app.report(Array(repeating: item, count: 1001))
    #expect(more.faults == ["/results too_many"])
    let none = try await app.report([])
    #expect(none.status == 200 && none.json["results"] == [])
  }
}
