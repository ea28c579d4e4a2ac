import JSON
import TestSupport
import Testing

@Suite struct JSONNodeTests {
  @Test func everyValueAndNameKnowsWhereItStands() throws {
    let text = #" {"a": [1, "é"], "a" :{"b":null} } "#
    let root = try node(text)
    let members = try #require(root.members)
    #expect(root.offset == 1)
    #expect(members.map(\.name) == ["a", "a"])
    #expect(members.map(\.offset) == [2, 18])
    #expect(members.map(\.value.offset) == [7, 23])
    guard case .array(let elements) = members[0].value.content else {
      Issue.record("no array")
      return
    }
    #expect(elements.map(\.offset) == [8, 11])
    #expect(elements.map(\.content) == [.scalar(.integer(1)), .scalar(.string("é"))])
    #expect(members[1].value.members?.map(\.value.content) == [.scalar(.null)])
  }

  @Test(
    arguments: [
      ("", 0, .empty), ("  ", 2, .empty), (#"{"a": 1,}"#, 8, .expected(.name)),
      ("[1\n 2]", 4, .expected(.commaOrBracket)), ("{} {}", 3, .expected(.end)),
      (#"{"a": "b"#, 8, .expected(.quotationMark)),
      (String(repeating: "[", count: 600), 513, .tooDeep), ("[0,0,0,0]", 7, .tooMany),
    ] as [(String, Int, JSONFault.Reason)])
  func aFaultTellsWhereAndWhy(text: String, offset: Int, reason: JSONFault.Reason) {
    let fault = #expect(throws: JSONFault.self) {
      try JSONNode(parsing: Array(text.utf8), maximumCount: reason == .tooMany ? 4 : 1000)
    }
    #expect(fault?.offset == offset)
    #expect(fault?.reason == reason)
  }

  @Test func bytesThatAreNoUTF8AreAFault() {
    let fault = #expect(throws: JSONFault.self) {
      try JSONNode(parsing: [0x22, 0xFF, 0x22], maximumCount: 1)
    }
    #expect(fault?.offset == 1)
    #expect(fault?.reason == .notUTF8)
  }

  @Test(arguments: 0..<10)
  func valuesAreTheSameWithAndWithoutPlaces(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let parts = ["{", "}", "[", "]", ":", ",", #""a""#, #""b""#, "1", "2.5", "true", "null", " "]
    for _ in 0..<2_000 {
      var text = ""
      for _ in 0..<Int.random(in: 1...9, using: &random) {
        text += parts.randomElement(using: &random) ?? ""
      }
      let node = try? node(text)
      let expected = node.flatMap { $0.hasRepeatedNames ? nil : $0.value }
      #expect(JSONValue(parsing: Array(text.utf8)) == expected, "\(text)")
    }
  }

  private func node(_ text: String) throws -> JSONNode {
    try JSONNode(parsing: Array(text.utf8), maximumCount: 1000)
  }
}

extension JSONNode {
  fileprivate var members: [Member]? {
    if case .object(let members) = content { members } else { nil }
  }

  /// Whether an object in it has a name twice.
  fileprivate var hasRepeatedNames: Bool {
    switch content {
    case .scalar: false
    case .array(let elements): elements.contains(where: \.hasRepeatedNames)
    case .object(let members):
      Set(members.map(\.name)).count < members.count
        || members.contains(where: \.value.hasRepeatedNames)
    }
  }

  /// The value without places.
  fileprivate var value: JSONValue {
    switch content {
    case .scalar(let value): value
    case .array(let elements): .array(elements.map(\.value))
    case .object(let members):
      .object(JSONObject(members.map { (key: $0.name, value: $0.value.value) }))
    }
  }
}
