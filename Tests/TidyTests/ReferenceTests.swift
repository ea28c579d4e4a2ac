import Testing

/// Nothing cites a document that a reader of the repository does not have.
@Suite struct ReferenceTests {
  @Test func everyReferenceLeadsSomewhere() {
    let complaints = (Repository.files + Repository.documents).flatMap {
      References.rule.complaints(about: $0)
    }
    #expect(complaints.isEmpty, "\n\(complaints.joined(separator: "\n"))")
  }

  @Test func theDocumentsAreRead() {
    let paths = Repository.documents.map(\.path)
    for path in ["README.md", "docs/apple.md", "openapi.yaml", "Makefile", ".ci/run"] {
      #expect(paths.contains(path))
    }
  }

  @Test(arguments: [
    // Links.
    ("[a](apple.md)", true), ("[a](missing.md)", false), ("[a](../README.md)", true),
    ("[a](decisions)", true), ("[a](https://example.com/missing.md)", true),
    ("[a](../README.md#licence)", true), ("[a](../README.md#no-such-heading)", false),
    ("[a](apple.md#31-the-time-in-a-410)", true),
    // Sections.
    ("docs/apple.md 5.3, docs/apple.md 6", true), ("docs/apple.md 99", false),
    ("apple.md 5.3.", true), ("apple.md 5.99", false),
    // Paths and names.
    ("`Sources/Basics/HTTP`", true), ("`Sources/Basics/HTTPS`", false),
    ("`bench/results.json`", true),
    ("example.com/docs/missing", true),
    ("schema.sql, `/openapi.yaml`", true), ("missing.sql", false), ("a.missing.yaml", false),
    // Documents elsewhere.
    ("../" + "shared", false),
  ])
  func referencesOfADocument(text: String, leadsSomewhere: Bool) {
    let file = SourceFile(path: "docs/sample.md", text: text)
    #expect(References.rule.find(file).isEmpty == leadsSomewhere)
  }

  @Test func onlyCommentsOfSwiftAreRead() {
    let text = """
      /// See missing.md.
      let a = row.sql + "missing.md"
      let b = 1  // as missing.sql says
      """
    let file = SourceFile(path: "Sources/Basics/HTTP/Sample.swift", text: text)
    #expect(References.rule.find(file).map(\.line) == [1, 3])
  }
}
