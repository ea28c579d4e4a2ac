import Foundation
import PostilionClient
import Testing

@Suite struct PayloadValueTests {
  /// JSON and its value.
  static let texts: [(json: String, value: PayloadValue?)] = [
    ("null", .null), ("true", true), ("false", false), ("0", 0), ("1", 1), ("-7", -7),
    ("3.0", 3), ("3.5", 3.5), ("1e3", 1000), ("1e300", .double(1e300)),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", long("9223372036854775808")),
    ("-9223372036854775809", long("-9223372036854775809")),
    ("18446744073709551615", long("18446744073709551615")),
    ("123456789012345678901234567890", long("123456789012345678901234567890")),
    ("12345678901234567890123456789012345678", long("12345678901234567890123456789012345678")),
    ("1e20", long("100000000000000000000")), ("1e38", .double(1e38)),
    (#""é\u00e9\n""#, "éé\n"), ("[]", []), ("{}", [:]),
    (#"[1,true,null,"1",[{"a":{}}]]"#, [1, true, nil, "1", [["a": [:]]]]),
    ("", nil), ("{", nil), (#"{"a":1"#, nil), ("nul", nil), ("1 2", nil), ("[1}", nil),
  ]

  private static func long(_ digits: String) -> PayloadValue? {
    Decimal(string: digits).map(PayloadValue.longInteger)
  }

  @Test func aLongNumberNamesWhatItNames() {
    let digits = "18446744073709551615"
    #expect(PayloadValue(json: Data(digits.utf8))?.identifier == digits)
  }

  @Test(arguments: texts) func jsonIsRead(json: String, value: PayloadValue?) {
    #expect(PayloadValue(json: Data(json.utf8)) == value)
  }

  @Test(arguments: texts.compactMap(\.value)) func whatIsWrittenIsReadAgain(value: PayloadValue) {
    #expect(PayloadValue(json: value.encoded()) == value)
  }

  @Test(arguments: texts.compactMap(\.value)) func codersAgreeWithTheReader(value: PayloadValue)
    throws
  {
    let json = try JSONEncoder().encode([value])
    #expect(try JSONDecoder().decode([PayloadValue].self, from: json) == [value])
    #expect(PayloadValue(json: json) == .array([value]))
  }

  @Test func membersAreWrittenInOrderAndWithoutNeedlessEscapes() {
    let value: PayloadValue = ["b": 1, "a": "x/é", "c": .double(.nan), "d": .double(.infinity)]
    #expect(
      String(decoding: value.encoded(), as: UTF8.self) == #"{"a":"x/é","b":1,"c":null,"d":null}"#)
  }

  /// To the service they are two tags.
  @Test func twoSpellingsOfALetterAreTwoValues() {
    let (one, other) = ("caf\u{E9}", "cafe\u{301}")
    #expect(PayloadValue.string(one) != .string(other))
    #expect(PayloadValue.array([.string(one)]) != .array([.string(other)]))
    #expect(PayloadValue.object([one: 1]) != .object([other: 1]))
    #expect(PayloadValue.object([one: [.string(other)]]) == .object([one: [.string(other)]]))
  }

  /// Objects of Foundation and their values.
  static func objects() -> [(object: Any, value: PayloadValue?)] {
    [
      (NSNull(), .null), (true, true), (false, false), (1, 1), (0, 0),
      (NSNumber(value: true), true), (NSNumber(value: false), false), (NSNumber(value: 1), 1),
      (NSNumber(value: 0), 0), (NSNumber(value: 1.0), 1), (NSNumber(value: 1.5), 1.5),
      (NSNumber(value: UInt64.max), long("18446744073709551615")),
      (NSNumber(value: Int64.min), .integer(.min)), (Int8(-1), -1), (UInt8(200), 200),
      (NSDecimalNumber(string: "12345678901234567"), 12_345_678_901_234_567),
      (NSDecimalNumber.notANumber, nil), (NSDecimalNumber(string: "2.50"), 2.5),
      (Float(0.5), 0.5), (Double.nan, nil), (Double.infinity, nil),
      (1e19, long("10000000000000000000")),
      ("text", "text"), (NSString(string: "text"), "text"),
      (Date(timeIntervalSince1970: 1_777_750_361), "2026-05-02T19:32:41Z"),
      (Data([0xFF, 0]), "/wA="), (URL(fileURLWithPath: "/a"), "file:///a"),
      ([1, NSObject(), "a"] as [Any], [1, nil, "a"]),
      (
        ["a": 1, 2: "b", "c": NSObject(), "d": NSNull()] as [AnyHashable: Any], ["a": 1, "d": nil]
      ),
      (["a": ["b": [true]]] as [String: Any], ["a": ["b": [true]]]),
      (NSObject(), nil), (NSDictionary(dictionary: ["a": NSArray(array: [1])]), ["a": [1]]),
    ]
  }

  @Test(arguments: objects().indices) func objectsOfFoundationAreRead(index: Int) {
    let row = Self.objects()[index]
    #expect(PayloadValue(row.object) == row.value, "\(row.object)")
  }

  @Test func levelsBelowTheBoundAreLeftOutAndTheRestStays() throws {
    func nested(_ levels: Int) -> Data {
      let text =
        String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
      return Data(#"{"deep":\#(text),"flat":[2]}"#.utf8)
    }
    func depth(_ value: PayloadValue?) -> Int { value?.object.map { 1 + depth($0["a"]) } ?? 0 }
    let kept = try #require(PayloadValue(json: nested(63)))
    #expect(depth(kept["deep"]) == 63)
    let cut = try #require(PayloadValue(json: nested(400)))
    #expect(depth(cut["deep"]) == 63)
    #expect(cut["flat"] == [2])
    #expect(RemotePayload(json: nested(400))?.data["flat"] == [2])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PayloadValue.self, from: nested(400))
    }
    // More than Foundation reads: refused, and nothing ends the process.
    #expect(PayloadValue(json: Data(String(repeating: "[", count: 100_000).utf8)) == nil)
    var object: Any = 1
    for _ in 0..<400 { object = [object] }
    #expect(PayloadValue(["deep": object, "flat": 1] as [String: Any])?["flat"] == 1)
  }

  @Test func partsAreFound() {
    let value: PayloadValue = ["a": [1, 2.5, "x", true, nil]]
    #expect(value["a"]?[0]?.integer == 1)
    #expect(value["a"]?[0]?.double == 1)
    #expect(value["a"]?[1]?.integer == nil)
    #expect(value["a"]?[1]?.double == 2.5)
    #expect(value["a"]?[2]?.string == "x")
    #expect(value["a"]?[3]?.bool == true)
    #expect(value["a"]?[4]?.isNull == true)
    #expect(value["a"]?[5] == nil)
    #expect(value["a"]?[-1] == nil)
    #expect(value["a"]?["b"] == nil)
    #expect(value["b"] == nil)
  }

  @Test(arguments: [
    ("7", "7"), (#""7""#, "7"), ("1.5", "1.5"), (#""""#, nil), ("true", nil), ("[]", nil),
    ("null", nil), ("9223372036854775807", "9223372036854775807"),
  ])
  func identifiersAreTextsOrNumbers(json: String, identifier: String?) {
    #expect(PayloadValue(json: Data(json.utf8))?.identifier == identifier)
  }

  @Test func propertyListsHaveNoNull() throws {
    let value: PayloadValue = ["a": nil, "b": [1, nil, ["c": nil]], "d": true]
    let list = try #require(value.propertyList)
    #expect(PropertyListSerialization.propertyList(list, isValidFor: .binary))
    #expect(PayloadValue(list) == ["b": [1, [:]], "d": true])
    #expect(PayloadValue.null.propertyList == nil)
  }
}
