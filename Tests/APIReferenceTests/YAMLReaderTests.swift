import Testing

@testable import APIReference

@Suite struct YAMLReaderTests {
  static let values: [(String, YAMLValue)] = [
    ("", .null),
    ("# nothing\n", .null),
    ("a: 1\n", .map([.init(name: "a", value: .number("1"))])),
    (
      "b: x\na: y",
      .map([.init(name: "b", value: .string("x")), .init(name: "a", value: .string("y"))])
    ),
    ("- a\n- 'b: c'\n", .list([.string("a"), .string("b: c")])),
    (
      "- a: x\n  b: y\n",
      .list([.map([.init(name: "a", value: .string("x")), .init(name: "b", value: .string("y"))])])
    ),
    ("'200': ok\n", .map([.init(name: "200", value: .string("ok"))])),
    (
      "a: { b: [c, 'd', \"e\"], f: null }\n",
      .map([
        .init(
          name: "a",
          value: .map([
            .init(name: "b", value: .list([.string("c"), .string("d"), .string("e")])),
            .init(name: "f", value: .null),
          ]))
      ])
    ),
    (
      "a:\n  {\n    \"b\": true\n  }\nc: 2\n",
      .map([
        .init(name: "a", value: .map([.init(name: "b", value: .bool(true))])),
        .init(name: "c", value: .number("2")),
      ])
    ),
    (
      "a: {}\nb: []\n",
      .map([.init(name: "a", value: .map([])), .init(name: "b", value: .list([]))])
    ),
    ("a:\nb:\n", .map([.init(name: "a", value: .null), .init(name: "b", value: .null)])),
  ]

  @Test(arguments: values) func aDocumentIsRead(text: String, value: YAMLValue) throws {
    #expect(try YAMLReader.value(of: Array(text.utf8)) == value)
  }

  static let texts: [(String, String)] = [
    ("a: b\n  c\n", "b c"),
    ("a: >-\n  b\n  c\n\n  d\n", "b c\nd"),
    ("a: >\n  b\n", "b\n"),
    ("a: |\n  b\n   c\n\n  d\n\n", "b\n c\n\nd\n"),
    ("a: |-\n  b\n", "b"),
    ("a: 'it''s'\n", "it's"),
    ("a: \"b\\nc \\u00e9 \\ud83d\\ude00 \\\"\"\n", "b\nc é 😀 \""),
    ("a: \"b \\\n    c\n    d\"\n", "b c d"),
    ("a: 0.1.0\n", "0.1.0"),
    ("a: nan\n", "nan"),
    ("a: x:y # z\n", "x:y # z"),
    ("a: <b> & 'c'\n", "<b> & 'c'"),
  ]

  @Test(arguments: texts) func aTextIsReadInEachStyle(text: String, value: String) throws {
    let document = try YAMLReader.value(of: Array(text.utf8))
    #expect(document == .map([.init(name: "a", value: .string(value))]))
  }

  static let wrong: [(String, Int)] = [
    ("a: {b: c\n", 1), ("a: [1, 2] 3\n", 1), ("a: 'b\n", 1), ("a: b\n c\nd\n", 3),
    ("a: 1\na: 2\n", 2), ("a:\n    b: 1\n  c: 2\n", 3),
    ("a: \"\\x\"\n", 1), ("a: \"\\ud83d\"\n", 1),
    ("a: " + String(repeating: "[", count: 100_000), 1),
  ]

  @Test(arguments: wrong) func aFaultHasItsLine(text: String, line: Int) {
    let fault = #expect(throws: YAMLFault.self) { try YAMLReader.value(of: Array(text.utf8)) }
    #expect(fault?.line == line)
  }
}
