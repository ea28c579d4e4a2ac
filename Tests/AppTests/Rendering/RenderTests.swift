import AppTesting
import Testing

/// The main job, end to end: a device registers, and the sender gets the finished request for it.
@Suite struct RenderTests {
  /// Some systems have four numbers, and what is stored so gets keys like any other.
  @Test(arguments: ["17.4", "17.4.1.2"])
  func aVersionOfUpToFourNumbersIsKnown(version: String) async throws {
    let scene = try await Scene(
      .inProcess,
      devices: [
        ["languages": ["fr"], "os_version": .string(version), "capabilities": ["loc-key"]]
      ])
    let reply = try await scene.render(
      ["alert": ["title": ["key": "FOOD_ORDERED"]]], arguments: .null)
    #expect(reply.json["mode"] == "client")
  }

  @Test(arguments: Transport.allCases)
  func aDeviceIsAddressedInItsLanguage(transport: Transport) async throws {
    let scene = try await Scene(transport, devices: [["languages": ["fr-CA", "en"]]])
    let token = try #require(scene.tokens[0])
    let reply = try await scene.render()
    #expect(reply.status == 200)
    let json = reply.json
    #expect(json["installation_id"].string == scene.ids[0])
    #expect(json["token"].string == token)
    #expect(json["environment"] == "production")
    #expect(json["path"].string == "/3/device/\(token)")
    #expect(json["mode"] == "server")
    #expect(json["language"] == "fr")
    #expect(json["problems"] == [])
    #expect(
      json["payload"] == [
        "aps": [
          "alert": ["title": "Nouvelle commande", "body": "12:30 : Soup vous attend"],
          "category": "ORDER", "sound": "default", "thread-id": "orders",
        ],
        "what": "Soup",
      ])
    #expect(json["payload_bytes"].whole == json["payload"].text.utf8.count)
    #expect(json["headers"]["apns-topic"].string == "com.example.\(scene.app.slug)")
    #expect(json["headers"]["apns-push-type"] == "alert")
    #expect(json["headers"]["apns-priority"] == "10")
    #expect(json["headers"]["apns-collapse-id"] == "order-Soup")
    #expect(json["headers"]["apns-expiration"].string.flatMap { Int($0) } != nil)
    #expect(json["headers"]["apns-id"].string?.utf8.count == 36)
    #expect(json["explain"] == .absent)
  }

  /// Header fields are visible ASCII; the same text always has the same form.
  @Test(arguments: Transport.allCases)
  func anIDThatIsNoHeaderFieldIsEncoded(transport: Transport) async throws {
    let scene = try await Scene(transport, devices: [["languages": ["en"]]])
    let digest = "16b7a1cdc14e5e62d4a3fbf87fd0d033ca8ef964f3827d5752f8404095d1b216"
    // So often that the message is remembered: its words are then filled into a pattern.
    for _ in 0..<12 {
      for (what, expected) in [("chat-日本語", digest), ("chat-7", "chat-7")] {
        let message: JSON = [
          "alert": "Hi {what}", "collapse_id": "{what}", "parameters": ["what": ["type": "string"]],
        ]
        let reply = try await scene.render(message, arguments: ["what": .string(what)])
        #expect(reply.json["headers"]["apns-collapse-id"] == .string(expected))
        let codes = reply.json["problems"].elements.map { $0["code"].string }
        #expect(codes == (what == expected ? [] : ["collapse_id_encoded"]))
      }
    }
  }

  /// What comes along is judged like what is stored.
  @Test(
    arguments: [
      (["alert": .null], ["/message/alert missing_field"]),
      ([:], ["/message/alert missing_field"]),
      (["alert": "x", "ttl": 3_600_000], ["/message/ttl out_of_range"]),
      (["alert": "x", "data": ["payload": [:]]], ["/message/data/payload invalid_name"]),
      (
        ["alert": "x", "message_type": "t", "data": ["messageType": "u"]],
        ["/message/data/messageType invalid_name"]
      ),
    ] as [(JSON, [String])])
  func aMessageThatCanOnlyBeAMistakeIsRefused(message: JSON, faults: [String]) async throws {
    let scene = try await Scene(.inProcess, devices: [["languages": ["en"]]])
    for _ in 0..<4 {
      let reply = try await scene.render(message, arguments: [:])
      #expect(reply.status == 422 && reply.faults == faults)
    }
    let preview = try await scene.app.sender.post(
      "\(scene.app.path)/preview", ["message": message])
    #expect(preview.status == 422 && preview.faults == faults)
    let recipients = try await scene.app.sender.post(
      "\(scene.app.path)/render", ["message": message, "recipients": [["to": scene.first]]])
    #expect(recipients.status == 422 && recipients.faults == faults)
  }

  @Test(arguments: Transport.allCases)
  func aDeviceThatHasTheKeysGetsThem(transport: Transport) async throws {
    let scene = try await Scene(
      transport, devices: [["languages": ["en-GB"], "capabilities": ["loc-key"]]])
    let reply = try await scene.render(more: ["explain": true])
    #expect(reply.json["mode"] == "client")
    #expect(reply.json["explain"]["mode"] == "client_possible")
    #expect(reply.json["explain"]["language"]["chosen"] == "en")
    // The literal stands in where the key is missing, and is formatted by the device then.
    #expect(
      reply.json["payload"]["aps"]["alert"] == [
        "title-loc-key": "FOOD_ORDERED", "title": "New order",
        "loc-key": "FOOD_PICKUP", "loc-args": ["12:30", "Soup"],
        "body": "Pick Soup up at 12:30 (100%%)",
      ])
  }

  @Test func aLanguageThatOnlyTheServiceKnowsIsNotLeftToTheDevice() async throws {
    let device: [String: JSON] = [
      "languages": ["en"], "capabilities": ["loc-key"], "user": ["id": "u1"],
    ]
    let scene = try await Scene(.inProcess, devices: [device])
    _ = try await scene.app.sender.put("\(scene.app.path)/users/u1/language", ["language": "fr"])
    for to in [scene.first, ["user": "u1"]] {
      let reply = try await scene.render(more: ["to": to, "explain": true])
      let line = try #require(reply.text.split(separator: "\n").first)
      let request = JSON(parsing: Array(line.utf8))
      #expect(request["mode"] == "server")
      #expect(request["explain"]["mode"] == "language_overridden")
      #expect(request["payload"]["aps"]["alert"]["title"] == "Nouvelle commande")
    }
  }

  /// What a caller or a device says about the mode, and what comes of it.
  @Test(
    arguments: [
      ([:], "auto", "server", "no_loc_key_capability"),
      (["capabilities": ["loc-key"]], "auto", "client", "client_possible"),
      (["capabilities": ["loc-key"]], "server", "server", "requested_server"),
      (
        ["capabilities": ["loc-key"], "localization": "server"], "auto", "server",
        "device_prefers_server"
      ),
      (["localization": "client"], "auto", "client", "client_possible"),
      ([:], "client", "client", "client_possible"),
      (["capabilities": ["loc-key"], "os_version": "8.1"], "client", "server", "os_too_old"),
      (["os_version": "8.1"], "auto", "local", "system_before_10"),
      (["capabilities": ["local-notification"]], "auto", "local", "declared_local"),
      ([:], "local", "local", "requested_local"),
      (["capabilities": ["loc-key"], "os_version": .null], "auto", "server", "os_unknown"),
      (
        ["capabilities": ["loc-key"], "app_build": "413"], "auto", "server", "no_catalog_for_build"
      ),
    ] as [([String: JSON], String, String, String)])
  func theModeIsChosen(
    device: [String: JSON], requested: String, mode: String, reason: String
  ) async throws {
    let scene = try await Scene(
      .inProcess, devices: [device.merging(["languages": ["fr"]]) { $1 }])
    let reply = try await scene.render(
      more: ["localization": .string(requested), "explain": true])
    #expect(reply.json["mode"].string == mode)
    #expect(reply.json["explain"]["mode"].string == reason)
  }

  @Test(arguments: Transport.allCases)
  func aCallGoesToTheVoIPToken(transport: Transport) async throws {
    let token = Sample.token()
    let credentials: JSON = [
      "apns": ["token": .string(Sample.token())], "voip": ["token": .string(token)],
    ]
    let scene = try await Scene(
      transport, devices: [["languages": ["fr"], "credentials": credentials]])
    let message: JSON = [
      "alert": ["key": "FOOD_ORDERED"], "push_type": "voip", "call": ["id": "7F"],
    ]
    let reply = try await scene.render(message, arguments: .null, more: ["credential": "voip"])
    #expect(reply.status == 200)
    #expect(reply.json["mode"] == "voip")
    #expect(reply.json["path"].string == "/3/device/\(token)")
    #expect(reply.json["payload"]["aps"] == ["alert": "Nouvelle commande"])
    #expect(reply.json["payload"]["call"]["id"] == "7F")
    #expect(reply.json["payload"]["call"]["time"].whole != nil)
    #expect(reply.json["headers"]["apns-push-type"] == "voip")
    #expect(reply.json["headers"]["apns-expiration"] == "0")
    #expect(reply.json["problems"] == [])
    let refused = try await scene.render(message, arguments: .null)
    #expect(refused.status == 422)
    #expect(refused.faults == ["/credential token_kind_mismatch"])
  }

  @Test func aTextThatIsTooLongIsCutOrRefused() async throws {
    let scene = try await Scene(.inProcess, devices: [["languages": ["en"]]])
    var message: JSON = [
      "alert": ["text": "{long}"], "parameters": ["long": ["type": "string"]],
    ]
    let arguments: JSON = ["long": .string(String(repeating: "é", count: 2048))]
    let cut = try await scene.render(message, arguments: arguments)
    #expect(cut.status == 200)
    #expect(cut.json["problems"].elements.map { $0["code"] } == ["text_truncated"])
    #expect(cut.json["payload"]["aps"]["alert"].string?.hasSuffix("é…") == true)
    #expect(cut.json["payload_bytes"].whole.map { (4095...4096).contains($0) } == true)

    message["truncation"] = "reject"
    let refused = try await scene.render(message, arguments: arguments)
    #expect(refused.status == 422)
    #expect(refused.problem == "payload_too_large")
    let sizes = try #require(refused.json["detail"].string)
    #expect(sizes.contains(/has \d{4,} bytes; APNs takes at most 4096/))
    let body: JSON = ["message": message, "arguments": arguments, "to": ["all": true]]
    let bulk = try await scene.app.sender.post("\(scene.app.path)/render", body)
    #expect(bulk.text.contains(#""skipped":{"payload_too_large":1}"#))
  }

  /// What would this phone get, and why: people may ask that; what goes to many is the sender's.
  @Test(arguments: Transport.allCases)
  func anAdminRendersForOneDevice(transport: Transport) async throws {
    let scene = try await Scene(transport, devices: [["languages": ["fr"]]])
    let token = try #require(scene.tokens[0])
    func render(_ to: JSON, fields: [(String, String)] = []) async throws -> Reply {
      try await scene.app.admin.send(
        "POST", "\(scene.app.path)/render",
        json: ["message": ["alert": ["key": "FOOD_ORDERED"]], "to": to, "explain": true],
        fields: fields)
    }
    for to in [scene.first, ["token": .string(token)]] {
      let one = try await render(to)
      #expect(one.status == 200)
      #expect(one.json["payload"]["aps"]["alert"] == "Nouvelle commande")
      #expect(one.json["explain"]["mode"] == "no_loc_key_capability")
    }
    let streams = [
      try await render(["all": true]), try await render(["installations": [.string(scene.ids[0])]]),
      try await render(["all": true], fields: [("Accept", "application/json")]),
      try await render(scene.first, fields: [("Accept", "application/x-ndjson")]),
    ]
    #expect(streams.allSatisfy { $0.status == 403 && $0.problem == "key_kind_forbidden" })
  }

  @Test func theServersCatalogStandsInForTheBuilds() async throws {
    let scene = try await Scene(
      .inProcess, devices: [["languages": ["fr"], "app_build": "413"]])
    _ = try await scene.app.admin.delete("\(scene.app.path)/catalogs/412")
    let bare = try await scene.render()
    #expect(bare.status == 422)
    #expect(bare.problem == "nothing_to_show")

    _ = try await scene.app.admin.upload("\(scene.app.path)/catalogs/server", Scene.files)
    let served = try await scene.render()
    #expect(served.json["payload"]["aps"]["alert"]["title"] == "Nouvelle commande")
    #expect(served.json["mode"] == "server")
  }

  @Test func aReplacedCatalogIsUsedAtOnce() async throws {
    let scene = try await Scene(.inProcess, devices: [["languages": ["en"]]])
    #expect(try await scene.render().json["payload"]["aps"]["alert"]["title"] == "New order")
    let files = [(path: "en.lproj/Localizable.strings", text: "\"FOOD_ORDERED\" = \"Order!\";\n")]
    _ = try await scene.app.admin.upload("\(scene.app.path)/catalogs/412", files)
    #expect(try await scene.render().json["payload"]["aps"]["alert"]["title"] == "Order!")
    _ = try await scene.app.admin.delete("\(scene.app.path)/catalogs/412")
    #expect(try await scene.render().problem == "nothing_to_show")
  }

  @Test(arguments: Transport.allCases)
  func aDeviceWithoutATokenIsRefused(transport: Transport) async throws {
    let scene = try await Scene(transport, devices: [["languages": ["en"]]])
    _ = try await scene.app.sender.delete(
      "\(scene.app.installation(scene.ids[0]))/credentials/apns")
    let reply = try await scene.render()
    #expect(reply.status == 409)
    #expect(reply.problem == "no_usable_credential")
    let absent = try await scene.app.sender.post(
      "\(scene.app.path)/render",
      ["message": ["alert": "Hi"], "to": ["installation": .string(Sample.id())]])
    #expect(absent.status == 404)
    #expect(absent.problem == "installation_not_found")
  }

  @Test(
    arguments: [
      (["message": ["alert": "Hi"]], ["/to missing_field"]),
      (
        ["to": ["installation": "x"], "message": ["alert": "Hi"]], ["/to/installation invalid_uuid"]
      ),
      (
        ["message": ["alert": "Hi"], "to": ["user": "u", "all": true]], ["/to too_many"]
      ),
      (
        ["message": ["alert": "Hi"], "to": [:], "shape": "list", "credential": "mail"],
        ["/to missing_field", "/shape unknown_value", "/credential unknown_value"]
      ),
    ] as [(JSON, [String])])
  func aQuestionThatIsWrongIsRefused(body: JSON, faults: [String]) async throws {
    let app = try await TestApp.make(.inProcess)
    let reply = try await app.sender.post("\(app.path)/render", body)
    #expect(reply.status == 422)
    #expect(reply.problem == "invalid_input")
    #expect(Set(reply.faults) == Set(faults))
  }

  @Test func aMessageThatIsWrongIsRefusedWithAllItsFaults() async throws {
    let scene = try await Scene(.inProcess, devices: [["languages": ["en"]]])
    let message: JSON = [
      "alert": ["body": ["key": "K", "args": ["nobody"]]], "badge": -1, "colour": "red",
      "data": ["aps": [:]],
    ]
    let reply = try await scene.render(message, arguments: .null)
    #expect(reply.status == 422)
    #expect(
      Set(reply.faults) == [
        "/message/alert/body/args/0 unknown_parameter", "/message/badge out_of_range",
        "/message/colour unknown_field", "/message/data/aps reserved_aps_in_data",
      ])
    let arguments = try await scene.render(arguments: ["when": "12:30", "other": "x"])
    #expect(
      Set(arguments.faults) == [
        "/arguments/what missing_argument", "/arguments/other unknown_argument",
      ])
  }
}
