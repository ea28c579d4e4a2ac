import AppTesting
import Testing

/// The tokens of all kinds beside those for alerts and calls, from report to feedback.
@Suite struct OtherCredentialsTests {
  /// A token of each kind, and how an answer shows it.
  static func all(_ token: () -> String = Sample.token) -> JSON {
    func credential(_ more: [String: JSON] = [:]) -> JSON {
      var object: JSON = ["token": .string(token())]
      for (name, value) in more { object[name] = value }
      return object
    }
    return [
      "apns": credential(), "voip": credential(),
      "widgets": credential(["widgets": [["kind": "Orders", "family": "systemSmall"]]]),
      "location": credential(), "push_to_talk": credential(["joined": true]),
      "file_provider": credential(), "complication": credential(),
      "nowplaying_start": credential(),
      "live_activity_start": ["Delivery": credential(), "Ride": credential()],
      "live_activities": ["A7C1": credential(["type": "Delivery"])],
      "controls": ["Lights": ["porch": credential(), "hall": credential()]],
      "nowplaying": ["S1": credential()],
    ]
  }

  static func report(_ credentials: JSON, _ more: [String: JSON] = [:]) -> JSON {
    var report = Sample.report()
    report["credentials"] = credentials
    for (name, value) in more { report[name] = value }
    return report
  }

  /// What a report says of the tokens, without what the answer adds.
  private func shown(_ credentials: JSON) -> JSON {
    guard case .object(let members) = credentials else { return credentials }
    let own = members.filter {
      !["status", "registered_at", "invalidated_at", "reason", "environment"].contains($0.key)
    }
    return .object(own.mapValues(shown))
  }

  @Test(arguments: Transport.allCases)
  func whatIsReportedIsShown(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (id, credentials) = (Sample.id(), Self.all())
    let made = try await app.client.put(
      app.installation(id), Self.report(credentials, ["environment": "sandbox"]))
    #expect(made.status == 201 && made.ignored == [], "\(made.text)")
    let stored = try await app.admin.get(app.installation(id)).json["credentials"]
    #expect(shown(stored) == credentials)
    #expect(stored["controls"]["Lights"]["porch"]["status"] == "active")
    #expect(stored["widgets"]["environment"] == "sandbox")
    // Those for now playing are production's in a build for development, too.
    #expect(stored["nowplaying_start"]["environment"] == "production")
    #expect(stored["nowplaying"]["S1"]["environment"] == "production")
  }

  /// Two spellings of é are two names, as they are for an app that compares bytes.
  @Test(arguments: [
    ("live_activities", "NAME"), ("live_activity_start", "NAME"), ("nowplaying", "NAME"),
    ("controls", "Lights"), ("controls", "NAME"),
  ])
  func spellingsAreDifferentNames(kind: String, handler: String) async throws {
    let app = try await TestApp.make(.socket)
    let names = ["caf\u{E9}", "cafe\u{301}"]
    let tokens = names.map { _ in Sample.token() }
    let members = zip(names, tokens).map { name, token -> String in
      let credential = "{\"token\":\"\(token)\"}"
      if kind == "controls", handler == "NAME" { return "\"\(name)\":{\"porch\":\(credential)}" }
      return "\"\(name)\":\(credential)"
    }.joined(separator: ",")
    let inner =
      kind == "controls" && handler != "NAME" ? "{\"\(handler)\":{\(members)}}" : "{\(members)}"
    let body = """
      {"platform":"ios","environment":"production","credentials":{"\(kind)":\(inner)}}
      """
    let id = Sample.id()
    let made = try await app.client.send(
      "PUT", app.installation(id), body: Array(body.utf8),
      fields: [("Content-Type", "application/json")])
    #expect(made.status == 201 && made.ignored == [], "\(made.text)")
    let stored = try await app.admin.get(app.installation(id))
    for (name, token) in zip(names, tokens) {
      #expect(stored.body.contains(Array("\"\(name)\":".utf8)), "\(stored.text)")
      #expect(stored.body.contains(Array(token.utf8)), "\(stored.text)")
    }
    // Each leads to its own token.
    guard kind == "live_activities" else { return }
    for (name, token) in zip(names, tokens) {
      let rendered = try await app.sender.post(
        "\(app.path)/render",
        [
          "message": [
            "live_activity": ["event": "update", "activity": .string(name), "content_state": [:]]
          ],
          "to": ["installation": .string(id)],
        ])
      #expect(rendered.json["token"].string == token, "\(rendered.text)")
    }
  }

  /// What a second report says, and which tokens are there afterwards: their kinds and names.
  @Test(
    arguments: [
      ([:], nil),
      (["widgets": .null], ["widgets"]),
      (["live_activities": ["A7C1": .null]], ["live_activities A7C1"]),
      (["live_activity_start": ["Ride": .null]], ["live_activity_start Ride"]),
      (
        ["live_activity_start": .null],
        ["live_activity_start Delivery", "live_activity_start Ride"]
      ),
      // The callback of a handler names all of its controls, and no other handler's.
      (["controls": ["Lights": ["porch": ["token": "KEPT"]]]], ["controls Lights hall"]),
      (["controls": ["Blinds": [:]]], []),
      (["controls": ["Lights": .null]], ["controls Lights hall", "controls Lights porch"]),
    ] as [(JSON, [String]?)])
  func whatIsLeftOutStays(change: JSON, gone: [String]?) async throws {
    let app = try await TestApp.make(.inProcess)
    let (id, credentials) = (Sample.id(), Self.all())
    try await app.require(201, Self.report(credentials), id)
    let kept = credentials["controls"]["Lights"]["porch"]["token"]
    var change = change
    if change["controls"]["Lights"]["porch"] != .absent, change["controls"]["Lights"] != .null {
      change["controls"] = ["Lights": ["porch": ["token": kept]]]
    }
    try await app.require(200, ["credentials": change], id, patches: true)
    let before = Set(app.names(credentials))
    let after = Set(app.names(try await app.admin.get(app.installation(id)).json["credentials"]))
    #expect(before.subtracting(after) == Set(gone ?? []))
    #expect(after.isSubset(of: before))
    // The ledger has the same tokens, and the history says that the others went.
    let owned = try await app.service.database.value(
      """
      SELECT count(*) FROM token_owner JOIN app ON app.id = app_id
      WHERE slug = '\(app.slug)' AND installation_id IS NOT NULL
      """)
    #expect(owned == "\(after.count)")
    let removed = try await app.service.database.value(
      """
      SELECT count(*) FROM token_history JOIN app ON app.id = app_id
      WHERE slug = '\(app.slug)' AND event = 'removed'
      """)
    #expect(removed == "\(before.count - after.count)")
  }

  /// A wrong credential is told at its place, and nothing is stored.
  @Test(
    arguments: [
      (["widgets": ["token": "xyz"]], ["/credentials/widgets/token token_not_hex"]),
      (["widgets": [:]], ["/credentials/widgets/token missing_field"]),
      (
        ["widgets": ["token": "00", "widgets": [["kind": "a\u{0}"]]]],
        ["/credentials/widgets/widgets contains_nul", "/credentials/widgets/token token_too_short"]
      ),
      (
        ["widgets": ["token": "00", "widgets": [["a\u{0}": [1]]]]],
        ["/credentials/widgets/widgets contains_nul", "/credentials/widgets/token token_too_short"]
      ),
      (
        ["live_activities": ["A": ["token": "00"]]],
        ["/credentials/live_activities/A/token token_too_short"]
      ),
      (["live_activities": ["token": "00"]], ["/credentials/live_activities/token wrong_type"]),
      (
        ["controls": ["Lights": ["token": "00"]]],
        ["/credentials/controls/Lights/token wrong_type"]
      ),
      (
        ["controls": ["Lights": ["": ["token": "00"]]]],
        [
          "/credentials/controls/Lights/ too_short",
          "/credentials/controls/Lights//token token_too_short",
        ]
      ),
      (
        ["push_to_talk": ["token": "00", "joined": 1]],
        [
          "/credentials/push_to_talk/joined wrong_type",
          "/credentials/push_to_talk/token token_too_short",
        ]
      ),
    ] as [(JSON, [String])])
  func aWrongCredentialIsRefused(credentials: JSON, faults: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let id = Sample.id()
    let reply = try await app.client.put(app.installation(id), Self.report(credentials))
    #expect(reply.status == 422 && reply.faults == faults, "\(reply.text)")
    #expect(try await app.admin.get(app.installation(id)).status == 404)
  }

  /// Each kind has its own tokens: what APNs says of one says nothing about another.
  @Test(arguments: Transport.allCases)
  func feedbackTouchesNoOtherKind(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let (id, credentials) = (Sample.id(), Self.all())
    try await app.require(201, Self.report(credentials), id)
    for place in app.names(credentials) {
      let stored = try await app.admin.get(app.installation(id)).json["credentials"]
      let token = app.credential(place, in: stored)["token"]
      let kind = String(place.prefix { $0 != " " })
      let environment: JSON = "production"
      let other = kind == "apns" ? "voip" : "apns"
      let wrong: JSON = [
        "token": token, "environment": environment, "credential": .string(other), "status": 410,
      ]
      #expect(try await app.decisions([wrong]) == ["unknown_token credential_mismatch"])
      let right: JSON = ["token": token, "environment": environment, "status": 410]
      // APNs answers so for a while when a location was asked for too often.
      let isTemporary = kind == "location"
      #expect(try await app.decisions([right]) == [isTemporary ? "quarantined" : "invalidated"])
      let after = try await app.admin.get(app.installation(id)).json["credentials"]
      for name in app.names(credentials) {
        let (then, now) = (app.credential(name, in: stored), app.credential(name, in: after))
        let status: JSON = isTemporary ? "quarantined" : "invalid"
        #expect(name == place ? now["status"] == status : now == then, "\(place): \(name)")
      }
    }
    // The app brings them again, and they are in use.
    try await app.require(200, Self.report(credentials), id)
    let revived = try await app.admin.get(app.installation(id)).json["credentials"]
    for name in app.names(credentials) {
      #expect(app.credential(name, in: revived)["status"] == "active", "\(name)")
    }
  }

  /// A mix-up in the app, by which two kinds have the same bytes: the sender says which it means.
  @Test func aTokenOfTwoKindsNeedsTheKind() async throws {
    let app = try await TestApp.make(.inProcess)
    let (id, token) = (Sample.id(), JSON.string(Sample.token()))
    try await app.require(
      201, Self.report(["apns": ["token": token], "complication": ["token": token]]), id)
    let answer: JSON = [
      "token": token, "environment": "production", "status": 400,
      "reason": "DeviceTokenNotForTopic",
    ]
    #expect(try await app.decisions([answer]) == ["no_action credential_unknown"])
    var named = answer
    named["credential"] = "complication"
    #expect(try await app.decisions([named]) == ["invalidated wrong_topic"])
    let stored = try await app.admin.get(app.installation(id)).json["credentials"]
    #expect(stored["apns"]["status"] == "active")
    #expect(stored["complication"]["status"] == "invalid")
  }

  /// Only a 410 may be temporary: a location token of another topic is out of use.
  @Test func aLocationTokenOfAnotherTopicIsInvalid() async throws {
    let app = try await TestApp.make(.inProcess)
    let token = JSON.string(Sample.token())
    try await app.require(201, Self.report(["location": ["token": token]]), Sample.id())
    let answer: JSON = [
      "token": token, "environment": "production", "status": 400,
      "reason": "DeviceTokenNotForTopic",
    ]
    #expect(try await app.decisions([answer]) == ["invalidated wrong_topic"])
  }

  /// A 410 from before the last report that brought the token changes nothing, although that report
  /// changed nothing.
  @Test func anAnswerFromBeforeTheReportNeverWins() async throws {
    let shared = try await FeedbackService()
    let app = try await shared.service.app(.inProcess)
    let (id, credentials) = (Sample.id(), Self.all())
    try await app.require(201, Self.report(credentials), id)
    let sent = shared.clock.milliseconds + 500
    shared.clock.advance(1000)
    try await app.require(200, Self.report(credentials), id)
    for place in app.names(credentials) {
      let result: JSON = [
        "token": app.credential(place, in: credentials)["token"], "environment": "production",
        "status": 410, "timestamp": .number(Double(sent)),
      ]
      #expect(try await app.decisions([result]) == ["ignored_newer_registration"], "\(place)")
    }
    await shared.service.stop()
  }

  /// A token that another installation reports moves, of every kind.
  @Test func tokensMove() async throws {
    let app = try await TestApp.make(.inProcess)
    let (first, second, credentials) = (Sample.id(), Sample.id(), Self.all())
    try await app.require(201, Self.report(credentials), first)
    try await app.require(201, Self.report(credentials), second)
    let (before, after) = (
      try await app.admin.get(app.installation(first)).json["credentials"],
      try await app.admin.get(app.installation(second)).json["credentials"]
    )
    #expect(before == [:])
    #expect(app.names(after) == app.names(credentials))
  }

  /// An app that reports no ends is not refused: the oldest make room, those out of use first.
  @Test func theOldestActivityMakesRoom() async throws {
    let app = try await TestApp.make(.inProcess)
    let id = Sample.id()
    try await app.require(201, Sample.report(), id)
    for number in 0..<40 {
      try await app.require(
        200,
        [
          "credentials": [
            "live_activities": ["A\(number)": ["token": .string(Sample.token()), "type": "T"]]
          ]
        ], id, patches: true)
    }
    let stored = try await app.admin.get(app.installation(id)).json["credentials"]
    let names = Set(app.names(stored).filter { $0.hasPrefix("live") })
    #expect(names == Set((8..<40).map { "live_activities A\($0)" }))
    let many = JSON.object(
      Dictionary(
        uniqueKeysWithValues: (0..<33).map { ("B\($0)", ["token": .string(Sample.token())]) }))
    let reply = try await app.client.patch(
      app.installation(id), ["credentials": ["live_activities": many]])
    #expect(reply.faults == ["/credentials/live_activities too_many"])
  }

  /// A build for another environment has other tokens: what it does not bring is gone.
  @Test func anotherEnvironmentHasOtherTokens() async throws {
    let app = try await TestApp.make(.inProcess)
    let (id, credentials) = (Sample.id(), Self.all())
    try await app.require(201, Self.report(credentials), id)
    try await app.require(
      200,
      Self.report(
        ["apns": ["token": .string(Sample.token())], "voip": ["token": .string(Sample.token())]],
        ["environment": "sandbox"]), id)
    let stored = try await app.admin.get(app.installation(id)).json["credentials"]
    #expect(app.names(stored) == ["apns", "nowplaying S1", "nowplaying_start", "voip"])
  }

  /// What is exported imports again, as lines and as a table.
  @Test(arguments: ["application/x-ndjson", "text/csv"])
  func whatIsExportedImportsAgain(type: String) async throws {
    let (app, other) = (try await TestApp.make(.socket), try await TestApp.make(.socket))
    let (id, credentials) = (Sample.id(), Self.all())
    try await app.require(201, Self.report(credentials), id)
    let invalid: JSON = [
      "token": credentials["live_activities"]["A7C1"]["token"], "environment": "production",
      "status": 410,
    ]
    #expect(try await app.decisions([invalid]) == ["invalidated"])
    let export = try await app.sender.send(
      "GET", "\(app.path)/installations", fields: [("Accept", type)])
    let imported = try await other.admin.send(
      "POST", "\(other.path)/installations/import", body: export.body,
      fields: [("Content-Type", type)])
    #expect(imported.status == 200, "\(imported.text)")
    let (before, after) = (
      try await app.admin.get(app.installation(id)).json["credentials"],
      try await other.admin.get(other.installation(id)).json["credentials"]
    )
    #expect(before == after)
    #expect(after["live_activities"]["A7C1"]["status"] == "invalid")
  }

  /// The topic of a target with a bundle id of its own, and of nobody else's.
  @Test(arguments: Transport.allCases)
  func theTopicFollowsTheBundleID(transport: Transport) async throws {
    let app = try await TestApp.make(
      transport, settings: ["bundle_id": "com.example.a", "bundle_ids": ["com.example.a.watch"]])
    let (phone, watch) = (Sample.id(), Sample.id())
    try await app.require(201, Sample.report(), phone)
    var report = Sample.report()
    report["bundle_id"] = "com.example.other"
    let refused = try await app.client.put(app.installation(watch), report)
    #expect(refused.status == 422 && refused.faults == ["/bundle_id unknown_value"])
    report["bundle_id"] = .absent
    report["platform"] = "watchos"
    let other = Sample.id()
    let assumed = try await app.client.put(app.installation(other), report)
    #expect(assumed.status == 201 && assumed.json["ignored"].elements.count == 1)
    #expect(assumed.json["ignored"][0]["code"] == "topic_assumed")
    #expect(assumed.json["ignored"][0]["detail"].string?.contains(" is com.example.a. ") == true)
    #expect(try await app.admin.delete(app.installation(other)).status == 204)
    report["bundle_id"] = "com.example.a.watch"
    report["credentials"] = Sample.report()["credentials"]
    let known = try await app.client.put(app.installation(watch), report)
    #expect(known.status == 201 && known.json["ignored"] == [])
    for (id, topic) in [(phone, "com.example.a"), (watch, "com.example.a.watch")] {
      // So often that the message is remembered.
      for _ in 0..<4 {
        let reply = try await app.sender.post(
          "\(app.path)/render",
          ["message": ["alert": "Hi"], "to": ["installation": .string(id)]])
        #expect(reply.json["headers"]["apns-topic"] == .string(topic))
      }
    }
    let lines = try await app.sender.send(
      "POST", "\(app.path)/render", json: ["message": ["alert": "Hi"], "to": ["all": true]],
      fields: [("Accept", "application/json")])
    let topics = lines.json["items"].elements.map { $0["headers"]["apns-topic"].string ?? "" }
    #expect(topics.sorted() == ["com.example.a", "com.example.a.watch"])
  }
}

extension TestApp {
  /// Reports, and asks for the status of the answer.
  func require(
    _ status: Int, _ report: JSON, _ id: String, patches: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let reply =
      patches
      ? try await admin.patch(installation(id), report)
      : try await admin.put(installation(id), report)
    try #require(reply.status == status, "\(reply.text)", sourceLocation: sourceLocation)
  }

  /// The kinds and names of all tokens, sorted: `controls Lights porch`.
  func names(_ credentials: JSON, below name: String = "") -> [String] {
    guard case .object(let members) = credentials else { return [] }
    if members["token"]?.string != nil { return [String(name.dropFirst())] }
    return members.flatMap { names($0.value, below: "\(name) \($0.key)") }.sorted()
  }

  /// The credential of a kind and names.
  func credential(_ place: String, in credentials: JSON) -> JSON {
    place.split(separator: " ").reduce(credentials) { $0[String($1)] }
  }
}
