import AppTesting
import Testing

/// A key that a word picks, from the stored message to the payload, by argument and by attribute.
@Suite(.serialized) struct ChoiceRenderTests {
  private static let message: JSON = [
    "alert": [
      "title": ["key": ["female": "FOOD_PICKUP", "other": "FOOD_ORDERED"], "args": ["a", "a"]],
      "body": ["text": ["female": ["en": "her", "fr": "elle"], "other": "you"]],
    ],
    "parameters": [
      "gender": [
        "type": "choice", "of": ["female", "male", "other"], "from": "attributes.gender",
        "default": "other",
      ],
      "a": ["type": "string", "default": "x"],
    ],
    "localization": "server",
  ]

  @Test(arguments: Transport.allCases)
  func aWordPicksKeyAndText(transport: Transport) async throws {
    let genders: [JSON] = ["female", "male", "other", "unheard", .null]
    let scene = try await Scene(
      transport, devices: genders.map { ["attributes": ["gender": $0], "languages": ["fr"]] })
    var missing = Self.message
    missing["alert"]["title"]["key"]["female"] = "NOWHERE"
    let warned = try await scene.app.admin.put("\(scene.app.path)/messages/m", missing)
    #expect(
      warned.json["warnings"].elements.map { $0["pointer"] }.contains("/alert/title/key/female"))
    let stored = try await scene.app.admin.put("\(scene.app.path)/messages/m", Self.message)
    #expect(stored.status == 200, "\(stored.text)")
    let lines = try await scene.lines(
      to: ["all": true], more: ["message": "m", "arguments": [:]])
    let byID = Dictionary(lines.dropLast().map { ($0["installation_id"].string, $0) }) { $1 }
    let alerts = scene.ids.map { byID[$0]?["payload"]["aps"]["alert"] }
    let other: JSON = ["title": "Nouvelle commande", "body": "you"]
    #expect(
      alerts == [["title": "x : x vous attend", "body": "elle"], other, other, other, other])
    #expect(
      lines.last?["summary"]["problems"] == ["attribute_missing": 1, "attribute_unusable": 1])
    let given = try await scene.render("m", arguments: ["gender": "male"])
    #expect(given.json["payload"]["aps"]["alert"] == other)
    let refused = try await scene.render("m", arguments: ["gender": "unheard"])
    #expect(refused.faults == ["/arguments/gender unknown_value"])
  }

  @Test func aPreviewShowsTheLanguagesOfAllWords() async throws {
    let scene = try await Scene(.inProcess)
    let message: JSON = [
      "alert": ["text": ["female": ["it": "Cara"], "other": ["de": "Hallo"]]],
      "parameters": Self.message["parameters"],
    ]
    let reply = try await scene.app.sender.post(
      "\(scene.app.path)/preview", ["message": message, "arguments": ["gender": "female"]])
    #expect(
      reply.json["languages"].elements.map { $0["language"] } == [
        "de", "en", "fr", "it", "zh_Hant",
      ])
  }
}
