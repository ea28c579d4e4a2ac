import AppTesting
import Crypto
import Testing

/// Payloads that no JSON reader and writer of a client can change on their way to APNs.
@Suite(.serialized) struct PayloadFormTests {
  private static let message: JSON = [
    "alert": "A \"quoted\" é/\u{2028}漢 {n}", "parameters": ["n": ["type": "decimal"]],
    "data": ["n": "{n}"],
  ]
  private static let arguments: JSON = ["n": 1.1e20]

  /// The payload's bytes as an answer in a form carries them.
  private func bytes(_ line: JSON, _ form: String) -> [UInt8]? {
    switch form {
    case "string": line["payload"].string.map { Array($0.utf8) }
    case "base64url": line["payload"].string.flatMap { Base64URL.decode($0) }
    default: nil
    }
  }

  @Test(arguments: Transport.allCases, ["string", "base64url"])
  func aRequestCarriesTheVeryBytes(transport: Transport, form: String) async throws {
    let scene = try await Scene(transport, devices: [[:]])
    let plain = try await scene.render(Self.message, arguments: Self.arguments)
    let reply = try await scene.render(
      Self.message, arguments: Self.arguments, more: ["payload_form": .string(form)])
    #expect(reply.status == 200, "\(reply.text)")
    let payload = try #require(bytes(reply.json, form))
    // As they stand in the answer with the payload as JSON.
    #expect(plain.text.contains(String(decoding: payload, as: UTF8.self)))
    #expect(JSON(parsing: payload) == plain.json["payload"])
    #expect(reply.json["payload_bytes"].whole == payload.count)
    var (rest, expected) = (reply.json, plain.json)
    for name in ["payload", "headers"] { (rest[name], expected[name]) = (.absent, .absent) }
    #expect(rest == expected)
  }

  @Test(arguments: ["string", "base64url"])
  func aGroupCarriesTheVeryBytes(form: String) async throws {
    let scene = try await Scene(.inProcess, devices: [[:], [:]])
    let more: [String: JSON] = [
      "message": Self.message, "arguments": Self.arguments, "payload_form": .string(form),
    ]
    let lines = try await scene.lines(to: ["all": true], shape: "groups", more: more)
    #expect(lines[0]["tokens"].elements.count == 2)
    let payload = try #require(bytes(lines[0], form))
    #expect(JSON(parsing: payload)["n"] == 1.1e20)
    #expect(lines[0]["payload_bytes"].whole == payload.count)
  }

  @Test(
    arguments: [
      ("gorush", "string", ["/payload_form unknown_value"]),
      ("simulator", "base64url", ["/payload_form unknown_value"]),
      ("requests", "text", ["/payload_form unknown_value"]), ("gorush", "json", []),
    ] as [(String, String, [String])])
  func aFormThatAShapeCannotHaveIsRefused(shape: String, form: String, faults: [String])
    async throws
  {
    let scene = try await Scene(.inProcess, devices: [[:]])
    let reply = try await scene.render(
      ["alert": "Hi"], arguments: .null,
      more: ["shape": .string(shape), "payload_form": .string(form)])
    #expect(reply.status == (faults.isEmpty ? 200 : 422))
    #expect(reply.faults == faults)
  }
}
