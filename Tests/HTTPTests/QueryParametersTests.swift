import HTTP
import Testing

@Suite struct QueryParametersTests {
  static let rows: [(String?, [String]?)] = [
    (nil, []),
    ("", []),
    ("a=b", ["a=b"]),
    ("a=b&c=d&a=e", ["a=b", "c=d", "a=e"]),
    ("a", ["a="]),
    ("a=", ["a="]),
    ("=b", ["=b"]),
    ("a=b=c", ["a=b=c"]),
    ("&&a=b&", ["a=b"]),
    ("a=b+c", ["a=b c"]),
    ("a+b=c", ["a b=c"]),
    ("a=b%2Bc", ["a=b+c"]),
    ("a=%26%3D", ["a=&="]),
    ("a=caf%C3%A9", ["a=café"]),
    ("a=b;c=d", ["a=b;c=d"]),
    ("a=%", nil),
    ("a=%2", nil),
    ("a=%2g", nil),
    ("%+1=a", nil),
    ("a=%FF", nil),
    ("a=%C3", nil),
  ]

  @Test(arguments: rows)
  func decodes(raw: String?, expected: [String]?) {
    #expect(QueryParameters(raw)?.pairs.map { "\($0.name)=\($0.value)" } == expected)
  }

  @Test func valuesByName() throws {
    let query = try #require(QueryParameters("tag=a&limit=5&tag=b"))
    #expect(query.names == ["tag", "limit"])
    #expect(query.all("tag") == ["a", "b"])
    #expect(query.all("cursor") == [])
  }

  @Test func pairsAreBounded() {
    var limits = HTTPLimits()
    limits.queryPairs = 2
    #expect(QueryParameters("a&b", limits: limits) != nil)
    #expect(QueryParameters("a&b&c", limits: limits) == nil)
  }
}
