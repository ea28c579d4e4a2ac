import Foundation
import Testing

/// The plan of the house: arrows lead down, and `docs/architecture.md` shows them as they are.
@Suite struct ArrowTests {
  /// What a folder of `App` may name. There are no exceptions.
  static let allowed: [String: Set<String>] = [
    "Limits": [],
    "Resources": [],
    "Directory": ["Limits"],
    "Floods": ["Limits"],
    "Configuration": ["Directory", "Floods", "Limits"],
    "Edge": ["Directory", "Floods", "Limits", "Resources"],
    "Feed": ["Edge"],
    "Features/*": ["Feed", "Edge", "Directory", "Floods", "Limits", "Resources"],
    "Features": ["Features/*", "Edge", "Directory"],
    "Service": [
      "Features", "Features/*", "Feed", "Edge", "Configuration", "Directory", "Floods",
      "Limits", "Resources",
    ],
  ]

  @Test func foldersOfTheAppSeeOnlyThoseBelow() {
    let arrows = Arrows(folders: Repository.files, of: "App")
    #expect(arrows.byPart.count > 20)
    func kind(_ folder: String) -> String { folder.hasPrefix("Features/") ? "Features/*" : folder }
    let wrong = arrows.byPart.flatMap { part, seen in
      seen.filter { !(Self.allowed[kind(part)] ?? []).contains(kind($0)) }
        .map { "\(part) → \($0)" }
        .map { "\($0): \((arrows.names[$0] ?? []).joined(separator: ", "))" }
    }
    #expect(wrong.sorted() == [], "Move what two folders share down, or tell it by a parameter.")
  }

  @Test func theTestSeesAnArrow() {
    let files = [
      SourceFile(path: "Sources/Server/App/Edge/A.swift", text: "struct Aa { var b: Bb }"),
      SourceFile(
        path: "Sources/Server/App/Features/X/B.swift", text: "/// Of Aa.\nfinal class Bb {}"),
      SourceFile(
        path: "Sources/Server/App/Limits.swift", text: "enum Limits { static let a = \"Bb\" }"),
    ]
    let arrows = Arrows(folders: files, of: "App")
    #expect(arrows.lines == ["Edge → Features/X", "Features/X", "Limits"])
    let additions = [
      SourceFile(
        path: "Sources/Server/App/Service/A.swift",
        text: "extension Int {\n  static var now: Int { 1 }\n  var common: Int { 2 }\n}"),
      SourceFile(
        path: "Sources/Server/App/Features/X/B.swift",
        text: "func free() {}\nextension Int {\n  fileprivate func own() {}\n}"),
      SourceFile(
        path: "Sources/Server/App/Features/Y/C.swift",
        text: "struct Y { let a = Int.now.common, b = f(own: 1), c = x.free() }"),
      SourceFile(path: "Sources/Basics/HTTP/D.swift", text: "struct D { let common: Int }"),
    ]
    #expect(
      Arrows(folders: additions, of: "App").names == [
        "Features/Y → Service": ["now"], "Features/Y → Features/X": ["free"],
      ])
    let manifest = """
      .target(
        name: "P", resources: []),
      target("A"), // , ["C"]
      target(
        "B", ["A",
          "C"], linker: []),
      .executableTarget(name: "c", dependencies: ["B"]),
      """
    #expect(Arrows(manifest: manifest).lines == ["A", "B → A, C", "P", "c → B"])
  }

  /// The list of the targets says what each uses, so it must not say more.
  @Test func aTargetImportsWhatItLists() throws {
    let manifest = try String(
      contentsOf: Repository.root.appending(path: "Package.swift"), encoding: .utf8)
    let imports = Arrows(imports: Repository.files).byPart
    for (target, listed) in Arrows(manifest: manifest).byPart {
      let unused = listed.subtracting(imports[target] ?? [])
      #expect(unused == [], "\(target) lists what none of its files imports.")
    }
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
