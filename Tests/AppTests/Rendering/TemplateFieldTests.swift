import AppTesting
import Testing

/// The values of parameters wherever a message has a text, and in its badge.
@Suite struct TemplateFieldTests {
  private static let message: JSON = [
    "alert": [
      "body": "{n} for {who}", "launch_image": "{what}.png", "action_key": "OPEN_{what}",
    ],
    "parameters": [
      "n": ["type": "integer"], "who": ["type": "string"], "what": ["type": "string"],
      "price": ["type": "decimal"], "items": ["type": "list"], "at": ["type": "date"],
    ],
    "badge": "{n}", "sound": "{what}.caf", "category": "ORDER_{what}",
    "filter_criteria": "{{{who}}}", "message_type": "type-{what}", "thread_id": "{n}",
    "data": [
      "n": "{n}", "text": "{n} x", "price": "{price}", "items": "{items}", "at": "{at}",
      "deep": [["who": "{who}"]], "brace": "{{n}}",
    ],
  ]

  private static let arguments: JSON = [
    "n": 3, "who": "Ana", "what": "soup", "price": 9.5, "items": ["a", "b"], "at": 1_651_519_961,
  ]

  @Test(arguments: Transport.allCases)
  func everyTextTakesValuesAndDataKeepsTheirTypes(transport: Transport) async throws {
    let scene = try await Scene(transport, devices: [["time_zone": "Europe/Paris"]])
    let reply = try await scene.render(Self.message, arguments: Self.arguments)
    #expect(reply.status == 200, "\(reply.text)")
    #expect(
      reply.json["payload"] == [
        "aps": [
          "alert": [
            "body": "3 for Ana", "launch-image": "soup.png", "action-loc-key": "OPEN_soup",
          ],
          "badge": 3, "sound": "soup.caf", "category": "ORDER_soup", "filter-criteria": "{Ana}",
          "thread-id": "3",
        ],
        "messageType": "type-soup", "n": 3, "text": "3 x", "price": 9.5, "items": ["a", "b"],
        "at": "1651519961", "deep": [["who": "Ana"]], "brace": "{n}",
      ])
    #expect(reply.json["problems"] == [])
  }

  /// A message that came along, and one that is stored.
  @Test(arguments: [false, true]) func aBadgeThatNoDeviceCanShowIsRefused(isStored: Bool)
    async throws
  {
    let scene = try await Scene(.inProcess, devices: [[:]])
    let message: JSON = [
      "badge": "{unread}", "parameters": ["unread": ["type": "integer", "default": 1]],
    ]
    if isStored {
      let stored = try await scene.app.admin.put("\(scene.app.path)/messages/m", message)
      #expect(stored.status == 201)
    }
    let asked: JSON = isStored ? "m" : message
    for number in [-1, 2_147_483_648] {
      let reply = try await scene.render(asked, arguments: ["unread": .number(Double(number))])
      #expect(reply.status == 422)
      #expect(reply.faults == ["/arguments/unread out_of_range"])
    }
    for (arguments, badge) in [(["unread": 2_147_483_647], 2_147_483_647), ([:], 1)]
      as [(JSON, JSON)]
    {
      let reply = try await scene.render(asked, arguments: arguments)
      #expect(reply.json["payload"]["aps"] == ["badge": badge])
    }
  }
}
