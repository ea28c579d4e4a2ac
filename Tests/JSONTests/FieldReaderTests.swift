import JSON
import Testing

@Suite struct FieldReaderTests {
  private enum Word: String, CaseIterable { case on, off }

  private static func read(_ fields: FieldReader) -> [String]? {
    _ = fields.required(fields.text("text", maximum: 3, minimum: 1), "text")
    _ = fields.unclearable(fields.flag("flag"), "flag")
    _ = fields.integer("integer", in: Int64.min...9)
    _ = fields.number("number", in: 0...1)
    _ = fields.word("word", of: Word.self)
    _ = fields.object("object") { $0.required($0.text("a", maximum: 1), "a") }
    return fields.texts("texts", maximumCount: 3, maximum: 1).value ?? []
  }

  @Test(
    arguments: [
      ("1", [" wrong_type"]),
      ("{}", ["/text missing_field"]),
      (#"{"text": null, "flag": null}"#, ["/text wrong_type", "/flag wrong_type"]),
      (#"{"text": ""}"#, ["/text too_short"]),
      (#"{"text": "ééé", "flag": 1}"#, ["/text too_long", "/flag wrong_type"]),
      (#"{"text": "\u0000"}"#, ["/text contains_nul"]),
      (#"{"text": "a", "integer": 10}"#, ["/integer out_of_range"]),
      (#"{"text": "a", "integer": 1.5}"#, ["/integer wrong_type"]),
      (#"{"text": "a", "integer": true}"#, ["/integer wrong_type"]),
      (#"{"text": "a", "integer": -9223372036854775809}"#, ["/integer out_of_range"]),
      (#"{"text": "a", "number": 1.01}"#, ["/number out_of_range"]),
      (#"{"text": "a", "word": "ON"}"#, ["/word unknown_value"]),
      (#"{"text": "a", "object": {}}"#, ["/object/a missing_field"]),
      (#"{"text": "a", "object": {"a": "", "~/": 1}}"#, ["/object/~0~1 unknown_field"]),
      (#"{"text": "a", "texts": ["a", 1, "bb"]}"#, ["/texts/1 wrong_type", "/texts/2 too_long"]),
      (#"{"text": "a", "texts": [1, 2, 3, 4]}"#, ["/texts too_many"]),
      (#"{"text": "a", "z": 1, "y": null}"#, ["/y unknown_field", "/z unknown_field"]),
    ] as [(String, [String])])
  func fieldsAreRefusedAllAtOnceEachWithItsPlaceAndKind(text: String, expected: [String]) throws {
    let value = try #require(JSONValue(parsing: Array(text.utf8)))
    let failure = #expect(throws: InputFailure.self) { try value.read(.strict, Self.read) }
    #expect(failure?.problems.map { "\($0.pointer) \($0.code)" } == expected)
  }

  @Test func fieldsThatNobodyAsksForAreLeftOutWhenThePolicyIsLenient() throws {
    let value = try #require(
      JSONValue(parsing: Array(#"{"text": "a", "z": 1, "texts": ["b","b"]}"#.utf8)))
    let decoded = try value.read(.lenient, Self.read)
    #expect(decoded.body == ["b"])
    #expect(decoded.ignored.map(\.pointer) == ["/z"])
  }

  /// A typo of a backend is told what is meant; Apple's names are among them.
  @Test(arguments: [
    ("fl-ag", "The contract has no such field here; send `flag`."),
    ("FLAG", "The contract has no such field here; send `flag`."),
    ("apns-flag", "The contract has no such field here; send `flag`."),
    ("loc-key", "The contract has no such field here; send `text` with a key."),
    ("other", "The contract has no such field here."),
  ])
  func anUnknownFieldIsToldTheNameThatIsMeant(name: String, detail: String) {
    let value = JSONValue.object([name: .bool(true)])
    let failure = #expect(throws: InputFailure.self) {
      try value.read { fields in
        fields.otherNames = ["loc-key": "`text` with a key"]
        return fields.flag("flag").value ?? false
      }
    }
    #expect(failure?.problems.map(\.detail) == [detail])
  }

  /// It is not said of a number that it is none.
  @Test(arguments: [
    ("1.5", "Expected a whole number, not a number with a fraction."),
    (
      "0.12345678901234567890",
      "Expected a whole number, not a number of more digits than 64 bits hold."
    ),
    ("18446744073709551615", "From 0 to 9."), ("-1", "From 0 to 9."),
    ("\"1\"", "Expected a whole number, not a string."),
  ])
  func aNumberIsToldWhatIsWrongWithIt(text: String, detail: String) throws {
    let value = try #require(JSONValue(parsing: Array(#"{"n": \#(text)}"#.utf8)))
    let failure = #expect(throws: InputFailure.self) {
      try value.read { $0.required($0.integer("n", in: 0...9), "n") }
    }
    #expect(failure?.problems.first?.detail == detail)
  }

  @Test func faultsAreToldUpToABoundWithLongNamesShortened() throws {
    let name = String(repeating: "n", count: 500)
    let members = (0..<500).map { (key: "\(name)\($0)", value: JSONValue.null) }
    let value = JSONValue.object(JSONObject(members))
    let failure = #expect(throws: InputFailure.self) { try value.read { $0.flag("x").value } }
    #expect(failure?.problems.count == InputLimits.problems)
    #expect(failure?.problems.allSatisfy { $0.pointer.utf8.count < 80 } == true)
  }
}
