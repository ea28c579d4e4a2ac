import AppTesting
import Testing

/// A payload that was made elsewhere: what APNs and the device would make of it.
@Suite struct CheckPayloadTests {
  private static let files = [
    (path: "en.lproj/Localizable.strings", text: "\"READY\" = \"%@ is ready\";\n"),
    (path: "fr.lproj/Localizable.strings", text: "\"READY\" = \"%@ est prêt\";\n"),
  ]

  private func check(_ app: TestApp, _ body: JSON) async throws -> Reply {
    try await app.sender.post("\(app.path)/payloads/check", body)
  }

  /// In short: `pointer code`, notices with a question mark.
  private func problems(_ reply: Reply) -> [String] {
    reply.json["problems"].elements.map { problem in
      #expect(problem["detail"].string?.hasSuffix(".") == true)
      let mark = problem["severity"] == "notice" ? "?" : ""
      return "\(problem["pointer"].string ?? "-") \(problem["code"].string ?? "-")\(mark)"
    }
  }

  @Test(arguments: Transport.allCases)
  func aPayloadIsShownAsTheDeviceShowsIt(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    _ = try await app.admin.upload("\(app.path)/catalogs/412", Self.files)
    let payload: JSON = [
      "aps": ["alert": ["title": "Kitchen", "loc-key": "READY", "loc-args": ["Soup"]]], "order": 7,
    ]
    let reply = try await check(app, ["payload": payload, "languages": ["fr-CA", "en"]])
    #expect(reply.status == 200)
    #expect(reply.json["valid"] == .bool(true) && reply.json["problems"] == [])
    #expect(reply.json["app_version"] == "412")
    #expect(reply.json["push_type"] == "alert")
    #expect(reply.json["payload_bytes"].whole == payload.text.utf8.count)
    #expect(reply.json["maximum_bytes"] == 4096)
    #expect(reply.json["title"] == "Kitchen" && reply.json["subtitle"] == .null)
    #expect(reply.json["body"] == "Soup est prêt")
    #expect(reply.json["seen"] == payload)
    // Without languages, those of the app.
    #expect(try await check(app, ["payload": payload]).json["body"] == "Soup is ready")
  }

  /// What a person would see is judged by the strings of the build.
  @Test(arguments: Transport.allCases)
  func whatNobodyShouldReadIsAnError(transport: Transport) async throws {
    let app = try await TestApp.make(transport)
    let alerts: [(alert: JSON, body: String?, problems: [String])] = [
      (["loc-key": "APN_Message"], "APN_Message", ["loc-key loc_key_shown"]),
      (["loc-key": "READY"], "%@ is ready", ["loc-key placeholder_shown"]),
      (["loc-key": "READY", "loc-args": ["Soup"]], "Soup is ready", []),
      (["loc-key": "WROTE", "loc-args": ["Ann"]], "Ann wrote to <null>", ["loc-key null_shown"]),
      (["loc-key": "APN_Message", "body": "Hi"], "Hi", ["loc-key loc_key_missing?"]),
    ]
    let early = try await check(app, ["payload": ["aps": ["alert": alerts[0].alert]]])
    #expect(problems(early) == ["/payload/aps/alert/loc-key loc_key_unchecked?"])
    let text = "\"READY\" = \"%@ is ready\"; \"WROTE\" = \"%@ wrote to %@\";"
    _ = try await app.admin.upload(
      "\(app.path)/catalogs/412", [(path: "en.lproj/Localizable.strings", text: text)])
    for (alert, body, expected) in alerts {
      let reply = try await check(app, ["payload": ["aps": ["alert": alert]]])
      #expect(reply.json["body"].string == body)
      #expect(problems(reply) == expected.map { "/payload/aps/alert/\($0)" })
      #expect(reply.json["valid"] == .bool(expected.allSatisfy { $0.hasSuffix("?") }))
    }
  }

  @Test func theTextsOfAnActivityAreShownAndJudged() async throws {
    let app = try await TestApp.make(.inProcess)
    _ = try await app.admin.upload("\(app.path)/catalogs/412", Self.files)
    let payload: JSON = [
      "aps": [
        "event": "update", "timestamp": 1, "content-state": [:],
        "alert": [
          "title": ["loc-key": "READY", "loc-args": ["Soup"]], "body": ["loc-key": "NO"],
        ],
      ]
    ]
    let reply = try await check(app, ["payload": payload, "languages": ["fr"]])
    #expect(reply.json["push_type"] == "liveactivity")
    #expect(reply.json["title"] == "Soup est prêt")
    #expect(reply.json["body"] == .null)
    #expect(problems(reply) == ["/payload/aps/alert/body/loc-key loc_key_shown"])
    #expect(reply.json["seen"] == payload)
  }

  /// A watch app of its own has a topic of its own.
  @Test(
    arguments: [("com.example.a.watch", []), ("com.example.b", ["topic_wrong"])]
      as [(String, [String])])
  func theTopicMayBeThatOfAnyTarget(bundleID: String, codes: [String]) async throws {
    let app = try await TestApp.make(
      .inProcess, settings: ["bundle_id": "com.example.a", "bundle_ids": ["com.example.a.watch"]])
    for (type, suffix) in [("alert", ""), ("voip", ".voip")] {
      let reply = try await check(
        app,
        [
          "payload": ["aps": ["alert": "x"]],
          "headers": [
            "apns-push-type": .string(type), "apns-topic": .string(bundleID + suffix),
            "apns-priority": "10", "apns-expiration": "0",
          ],
        ])
      #expect(problems(reply) == codes.map { "/headers/apns-topic \($0)" })
    }
  }

  @Test func eachFaultSaysWhereItIs() async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await check(
      app,
      [
        "payload": [
          "aps": [
            "alert": ["body": "x", "loc-args": ["a"], "title-loc-args": [1], "colour": "red"],
            "badge": -1, "content-available": true, "soundd": "a", "sound": ["volume": 3],
          ]
        ],
        "headers": [
          "apns-push-type": "alert", "apns-topic": "com.example.other", "apns-priority": "7",
          "apns-collapse-id": .string(String(repeating: "x", count: 65)),
        ],
      ])
    #expect(reply.json["valid"] == .bool(false))
    #expect(
      Set(problems(reply)) == [
        "/headers/apns-collapse-id collapse_id_too_long", "/headers/apns-topic topic_wrong",
        "/headers/apns-priority priority_not_allowed",
        "/payload/aps/alert/loc-args loc_args_without_key",
        "/payload/aps/alert/title-loc-args loc_args_not_strings",
        "/payload/aps/alert/colour alert_member_ignored",
        "/payload/aps/badge badge_negative",
        "/payload/aps/content-available flag_not_0_or_1",
        "/payload/aps/soundd aps_member_ignored", "/payload/aps/sound critical_sound_shape",
      ])
    #expect(reply.json["body"] == "x")
    #expect(reply.json["seen"]["aps"]["badge"] == .absent)
  }

  @Test(
    arguments: [
      (["payload": ["aps": [:]]], "alert", ["/payload/aps nothing_to_show"]),
      (["payload": ["aps": ["content-available": 1]]], "background", []),
      (
        [
          "payload": [
            "aps": ["alert": ["title": "", "body": "x"], "sound": ["name": "a", "volume": 1]]
          ]
        ],
        "alert",
        ["/payload/aps/alert/title member_empty?", "/payload/aps/sound/volume volume_ignored?"]
      ),
      // Headers count as APNs takes them: without a priority it assumes 10.
      (
        [
          "payload": ["aps": ["content-available": 1]], "headers": ["apns-push-type": "background"],
        ],
        "background", ["/headers/apns-priority background_priority"]
      ),
      (
        ["payload": ["aps": ["alert": "x"]], "push_type": "background"], "background",
        [
          "/payload/aps/alert background_with_alert",
          "/payload/aps background_without_content_available",
        ]
      ),
      (["payload": [:], "push_type": "voip"], "voip", []),
      (
        ["payload": [:], "push_type": "voip", "headers": ["apns-expiration": 4_000_000_000]],
        "voip", ["/headers/apns-expiration voip_expiration_long?"]
      ),
      (["payload": ["aps": ["alert": "x", "content-available": 1]]], "alert", []),
      (
        [
          "payload": ["aps": ["alert": "x", "content-available": 1]],
          "headers": ["apns-push-type": "alert", "apns-priority": "10"],
        ],
        "alert", ["/headers/apns-priority priority_not_allowed"]
      ),
      (
        [
          "payload": ["aps": ["alert": "x"], "a": .null, "b": ["c": [1, .null]]],
          "headers": [
            "Apns-Push-Type": "alert", "APNS-PRIORITY": 5, "apns-Collapse-ID": "chat-日本語",
            "apns-expiration": 4_000_000_000,
          ],
        ],
        "alert",
        [
          "/headers/apns-collapse-id collapse_id_not_ascii",
          "/headers/apns-expiration expiration_too_late?", "/payload/a null_in_data?",
          "/payload/b/c/1 null_in_data?",
        ]
      ),
      (
        [
          "payload": ["aps": ["event": "end", "timestamp": 1, "attributes": ["id": "s"]]],
          "push_type": "nowplaying",
        ],
        "nowplaying", []
      ),
      (
        ["payload": ["aps": ["event": "end", "attributes": ["id": "s"]]]], "nowplaying",
        ["/payload/aps nowplaying_without_timestamp"]
      ),
      (
        ["payload": ["aps": [:]], "push_type": "widgets"], "widgets",
        ["/payload/aps reload_without_content_changed"]
      ),
      (["payload": ["aps": ["event": "end", "timestamp": 1]]], "liveactivity", []),
      // A local notification inside a silent one is judged as the alert that it becomes.
      (
        [
          "payload": [
            "aps": ["content-available": 1],
            "payload": ["aps": ["alert": ["body": ""], "badge": -1]],
          ]
        ],
        "background",
        ["/payload/payload/aps/alert alert_empty", "/payload/payload/aps/badge badge_negative"]
      ),
    ] as [(JSON, String, [String])])
  func theKindOfNotificationDecides(body: JSON, type: String, expected: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await check(app, body)
    #expect(reply.status == 200)
    #expect(reply.json["push_type"].string == type)
    #expect(problems(reply) == expected)
    #expect(reply.json["valid"] == .bool(expected.allSatisfy { $0.hasSuffix("?") }))
  }

  @Test(
    arguments: [
      ([:], ["/payload missing_field"]),
      (["payload": []], ["/payload wrong_type"]),
      (
        [
          "payload": [:], "headers": ["apns-push-type": "loud", "apns-priority": "high", "x": "y"],
        ],
        [
          "/headers/apns-push-type unknown_value", "/headers/apns-priority out_of_range",
          "/headers/x unknown_field",
        ]
      ),
      (
        ["payload": [:], "push_type": "voip", "headers": ["apns-push-type": "alert"]],
        ["/push_type unknown_value"]
      ),
      (
        ["payload": [:], "languages": ["no tag"], "app_version": "server"],
        ["/app_version unknown_value", "/languages/0 invalid_language"]
      ),
    ] as [(JSON, [String])])
  func aQuestionThatIsWrongIsRefused(body: JSON, faults: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await check(app, body)
    #expect(reply.status == 422)
    #expect(Set(reply.faults) == Set(faults))
    let absent = try await check(app, ["payload": [:], "app_version": "7"])
    #expect(absent.status == 404 && absent.problem == "catalog_not_found")
  }
}
