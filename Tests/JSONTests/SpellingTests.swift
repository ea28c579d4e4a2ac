import ASCII
import Testing

@Suite struct SpellingTests {
  private struct Named: Hashable {
    @Spelled var name: String
    @Spelled var more: [String] = []
    @Spelled var last: String? = nil
  }

  private static let (one, other) = ("caf\u{E9}", "cafe\u{301}")

  @Test func aTextIsEqualToOneOfTheSameBytes() {
    #expect(Self.one == Self.other)
    #expect(Named(name: Self.one) == Named(name: Self.one))
    #expect(Named(name: Self.one) != Named(name: Self.other))
    #expect(Named(name: "", more: [Self.one]) != Named(name: "", more: [Self.other]))
    #expect(Named(name: "", last: Self.one) != Named(name: "", last: Self.other))
    #expect(Named(name: "", last: nil) != Named(name: "", last: ""))
    let all = [Self.one, Self.other].flatMap { text in
      [Named(name: text), Named(name: "", more: [text]), Named(name: "", last: text)]
    }
    #expect(Set(all + all).count == 6)
  }

  @Test func aDictionaryHasBothSpellings() {
    var places: [Spelling: Int] = ["a": 1]
    places[Self.one] = 2
    places[Self.other] = 3
    #expect(places["a"] == 1)
    #expect(places[Self.one] == 2)
    #expect(places[Self.other] == 3)
    #expect([Self.one].containsSpelling(Self.one))
    #expect(![Self.one].containsSpelling(Self.other))
  }
}
