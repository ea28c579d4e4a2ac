import AppTesting
import Foundation
import Testing

/// Pushes that the system or an extension takes: Live Activities, widgets and the like.
@Suite struct SystemPushTests {
  private static let files = [
    (
      path: "en.lproj/Localizable.strings",
      text: "\"TITLE\" = \"Your order\";\n\"COOKING\" = \"%@ is cooking\";\n"
    ),
    (
      path: "ja.lproj/Localizable.strings",
      text: "\"TITLE\" = \"ご注文\";\n\"COOKING\" = \"%@が調理中\";\n"
    ),
  ]

  /// A phone of each language with tokens of all kinds.
  private func scene(
    _ transport: Transport, _ more: [String: JSON] = [:], languages: [String] = ["ja", "en"]
  ) async throws -> Scene {
    try await Scene(
      transport, files: Self.files,
      devices: languages.map { language in
        var device: [String: JSON] = [
          "languages": [.string(language)], "os_version": "27.1", "capabilities": ["loc-key"],
          "time_zone": "Asia/Tokyo",
          "credentials": OtherCredentialsTests.all(),
        ]
        for (name, value) in more { device[name] = value }
        return device
      })
  }

  private static let start: JSON = [
    "live_activity": [
      "event": "start", "type": "Delivery",
      "attributes": ["order": "{order}"],
      "content_state": [
        "step": ["key": "COOKING", "args": ["cook"]],
        "note": ["text": ["en": "Soon", "ja": "まもなく"]],
        "eta": "{eta}", "count": "{count}", "etaText": "at {eta}",
        "nested": ["done": [false, "{count}"]],
      ],
      "alert": [
        "title": ["key": "TITLE"], "body": ["key": "COOKING", "args": ["cook"]], "sound": "bell",
      ],
      "stale_after_s": 600, "relevance_score": 75, "input_push_token": true,
    ],
    "parameters": [
      "order": ["type": "string"], "cook": ["type": "string"], "eta": ["type": "date"],
      "count": ["type": "integer"],
    ],
  ]

  private static let arguments: JSON = [
    "order": "A17", "cook": "Aki", "eta": "2026-05-02T19:32:41Z", "count": 3,
  ]

  @Test(arguments: Transport.allCases)
  func anActivityStartsInTheLanguageOfTheDevice(transport: Transport) async throws {
    let scene = try await scene(transport)
    // So often that the message is remembered.
    for _ in 0..<4 {
      let reply = try await scene.render(Self.start, arguments: Self.arguments)
      #expect(reply.status == 200, "\(reply.text)")
      let (headers, aps) = (reply.json["headers"], reply.json["payload"]["aps"])
      #expect(headers["apns-push-type"] == "liveactivity")
      #expect(
        headers["apns-topic"]
          == .string("com.example.\(scene.app.slug).push-type.liveactivity"))
      #expect(headers["apns-priority"] == "10")
      let now = try #require(aps["timestamp"].whole)
      #expect(headers["apns-expiration"] == .string("\(now + 600)"))
      #expect(
        aps == [
          "timestamp": .number(Double(now)), "event": "start", "attributes-type": "Delivery",
          "attributes": ["order": "A17"],
          "content-state": [
            "step": "Akiが調理中", "note": "まもなく", "eta": 799_443_161, "count": 3,
            "etaText": "at 2026-05-02T19:32:41Z", "nested": ["done": [false, 3]],
          ],
          "alert": [
            "title": ["loc-key": "TITLE"], "body": ["loc-key": "COOKING", "loc-args": ["Aki"]],
            "sound": "bell",
          ],
          "stale-date": .number(Double(now + 600)), "relevance-score": 75, "input-push-token": 1,
        ])
      #expect(reply.json["mode"] == "client" && reply.json["problems"] == [])
      #expect(reply.json["language"] == "ja")
    }
    // A device that cannot show the keys gets the text.
    let texts = try await scene.render(
      Self.start, arguments: Self.arguments, more: ["localization": "server"])
    #expect(
      texts.json["payload"]["aps"]["alert"]
        == ["title": "ご注文", "body": "Akiが調理中", "sound": "bell"])
  }

  /// The token that each message goes to, its topic's suffix, its priority, and its payload but for
  /// the timestamp.
  @Test(
    arguments: [
      (
        ["live_activity": ["event": "update", "activity": "A7C1", "content_state": ["n": 1]]],
        "live_activities A7C1", ".push-type.liveactivity", "5",
        ["aps": ["event": "update", "content-state": ["n": 1]]]
      ),
      (
        ["live_activity": ["event": "end", "activity": "A7C1"], "priority": 10],
        "live_activities A7C1", ".push-type.liveactivity", "10", ["aps": ["event": "end"]]
      ),
      (
        ["widgets": [:]], "widgets", ".push-type.widgets", "10",
        ["aps": ["content-changed": true]]
      ),
      (
        ["control": ["handler": "Lights", "control": "porch"]], "controls Lights porch",
        ".push-type.controls", "10", ["aps": ["content-changed": true]]
      ),
      (
        ["nowplaying": ["event": "start", "attributes": ["id": "S9", "title": "T"]]],
        "nowplaying_start", ".push-type.nowplaying", "10",
        ["aps": ["event": "start", "attributes": ["id": "S9", "title": "T"]]]
      ),
      (
        ["nowplaying": ["event": "end", "session": "S1"]], "nowplaying S1",
        ".push-type.nowplaying", "10", ["aps": ["event": "end", "attributes": ["id": "S1"]]]
      ),
      (["location": [:]], "location", ".location-query", "5", ["aps": [:]]),
      (
        ["push_to_talk": ["speaker": "Aki"]], "push_to_talk", ".voip-ptt", "10",
        ["aps": [:], "speaker": "Aki"]
      ),
      (
        ["file_provider": ["container-identifier": "NSFileProviderRootContainerItemIdentifier"]],
        "file_provider", ".pushkit.fileprovider", "10",
        ["aps": [:], "container-identifier": "NSFileProviderRootContainerItemIdentifier"]
      ),
      (
        ["complication": ["steps": 7]], "complication", ".complication", "10",
        ["aps": [:], "steps": 7]
      ),
      // What looks like a text to localize is the app's own.
      (
        ["complication": ["goal": ["key": "steps"]]], "complication", ".complication", "10",
        ["aps": [:], "goal": ["key": "steps"]]
      ),
      (
        ["push_to_talk": ["text": ["en": "Aki speaks"]]], "push_to_talk", ".voip-ptt", "10",
        ["aps": [:], "text": ["en": "Aki speaks"]]
      ),
    ] as [(JSON, String, String, String, JSON)])
  func eachKindGoesToItsToken(
    message: JSON, place: String, suffix: String, priority: String, payload: JSON
  ) async throws {
    let scene = try await scene(.inProcess, languages: ["ja"])
    let stored = try await scene.app.admin.get(scene.app.installation(scene.ids[0]))
    let token = scene.app.credential(place, in: stored.json["credentials"])["token"]
    for _ in 0..<4 {
      let reply = try await scene.render(message, arguments: .null)
      #expect(reply.status == 200, "\(reply.text)")
      #expect(reply.json["token"] == token)
      #expect(
        reply.json["headers"]["apns-topic"] == .string("com.example.\(scene.app.slug)\(suffix)"))
      #expect(reply.json["headers"]["apns-priority"] == .string(priority))
      var shown = reply.json["payload"]
      if case .object(var aps) = shown["aps"] {
        aps["timestamp"] = nil
        shown["aps"] = .object(aps)
      }
      #expect(shown == payload)
      #expect(reply.json["problems"] == [])
    }
  }

  /// A message of all activities of a type, or of all controls of a handler, is a request for each.
  @Test(arguments: Transport.allCases)
  func allOfATypeGetIt(transport: Transport) async throws {
    let scene = try await scene(transport)
    try await scene.app.require(
      200,
      [
        "credentials": [
          "live_activities": [
            "B2": ["token": .string(Sample.token()), "type": "Delivery"],
            "C3": ["token": .string(Sample.token()), "type": "Ride"],
          ]
        ]
      ], scene.ids[0], patches: true)
    let update: JSON = [
      "live_activity": ["event": "update", "type": "Delivery", "content_state": ["n": 1]]
    ]
    let one = try await scene.render(update, arguments: .null)
    #expect(one.json["items"].elements.count == 2 && one.json["summary"]["rendered"] == 2)
    let all = try await scene.document(["message": update, "to": ["all": true]])
    #expect(all.json["summary"]["rendered"] == 3)
    let controls = try await scene.render(["control": ["handler": "Lights"]], arguments: .null)
    #expect(controls.json["items"].elements.count == 2)
    let listed = try await scene.document([
      "message": update,
      "recipients": [
        ["to": ["installation": .string(scene.ids[0])]],
        ["to": ["token": one.json["items"][0]["token"]]],
      ],
    ])
    #expect(
      listed.json["items"].elements.map { $0["index"].whole ?? -1 }.sorted() == [0, 0, 1])
  }

  /// Each of many recipients names the activity, session or control that its push goes to.
  @Test(
    arguments: [
      (
        ["live_activity": ["event": "update", "activity": "{name}", "content_state": ["n": 1]]],
        "live_activities", ["A7C1"]
      ),
      (
        ["nowplaying": ["event": "update", "session": "{name}", "attributes": ["title": "T"]]],
        "nowplaying", ["S1"]
      ),
      (["control": ["handler": "Lights", "control": "{name}"]], "controls", ["porch", "hall"]),
    ] as [(JSON, String, [String])])
  func eachRecipientNamesItsOwn(push: JSON, kind: String, names: [String]) async throws {
    let scene = try await scene(.inProcess)
    var message = push
    message["parameters"] = ["name": ["type": "string"]]
    let stored = try await scene.app.admin.get(scene.app.installation(scene.ids[0]))
    let credentials = stored.json["credentials"][kind]
    let first = kind == "controls" ? credentials["Lights"] : credentials
    var recipients: [JSON] = []
    for name in names + ["nobody's"] {
      for address in [
        ["installation": .string(scene.ids[0])], ["token": first[names[0]]["token"]],
        ["token": .string(Sample.token())],
      ] as [JSON] {
        recipients.append(["to": address, "arguments": ["name": .string(name)]])
      }
    }
    let reply = try await scene.document([
      "message": message, "recipients": .array(recipients),
    ])
    #expect(reply.status == 200, "\(reply.text)")
    for item in reply.json["items"].elements {
      let index = try #require(item["index"].whole)
      let name = (names + ["nobody's"])[index / 3]
      switch (index % 3, name) {
      case (2, _): #expect(item["skipped"] == "installation_not_found", "\(item)")
      case (0, names[0]), (1, names[0]), (0, names.last):
        #expect(item["token"] == first[name]["token"], "\(item)")
        if kind == "nowplaying" {
          #expect(item["payload"]["aps"]["attributes"]["id"] == .string(name))
        }
      default: #expect(item["skipped"] == "no_credential", "\(item)")
      }
    }
    #expect(reply.json["summary"]["rendered"] == .number(Double(names.count + 1)))
  }

  /// What would not work is not rendered, and counted with its reason.
  @Test(
    arguments: [
      (["os_version": "17.1"], start, "system_too_old"),
      (["platform": "macos"], start, "system_without_kind"),
      (["live_activities_allowed": false], start, "activities_not_allowed"),
      (["os_version": "25.9"], ["widgets": [:]], "system_too_old"),
      (["os_version": "26.0"], ["widgets": [:]], nil),
      (["platform": "watchos"], ["location": [:]], "system_without_kind"),
      (
        ["platform": "macos", "os_version": "26.0"],
        ["control": ["handler": "Lights", "control": "hall"]], nil
      ),
      (
        ["platform": "macos", "os_version": "15.6"],
        ["control": ["handler": "Lights", "control": "hall"]], "system_too_old"
      ),
      (
        ["platform": "visionos"], ["control": ["handler": "Lights", "control": "hall"]],
        "system_without_kind"
      ),
      (
        ["credentials": ["push_to_talk": ["token": "T", "joined": false]]],
        ["push_to_talk": [:]], "not_joined"
      ),
      (["credentials": [:]], ["widgets": [:]], "no_credential"),
    ] as [([String: JSON], JSON, String?)])
  func whatWouldNotWorkIsSkipped(
    device: [String: JSON], message: JSON, reason: String?
  ) async throws {
    var device = device
    if device["credentials"]?["push_to_talk"]["token"] == "T" {
      device["credentials"] = [
        "push_to_talk": ["token": .string(Sample.token()), "joined": false]
      ]
    }
    let scene = try await scene(.inProcess, device, languages: ["en"])
    var body: JSON = ["message": message, "to": ["all": true]]
    if message["parameters"] != .absent { body["arguments"] = Self.arguments }
    let reply = try await scene.document(body)
    let skipped = reason.map { JSON.object([$0: 1]) } ?? [:]
    #expect(reply.json["summary"]["skipped"] == skipped, "\(reply.text)")
    body["to"] = scene.first
    let one = try await scene.app.sender.post("\(scene.app.path)/render", body)
    #expect(one.status == (reason == nil ? 200 : 409), "\(one.text)")
  }

  /// What a recipient has of its own is held to the rules of a message.
  @Test func aRecipientAddsNothingThatThePushCannotHave() async throws {
    let scene = try await scene(.inProcess, languages: ["en"])
    let recipients = [("badge", 3), ("data", ["a": 1])].map { name, value in
      ["to": ["installation": .string(scene.ids[0])], name: value] as JSON
    }
    let reply = try await scene.document([
      "message": ["widgets": [:]], "recipients": .array(recipients),
    ])
    let faults = reply.json["items"].elements.map { $0["error"]["errors"][0] }
    #expect(
      faults.map { $0["pointer"].string } == ["/badge", "/data"],
      "\(reply.text)")
    #expect(faults.allSatisfy { $0["code"] == "unknown_field" })
  }

  /// A device drops a session without its id, and a File Provider push without its container.
  @Test(
    arguments: [
      ["nowplaying": ["event": "start", "attributes": ["id": "{id}"]]],
      ["file_provider": ["container-identifier": "{id}"]],
    ] as [JSON])
  func whatADeviceNeedsIsNotFilledWithNothing(push: JSON) async throws {
    let scene = try await scene(.inProcess, languages: ["en"])
    var message = push
    message["parameters"] = ["id": ["type": "string"]]
    for (id, status) in [("S1", 200), ("", 422)] {
      let reply = try await scene.render(message, arguments: ["id": .string(id)])
      #expect(reply.status == status, "\(reply.text)")
    }
  }

  /// An activity's token is not used for longer than the system keeps one.
  @Test func anOldActivityHasEnded() async throws {
    let scene = try await scene(.inProcess, languages: ["en"])
    _ = try await scene.app.service.database.query(
      """
      UPDATE installation SET other_credentials = regexp_replace(
        other_credentials, '"registered_at":[0-9]+', '"registered_at":1000', 'g')
      WHERE installation_id = '\(scene.ids[0])'
      """)
    let end: JSON = [
      "message": ["live_activity": ["event": "end", "type": "Delivery"]], "to": ["all": true],
    ]
    let reply = try await scene.document(end)
    #expect(reply.json["summary"]["skipped"] == ["activity_ended": 1], "\(reply.text)")
    // Another token for it makes it no younger; the same token after its removal does.
    let report: JSON = [
      "credentials": [
        "live_activities": ["A7C1": ["token": .string(Sample.token()), "type": "Delivery"]]
      ]
    ]
    let removal: JSON = ["credentials": ["live_activities": .null]]
    for (bodies, rendered) in [([report], 0), ([removal, report], 1)] {
      for body in bodies { try await scene.app.require(200, body, scene.ids[0], patches: true) }
      let reply = try await scene.document(end)
      #expect(reply.json["summary"]["rendered"] == .number(Double(rendered)), "\(reply.text)")
    }
  }

  /// The system stops to start activities by push after about ten in short time, and APNs answers
  /// 200 all the same.
  @Test func theTenthStartInAnHourIsToldOf() async throws {
    let scene = try await scene(.inProcess, languages: ["en"])
    let start: JSON = [
      "live_activity": [
        "event": "start", "type": "Delivery", "attributes": [:], "content_state": ["n": 1],
        "alert": ["body": ["text": ["en": "Hi"]]],
      ]
    ]
    for (count, problems) in [(8, []), (9, ["activity_starts_frequent"])] {
      let activities = (0..<count).map {
        ("a\($0)", ["token": JSON.string(Sample.token()), "type": "Delivery"] as JSON)
      }
      let report: JSON = [
        "credentials": [
          "live_activity_start": ["Delivery": ["token": .string(Sample.token())]],
          "live_activities": .object(Dictionary(activities) { $1 }),
        ]
      ]
      let removal: JSON = ["credentials": ["live_activities": .null]]
      for body in [removal, report] {
        try await scene.app.require(200, body, scene.ids[0], patches: true)
      }
      let reply = try await scene.render(start, arguments: .null)
      #expect(reply.status == 200, "\(reply.text)")
      #expect(reply.json["problems"].elements.map { $0["code"].string } == problems)
    }
    // Those of yesterday do not count.
    _ = try await scene.app.service.database.query(
      """
      UPDATE installation SET other_credentials = regexp_replace(
        other_credentials, '"registered_at":[0-9]+', '"registered_at":1000', 'g')
      WHERE installation_id = '\(scene.ids[0])'
      """)
    let reply = try await scene.render(start, arguments: .null)
    #expect(reply.json["problems"].elements == [], "\(reply.text)")
  }

  /// However an `end` is rendered, the activity is over: an update skips it, another end does not.
  @Test(arguments: Transport.allCases)
  func aRenderedEndEndsAnActivity(transport: Transport) async throws {
    let scene = try await scene(transport, languages: ["en"])
    let token = JSON.string(Sample.token())
    let report: JSON = [
      "credentials": [
        "live_activities": [
          "A7C1": ["token": token, "type": "Delivery"],
          "C3": ["token": .string(Sample.token()), "type": "Ride"],
        ]
      ]
    ]
    let end: JSON = ["live_activity": ["event": "end", "activity": "A7C1"]]
    let update: JSON = [
      "live_activity": ["event": "update", "activity": "A7C1", "content_state": ["n": 1]]
    ]
    let endOfType: JSON = ["live_activity": ["event": "end", "type": "Delivery"]]
    let installation: JSON = ["to": ["installation": .string(scene.ids[0])]]
    let ways: [(String, () async throws -> Reply)] = [
      ("object", { try await scene.render(end, arguments: .null) }),
      ("several tokens", { try await scene.render(endOfType, arguments: .null) }),
      ("audience", { try await scene.document(["message": end, "to": ["all": true]]) }),
      (
        "groups",
        { try await scene.document(["message": end, "to": ["all": true], "shape": "groups"]) }
      ),
      ("recipients", { try await scene.document(["message": end, "recipients": [installation]]) }),
    ]
    // Who only looks ends nothing.
    try await scene.app.require(200, report, scene.ids[0], patches: true)
    let looks: [JSON] = [
      ["to": scene.first], ["to": ["all": true]], ["recipients": [installation]],
    ]
    for var body in looks {
      (body["message"], body["explain"]) = (end, true)
      #expect(try await scene.document(body).status == 200)
      #expect(try await scene.render(update, arguments: .null).status == 200)
    }
    for (way, render) in ways {
      // The app brings the token again: the activity goes on.
      try await scene.app.require(200, report, scene.ids[0], patches: true)
      #expect(try await scene.render(update, arguments: .null).status == 200, "\(way)")
      for _ in 0..<2 {
        let reply = try await render()
        #expect(reply.status == 200 && reply.text.contains("\"event\":\"end\""), "\(way)")
      }
      let refused = try await scene.render(update, arguments: .null)
      #expect(refused.status == 409 && refused.text.contains("is over"), "\(way)")
      let updates: JSON = [
        "live_activity": ["event": "update", "type": "Delivery", "content_state": ["n": 1]]
      ]
      let skipped = try await scene.document(["message": updates, "to": ["all": true]])
      #expect(skipped.json["summary"]["skipped"] == ["activity_ended": 1], "\(way)")
      let stored = try await scene.app.admin.get(scene.app.installation(scene.ids[0]))
      let activities = stored.json["credentials"]["live_activities"]
      #expect(activities["A7C1"]["status"] == "invalid", "\(way)")
      #expect(activities["A7C1"]["reason"] == "activity_ended", "\(way)")
      #expect(activities["C3"]["status"] == "active", "\(way)")
    }
    let history = try await scene.app.admin.get(
      "\(scene.app.path)/tokens/\(try #require(token.string))/history")
    #expect(history.text.contains("\"reason\":\"activity_ended\""))
  }

  @Test(
    arguments: [
      (
        ["live_activity": ["event": "start"]],
        [
          "alert missing_field", "attributes missing_field", "content_state missing_field",
          "type missing_field",
        ]
      ),
      (
        ["live_activity": ["event": "update", "content_state": ["n": 1]]],
        ["activity missing_field"]
      ),
      (["live_activity": ["event": "update", "activity": "A"]], ["content_state missing_field"]),
      (["live_activity": ["event": "go", "activity": "A"]], ["event unknown_value"]),
      (
        ["live_activity": ["event": "end", "activity": "A", "attributes": ["a": 1]]],
        ["attributes unknown_field"]
      ),
      (
        ["live_activity": ["event": "update", "activity": "A", "content_state": ["a": "{b}"]]],
        ["content_state/a unknown_placeholder"]
      ),
      (
        ["live_activity": ["event": "update", "activity": "A", "content_state": 1]],
        ["content_state wrong_type"]
      ),
      (
        ["live_activity": ["event": "end", "activity": "A", "dismiss_after_s": 14_401]],
        ["dismiss_after_s out_of_range"]
      ),
    ] as [(JSON, [String])])
  func aMistakeIsToldAtItsPlace(message: JSON, faults: [String]) async throws {
    let scene = try await scene(.inProcess, languages: ["en"])
    let reply = try await scene.render(message, arguments: .null)
    let places = reply.faults.map {
      $0.replacingOccurrences(of: "/message/live_activity/", with: "")
    }
    #expect(reply.status == 422 && places.sorted() == faults, "\(reply.text)")
  }

  @Test(
    arguments: [
      (["widgets": [:], "alert": "Hi"], [:], ["/message/alert unknown_field"]),
      (["widgets": [:], "location": [:]], [:], ["/message/widgets too_many"]),
      (["widgets": [:], "data": ["a": 1]], [:], ["/message/data unknown_field"]),
      (["complication": ["a": "{b}"]], [:], ["/message/complication/a unknown_placeholder"]),
      (["location": [:], "priority": 1], [:], ["/message/priority out_of_range"]),
      (["push_to_talk": [:], "ttl": 60], [:], ["/message/ttl unknown_field"]),
      (
        ["nowplaying": ["event": "start", "attributes": ["id": 5]]], [:],
        ["/message/nowplaying/attributes/id wrong_type"]
      ),
      (
        ["nowplaying": ["event": "update", "session": "S1", "attributes": ["id": "S2"]]], [:],
        ["/message/nowplaying/attributes/id unknown_value"]
      ),
      (["nowplaying": ["event": "end"]], [:], ["/message/nowplaying/session missing_field"]),
      (
        ["file_provider": ["container-identifier": ""]], [:],
        ["/message/file_provider/container-identifier too_short"]
      ),
      (["widgets": [:]], ["credential": "voip"], ["/credential token_kind_mismatch"]),
      (["alert": "Hi"], ["credential": "widgets"], ["/credential token_kind_mismatch"]),
      (["widgets": [:]], ["shape": "gorush"], ["/shape unknown_value"]),
      (["widgets": [:]], ["shape": "simulator"], ["/shape unknown_value"]),
    ] as [(JSON, [String: JSON], [String])])
  func whatDoesNotGoTogetherIsRefused(
    message: JSON, more: [String: JSON], faults: [String]
  ) async throws {
    let scene = try await scene(.inProcess, languages: ["en"])
    let reply = try await scene.render(message, arguments: .null, more: more)
    #expect(reply.status == 422 && reply.faults == faults, "\(reply.text)")
  }

  /// An argument that is a key is shown in the language of the device, also where it stands alone
  /// in a state; in the app's own members it stays what it is.
  @Test func anArgumentThatIsAKeyIsItsText() async throws {
    let scene = try await scene(.inProcess)
    let parameters: JSON = ["what": ["type": "string"]]
    let update: JSON = [
      "live_activity": [
        "event": "update", "activity": "A7C1",
        "content_state": ["what": "{what}", "text": "by {what}", "list": ["{what}"]],
      ], "parameters": parameters,
    ]
    let arguments: JSON = ["what": ["loc-key": "TITLE"]]
    for (id, title) in zip(scene.ids, ["ご注文", "Your order"]) {
      let to: [String: JSON] = ["to": ["installation": .string(id)]]
      let reply = try await scene.render(update, arguments: arguments, more: to)
      #expect(
        reply.json["payload"]["aps"]["content-state"]
          == ["what": .string(title), "text": .string("by \(title)"), "list": [.string(title)]],
        "\(reply.text)")
    }
    let missing = try await scene.render(update, arguments: ["what": ["loc-key": "NOWHERE"]])
    #expect(missing.status == 422 && missing.text.contains("nothing_to_show"), "\(missing.text)")
    let own = try await scene.render(
      ["complication": ["what": "{what}"], "parameters": parameters], arguments: arguments)
    #expect(own.json["payload"]["what"] == "TITLE", "\(own.text)")
  }

  /// A state with a text that is nowhere is not sent: the phone would show a hole.
  @Test func aStateWithoutItsTextIsNotSent() async throws {
    let scene = try await scene(.inProcess, languages: ["en"])
    let reply = try await scene.render(
      [
        "live_activity": [
          "event": "update", "activity": "A7C1", "content_state": ["step": ["key": "NOWHERE"]],
        ]
      ], arguments: .null)
    #expect(reply.status == 422 && reply.json["code"] == "nothing_to_show", "\(reply.text)")
  }
}

extension Scene {
  /// Renders for an audience, as one document.
  fileprivate func document(_ body: JSON) async throws -> Reply {
    try await app.sender.send(
      "POST", "\(app.path)/render", json: body, fields: [("Accept", "application/json")])
  }
}
