import AppTesting
import DeviceProfile
import Testing

@testable import Registry

/// Arguments that nobody gives, as the devices have them as attributes. One after the other, as
/// there may be only so many streams at a time.
@Suite(.serialized) struct AttributeArgumentTests {
  private static let message: JSON = [
    "alert": ["text": ["en": "Hi {name}, {points}", "fr": "Salut {name}, {points}"]],
    "parameters": [
      "name": ["type": "string", "from": "attributes.first_name", "default": "there"],
      "points": ["type": "integer", "from": "attributes.points"],
    ],
    "badge": "{points}", "data": ["points": "{points}"],
  ]

  /// Attributes and language of devices, and the texts that they get; none where a device is left
  /// out.
  private static let rows: [(attributes: JSON, language: JSON, body: String?, problems: [JSON])] = [
    (["first_name": "Zoé", "points": 1200, "plan": "pro"], "fr", "Salut Zoé, 1 200", []),
    (["first_name": "Ana", "points": 1, "plan": "pro"], "en", "Hi Ana, 1", []),
    (["first_name": "Ana", "points": 1, "plan": "free"], "en", "Hi Ana, 1", []),
    (["points": 2], "en", "Hi there, 2", ["attribute_missing"]),
    (["first_name": .null, "points": 3], "en", "Hi there, 3", ["attribute_missing"]),
    (["first_name": 4, "points": 4], "en", "Hi there, 4", ["attribute_unusable"]),
    (["first_name": "Bob"], "en", nil, []),
    (["first_name": "Eve", "points": "7"], "en", nil, []),
    // No badge has it.
    (["first_name": "Ned", "points": -1], "en", nil, []),
    (.null, "en", nil, []),
  ]

  private static let devices: [[String: JSON]] = rows.map {
    ["attributes": $0.attributes, "languages": [$0.language]]
  }

  private static func plain(_ text: String?) -> String? {
    text?.replacing("\u{202F}", with: " ").replacing("\u{A0}", with: " ")
  }

  @Test(arguments: Transport.allCases)
  func eachDeviceGetsItsOwn(transport: Transport) async throws {
    let scene = try await Scene(transport, devices: Self.devices)
    let lines = try await scene.lines(
      to: ["all": true], more: ["message": Self.message, "arguments": [:]])
    let byID = Dictionary(lines.dropLast().map { ($0["installation_id"].string, $0) }) { $1 }
    for (id, row) in zip(scene.ids, Self.rows) {
      let line = byID[id]
      #expect(Self.plain(line?["payload"]["aps"]["alert"].string) == row.body)
      #expect(line?["payload"]["points"] == line?["payload"]["aps"]["badge"])
      #expect((line?["problems"].elements.map { $0["code"] } ?? []) == row.problems)
    }
    #expect(lines.last?["summary"]["skipped"] == ["missing_argument": 4])
    #expect(
      lines.last?["summary"]["problems"] == ["attribute_missing": 2, "attribute_unusable": 1])
    let details = lines.flatMap { $0["problems"].elements.map { $0["detail"] } }
    #expect(Set(details) == ["first_name"], "names, never values")
  }

  /// What is given counts for everybody, and devices without the attribute get it, too.
  @Test func whatIsGivenCountsFirst() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let arguments: JSON = ["name": "you", "points": 5]
    let lines = try await scene.lines(
      to: ["all": true], shape: "groups",
      more: ["message": Self.message, "arguments": arguments])
    #expect(
      lines.dropLast().map { $0["payload"]["aps"]["alert"].string }.sorted { $0 ?? "" < $1 ?? "" }
        == ["Hi you, 5", "Salut you, 5"])
    #expect(lines.last?["summary"]["rendered"] == 10)
    #expect(lines.last?["summary"]["problems"] == [:])
  }

  @Test func devicesWithTheSameValuesAreOneGroup() async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    let lines = try await scene.lines(
      to: ["all": true], shape: "groups", more: ["message": Self.message, "arguments": [:]])
    let anas = lines.first { $0["payload"]["aps"]["alert"] == "Hi Ana, 1" }
    #expect(anas?["tokens"].elements.count == 2)
  }

  /// Devices that differ in other attributes have the same traits, and the attributes of a message
  /// that names none are not read at all.
  @Test func onlyTheNamedAttributesAreRead() async throws {
    let scene = try await Scene(
      .inProcess, devices: Array(Self.devices[1...3] + Self.devices[9...]))
    func traits(_ aspects: DeviceAspects, _ names: String) async throws -> [String?] {
      let columns = DeviceTraits.columns(
        aspects: "\(aspects.rawValue)", attributes: names, isSandbox: "false")
      let ids = scene.ids.map { "('\($0)'::uuid)" }.joined(separator: ", ")
      let order = scene.ids.map { "'\($0)'" }.joined(separator: ", ")
      let rows = try await scene.app.service.database.query(
        """
        SELECT \(columns.joined(separator: ", "))
        FROM installation JOIN (VALUES \(ids)) AS listed (id) ON id = installation_id
        ORDER BY array_position(ARRAY[\(order)], id::text)
        """)
      let index = try #require(columns.firstIndex { $0.contains("attributes") })
      return rows.map { $0[index] }
    }
    let names = "ARRAY['first_name', 'plane']"
    #expect(
      try await traits(.attributes, names)
        == [#"{ "first_name" : "Ana" }"#, #"{ "first_name" : "Ana" }"#, nil, nil])
    #expect(try await traits(.all, names) == [nil, nil, nil, nil])
  }

  @Test(arguments: Transport.allCases)
  func theOneDeviceThatLacksItIsRefused(transport: Transport) async throws {
    let scene = try await Scene(transport, devices: [Self.devices[6]])
    let stored = try await scene.app.admin.put("\(scene.app.path)/messages/m", Self.message)
    #expect(stored.status == 201)
    let refused = try await scene.render("m", arguments: .null)
    #expect(refused.status == 422 && refused.problem == "invalid_input")
    #expect(refused.faults == ["/arguments/points missing_argument"])
    let given = try await scene.render("m", arguments: ["points": 8])
    #expect(given.json["payload"]["aps"]["alert"] == "Hi Bob, 8")
  }

  @Test(arguments: Transport.allCases)
  func aPreviewIsForSomebodyWithAttributes(transport: Transport) async throws {
    let scene = try await Scene(transport)
    var question: JSON = [
      "message": Self.message, "languages": ["en"],
      "attributes": ["first_name": "Zoé", "points": 3, "vip": true],
    ]
    let path = "\(scene.app.path)/preview"
    let shown = try await scene.app.sender.post(path, question)
    #expect(shown.status == 200, "\(shown.text)")
    #expect(shown.json["languages"][0]["body"] == "Hi Zoé, 3")
    // Without them one sees what is short, instead of nothing.
    question["attributes"] = .absent
    let row = try await scene.app.sender.post(path, question).json["languages"][0]
    #expect(row["body"] == "Hi there, ")
    #expect(
      row["problems"].elements.map { "\($0["code"].string ?? "") \($0["detail"].string ?? "")" }
        == ["attribute_missing first_name", "missing_argument points"])
    question["attributes"] = ["first_name": [1]]
    let refused = try await scene.app.sender.post(path, question)
    #expect(refused.faults == ["/attributes/first_name wrong_type"])
  }

  /// Every type that an attribute can have: a declaration, an attribute, and the text.
  @Test(
    arguments: [
      (["type": "decimal"], 1.5, "1.5"), (["type": "percent"], 0.25, "25%"),
      (["type": "currency", "currency": "EUR"], 9.9, "€9.90"),
      (["type": "date", "date": "short"], "2022-05-02T19:32:41Z", "5/2/22"),
      (["type": "date", "date": "short"], 1_651_519_961, "5/2/22"),
      (["type": "duration"], 65, "1 minute, 5 seconds"),
      (["type": "string"], "x", "x"),
    ] as [(JSON, JSON, String)])
  func anAttributeIsWrittenAsItsParameterSays(parameter: JSON, value: JSON, text: String)
    async throws
  {
    let scene = try await Scene(
      .inProcess, devices: [["attributes": ["v.w/x": value], "time_zone": "Europe/Paris"]])
    var parameter = parameter
    parameter["from"] = "attributes.v.w/x"
    let reply = try await scene.render(
      ["alert": "{v}", "parameters": ["v": parameter]], arguments: .null)
    #expect(reply.json["payload"]["aps"]["alert"].string == text, "\(reply.text)")
    #expect(reply.json["problems"] == [])
  }
}
