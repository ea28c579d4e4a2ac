/// Which parts of the product name which others: targets as the manifest lists them, folders of
/// `App` as their files name each other's types.
struct Arrows: Equatable {
  /// By part, the parts that it names.
  private(set) var byPart: [String: Set<String>]

  /// A line for each part, its arrows in order: `Edge → Directory, Limits`.
  var lines: [String] {
    byPart.sorted { $0.key < $1.key }.map { part, seen in
      seen.isEmpty ? part : "\(part) → \(seen.sorted().joined(separator: ", "))"
    }
  }

  /// The arrows between the targets of a manifest; tests, and what only they use, are left out.
  init(manifest: String) {
    let code = manifest.replacing(/(?m)\/\/.*$/, with: "")
    let declared = code.matches(
      of:
        /(?:target\(\s*|executableTarget\(\s*name: )"(\w+)"(?:,\s*(?:dependencies: )?\[([^\]]*)\])?/
    )
    byPart = Dictionary(
      declared.map { match in
        let seen = (match.output.2 ?? "").matches(of: /"(\w+)"/).map { String($0.output.1) }
        return (String(match.output.1), Set(seen))
      },
      uniquingKeysWith: { $0.union($1) })
    for part in byPart.keys where part.hasPrefix("Test") || part.hasSuffix("Testing") {
      byPart[part] = nil
    }
  }

  /// The arrows between the folders of a target; each feature is one.
  init(folders files: [SourceFile], of target: String) {
    let prefix = "Sources/\(target)/"
    var owner: [Substring: String] = [:]
    var words: [String: Set<Substring>] = [:]
    for file in files where file.path.hasPrefix(prefix) && file.isSwift {
      let folder = Self.folder(file.path.dropFirst(prefix.count))
      let code = file.code.joined(separator: "\n")
      words[folder, default: []].formUnion(code.matches(of: /\b[A-Z]\w+/).map(\.output))
      for type in code.matches(
        of: /(?m)^(?:(?:public|package|final|indirect) )*(?:struct|enum|class|actor|protocol) (\w+)/
      ) {
        owner[type.output.1] = folder
      }
    }
    byPart = words.reduce(into: [:]) { arrows, part in
      arrows[part.key] = Set(part.value.compactMap { owner[$0] }).subtracting([part.key])
    }
  }

  /// The folder of a file, or of a feature; of a file in none, its own name.
  private static func folder(_ path: Substring) -> String {
    let parts = path.split(separator: "/")
    let isFeature = parts[0] == "Features" && parts.count > 2
    return parts.prefix(isFeature ? 2 : 1).joined(separator: "/").replacing(".swift", with: "")
  }
}
