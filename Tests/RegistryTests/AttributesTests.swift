import JSON
import Testing

@testable import Registry

/// Attributes that change by name.
@Suite struct AttributesTests {
  @Test(
    arguments: [
      (#"{"n":1,"plan":"free"}"#, #"{"plan":"pro"}"#, #"{"n":1,"plan":"pro"}"#),
      (#"{"n":1,"plan":"free"}"#, #"{"n":null}"#, #"{"plan":"free"}"#),
      (#"{"n":1}"#, #"{"n":null}"#, "{}"), (#"{"n":1}"#, "{}", #"{"n":1}"#),
      (nil, #"{"a":true,"b":null}"#, #"{"a":true}"#),
      // Two spellings of é are two names, and numbers keep their digits.
      ("{\"\u{E9}\":1}", "{\"e\u{301}\":1.50}", "{\"e\u{301}\":1.5,\"\u{E9}\":1}"),
    ] as [(String?, String, String)])
  func namesAreMerged(_ stored: String?, _ change: String, _ result: String) {
    let merged = Attributes(json: change).merged(into: stored.map { Attributes(json: $0) })
    #expect(merged?.json.utf8.elementsEqual(result.utf8) == true, "\(merged?.json ?? "nil")")
  }

  @Test func moreThanThereMayBeIsNone() {
    func attributes(_ names: Range<Int>, _ length: Int = 1) -> Attributes {
      let text = JSONValue.string(String(repeating: "x", count: length))
      var members = JSONObject()
      for name in names { members["\(name)"] = text }
      return Attributes(members)
    }
    #expect(attributes(0..<32).merged(into: attributes(32..<64)) != nil)
    #expect(attributes(0..<32).merged(into: attributes(32..<65)) == nil)
    #expect(attributes(0..<2, 2000).merged(into: attributes(2..<3, 2000)) == nil)
  }
}
