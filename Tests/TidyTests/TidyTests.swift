import Testing

/// The house rules of CONTRIBUTING.md hold in every file of the repository.
@Suite struct TidyTests {
  @Test(arguments: Rules.all) func everyFileFollows(rule: Rule) {
    let complaints = Repository.files.flatMap { rule.complaints(about: $0) }
    #expect(complaints.isEmpty, "\n\(complaints.joined(separator: "\n"))")
  }

  @Test func theMedianSourceFileHasAtMost120Lines() throws {
    let sources = Repository.files.filter { $0.isSource && $0.isSwift }
    try #require(sources.count > 10)
    let counts = sources.map { $0.lines.count - 1 }.sorted()
    #expect(counts[counts.count / 2] <= 120, "Split the longest files by concept.")
  }

  @Test func everyExceptionIsStillNeeded() {
    for path in Rules.uncheckedConcurrencyReasons.keys {
      let file = Repository.files.first { $0.path == path }
      let isUsed = file?.code.contains {
        $0.contains("@unchecked Sendable") || $0.contains("nonisolated(unsafe)")
      }
      #expect(isUsed == true, "Take \(path) off the list uncheckedConcurrencyReasons.")
    }
    for path in Rules.longTables.keys {
      let isLong = Repository.files.contains { $0.path == path && $0.lines.count > 601 }
      #expect(isLong, "Take \(path) off the list longTables.")
    }
  }

  @Test func gitKeepsOnlyFilesOfKnownKinds() throws {
    guard let paths = try Repository.trackedPaths() else { return }
    let complaints = paths.filter { !isKnownKind($0) }
    #expect(
      complaints.isEmpty,
      """
      \(complaints.joined(separator: ", ")): made files belong into .gitignore; a new kind of \
      source goes on the list in TidyTests.
      """)
  }

  @Test(arguments: [
    (".build/debug.o", false), ("core", false), ("a.log", false), ("Makefile", true),
    ("Sources/Basics/HTTP/Route.swift", true), (".swift-format", true),
  ])
  func kindsOfFiles(path: String, isKnown: Bool) {
    #expect(isKnownKind(path) == isKnown)
  }
}

private func isKnownKind(_ path: String) -> Bool {
  // debhelper gives each file its name.
  if path.hasPrefix("deploy/debian/") { return true }
  let file = path.split(separator: "/").last ?? ""
  let names: Set<Substring> = [
    "Makefile", "LICENSE", "NOTICE", "Containerfile", "run", "deep", ".gitignore", ".gitattributes",
    ".swift-format", ".dockerignore", ".editorconfig", "first-payload", "postilion-console",
    "postilion-doctor", "compose-secrets",
  ]
  let extensions: Set<Substring> = [
    "swift", "c", "h", "modulemap", "md", "txt", "sql", "yaml", "yml", "json",
    "toml", "html", "css", "js",
    "svg", "png", "strings", "stringsdict", "xcstrings", "xliff", "zip", "plist", "xcprivacy",
    "swiftinterface",
    "conf", "cfg", "env", "lua", "py", "sh", "service", "timer", "http", "go", "ts", "mjs", "cjs",
    "csv", "xml",
  ]
  guard let dot = file.lastIndex(of: "."), dot != file.startIndex else {
    return names.contains(file)
  }
  return extensions.contains(file[file.index(after: dot)...])
}
