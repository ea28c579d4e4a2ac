import Foundation
import JSON
import TestSupport
import Testing

@Suite struct JSONValueTests {
  @Test(
    arguments: [
      ("null", .null), ("true", .bool(true)), ("0", .integer(0)), ("1", .integer(1)),
      ("-0", .integer(0)), ("1.0", .integer(1)), ("1e5", .integer(100_000)), ("1.5", .double(1.5)),
      ("9007199254740993", .integer(9_007_199_254_740_993)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("1E+2", .integer(100)), ("1.50", .double(1.5)), ("0.1", .double(0.1)), ("0.0", .integer(0)),
      ("1e300", .double(1e300)), ("1e21", .double(1e21)), ("-2.50e-3", .double(-0.0025)),
      ("0.1000000000000000000", .double(0.1)),
      ("12345678901234.5", .double(12345678901234.5)),
      ("0.000e99999999999999999999", .integer(0)),
      // What 64 bits do not hold keeps its digits.
      ("9223372036854775808", .longNumber("9223372036854775808")),
      ("-9223372036854775809", .longNumber("-9223372036854775809")),
      ("18446744073709551615", .longNumber("18446744073709551615")),
      ("123456789012345678901", .longNumber("123456789012345678901")),
      ("9007199254740993.0", .longNumber("9007199254740993.0")),
      ("3.14159265358979323846", .longNumber("3.14159265358979323846")),
      ("0.10000000000000001", .longNumber("0.10000000000000001")),
      ("1e-400", .longNumber("1e-400")), ("4.9e-325", .longNumber("4.9e-325")),
      ("0.001e-9223372036854775808", .longNumber("0.001e-9223372036854775808")),
      (#""a\u00e9\n\ud83d\ude00""#, .string("aé\n😀")),
      (#"[1, "1", [], {}]"#, .array([.integer(1), .string("1"), .array([]), .object([:])])),
      (
        #"{"a": {"b": false}, ",}": ",]"}"#,
        .object(["a": .object(["b": .bool(false)]), ",}": .string(",]")])
      ),
    ] as [(String, JSONValue)])
  func aTextIsReadAsTheValueItIs(text: String, expected: JSONValue) {
    #expect(JSONValue(parsing: Array(text.utf8)) == expected)
  }

  @Test(arguments: [
    "", " ", "{", "{]", "[1,]", #"{"a": 1,}"#, #"{"a": 1 , }"#, #"{a: 1}"#, "'a'", "01", "+1",
    "1.",
    ".5", "NaN", "Infinity", "1e400", "truth", "[1 2]", "{} {}", "\"a\nb\"", "// x\n1",
    #"{"a": 1, "a": 2}"#, "\"\u{0}\"", #""\ud83d""#, #""\x""#,
  ])
  func whatIsNotRFC8259IsRefused(text: String) {
    #expect(JSONValue(parsing: Array(text.utf8)) == nil)
  }

  @Test func aTextIsUTF8AndNothingElse() {
    let text = #"{"a":1}"#
    #expect(JSONValue(parsing: Array(text.utf8)) != nil)
    let little: [UInt8] = text.utf8.flatMap { [$0, 0] }
    let big: [UInt8] = text.utf8.flatMap { [0, $0] }
    let wide: [UInt8] = text.utf8.flatMap { [$0, 0, 0, 0] }
    for bytes in [little, [0xFF, 0xFE] + little, big, [0xFE, 0xFF] + big, wide] {
      #expect(JSONValue(parsing: bytes) == nil)
    }
    #expect(JSONValue(parsing: [0x22, 0xFF, 0x22]) == nil)
  }

  @Test(arguments: ["[", #"{"a":"#])
  func aTextThatNestsTooDeeplyIsRefusedNotFollowed(opening: String) {
    #expect(JSONValue(parsing: Array(String(repeating: opening, count: 200_000).utf8)) == nil)
  }

  /// Foundation's reader takes more than the RFC, so whatever ours takes it takes too.
  @Test(arguments: 0..<20)
  func whatIsTakenIsReadLikeFoundationReadsIt(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let parts = [
      "{", "}", "[", "]", ":", ",", "\"a\"", "\"é\\n\"", "\"\\ud83d\\ude00\"", "\\", "\"", "1",
      "-0",
      "2.5", "1e3", ".", "true", "null", " ", "\n", "0",
    ]
    var taken = 0
    for _ in 0..<2_000 {
      var text = ""
      for _ in 0..<Int.random(in: 1...9, using: &random) {
        text += parts.randomElement(using: &random) ?? ""
      }
      guard let value = JSONValue(parsing: Array(text.utf8)) else { continue }
      taken += 1
      let tree = try JSONSerialization.jsonObject(
        with: Data(text.utf8), options: .fragmentsAllowed)
      var writer = JSONWriter()
      writer.value(value)
      let again = try JSONSerialization.jsonObject(
        with: Data(writer.bytes), options: .fragmentsAllowed)
      #expect((tree as? NSObject) == (again as? NSObject), "\(text)")
    }
    #expect(taken > 50)
  }

  @Test func aValueHasOneSpelling() throws {
    let text = #"{"a":[1,-2.5,true,null,"é\"\\\n\u0001/"],"b":{},"c":[]}"#
    var writer = JSONWriter()
    writer.value(try #require(JSONValue(parsing: Array(text.utf8))))
    #expect(writer.text == text)
  }

  @Test(arguments: [
    ("1", 1), ("-2.5", -2.5), ("9007199254740992", 0x1p53), ("0.10000000000000001", 0.1),
    ("19.989999999999998", 19.989999999999998), ("9007199254740993", nil),
    ("18446744073709551615", nil), ("3.14159265358979323846", nil), ("9007199254740993.5", nil),
    ("\"1\"", nil),
  ])
  func aNumberIsADoubleUnlessDigitsWouldBeLost(text: String, expected: Double?) throws {
    #expect(try #require(JSONValue(parsing: Array(text.utf8))).double == expected)
  }

  /// Whatever is taken is written as the same number.
  @Test(arguments: [
    "18446744073709551615", "-18446744073709551616", "1.7976931348623157e+308", "1e-400",
    "3.14159265358979323846", "9007199254740993.0", "0.1", "1e+21", "5e-324",
  ])
  func aNumberIsWrittenWithAllItsDigits(text: String) throws {
    let value = try #require(JSONValue(parsing: Array("[\(text)]".utf8)))
    #expect(value.jsonText == "[\(text)]")
  }

  @Test func membersOfAnyKindAreWritten() {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("texts", ["a"])
      writer.member("none", String?.none)
      writer.member("number", Int16(-5))
      writer.member("no_number", Int32?.none)
      writer.member("flag", false)
      writer.member("value", JSONValue.null)
      writer.member("values", [JSONValue.integer(1), .bool(true)])
    }
    #expect(
      writer.text == """
        {"texts":["a"],"none":null,"number":-5,"no_number":null,"flag":false,"value":null,\
        "values":[1,true]}
        """)
  }
}
