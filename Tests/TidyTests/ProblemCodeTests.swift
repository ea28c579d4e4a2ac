import Testing

/// Who handles an error finds its code in the contract.
@Suite struct ProblemCodeTests {
  private static func lines(of path: String) throws -> [Substring] {
    let files = Repository.files + Repository.documents
    return try #require(files.first { $0.path == path }).lines
  }

  @Test func everyCodeStandsInTheTableOfProblem() throws {
    let codes = try Self.lines(of: "Sources/Server/App/Edge/Problem.swift").compactMap { line in
      line.firstMatch(of: /static let \w+ = Self\("([a-z_]+)"/).map { String($0.1) }
    }
    #expect(codes.count > 20)
    let table = try Self.lines(of: "openapi.yaml").drop { $0 != "    Problem:" }
      .prefix { $0 != "      properties:" }.joined()
    #expect(codes.filter { !table.contains("`\($0)`") } == [], "not in openapi.yaml")
  }
}
