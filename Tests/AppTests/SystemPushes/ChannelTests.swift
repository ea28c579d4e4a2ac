import AppTesting
import Foundation
import Testing

/// Channels of APNs: how they are made, what a broadcast is, and what answers to it mean.
@Suite struct ChannelTests {
  private static let files = [
    (path: "en.lproj/Localizable.strings", text: "\"GOAL\" = \"Goal for %@\";\n"),
    (path: "ja.lproj/Localizable.strings", text: "\"GOAL\" = \"%@がゴール\";\n"),
    (path: "ar.lproj/Localizable.strings", text: "\"GOAL\" = \"هدف لـ%@\";\n"),
  ]

  private static let id = "dHN0LXNyY2gtY2hubA=="

  private func scene(_ transport: Transport, devices: [[String: JSON]] = []) async throws -> Scene {
    try await Scene(transport, files: Self.files, devices: devices)
  }

  /// Stores a channel, and reports an id unless it is `nil`.
  @discardableResult
  private func make(
    _ name: String, _ settings: JSON, id: String? = Self.id, in scene: Scene
  ) async throws -> Reply {
    let stored = try await scene.app.sender.put("\(scene.app.path)/channels/\(name)", settings)
    #expect(stored.status == 201, "\(stored.text)")
    guard let id else { return stored }
    let created = try await scene.app.sender.post(
      "\(scene.app.path)/channels/\(name)/created", ["channel_id": .string(id)])
    #expect(created.status == 200, "\(created.text)")
    return created
  }

  private static let update: JSON = [
    "live_activity": [
      "event": "update", "type": "Match",
      "content_state": ["line": ["key": "GOAL", "args": ["team"]], "minute": "{minute}"],
      "alert": ["key": "GOAL", "args": ["team"]],
    ],
    "parameters": ["team": ["type": "string"], "minute": ["type": "integer"]],
  ]

  private static func body(_ to: JSON, _ more: [String: JSON] = [:]) -> JSON {
    .object(
      [
        "message": update, "arguments": ["team": "Urawa", "minute": 12], "to": to,
      ].merging(more) { $1 })
  }

  private static func lines(of reply: Reply) -> [JSON] {
    reply.text.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) }
  }

  // MARK: Management

  @Test(arguments: Transport.allCases)
  func aChannelIsMadeByTheSender(transport: Transport) async throws {
    let scene = try await scene(transport)
    let path = "\(scene.app.path)/channels/match"
    let bundle = "com.example.\(scene.app.slug)"
    let settings: JSON = ["environment": "sandbox", "storage_policy": 1, "type": "Match"]
    let wanted = try await make("match", settings, id: nil, in: scene)
    #expect(wanted.json["status"] == "wanted")
    #expect(
      wanted.json["requests"] == [
        "create": [
          "method": "POST", "host": "api-manage-broadcast.sandbox.push.apple.com", "port": 2195,
          "path": .string("/1/apps/\(bundle)/channels"), "headers": [:],
          "body": ["message-storage-policy": 1, "push-type": "LiveActivity"],
        ]
      ])
    let created = try await scene.app.sender.post(path + "/created", ["channel_id": "YQ=="])
    #expect(created.json["status"] == "created" && created.json["channel_id"] == "YQ==")
    let shown = try await scene.app.admin.get(path)
    for (name, method) in [("read", "GET"), ("delete", "DELETE")] {
      #expect(
        shown.json["requests"][name] == [
          "method": .string(method), "host": "api-manage-broadcast.sandbox.push.apple.com",
          "port": 2195, "path": .string("/1/apps/\(bundle)/channels"),
          "headers": ["apns-channel-id": "YQ=="], "body": .null,
        ])
    }
    // The same says nothing new, and the language may change.
    #expect(try await scene.app.sender.put(path, settings).json == shown.json)
    var other = settings
    other["language"] = "ja"
    let changed = try await scene.app.sender.put(path, other)
    #expect(changed.status == 200 && changed.json["channel_id"] == "YQ==")
    #expect(changed.json["language"] == "ja")
    // What APNs has made cannot.
    other["storage_policy"] = 0
    let refused = try await scene.app.sender.put(path, other)
    #expect(refused.status == 409 && refused.json["code"] == "channel_fixed")
    let list = try await scene.app.admin.get("\(scene.app.path)/channels?type=Match")
    #expect(list.json["items"][0]["name"] == "match" && list.json["items"].elements.count == 1)
    #expect(
      try await scene.app.admin.get("\(scene.app.path)/channels?type=Other").json["items"] == [])
    #expect(try await scene.app.sender.delete(path).status == 204)
    #expect(try await scene.app.sender.get(path).json["code"] == "channel_not_found")
  }

  @Test(
    arguments: [
      (["type": "Match"], "/environment missing_field"),
      (["environment": "production"], "/type missing_field"),
      (
        ["environment": "production", "type": "M", "storage_policy": 2],
        "/storage_policy out_of_range"
      ),
      (["environment": "production", "type": "M", "language": "?"], "/language invalid_language"),
      (["environment": "production", "type": "M", "id": "x"], "/id unknown_field"),
    ] as [(JSON, String)])
  func aChannelThatCannotBeIsRefused(settings: JSON, fault: String) async throws {
    let scene = try await scene(.inProcess)
    let reply = try await scene.app.sender.put("\(scene.app.path)/channels/c", settings)
    #expect(reply.status == 422 && reply.faults == [fault], "\(reply.text)")
    let id = try await scene.app.sender.post(
      "\(scene.app.path)/channels/c/created", ["channel_id": "not base64"])
    #expect(id.faults == ["/channel_id unknown_value"])
  }

  // MARK: Broadcasts

  @Test(arguments: Transport.allCases)
  func aBroadcastIsInTheLanguageOfTheChannel(transport: Transport) async throws {
    let scene = try await scene(transport)
    try await make(
      "ja", ["environment": "production", "type": "Match", "language": "ja"], in: scene)
    let reply = try await scene.app.sender.post(
      "\(scene.app.path)/render", Self.body(["channel": "ja"]))
    #expect(reply.status == 200, "\(reply.text)")
    let (headers, aps) = (reply.json["headers"], reply.json["payload"]["aps"])
    #expect(reply.json["path"] == .string("/4/broadcasts/apps/com.example.\(scene.app.slug)"))
    #expect(reply.json["channel"] == "ja" && reply.json["environment"] == "production")
    #expect(headers["apns-channel-id"] == .string(Self.id))
    // Apple: with the storage policy 0 it must be 0.
    #expect(headers["apns-expiration"] == "0" && headers["apns-priority"] == "10")
    #expect(headers["apns-push-type"] == "liveactivity")
    #expect(headers["apns-request-id"].string.flatMap { UUID(uuidString: $0) } != nil)
    #expect(!headers.names.contains("apns-topic"))
    #expect(aps["content-state"] == ["line": "Urawaがゴール", "minute": 12])
    #expect(aps["alert"] == ["body": "Urawaがゴール"])
    #expect(reply.json["language"] == "ja" && reply.json["problems"] == [])
    // A broadcast goes to many, so it is the sender's.
    for to: JSON in [["channel": "ja"], ["channels": ["type": "Match"]]] {
      let refused = try await scene.app.admin.post("\(scene.app.path)/render", Self.body(to))
      #expect(refused.status == 403 && refused.problem == "key_kind_forbidden")
    }
  }

  /// Phones of all languages subscribe, so their alert is a key.
  @Test func aChannelForAllLanguagesHasKeys() async throws {
    let scene = try await scene(.inProcess)
    try await make(
      "all", ["environment": "production", "type": "Match", "storage_policy": 1], in: scene)
    let reply = try await scene.app.sender.post(
      "\(scene.app.path)/render", Self.body(["channel": "all"]))
    #expect(reply.json["mode"] == "client", "\(reply.text)")
    #expect(
      reply.json["payload"]["aps"]["alert"]
        == ["body": ["loc-key": "GOAL", "loc-args": ["Urawa"]]])
    let now = try #require(reply.json["payload"]["aps"]["timestamp"].whole)
    #expect(reply.json["headers"]["apns-expiration"] == .string("\(now + 28_800)"))
  }

  @Test(arguments: Transport.allCases)
  func allChannelsOfATypeGetABroadcast(transport: Transport) async throws {
    let scene = try await scene(transport)
    for language in ["ar", "en", "ja"] {
      try await make(
        language,
        ["environment": "production", "type": "Match", "language": .string(language)], in: scene)
    }
    try await make("new", ["environment": "production", "type": "Match"], id: nil, in: scene)
    try await make("other", ["environment": "production", "type": "Other"], in: scene)
    let reply = try await scene.app.sender.post(
      "\(scene.app.path)/render", Self.body(["channels": ["type": "Match"]]))
    let lines = Self.lines(of: reply)
    #expect(lines.dropLast().map { $0["channel"] } == ["ar", "en", "ja"])
    #expect(
      lines.dropLast().map { $0["payload"]["aps"]["content-state"]["line"] }
        == ["هدف لـUrawa", "Goal for Urawa", "Urawaがゴール"])
    #expect(
      lines.last?["summary"] == [
        "channels": 4, "rendered": 3, "skipped": ["channel_not_created": 1],
        "modes": ["server": 3], "languages": ["ar": 1, "en": 1, "ja": 1], "problems": [:],
      ])
  }

  @Test(
    arguments: [
      (["alert": "Hi"], ["channel": "c"], 422, "/message unsupported_push_type"),
      (
        ["live_activity": ["event": "update", "type": "Other", "content_state": [:]]],
        ["channel": "c"], 422, "/message/live_activity/type unknown_value"
      ),
      (
        [
          "live_activity": [
            "event": "update", "type": "Match", "activity": "A1", "content_state": [:],
          ]
        ], ["channel": "c"], 422, "/message/live_activity/activity unknown_field"
      ),
      (
        ["live_activity": ["event": "update", "type": "Match", "content_state": [:]]],
        ["channel": "c", "channels": ["type": "Match"]], 422, "/to/channels too_many"
      ),
      (
        ["live_activity": ["event": "update", "type": "Match", "content_state": [:]]],
        ["channel": "none"], 404, nil
      ),
      (
        ["live_activity": ["event": "update", "type": "Match", "content_state": [:]]],
        ["channel": "wanted"], 409, nil
      ),
    ] as [(JSON, JSON, Int, String?)])
  func whatNoChannelTakesIsRefused(
    message: JSON, to: JSON, status: Int, fault: String?
  ) async throws {
    let scene = try await scene(.inProcess)
    try await make("c", ["environment": "production", "type": "Match"], in: scene)
    try await make("wanted", ["environment": "production", "type": "Match"], id: nil, in: scene)
    let reply = try await scene.app.sender.post(
      "\(scene.app.path)/render", ["message": message, "to": to])
    #expect(reply.status == status, "\(reply.text)")
    if let fault { #expect(reply.faults == [fault]) }
  }

  /// 5120 bytes fit into a broadcast, and no more.
  @Test(arguments: [(5120, 200), (5121, 422)])
  func aBroadcastMayBeLonger(bytes: Int, status: Int) async throws {
    let scene = try await scene(.inProcess)
    try await make("c", ["environment": "production", "type": "Match"], in: scene)
    func render(_ text: String) async throws -> Reply {
      try await scene.app.sender.post(
        "\(scene.app.path)/render",
        [
          "message": [
            "live_activity": [
              "event": "update", "type": "Match", "content_state": ["text": .string(text)],
            ]
          ], "to": ["channel": "c"],
        ])
    }
    let empty = try #require(try await render("").json["payload_bytes"].whole)
    let reply = try await render(String(repeating: "x", count: bytes - empty))
    #expect(reply.status == status, "\(reply.text.prefix(300))")
  }

  // MARK: Subscriptions

  /// A start subscribes to a channel where it is: from iOS 18, in the channel's environment.
  @Test(arguments: Transport.allCases)
  func anActivityThatStartsSubscribes(transport: Transport) async throws {
    let start: (JSON, JSON) -> [String: JSON] = { environment, version in
      [
        "environment": environment, "os_version": version, "languages": ["en"],
        "credentials": ["live_activity_start": ["Match": ["token": .string(Sample.token())]]],
      ]
    }
    // Its own environment is not that of the build.
    var ofOwnEnvironment = start("sandbox", "18.0")
    ofOwnEnvironment["credentials"]?["live_activity_start"]["Match"]["environment"] = "production"
    let scene = try await scene(
      transport,
      devices: [
        start("production", "18.0"), start("sandbox", "18.0"), start("production", "17.4"),
        start("production", .null), ofOwnEnvironment,
      ])
    // A target with a bundle id of its own has no channels; the app's own may be named, too.
    _ = try await scene.app.service.client().put(
      scene.app.path, ["bundle_ids": ["com.example.target"]])
    for bundleID in ["com.example.target", "com.example.\(scene.app.slug)"] {
      var device = start("production", "18.0")
      device["bundle_id"] = .string(bundleID)
      device["platform"] = "ios"
      try await scene.app.require(201, .object(device), Sample.id())
    }
    try await make("match", ["environment": "production", "type": "Match"], in: scene)
    let body: JSON = [
      "message": [
        "live_activity": [
          "event": "start", "type": "Match", "attributes": [:], "content_state": [:],
          "alert": "Now", "input_push_channel": "match",
        ]
      ], "to": ["all": true],
    ]
    let lines = Self.lines(
      of: try await scene.app.sender.post("\(scene.app.path)/render", body))
    #expect(
      lines.dropLast().map { $0["payload"]["aps"]["input-push-channel"] }
        == [.string(Self.id), .string(Self.id), .string(Self.id)])
    #expect(
      lines.last?["summary"]["skipped"]
        == [
          "channel_of_other_bundle_id": 1, "channel_of_other_environment": 1, "system_too_old": 2,
        ])
    var other = body
    other["message"]["live_activity"]["type"] = "Delivery"
    let refused = try await scene.app.sender.post("\(scene.app.path)/render", other)
    #expect(
      refused.faults == ["/message/live_activity/input_push_channel unknown_value"],
      "\(refused.text)")
    // One device hears of another id at once.
    for id in ["YQ==", "Yg=="] {
      _ = try await scene.app.sender.post(
        "\(scene.app.path)/channels/match/created", ["channel_id": .string(id)])
      var one = body
      one["to"] = ["installation": .string(scene.ids[0])]
      let reply = try await scene.app.sender.post("\(scene.app.path)/render", one)
      #expect(reply.json["payload"]["aps"]["input-push-channel"] == .string(id), "\(reply.text)")
    }
  }

  // MARK: Feedback

  /// Every reason of Apple's page on broadcasts and channels, and what becomes of the channel.
  private static let reasons: [(status: Int, reason: String, isGone: Bool)] =
    [
      "BadChannelId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadRequestParams",
      "BadRequestPayload", "CannotCreateChannelConfig", "FeatureNotEnabled", "InvalidPushType",
      "MissingChannelId", "MissingPushType", "PayloadEmpty", "TopicDisallowed",
    ].map { (400, $0, false) } + [(400, "ChannelNotRegistered", true)]
    + [
      "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken",
      "InvalidProviderToken", "MissingProviderToken", "TopicMismatch",
    ].map { (403, $0, false) }
    + [
      (404, "BadPath", false), (405, "MethodNotAllowed", false), (413, "PayloadTooLarge", false),
      (429, "TooManyProviderTokenUpdates", false), (429, "TooManyRequests", false),
      (500, "InternalServerError", false), (503, "Shutdown", false),
      (503, "Service Unavailable", false),
      // What is said of tokens alone is nothing for a channel.
      (410, "Unregistered", false), (400, "BadDeviceToken", false),
      (400, "DeviceTokenNotForTopic", false), (410, "ExpiredToken", false), (410, "Gone", false),
    ]

  /// No answer to a broadcast touches a token, whether it is reported of the channel or, by a
  /// sender that mistakes it, of a token.
  @Test(arguments: Transport.allCases)
  func answersToBroadcastsAreAboutChannels(transport: Transport) async throws {
    let token = Sample.token()
    let scene = try await scene(
      transport,
      devices: [["credentials": ["apns": ["token": .string(token)]]]])
    try await make("c", ["environment": "production", "type": "Match"], in: scene)
    for (status, reason, isGone) in Self.reasons {
      let item: JSON = [
        "channel": "c", "status": .number(Double(status)), "reason": .string(reason),
      ]
      let result = try await scene.app.sender.post(
        "\(scene.app.path)/feedback", ["results": [item]]
      ).json["results"][0]
      #expect(
        result["decision"] == (isGone ? "invalidated" : "no_action"), "\(reason): \(result)")
      let channel = try await scene.app.admin.get("\(scene.app.path)/channels/c")
      #expect(channel.json["status"] == (isGone ? "gone" : "created"), "\(reason)")
      if isGone {
        #expect(channel.json["reason"] == .string(reason))
        _ = try await scene.app.sender.post(
          "\(scene.app.path)/channels/c/created", ["channel_id": .string(Self.id)])
      }
      let device = try await scene.app.admin.get(
        "\(scene.app.path)/installations/\(scene.ids[0])")
      #expect(device.json["credentials"]["apns"]["status"] == "active", "\(reason)")
    }
    let mistaken = try await scene.app.sender.post(
      "\(scene.app.path)/feedback",
      [
        "results": [
          [
            "token": .string(token), "environment": "production", "status": 400,
            "reason": "ChannelNotRegistered",
          ]
        ]
      ]
    ).json["results"][0]
    #expect(mistaken["decision"] == "no_action" && mistaken["detail"] == "channel_gone")
    // An answer from before the channel was made anew says nothing of it.
    let old: JSON = [
      "channel": "c", "reason": "ChannelNotRegistered", "sent_at": "2020-01-01T00:00:00Z",
    ]
    _ = try await scene.app.sender.post("\(scene.app.path)/feedback", ["results": [old]])
    let channel = try await scene.app.admin.get("\(scene.app.path)/channels/c")
    #expect(channel.json["status"] == "created")
  }
}
