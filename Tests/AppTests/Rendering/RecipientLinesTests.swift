import AppTesting
import Testing

/// Recipients as lines, any number of them, answered while they come. One test after the other, as
/// there may be only so many streams at a time.
@Suite(.serialized) struct RecipientLinesTests {
  private static let first: JSON = [
    "message": RecipientTests.message, "arguments": ["name": "Ana"],
  ]

  private static func line(_ id: String, _ order: String) -> String {
    #"{"to":{"installation":"\#(id)"},"arguments":{"order":"\#(order)"}}"#
  }

  private static func send(_ scene: Scene, _ lines: [String]) async throws -> Reply {
    try await scene.app.sender.send(
      "POST", "\(scene.app.path)/render", body: Array(lines.joined(separator: "\n").utf8),
      fields: [("Content-Type", "application/x-ndjson")])
  }

  private static func answers(_ reply: Reply) -> [JSON] {
    reply.text.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) }
  }

  @Test(arguments: Transport.allCases)
  func aLineForEachRecipient(transport: Transport) async throws {
    let scene = try await Scene(transport, devices: RecipientTests.devices)
    let count = 3000
    let lines = (0..<count).map { number in Self.line(scene.ids[number % 3], "A\(number)") }
    let reply = try await Self.send(scene, [Self.first.text] + lines + [""])
    #expect(reply.status == 200)
    let answers = Self.answers(reply)
    try #require(answers.count == count + 1)
    let wrong = answers.dropLast().enumerated().filter { index, answer in
      answer["index"].whole != index || answer["payload"]["order"].string != "A\(index)"
        || answer["installation_id"].string != scene.ids[index % 3]
        || answer["payload"]["aps"]["alert"]["body"].string != "Ana: A\(index)"
    }
    #expect(wrong.isEmpty)
    #expect(answers[count]["summary"]["recipients"].whole == count)
    #expect(answers[count]["summary"]["languages"] == ["en": 1000, "fr": 2000])
  }

  @Test func brokenLinesAreTheirOwnFaults() async throws {
    let scene = try await Scene(.socket, devices: RecipientTests.devices)
    let id = scene.ids[0]
    let long = String(repeating: " ", count: 65_536)
    let lines = [
      Self.line(id, "1"), "{\"to\":", "", "null", Self.line(id, "2") + long, "\u{FEFF}{}",
      Self.line(id, "3") + "\r", Self.line(id, "4"),
    ]
    let reply = try await Self.send(scene, [Self.first.text] + lines)
    let answers = Self.answers(reply)
    #expect(
      answers.map { $0["error"]["errors"][0]["code"].string ?? $0["error"]["code"].string } == [
        nil, "malformed_json", "wrong_type", "too_long", "malformed_json", nil, nil, nil,
      ])
    // An empty line is none, and counts.
    #expect(answers.map { $0["index"].whole } == [0, 1, 3, 4, 5, 6, 7, nil])
    #expect(answers[5]["payload"]["order"] == "3" && answers[6]["payload"]["order"] == "4")
    #expect(answers.last?["summary"]["recipients"] == 7)
    #expect(answers.last?["summary"]["failed"] == 4)
  }

  @Test func aPayloadMayBeAString() async throws {
    let scene = try await Scene(.inProcess, devices: RecipientTests.devices)
    var first = Self.first
    first["payload_form"] = "string"
    let reply = try await Self.send(scene, [first.text, Self.line(scene.ids[0], "A/1")])
    let payload = try #require(Self.answers(reply).first?["payload"].string)
    #expect(JSON(parsing: Array(payload.utf8))["order"] == "A/1")
    #expect(Self.answers(reply)[0]["payload_bytes"].whole == payload.utf8.count)
  }

  @Test func theFirstLineIsTheMessage() async throws {
    let scene = try await Scene(.socket, devices: RecipientTests.devices)
    let line = Self.line(scene.ids[0], "1")
    let bad: [(String, Int, String)] = [
      ("", 400, "malformed_json"), ("{", 400, "malformed_json"), ("{}", 422, "invalid_input"),
      (#"{"message": "missing"}"#, 404, "message_not_found"),
      (#"{"message": {"alert": "Hi"}, "to": {"all": true}}"#, 422, "invalid_input"),
      (#"{"message": {"alert": "Hi"}, "shape": "groups"}"#, 422, "invalid_input"),
    ]
    for (first, status, code) in bad {
      let reply = try await Self.send(scene, [first, line])
      #expect(reply.status == status && reply.problem == code, "\(first): \(reply.text)")
    }
    let none = try await Self.send(scene, [Self.first.text])
    #expect(Self.answers(none).map { $0["summary"]["recipients"] } == [0])
    let admin = try await scene.app.admin.send(
      "POST", "\(scene.app.path)/render", body: Array("\(Self.first.text)\n\(line)".utf8),
      fields: [("Content-Type", "application/x-ndjson")])
    #expect(admin.problem == "key_kind_forbidden")
  }

  /// Sends the beginning of a body, and reads that of the answer.
  private func begin(_ scene: Scene) throws -> Wire {
    let wire = try Wire(port: scene.app.service.port)
    let head = """
      POST \(scene.app.path)/render HTTP/1.1\r\nHost: localhost\r
      Authorization: Bearer \(scene.app.keys["sender"] ?? "")\r
      Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n
      """
    try wire.send(Array(head.utf8) + chunk(Self.first.text + "\n"))
    #expect(try wire.receiveHead().status == 200)
    return wire
  }

  private func chunk(_ text: String) -> [UInt8] {
    Array("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8)
  }

  @Test func aKeyThatIsRevokedRendersNothingMore() async throws {
    let scene = try await Scene(.socket, devices: RecipientTests.devices)
    let app = scene.app
    let wire = try begin(scene)
    try wire.send(chunk(Self.line(scene.ids[0], "A0") + "\n"))
    #expect(JSON(parsing: try wire.receiveChunk() ?? [])["index"] == 0)
    let keys = try await app.admin.get("\(app.path)/keys").json["items"].elements
    let key = try #require(keys.first { $0["kind"] == "sender" }?["id"].string)
    #expect(try await app.admin.delete("\(app.path)/keys/\(key)").status == 204)
    try wire.send(chunk(Self.line(scene.ids[1], "A1") + "\n"))
    let last = JSON(parsing: try wire.receiveChunk() ?? [])
    #expect(last["error"]["code"] == "invalid_key")
  }

  @Test func answersLeaveBeforeTheLastLineIsSent() async throws {
    let scene = try await Scene(.socket, devices: RecipientTests.devices)
    let wire = try begin(scene)
    for number in 0..<3 {
      // A line in two pieces, the second with the beginning of the next.
      let line = Self.line(scene.ids[number], "A\(number)")
      try wire.send(chunk(String(line.prefix(20))))
      try wire.send(chunk(String(line.dropFirst(20)) + "\n"))
      let answer = JSON(parsing: try wire.receiveChunk() ?? [])
      #expect(answer["index"].whole == number)
      #expect(answer["payload"]["order"].string == "A\(number)")
    }
    try wire.send(Array("0\r\n\r\n".utf8))
    #expect(JSON(parsing: try wire.receiveChunk() ?? [])["summary"]["recipients"] == 3)
    #expect(try wire.receiveChunk() == nil)
    // The connection is kept, and so is the place among the streams.
    try wire.send(
      Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
    #expect(try wire.receive().status == 200)
  }
}
