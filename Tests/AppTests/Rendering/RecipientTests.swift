import AppTesting
import Testing

/// Each recipient with words of its own, in a JSON body. One after the other, as there may be only
/// so many streams at a time.
@Suite(.serialized) struct RecipientTests {
  static let message: JSON = [
    "alert": ["title": ["key": "FOOD_ORDERED"], "body": ["text": "{name}: {order}"]],
    "parameters": ["name": ["type": "string"], "order": ["type": "string"]],
    "sound": "default", "collapse_id": "order-{order}",
    "data": ["order": "{order}", "from": "shop"],
  ]
  static let devices: [[String: JSON]] = [
    ["languages": ["en"], "user": ["id": "u1"]],
    ["languages": ["fr"], "user": ["id": "u1"], "tags": ["beta"]],
    ["languages": ["fr"], "user": ["id": "u2"]],
    ["languages": ["en"], "authorization": ["status": "denied"]],
    ["languages": ["en"], "credentials": .null],
  ]

  /// Renders for recipients.
  /// - Returns: The lines of the answer.
  static func lines(
    _ scene: Scene, _ recipients: [JSON], message: JSON = message,
    arguments: JSON = ["name": "Ana"],
    more: [String: JSON] = [:]
  ) async throws -> [JSON] {
    var body: JSON = [
      "message": message, "arguments": arguments, "recipients": .array(recipients),
    ]
    for (name, value) in more { body[name] = value }
    let reply = try await scene.app.sender.post("\(scene.app.path)/render", body)
    #expect(reply.status == 200, "\(reply.text)")
    return reply.text.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) }
  }

  private static func to(_ id: String, _ more: [String: JSON] = [:]) -> JSON {
    var recipient: JSON = ["to": ["installation": .string(id)], "arguments": ["order": "A1"]]
    for (name, value) in more { recipient[name] = value }
    return recipient
  }

  @Test(arguments: Transport.allCases)
  func eachRecipientHasItsOwnWords(transport: Transport) async throws {
    let scene = try await Scene(transport, devices: Self.devices)
    let recipients: [JSON] = [
      Self.to(scene.ids[1], ["badge": 3, "collapse_id": "one"]),
      Self.to(
        scene.ids[0],
        ["arguments": ["order": "B2", "name": "Zoé"], "data": ["from": 7, "to": "x"]]),
      ["to": ["user": "u2"], "arguments": ["order": "C3"]],
    ]
    let lines = try await Self.lines(scene, recipients)
    try #require(lines.count == 4)
    #expect(lines.map { $0["index"] } == [0, 1, 2, .absent])
    #expect(
      lines.prefix(3).map { $0["installation_id"].string } == [
        scene.ids[1], scene.ids[0], scene.ids[2],
      ])
    #expect(
      lines[0]["payload"] == [
        "aps": [
          "alert": ["title": "Nouvelle commande", "body": "Ana: A1"], "badge": 3,
          "sound": "default",
        ],
        "order": "A1", "from": "shop",
      ])
    #expect(lines[0]["headers"]["apns-collapse-id"] == "one")
    #expect(
      lines[1]["payload"] == [
        "aps": ["alert": ["title": "New order", "body": "Zoé: B2"], "sound": "default"],
        "order": "B2", "from": 7, "to": "x",
      ])
    #expect(lines[1]["headers"]["apns-collapse-id"] == "order-B2")
    #expect(lines[2]["payload"]["aps"]["alert"]["body"] == "Ana: C3")
    #expect(
      lines[3]["summary"] == [
        "recipients": 3, "failed": 0, "devices": 3, "rendered": 3, "skipped": [:],
        "modes": ["server": 3], "languages": ["en": 1, "fr": 2], "problems": [:],
      ])
  }

  /// A null takes away what all have in common.
  @Test func aRecipientMayHaveNoBadge() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let id = scene.ids[0]
    var message = Self.message
    message["badge"] = 3
    let recipients: [JSON] = [
      Self.to(id), Self.to(id, ["badge": .null, "collapse_id": .null]), Self.to(id, ["badge": 0]),
    ]
    let lines = try await Self.lines(scene, recipients, message: message)
    #expect(lines.prefix(3).map { $0["payload"]["aps"]["badge"] } == [3, .absent, 0])
    #expect(
      lines.prefix(3).map { $0["headers"]["apns-collapse-id"] } == [
        "order-A1", .absent, "order-A1",
      ])
    // Nothing is left.
    let refused = try await Self.lines(
      scene, [["to": ["installation": .string(id)], "badge": .null]], message: ["badge": 3],
      arguments: [:])
    #expect(refused[0]["error"]["errors"][0]["code"] == "missing_field")
    #expect(refused[0]["error"]["errors"][0]["pointer"] == "/badge")
  }

  @Test func aFaultOfARecipientIsItsOwnLine() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let id = scene.ids[0]
    let recipients: [(JSON, JSON)] = [
      (Self.to(id), .absent),
      (1, ["wrong_type "]),
      (["to": ["installation": .string(id)]], ["missing_argument /arguments/order"]),
      (Self.to(id, ["arguments": ["order": 1]]), ["wrong_type /arguments/order"]),
      (Self.to(id, ["arguments": ["order": "A", "x": 1]]), ["unknown_argument /arguments/x"]),
      (Self.to(id, ["badge": -1]), ["out_of_range /badge"]),
      (Self.to(id, ["collapse_id": "{x}"]), ["unknown_placeholder /collapse_id"]),
      (Self.to(id, ["data": ["aps": [:]]]), ["reserved_aps_in_data /data/aps"]),
      (Self.to(id, ["data": ["payload": 1]]), ["invalid_name /data/payload"]),
      (Self.to(id, ["when": 1]), ["unknown_field /when"]),
      (Self.to(id, ["to": ["all": true]]), ["missing_field /to"]),
      (Self.to(id, ["to": ["user": "u1", "token": "12"]]), ["too_many /to"]),
      (Self.to("x"), ["invalid_uuid /to/installation"]),
      (Self.to(scene.ids[2]), .absent),
    ]
    let lines = try await Self.lines(scene, recipients.map(\.0))
    try #require(lines.count == recipients.count + 1)
    for (index, (_, expected)) in recipients.enumerated() {
      #expect(lines[index]["index"] == .number(Double(index)))
      let errors = lines[index]["error"]["errors"].elements
      let found = errors.map { "\($0["code"].string ?? "") \($0["pointer"].string ?? "")" }
      #expect(found == expected.elements.compactMap(\.string), "\(lines[index])")
    }
    #expect(lines.last?["summary"]["recipients"] == 14)
    #expect(lines.last?["summary"]["failed"] == 12)
    #expect(lines.last?["summary"]["rendered"] == 2)
  }

  @Test func whoGetsNothingIsSaid() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let stranger = Sample.id()
    let recipients: [JSON] = [
      Self.to(scene.ids[3]), Self.to(scene.ids[4]), Self.to(stranger),
      ["to": ["user": "nobody"], "arguments": ["order": "A"]],
      Self.to(scene.ids[0], ["arguments": ["order": .string(String(repeating: "x", count: 4090))]]),
    ]
    let lines = try await Self.lines(scene, recipients)
    #expect(
      lines.dropLast().map { $0["skipped"].string } == [
        "denied", "no_credential", "installation_not_found", "installation_not_found",
        "payload_too_large",
      ])
    #expect(lines[0]["installation_id"] == .string(scene.ids[3]))
    #expect(lines[2]["installation_id"] == .absent)
    #expect(lines.last?["summary"]["failed"] == 0)
    let anyway = try await Self.lines(scene, [recipients[0]], more: ["include_denied": true])
    #expect(anyway[0]["index"] == 0 && anyway[0]["payload"] != .absent)
  }

  @Test func whatAnAttributeSaysIsOfEachDevice() async throws {
    let scene = try await Scene(
      .inProcess,
      devices: [
        ["languages": ["en"], "attributes": ["first_name": "Zoé", "points": 7]],
        ["languages": ["en"], "attributes": ["points": "many"]],
        ["languages": ["en"], "attributes": ["first_name": "Ana"], "user": ["id": "u2"]],
      ])
    let message: JSON = [
      "alert": "{name}: {points}", "badge": "{points}", "data": ["points": "{points}"],
      "parameters": [
        "name": ["type": "string", "from": "attributes.first_name", "default": "you"],
        "points": ["type": "integer", "from": "attributes.points"],
      ],
    ]
    func to(_ number: Int) -> JSON { ["installation": .string(scene.ids[number])] }
    let recipients: [JSON] = [
      ["to": to(0)], ["to": to(1)], ["to": to(2)],
      ["to": to(2), "arguments": ["points": 5]],
      ["to": to(0), "arguments": ["name": "Bob"], "badge": 9],
      ["to": ["filter": ["attributes[points][gte]": 7]]],
      ["to": ["user": "u2"], "arguments": ["points": 6]],
    ]
    let lines = try await Self.lines(scene, recipients, message: message, arguments: [:])
    try #require(lines.count == recipients.count + 1)
    #expect(
      lines.dropLast().map { $0["payload"]["aps"]["alert"].string } == [
        "Zoé: 7", nil, nil, "Ana: 5", "Bob: 7", "Zoé: 7", "Ana: 6",
      ])
    #expect(
      lines.dropLast().map { $0["payload"]["aps"]["badge"].whole } == [7, nil, nil, 5, 9, 7, 6])
    #expect(lines.dropLast().map { $0["payload"]["points"].whole } == [7, nil, nil, 5, 7, 7, 6])
    #expect(lines[1]["skipped"] == "missing_argument" && lines[2]["skipped"] == "missing_argument")
    #expect(lines.last?["summary"]["skipped"] == ["missing_argument": 2])
    #expect(lines.last?["summary"]["failed"] == 0)
  }

  @Test func aPayloadMayBeAString() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let recipient = Self.to(scene.ids[0], ["arguments": ["order": "\"A/1\" é"]])
    let plain = try await Self.lines(scene, [recipient])
    let lines = try await Self.lines(scene, [recipient], more: ["payload_form": "string"])
    let payload = try #require(lines[0]["payload"].string)
    #expect(JSON(parsing: Array(payload.utf8)) == plain[0]["payload"])
    #expect(lines[0]["payload_bytes"].whole == payload.utf8.count)
  }

  @Test func aRecipientHasAllItsDevices() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let token = scene.tokens[2] ?? ""
    let recipients: [JSON] = [
      ["to": ["user": "u1"], "arguments": ["order": "1"]],
      ["to": ["token": .string(token)], "arguments": ["order": "2"]],
      ["to": ["filter": ["tag": "beta"]], "arguments": ["order": "3"]],
      ["to": ["user": "u1"], "arguments": ["order": "4"]],
    ]
    let lines = try await Self.lines(scene, recipients).dropLast()
    #expect(lines.map { $0["index"] } == [0, 0, 1, 2, 3, 3])
    #expect(lines.map { $0["payload"]["order"] } == ["1", "1", "2", "3", "4", "4"])
    #expect(
      Set(lines.prefix(2).map { $0["installation_id"].string }) == Set(scene.ids.prefix(2)))
    #expect(
      lines[2]["token"] == .string(token) && lines[3]["installation_id"].string == scene.ids[1])
  }

  @Test func aRecipientWithTooManyDevicesIsAnAudience() async throws {
    let scene = try await Scene(.inProcess, devices: [Self.devices[0]])
    try await scene.app.service.database.query(
      """
      INSERT INTO installation (app_id, installation_id, revision, platform, environment, user_id,
        apns_token, apns_status, apns_registered_at, languages, facets, localization, capabilities,
        tags, created_at, updated_at, last_seen_at)
      SELECT id, gen_random_uuid(), 1, 'ios', 'production', 'p' || n / 250,
        uuid_send(gen_random_uuid()), 'active', now, '{en}', '{}', 'auto', '{}', '{}', now, now, now
      FROM app, generate_series(0, 3499) AS n, now() WHERE slug = '\(scene.app.slug)'
      """)
    try await scene.app.service.database.query(
      """
      UPDATE installation SET user_id = 'many' WHERE user_id IN ('p12', 'p13')
        AND app_id = (SELECT id FROM app WHERE slug = '\(scene.app.slug)')
      """)
    var recipients: [JSON] = (0..<12).map { number in
      ["to": ["user": .string("p\(number)")], "arguments": ["order": .string("\(number)")]]
    }
    recipients.insert(["to": ["user": "many"], "arguments": ["order": "x"]], at: 1)
    // All together they are more than are held at a time.
    let lines = try await Self.lines(scene, recipients)
    #expect(lines.count == 12 * 250 + 2)
    #expect(lines.last?["summary"]["failed"] == 1)
    let refused = lines.filter { $0["error"] != .absent }
    #expect(refused.map { $0["index"] } == [1])
    #expect(refused.map { $0["error"]["code"] } == ["audience_too_large"])
    let indexes = lines.compactMap { $0["index"].whole }
    #expect(indexes == indexes.sorted())
    let wrong = lines.filter { line in
      guard let index = line["index"].whole, line["error"] == .absent else { return false }
      return line["payload"]["order"] != recipients[index]["arguments"]["order"]
    }
    #expect(wrong.isEmpty)
  }

  @Test func whatIsWrongForAllIsAnErrorAnswer() async throws {
    let scene = try await Scene(.inProcess, devices: [Self.devices[0]])
    let recipient = Self.to(scene.ids[0])
    let path = "\(scene.app.path)/render"
    let questions: [(JSON, [String])] = [
      (
        ["message": Self.message, "recipients": [recipient], "to": scene.first],
        ["/recipients too_many"]
      ),
      (["message": Self.message, "recipients": []], ["/recipients too_short"]),
      (["message": Self.message, "recipients": 1], ["/recipients wrong_type"]),
      (
        ["message": Self.message, "recipients": .array(Array(repeating: 1, count: 10_001))],
        ["/recipients too_many"]
      ),
      (
        ["message": Self.message, "recipients": [recipient], "shape": "groups"],
        ["/shape unknown_value"]
      ),
      (
        ["message": Self.message, "arguments": ["name": 1], "recipients": [recipient]],
        ["/arguments/name wrong_type"]
      ),
      (
        ["message": Self.message, "arguments": ["x": "y"], "recipients": [recipient]],
        ["/arguments/x unknown_argument"]
      ),
      (["recipients": [recipient]], ["/message missing_field"]),
    ]
    for (question, expected) in questions {
      let reply = try await scene.app.sender.post(path, question)
      #expect(reply.status == 422 && reply.faults == expected, "\(reply.text.prefix(300))")
    }
    let question: JSON = ["message": "missing", "recipients": [recipient]]
    #expect(try await scene.app.sender.post(path, question).problem == "message_not_found")
    let admin = try await scene.app.admin.post(
      path, ["message": Self.message, "recipients": [recipient]])
    #expect(admin.problem == "key_kind_forbidden")
  }

  @Test func oneDocumentHoldsAllForClientsOfJSON() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let body: JSON = [
      "message": Self.message, "arguments": ["name": "Ana"],
      "recipients": [Self.to(scene.ids[0]), 1, Self.to(scene.ids[1])],
    ]
    let reply = try await scene.app.sender.send(
      "POST", "\(scene.app.path)/render", json: body, fields: [("Accept", "application/json")])
    #expect(reply.status == 200)
    #expect(reply.json["items"].elements.map { $0["index"] } == [0, 1, 2])
    #expect(reply.json["summary"]["recipients"] == 3)
  }
}
