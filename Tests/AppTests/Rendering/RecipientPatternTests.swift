import AppTesting
import TestSupport
import Testing

/// Most lines are filled into forms, and the others rendered one by one: nobody sees which.
@Suite(.serialized) struct RecipientPatternTests {
  static let devices: [[String: JSON]] = [
    [
      "languages": ["en"], "user": ["id": "u1"],
      "attributes": ["first_name": "Zoé", "time": "noon", "points": 3],
    ],
    ["languages": ["fr"], "user": ["id": "u1"], "capabilities": ["loc-key"]],
    ["languages": ["fr"], "user": ["id": "u2"], "capabilities": ["local-notification"]],
    [
      "languages": ["zh-Hant"], "app_build": "9",
      "attributes": ["first_name": 7, "time": "1987654321", "points": "x"],
    ],
    ["languages": ["en"], "authorization": ["status": "denied"]],
    ["languages": ["en"], "credentials": .null],
  ]

  static let messages: [JSON] = [
    Scene.message,
    [
      "alert": ["title": "{what}", "body": ["text": ["en": "{count}: {when}", "fr": "{when} !"]]],
      "parameters": [
        "when": ["type": "string"], "what": ["type": "string", "default": "Tea"],
        "count": ["type": "integer", "default": 1],
      ],
      "thread_id": "{what}", "id": "{when}", "data": ["list": ["{what}{what}", 1]],
    ],
    [
      "alert": ["key": "FOOD_PICKUP", "args": ["when", "what"]],
      "parameters": ["when": ["type": "string"], "what": ["type": "string"]],
      "isolate_arguments": true, "badge": 1,
    ],
    [
      "alert": [
        "title": "{name}: {count}",
        "body": ["text": ["Soup": "{when}", "other": ["en": "Late {when}", "fr": "Tard {when}"]]],
      ],
      "parameters": [
        "when": ["type": "string", "from": "attributes.time"],
        "what": ["type": "choice", "of": ["Soup", "12", "late"], "default": "late"],
        "count": ["type": "integer", "from": "attributes.points", "default": 1],
        "name": ["type": "string", "from": "attributes.first_name", "default": "you"],
      ],
      "badge": "{count}", "sound": "{when}", "category": "{name}", "id": "{when}",
      "data": ["when": "{when}", "count": "{count}", "list": ["{what}", "{when}"]],
    ],
    // What stands for a word in a form is a character that a text may have, too.
    [
      "alert": [
        "title": .string(noncharacter(0) + " {when}"),
        "body": .string("{what}" + noncharacter(20) + noncharacter(31)),
      ],
      "thread_id": .string(noncharacter(1)),
      "parameters": [
        "when": ["type": "string"],
        "what": ["type": "string", "default": .string(noncharacter(0))],
        "count": ["type": "integer", "default": 1],
      ],
    ],
    [
      "withdraws": "{when}",
      "parameters": [
        "when": ["type": "string"], "what": ["type": "string", "default": "Tea"],
        "count": ["type": "integer", "default": 1],
      ],
    ],
  ]

  /// U+FDD0 and those that follow, which no literal may have.
  private static func noncharacter(_ number: UInt8) -> String {
    String(decoding: [0xEF, 0xB7, 0x90 + number], as: UTF8.self)
  }

  private static let words = [
    "Soup", "", " ", "\"", "100%", "%@", "12", "1e3", "-7", "{what}", "}{", "Zoé", "שלום", "👩‍🚀",
    "\u{301}a",
    "a\u{7F}b", "\u{2028}", noncharacter(0), noncharacter(1) + noncharacter(31), "1987654321",
    "payload_bytes", "/",
    "<&>", "~", "~~",
  ]

  /// A line, as most clients write it.
  private static func line(
    _ to: String, _ arguments: [(String, String)], _ rest: String
  ) -> String {
    let arguments = arguments.map { "\"\($0)\":\($1)" }.joined(separator: ",")
    return "{\"to\":\(to),\"arguments\":{\(arguments)}\(rest)}"
  }

  private static func randomText(_ random: inout SplitMix64) -> String {
    let count = Int.random(in: 0..<60, using: &random)
    if count == 0 {
      return String(repeating: "x", count: Int.random(in: 1..<4200, using: &random))
    }
    return (0..<Int.random(in: 1...3, using: &random)).map { _ in
      words.randomElement(using: &random) ?? ""
    }.joined()
  }

  /// The arguments of a line as JSON: texts as people have them and as nobody has.
  static func randomArguments(_ random: inout SplitMix64) -> [(String, String)] {
    var arguments: [(String, String)] = []
    for name in ["when", "what", "count", "other"] where Int.random(in: 0..<20, using: &random) > 0
    {
      if name == "other", Int.random(in: 0..<10, using: &random) > 0 { continue }
      if name == "count" {
        let value = ["1", "0", "-3", "1200", "1.0", "\"7\"", "null"].randomElement(using: &random)
        if Bool.random(using: &random) { arguments.append((name, value ?? "")) }
      } else {
        arguments.append((name, JSON.string(randomText(&random)).text))
      }
    }
    return arguments
  }

  private static func randomLine(_ scene: Scene, _ random: inout SplitMix64) -> String {
    let arguments = randomArguments(&random)
    let id = Int.random(in: 0..<7, using: &random)
    let to =
      id == 6 ? #"{"user":"u1"}"# : #"{"installation":"\#(scene.ids[id])"}"#
    var rest = ""
    if Int.random(in: 0..<3, using: &random) == 0 {
      rest += ",\"badge\":\([0, 3, 99_999, 2_147_483_647].randomElement(using: &random) ?? 0)"
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      rest += ",\"collapse_id\":\(JSON.string(randomText(&random)).text)"
    }
    return line(to, arguments, rest)
  }

  private static func answers(_ scene: Scene, _ lines: [String]) async throws -> [JSON] {
    let reply = try await scene.app.sender.send(
      "POST", "\(scene.app.path)/render", body: Array(lines.joined(separator: "\n").utf8),
      fields: [("Content-Type", "application/x-ndjson")])
    #expect(reply.status == 200, "\(reply.text.prefix(300))")
    return reply.text.split(separator: "\n").map { line in
      var answer = JSON(parsing: Array(line.utf8))
      // Those that differ each time.
      answer["headers"]["apns-id"] = .absent
      answer["headers"]["apns-expiration"] = .absent
      answer["error"]["request_id"] = .absent
      answer["explain"] = .absent
      return answer
    }
    .sorted { place($0) < place($1) }
  }

  /// The devices of a person come in any order; the summary is last.
  private static func place(_ answer: JSON) -> (index: Double, installation: String) {
    let index = if case .number(let number) = answer["index"] { number } else { Double.infinity }
    return (index, answer["installation_id"].string ?? "")
  }

  @Test(arguments: messages.indices)
  func aPatternSaysWhatARenderingSays(number: Int) async throws {
    let scene = try await Scene(.inProcess, devices: Self.devices)
    var random = SplitMix64(seed: UInt64(number))
    let lines = (0..<1500).map { _ in Self.randomLine(scene, &random) }
    var first: JSON = ["message": Self.messages[number]]
    if number == 0 { first["arguments"] = ["when": "noon"] }
    let filled = try await Self.answers(scene, [first.text] + lines)
    // What is explained is rendered one by one.
    first["explain"] = true
    let rendered = try await Self.answers(scene, [first.text] + lines)
    #expect(filled.count == rendered.count)
    let different = zip(filled, rendered).filter { $0 != $1 }
    #expect(different.isEmpty, "\(different.prefix(2))")
  }

  @Test func numbersThatAreAllDifferentAreNotRemembered() async throws {
    let scene = try await Scene(.inProcess, devices: [Self.devices[0]])
    let lines = (0..<3000).map { number in
      Self.line(
        #"{"installation":"\#(scene.ids[0])"}"#, [("when", "\"now\""), ("count", "\(number)")], "")
    }
    let first: JSON = ["message": Self.messages[1]]
    let answers = try await Self.answers(scene, [first.text] + lines)
    #expect(answers.count == 3001)
    let wrong = answers.dropLast().enumerated().filter { index, answer in
      let text = answer["payload"]["aps"]["alert"]["body"].string ?? ""
      return text.filter(\.isNumber) != "\(index)"
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(2))")
  }
}
