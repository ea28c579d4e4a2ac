import Testing

@testable import JSON

@Suite struct JSONObjectTests {
  /// Objects below and above the count from which there is an index.
  static let counts = [0, 1, 5, JSONObject.indexedCount - 1, JSONObject.indexedCount, 100]

  static func object(_ numbers: some Sequence<Int>) -> JSONObject {
    JSONObject(numbers.map { (key: "n\($0)", value: .integer(Int64($0))) })
  }

  @Test(arguments: counts) func membersAreFound(count: Int) {
    let object = Self.object(0..<count)
    #expect(object.count == count)
    #expect((0..<count).allSatisfy { object["n\($0)"] == .integer(Int64($0)) })
    #expect(object["n\(count)"] == nil)
    #expect(Array(object.keys) == (0..<count).map { "n\($0)" })
  }

  @Test(arguments: counts) func theOrderDoesNotMatterToEquality(count: Int) {
    let (one, other) = (Self.object(0..<count), Self.object((0..<count).reversed()))
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
    #expect(one != Self.object(0...count))
  }

  @Test(arguments: counts) func membersAreRemovedAndReplaced(count: Int) {
    var object = Self.object(0...count)
    let removed = object.removeValue(forKey: "n0")
    object["n\(count)"] = .bool(true)
    #expect(removed == .integer(0))
    #expect(object["n0"] == nil || count == 0)
    #expect(object["n\(count)"] == .bool(true))
    #expect((1..<max(1, count)).allSatisfy { object["n\($0)"] == .integer(Int64($0)) })
  }

  @Test(arguments: counts) func aNameIsTakenOnce(count: Int) {
    var object = Self.object(0...count)
    let isAdded = object.add(.null, name: "n\(count)")
    #expect(!isAdded)
    #expect(object["n\(count)"] == .integer(Int64(count)))
  }

  @Test func spellingsOfALetterAreTold() {
    let (one, two) = (JSONValue.string("\u{E9}"), JSONValue.string("e\u{301}"))
    #expect(one != two)
    #expect(JSONValue.object(["a": one]) != .object(["a": two]))
    #expect(JSONValue.object(["\u{E9}": .null]) != .object(["e\u{301}": .null]))
    #expect(JSONValue.array([one]) != .array([two]))
    #expect(JSONValue.object(["a": .array([one])]) == .object(["a": .array([one])]))
    #expect(Set([one, two, one]).count == 2)
    #expect(JSONValue.integer(1) != .bool(true))
  }
}
