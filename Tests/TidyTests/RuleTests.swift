import Testing

/// Each rule is seen failing on a bad sample, and silent on a good one beside it.
@Suite struct RuleTests {
  private func lines(
    _ rule: Rule, _ text: String, path: String = "Sources/Basics/HTTP/Sample.swift"
  ) -> [Int] {
    rule.find(SourceFile(path: path, text: text)).map(\.line)
  }

  @Test func imports() {
    let text = """
      public import FoundationEssentials
      internal import Synchronization
      import struct Foundation.Date
      @preconcurrency import Glibc
      // import Dispatch
      """
    #expect(lines(Rules.imports, text) == [1, 3, 4])
    #expect(lines(Rules.imports, text, path: "Sources/Texts/APNs/Sample.swift") == [4])
    #expect(lines(Rules.imports, text, path: "Sources/Mechanisms/EventLoop/Sample.swift") == [])
  }

  @Test func purity() {
    let text = """
      let now = Date()
      let then = Date(timeIntervalSince1970: 0)
      let name = "FileManager"  // and ProcessInfo
      let id = UUID()
      let die = Int.random(in: 1...6)
      let own = Int.random(in: 1...6, using: &generator)
      let other = blueprint(1)
      """
    #expect(lines(Rules.purity, text) == [1, 4, 5, 6])
    #expect(lines(Rules.purity, text, path: "Sources/Server/App/Sample.swift") == [])
  }

  @Test func names() {
    #expect(lines(Rules.names, "struct TokenManager {}") == [1])
    #expect(lines(Rules.names, "\nprivate enum StringUtils {}") == [2])
    #expect(lines(Rules.names, "", path: "Sources/Server/App/CommonTypes.swift") == [1])
    let good = """
      enum Base64URL {}
      struct Database { let manager = FileManager.default }
      final class Commonwealth: Base {}
      """
    #expect(lines(Rules.names, good) == [])
  }

  @Test func lengths() {
    let line = "let a = 1\n"
    #expect(lines(Rules.fileLength, String(repeating: line, count: 600)) == [])
    #expect(lines(Rules.fileLength, String(repeating: line, count: 601)) == [601])
    #expect(lines(Rules.lineLength, String(repeating: "é", count: 100) + "\n") == [])
    #expect(lines(Rules.lineLength, "\n" + String(repeating: "é", count: 101)) == [2])
  }

  @Test func functionLength() {
    func function(_ signature: String, bodyLines: Int) -> String {
      "\(signature) {\n" + String(repeating: "  call { $0 }\n", count: bodyLines) + "}\n"
    }
    #expect(lines(Rules.functionLength, function("func a()", bodyLines: 68)) == [])
    #expect(lines(Rules.functionLength, function("func a()", bodyLines: 69)) == [1])
    let spread = "struct A {\n  public static func a(\n    b: [Int] = []\n  ) async throws\n"
    let body = spread + "    -> Int where B: C" + function("", bodyLines: 70) + "}"
    #expect(lines(Rules.functionLength, body) == [2])
    // A requirement has no body; the type behind it does not count for it.
    let requirement = "protocol A {\n  func a()\n}\n" + function("struct B", bodyLines: 90)
    #expect(lines(Rules.functionLength, requirement) == [])
  }

  @Test func traps() {
    let text = """
      let a = try! b()
      let a = b as! C
      fatalError("never")
      let a = try? b() as? C
      // try! as! fatalError(
      """
    #expect(lines(Rules.traps, text) == [1, 2, 3])
    #expect(lines(Rules.traps, text, path: "Tests/HTTPTests/SampleTests.swift") == [])
  }

  @Test func outsideTexts() {
    let text = """
      let a = Word(rawValue: text)
      let a = Readiness(rawValue: EPOLLIN.rawValue)
      public init(rawValue: UInt8) { self.rawValue = rawValue }
      if text.lowercased() == "a" {}
      if text.hasPrefix("a") || text.hasBytes(atEnd: "a") {}
      let parts = text.split(separator: ",") + text.utf8.split(separator: comma)
      switch Spelling(text) {
      case "a": break
      }
      switch text {
      case "a": break
      }
      let names: Set<String> = []
      let word = words.map { Word(rawValue: $0) }
      let word = words.map(Word.init(rawValue:))
      """
    #expect(
      lines(Rules.outsideTexts, text, path: "Sources/Server/App/Edge/Sample.swift")
        == [1, 4, 5, 6, 11, 13, 14, 15])
    #expect(lines(Rules.outsideTexts, text, path: "Sources/Server/App/Service/Sample.swift") == [])
    #expect(
      lines(Rules.outsideTexts, text, path: "Sources/CommandLine/Commands/Sample.swift") == [])
  }

  @Test func forceUnwraps() {
    let text = """
      let a = b!
      let a = b()!.c
      var a: String!
      if a != b && !c && !(d) { e[!f] }
      let a = "b!"  // c!
      // swift-format-ignore: NeverForceUnwrap
      let a = proven!
      """
    #expect(lines(Rules.forceUnwraps, text) == [1, 2, 3])
  }

  @Test func markers() {
    #expect(lines(Rules.markers, "// TODO: later\nlet a = \"data-XXXXXX\"\n// XXX") == [1, 3])
  }

  @Test func uncheckedConcurrency() {
    let text = "final class A: @unchecked Sendable {}\nnonisolated(unsafe) var b = 1\n"
    #expect(lines(Rules.uncheckedConcurrency, text) == [1, 2])
    #expect(lines(Rules.uncheckedConcurrency, "final class A: Sendable {}") == [])
  }

  @Test func machinePaths() {
    for directory in ["home", "root", "Users"] {
      let text = "let a = \"/\(directory)/a\"\nlet b = \"/tmp/b\""
      #expect(lines(Rules.machinePaths, text) == [1])
    }
  }

  @Test func testNames() {
    let text = """
      @Test func aHeadInPiecesIsRead() {}
      @Test func `A head in pieces is read`() {}
      @Test("A head in pieces") func pieces() {}
      @Test(
        "A head in pieces",
        arguments: [1])
      @Suite("Heads") struct HeadTests {
      @Test(arguments: ["a"]) func headsInPieces(head: String) {}
      @Test(.timeLimit(.minutes(10)), arguments: ["@Test(\\"a\\")"])
      func a_head_in_pieces() {}
      func Pieces() {}
      """
    #expect(lines(Rules.testNames, text, path: "Tests/HTTPTests/A.swift") == [2, 3, 4, 7, 10, 11])
    #expect(lines(Rules.testNames, text) == [])
  }

  @Test func complaintsNamePlaceFindingAndFix() {
    let file = SourceFile(path: "Sources/Basics/HTTP/Sample.swift", text: "\nlet a = try! b()")
    #expect(
      Rules.traps.complaints(about: file) == [
        """
        Sources/Basics/HTTP/Sample.swift:2: `try!`. \
        Throw, return nil, or state a precondition with its reason.
        """
      ])
  }

  @Test(arguments: [
    (#"a("b // c") // d"#, #"a("      ")     "#),
    ("a /* b /* c */ d */ e", "a                   e"),
    (##"a(#"b " \ c"#, "\"d")"##, ##"a(#"       "#, "   ")"##),
    ("\"\"\"\na \"b\"\n\"\"\" + c", "\"\"\"\n     \n\"\"\" + c"),
    ("\"\" + a", "\"\" + a"), (##"(#""" = a;"#, b)"##, ##"(#"       "#, b)"##),
  ])
  func commentsAndStringsAreBlanked(text: String, blanked: String) {
    #expect(blankingCommentsAndStrings(in: text) == blanked)
  }
}
