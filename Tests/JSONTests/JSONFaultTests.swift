import JSON
import TestSupport
import Testing

@Suite struct JSONFaultTests {
  @Test(arguments: [
    ("", "0 1:1 There is no JSON here, the text is empty."),
    (" \n ", "3 2:2 There is no JSON here, the text is empty."),
    ("\u{FEFF}{}", "0 1:1 JSON is sent without a byte order mark: leave the bytes EF BB BF out."),
    ("{'a': 1}", "1 1:2 Expected a member's name in quotation marks, not `'`."),
    (#"{"é": 1,}"#, "9 1:9 Expected a member's name in quotation marks, not `}`."),
    ("{\n  \"a\" 1}", "8 2:7 Expected a colon after the member's name, not `1`."),
    (#"{"a": }"#, "6 1:7 Expected a value, not `}`."),
    (#"{"a": NaN}"#, "6 1:7 Expected a value, not `N`."),
    (#"{"a": 1"#, "7 1:8 Expected a comma or }, not the end of the text."),
    ("[1 2]", "3 1:4 Expected a comma or ], not `2`."),
    ("{} {}", "3 1:4 Expected nothing more after the value, not `{`."),
    ("[nul]", "1 1:2 Expected true, false or null, not `n`."),
    ("[01]", "2 1:3 Expected no digit after a leading 0, not `1`."),
    ("[1.]", "3 1:4 Expected a digit, not `]`."),
    ("[-]", "2 1:3 Expected a digit, not `]`."),
    (
      "[1e400]",
      "1 1:2 Expected a number that fits a 64-bit floating-point number, not `1`."
    ),
    (
      #"["a"#,
      "3 1:4 Expected the quotation mark that ends the string, not the end of the text."
    ),
    (
      "[\"a\nb\"]",
      "3 1:4 Expected an escape such as \\n in the place of a control character, not U+000A."
    ),
    (
      #"["\x"]"#,
      #"3 1:4 Expected one of " \ / b f n r t u after a backslash, not `x`."#
    ),
    (#"["\u12g4"]"#, #"6 1:7 Expected four hexadecimal digits after \u, not `g`."#),
    (#"["\ud83d!"]"#, "8 1:9 Expected both halves of a surrogate pair, or neither, not `!`."),
  ])
  func aFaultIsToldWithItsPlaceAndWhatShouldStandThere(text: String, expected: String) {
    #expect(Self.told(Array(text.utf8)) == [" malformed_json \(expected)"])
    #expect(JSONValue(parsing: Array(text.utf8)) == nil)
  }

  @Test func aFaultMayBeAnotherEncodingOrTooDeepNesting() {
    let detail = "Send JSON in UTF-8: these bytes are not valid UTF-8."
    #expect(Self.told([0x7B, 0x0A, 0xFF, 0x7D]) == [" malformed_json 2 2:1 \(detail)"])
    let deep = Array(String(repeating: "[", count: 600).utf8)
    let sentence = "Arrays and objects are nested more than 512 levels deep."
    #expect(Self.told(deep) == [" malformed_json 513 1:514 \(sentence)"])
  }

  @Test(
    arguments: [
      (#"{"a": 1, "a": 2}"#, ["/a 9 1:10"]),
      (#"{"a": 1, "\u0061": 2}"#, ["/a 9 1:10"]),
      ("{\"b\": [0,\n {\"c/d\": {}, \"c/d\": 1}]}", ["/b/1/c~1d 23 2:14"]),
      (#"{"a": 1, "a": {"b": 1, "b": 2}, "a": 3}"#, ["/a 9 1:10", "/a/b 23 1:24", "/a 32 1:33"]),
    ] as [(String, [String])])
  func aNameThatOccursTwiceIsAFaultHoweverItIsWritten(text: String, expected: [String]) {
    let detail = "The object has a member of this name already; send it once."
    let told = Self.told(Array(text.utf8)).map { Array($0.unicodeScalars) }
    let wanted = expected.map { place -> String in
      let parts = place.split(separator: " ", maxSplits: 1)
      return "\(parts[0]) duplicate_member \(parts[1]) \(detail)"
    }
    #expect(told == wanted.map { Array($0.unicodeScalars) })
    #expect(JSONValue(parsing: Array(text.utf8)) == nil)
  }

  @Test func faultsAreToldUpToABound() {
    let members = repeatElement(#""a": {"b": 1, "b": 1}"#, count: 500).joined(separator: ", ")
    #expect(JSONFault.problems(in: Array("{\(members)}".utf8)).count == InputLimits.problems)
  }

  /// 48 objects, each within 500 arrays. No place is written out that is not told.
  @Test func namesThatOccurTwiceDeepInsideCostLittleMoreThanOthers() {
    func text(_ name: (Int) -> String) -> [UInt8] {
      let members = (10..<70).map { "\"\(name($0))\":0" }.joined(separator: ",")
      let object =
        String(repeating: "[", count: 500) + "{\(members)}" + String(repeating: "]", count: 500)
      return Array("[\(repeatElement(object, count: 48).joined(separator: ","))]".utf8)
    }
    let (plain, repeated) = (text { "\($0)" }, text { _ in "10" })
    let pointers = JSONFault.problems(in: repeated).map(\.pointer)
    let place = String(repeating: "/0", count: 501) + "/10"
    #expect(pointers == Array(repeating: place, count: InputLimits.problems))
    let times = Growth.ofWork(on: plain, and: repeated) { _ = JSONFault.problems(in: $0) }
    #expect(times < Growth.limit)
  }

  private static func told(_ text: [UInt8]) -> [String] {
    JSONFault.problems(in: text).map { problem in
      let place = problem.position.map { "\($0.byte) \($0.line):\($0.column)" } ?? "nowhere"
      return "\(problem.pointer) \(problem.code) \(place) \(problem.detail)"
    }
  }
}
