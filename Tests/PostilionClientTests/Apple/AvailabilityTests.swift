import Foundation
import Testing

/// What is newer than the oldest system of the library is used only where it is known to be there.
/// The compiler of Apple checks that, and one on Linux does not.
struct AvailabilityTests {
  /// The first versions of iOS that have what a name declares. Names that are also declared for all
  /// versions are left out.
  private static func versions(in texts: [String]) -> [Substring: Double] {
    let kinds = "(?:func|var|let|struct|enum|protocol|class|actor)"
    let word = "(?:@?[A-Za-z]+(?:\\([^)]*\\))?\\s+)*?"
    guard let new = try? Regex("@available\\(iOS ([0-9.]+)[^)]*\\)\\s+\(word)\(kinds)\\s+(\\w+)"),
      let any = try? Regex("\\b\(kinds)\\s+(\\w+)")
    else { return [:] }
    var versions: [Substring: Double] = [:]
    var counts: [Substring: Int] = [:]
    for text in texts {
      for match in text.matches(of: any) { counts[match[1].substring ?? "", default: 0] += 1 }
      for match in text.matches(of: new) {
        guard let name = match[2].substring,
          let version = match[1].substring.flatMap({ Double($0) })
        else { continue }
        versions[name] = min(version, versions[name] ?? version)
        counts[name, default: 0] -= 1
      }
    }
    return versions.filter { counts[$0.key] == 0 }
  }

  /// A text without its strings and comments.
  private static func code(of text: String) -> String {
    let lines = text.components(separatedBy: "\n").map { line in
      let parts = line.components(separatedBy: "\"").enumerated().filter { $0.offset % 2 == 0 }
      return parts.map(\.element).joined().components(separatedBy: "//")[0]
    }
    return lines.joined(separator: "\n")
  }

  /// The uses of a name where its version is not certain, as `reportWidgets 26.0`.
  private static func faults(
    in text: String, _ versions: [Substring: Double], oldest: Double
  ) -> [String] {
    let code = code(of: text)
    var known = [oldest]
    var depth = 0
    // What the next braces of this depth are for.
    var next: (version: Double, depth: Int)?
    var isGuard = false
    var faults: [String] = []
    for match in code.matches(of: /[@#]available\((?:iOS (?<v>[0-9.]+))?[^)]*\)|\W|\w+/) {
      if match.0.contains("available(") {
        guard let version = match.v.flatMap({ Double($0) }) else { continue }
        // What stands behind a guard is certain.
        if isGuard { known[known.count - 1] = version } else { next = (version, depth) }
        continue
      }
      let version = max(known.last ?? oldest, next?.version ?? oldest)
      switch match.0 {
      case "(": depth += 1
      case ")": depth -= 1
      case "{":
        known.append(version)
        isGuard = false
        if next?.depth == depth { next = nil }
      case "}": if known.count > 1 { known.removeLast() }
      case "guard": isGuard = true
      default:
        if let first = versions[match.0], first > version { faults.append("\(match.0) \(first)") }
      }
    }
    return faults
  }

  private static func texts(in folder: String, _ ending: String) throws -> [(String, String)] {
    let folder = AppleStubs.root.appendingPathComponent(folder).resolvingSymlinksInPath()
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return try (paths ?? []).filter { $0.hasSuffix(".\(ending)") }.sorted().map {
      ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
    }
  }

  private static func sources() throws -> [(String, String)] {
    try AppleStubs.library.flatMap { try texts(in: "Sources/AppLibraries/\($0)", "swift") }
  }

  private static func versions() throws -> [Substring: Double] {
    try versions(in: (sources() + texts(in: "Tests/Fixtures/AppleStubs", "swift")).map(\.1))
  }

  @Test func whatIsNewIsFound() throws {
    let versions = try Self.versions()
    for (name, version): (Substring, Double) in [
      ("ActivityAuthorizationInfo", 16.1), ("frequentPushesEnabled", 16.2),
      ("pushToStartTokenUpdates", 17.2), ("setBadgeCount", 16), ("reportWidgets", 26),
      ("reportControls", 18), ("RemoteMediaSession", 27), ("observeNowPlaying", 27),
    ] {
      #expect(versions[name] == version, "\(name)")
    }
    #expect(versions["pushRegistry"] == nil)
  }

  @Test(
    arguments: [
      ("func a() { new() }", ["new 16.0"]),
      ("@available(iOS 16, *)\nfunc a(_ b: () -> Int = { 1 }) { new() }\nnew()", ["new 16.0"]),
      ("if #available(iOS 16, *) { new() } else { new() }", ["new 16.0"]),
      ("func a() { guard #available(iOS 16, *) else { return }\nnew() }\nnew()", ["new 16.0"]),
      ("@available(iOS 16, *)\nstruct A { let a = { new() } }", []),
      ("if #available(iOS 15.4, *) { new() } // new", ["new 16.0"]),
    ])
  func usesAreFound(_ code: String, _ faults: [String]) {
    #expect(Self.faults(in: code, ["new": 16], oldest: 15) == faults)
  }

  @Test func theLibraryRunsOnItsOldestSystem() throws {
    let versions = try Self.versions()
    let sources = try Self.sources() + Self.texts(in: "Examples", "swift")
    #expect(sources.count > 80)
    for (path, text) in sources {
      let faults = Self.faults(in: text, versions, oldest: 15)
      #expect(faults.isEmpty, "\(path): \(faults)")
    }
  }

  /// The articles are for apps that may also run on the first system with Live Activities.
  @Test func theCodeOfArticlesSaysWhatItNeeds() throws {
    let versions = try Self.versions()
    for (path, text) in try Self.texts(
      in: "Sources/AppLibraries/PostilionClient/PostilionClient.docc", "md")
    {
      for block in text.matches(of: /```swift\n((?s:.)*?)\n```/) {
        let faults = Self.faults(in: String(block.1), versions, oldest: 16.2)
        #expect(faults.isEmpty, "\(path): \(faults)")
      }
    }
  }
}
