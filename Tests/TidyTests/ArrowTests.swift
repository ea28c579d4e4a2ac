import Foundation
import Testing

/// The plan of the house: arrows lead down, and `docs/architecture.md` shows them as they are.
@Suite struct ArrowTests {
  /// What a folder of `App` may name. There are no exceptions.
  static let allowed: [String: Set<String>] = [
    "Limits": [],
    "Directory": ["Limits"],
    "Floods": ["Limits"],
    "Configuration": ["Directory", "Floods", "Limits"],
    "Edge": ["Directory", "Floods", "Limits"],
    "Features/*": ["Edge", "Directory", "Floods", "Limits"],
    "Features": ["Features/*", "Edge"],
    "Service": [
      "Features", "Features/*", "Edge", "Configuration", "Directory", "Floods", "Limits",
    ],
  ]

  @Test func foldersOfTheAppSeeOnlyThoseBelow() {
    let arrows = Arrows(folders: Repository.files, of: "App")
    #expect(arrows.byPart.count > 20)
    func kind(_ folder: String) -> String { folder.hasPrefix("Features/") ? "Features/*" : folder }
    let wrong = arrows.byPart.flatMap { part, seen in
      seen.filter { !(Self.allowed[kind(part)] ?? []).contains(kind($0)) }
        .map { "\(part) → \($0)" }
    }
    #expect(wrong.sorted() == [], "Move what two folders share down, or tell it by a parameter.")
  }

  @Test func theTestSeesAnArrow() {
    let files = [
      SourceFile(path: "Sources/App/Edge/A.swift", text: "struct Aa { var b: Bb }"),
      SourceFile(path: "Sources/App/Features/X/B.swift", text: "/// Of Aa.\nfinal class Bb {}"),
      SourceFile(path: "Sources/App/Limits.swift", text: "enum Limits { static let a = \"Bb\" }"),
    ]
    let arrows = Arrows(folders: files, of: "App")
    #expect(arrows.lines == ["Edge → Features/X", "Features/X", "Limits"])
    let manifest = """
      target("A"), // , ["C"]
      target(
        "B", ["A",
          "C"], linker: []),
      .executableTarget(name: "c", dependencies: ["B"]),
      """
    #expect(Arrows(manifest: manifest).lines == ["A", "B → A, C", "c → B"])
  }

  @Test func thePictureIsTrue() throws {
    let document = try String(
      contentsOf: Repository.root.appending(path: "docs/architecture.md"), encoding: .utf8)
    let manifest = try String(
      contentsOf: Repository.root.appending(path: "Package.swift"), encoding: .utf8)
    for (name, arrows) in [
      ("targets", Arrows(manifest: manifest)),
      ("folders", Arrows(folders: Repository.files, of: "App")),
    ] {
      let parts = document.components(separatedBy: "<!-- \(name) -->\n```text\n")
      try #require(parts.count == 2, "docs/architecture.md has no list of \(name)")
      let shown = parts[1].components(separatedBy: "\n```")[0]
      #expect(
        shown.components(separatedBy: "\n") == arrows.lines,
        "The list of \(name) is:\n\(arrows.lines.joined(separator: "\n"))")
    }
  }
}
