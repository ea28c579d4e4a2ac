import APNs
import DeviceProfile
import JSON
import Rendering
import Testing

/// What the table of members says that a message has itself is read, filled, checked and refused.
@Suite struct MessageMemberTests {
  private static let keys = APSKey.allCases.filter(\.rules.isInMessages)
  private static let parameters = #""parameters": {"s": {"type": "string"}}"#

  /// The member as a message has it, and as the payload does.
  private func member(_ key: APSKey) throws -> (name: String, json: String, value: APSValue) {
    let name = String(key.name.map { $0 == "-" ? "_" : $0 })
    switch key.rules.kind {
    case .text: return (name, #""a {s}""#, .text("a v"))
    case .sound: return (name, #""a {s}""#, .sound(.named("a v")))
    case .word(let words): return (name, "\"\(words.first)\"", .text(words.first))
    case .flag: return (name, "true", .integer(1))
    case .count: return (name, "7", .integer(7))
    case .score: return (name, "0.5", .number(0.5))
    case .alert, .time, .truth, .object, .texts:
      return try #require(nil, "no message has a member of this kind")
    }
  }

  @Test(arguments: keys)
  func aMemberOfAMessageIsOneOfThePayload(key: APSKey) throws {
    let member = try member(key)
    var scene = Scene(
      #"{"alert": "x {s}", "\#(member.name)": \#(member.json), \#(Self.parameters)}"#)
    scene.arguments = #"{"s": "v"}"#
    let content = try scene.render()
    #expect(Payload(json: content.payload)?.aps?[key] == member.value)
    // Either the body of gorush has it, or the refusal names it.
    let gorush = GroupTemplate.gorush(content, .production)
    let unknown = try Message(parsing: scene.message).unknownToGorush
    let plain = try Scene(#"{"alert": "x v"}"#).render()
    let hasMember = gorush != GroupTemplate.gorush(plain, .production)
    #expect(hasMember == (unknown == []) && unknown.allSatisfy { $0 == member.name })
  }

  @Test(arguments: keys)
  func placeholdersOfAMemberAreChecked(key: APSKey) throws {
    let member = try member(key)
    guard member.json.utf8.contains(UInt8(ascii: "{")) else { return }
    let message = #"{"alert": "x", "\#(member.name)": \#(member.json)"#
    #expect(throws: InputFailure.self) { try Message(parsing: message + "}") }
    let used = try Message(parsing: message + ", \(Self.parameters)}")
    #expect(MessageCheck(used).warnings == [])
  }

  @Test(arguments: keys)
  func aPushThatTheSystemTakesHasNoSuchMember(key: APSKey) throws {
    let member = try member(key)
    let json = #"{"widgets": {}, "\#(member.name)": \#(member.json), \#(Self.parameters)}"#
    let failure = #expect(throws: InputFailure.self) { try Message(parsing: json) }
    #expect(
      failure?.problems.map { "\($0.pointer) \($0.code)" } == ["/\(member.name) unknown_field"])
  }
}

extension APSWord {
  fileprivate static var first: String { allCases.map(\.rawValue).first ?? "" }
}
