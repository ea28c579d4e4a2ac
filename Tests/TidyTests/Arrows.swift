/// Which parts of the product name which others: targets as the manifest lists them, folders of
/// `App` as their files name each other's types.
struct Arrows: Equatable {
  /// By part, the parts that it names.
  private(set) var byPart: [String: Set<String>] = [:]
  /// By arrow, as `Edge → Limits`, the names that make it.
  private(set) var names: [String: [String]] = [:]

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
      of: /[tT]arget\(\s*(?:name: )?"(\w+)"(?:,\s*(?:dependencies: )?\[([^\]]*)\])?/)
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

  /// The modules that the files of each target import.
  init(imports files: [SourceFile]) {
    for file in files where file.isSource && file.isSwift {
      for line in file.code {
        let words = line.split(separator: " ")
        // One inside `#if` is indented.
        guard let place = words.prefix(line.hasPrefix(" ") ? 1 : 2).firstIndex(of: "import")
        else { continue }
        byPart[file.target, default: []].insert(String(words[place + 1]))
      }
    }
  }

  /// The arrows between the folders of a target; each feature is one.
  ///
  /// A file names a type of another folder, or what an extension there adds to a type, or a free
  /// function, value or type alias. The latter have names of a small letter, which many things may
  /// have: they count where one folder alone of all the product declares the name.
  init(folders files: [SourceFile], of target: String) {
    var owner: [Substring: String] = [:]
    var additions: [Substring: String] = [:]
    var declaring: [Substring: Set<String>] = [:]
    var named: [String: Set<Substring>] = [:]
    for file in files where file.isSource && file.isSwift {
      let isInside = file.target == target
      let path = file.path.split(separator: "/").dropFirst(3).joined(separator: "/")
      let folder = isInside ? Self.folder(path[...]) : "target \(file.target)"
      let words = Words(of: file.code)
      for name in words.declared { declaring[name, default: []].insert(folder) }
      guard isInside else { continue }
      named[folder, default: []].formUnion(words.used)
      for name in words.types { owner[name] = folder }
      for name in words.additions { additions[name] = folder }
    }
    for (name, folder) in additions where declaring[name] == [folder] { owner[name] = folder }
    for (part, used) in named {
      byPart[part] = []
      for name in used.sorted() {
        guard let other = owner[name], other != part else { continue }
        byPart[part, default: []].insert(other)
        names["\(part) → \(other)", default: []].append(String(name))
      }
    }
  }

  /// The folder of a file, or of a feature; of a file in none, its own name.
  private static func folder(_ path: Substring) -> String {
    let parts = path.split(separator: "/")
    let isFeature = parts[0] == "Features" && parts.count > 2
    return parts.prefix(isFeature ? 2 : 1).joined(separator: "/").replacing(".swift", with: "")
  }
}

/// The words of a file's code, found without regular expressions: the `\b` of Swift's sees no end
/// in `Timestamp.systemNow`, and a million words take them ten seconds.
private struct Words {
  /// Those that may name something from elsewhere: no labels, which have a colon behind them, but
  /// for types, which may have one.
  private(set) var used: Set<Substring> = []
  /// Those behind a word that declares something.
  private(set) var declared: Set<Substring> = []
  /// The types at the top of the file, private ones aside.
  private(set) var types: Set<Substring> = []
  /// What extensions add to types, and free functions, values and type aliases; what is private
  /// aside.
  private(set) var additions: Set<Substring> = []

  private static let modifiers: Set<Substring> = [
    "public", "package", "static", "mutating", "nonisolated", "final", "indirect",
    "discardableResult", "inlinable",
  ]
  private static let kinds: Set<Substring> = ["struct", "enum", "class", "actor", "protocol"]
  private static let members: Set<Substring> = ["func", "var", "let", "case", "typealias"]

  init(of code: [Substring]) {
    var isInExtension = false
    for line in code {
      let words = note(line)
      let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
      let declaration = words.drop { Self.modifiers.contains($0) }.prefix(2)
      guard let first = declaration.first, let name = declaration.last else {
        if line.utf8.first == UInt8(ascii: "}") { isInExtension = false }
        continue
      }
      if indentation == 0, Self.kinds.contains(first) { types.insert(name) }
      let isMember = indentation == 0 || isInExtension && indentation == 2
      if isMember, Self.members.contains(first) { additions.insert(name) }
      if indentation == 0 { isInExtension = first == "extension" }
    }
  }

  /// Notes the words of a line.
  private mutating func note(_ line: Substring) -> [Substring] {
    var words: [Substring] = []
    var rest = line.utf8[...]
    while let start = rest.firstIndex(where: Self.isInWord) {
      rest = rest[start...]
      let word = Substring(rest.prefix(while: Self.isInWord))
      rest = rest.dropFirst(word.utf8.count)
      if let last = words.last, Self.members.contains(last) { declared.insert(word) }
      let isType = word.utf8.first.map { $0 < UInt8(ascii: "a") } ?? false
      if isType || rest.first != UInt8(ascii: ":") { used.insert(word) }
      words.append(word)
    }
    return words
  }

  private static func isInWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
