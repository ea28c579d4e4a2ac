/// References of comments and documents to files of this repository.
///
///     [text](../README.md#licence)   a link: to a file, and to a heading of it
///     docs/apple.md 5.3              a section, by its number
///     Sources/Basics/HTTP                   a path from the root
///     schema.sql                     a name, wherever the file lies
///
/// Of Swift only comments are read; addresses on the web are left alone.
enum References {
  /// Files that a command makes, which no checkout has.
  static let made: Set = ["bench/results.json"]

  static let rule = Rule(
    name: "everything that is cited is in the repository",
    fix: "Mend the reference, or write the fact down here."
  ) { file in
    guard file.target != "TidyTests" else { return [] }
    return file.lines.enumerated().flatMap { index, line in
      faults(in: line, of: file).map { .init(line: index + 1, what: $0) }
    }
  }

  /// A line without any of these cites nothing: few lines are left for the regular expressions.
  private static let signs = [
    "](", ".md", ".yaml", ".yml", ".sql", "Sources/", "Tests/", "bench/", "docs/", "sql/",
  ]

  private static func faults(in line: Substring, of file: SourceFile) -> [String] {
    // Documents that lay beside the repository when it began.
    if line.contains("../" + "shared") { return ["a file outside of the repository"] }
    let prose = prose(of: line, in: file)
    guard signs.contains(where: { prose.contains($0) }) else { return [] }
    let words = prose.replacing(/https?:\/\/\S+/, with: "")
    return links(in: line, of: file) + sections(in: words, of: file) + paths(in: words)
      + names(in: words, of: file)
  }

  /// The part of a line that people read: in Swift the comment, elsewhere all of it.
  private static func prose(of line: Substring, in file: SourceFile) -> Substring {
    guard file.isSwift else { return line }
    return line.firstRange(of: "// ").map { line[$0.lowerBound...] } ?? ""
  }

  /// Markdown links that lead to no file, or to no heading of it.
  private static func links(in line: Substring, of file: SourceFile) -> [String] {
    guard file.path.hasSuffix(".md") else { return [] }
    return line.matches(of: /\]\(([^)\s]+)\)/).compactMap { match -> String? in
      let target = match.output.1
      guard !target.contains(":") else { return nil }
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let path = parts[0].isEmpty ? file.path : normalized("\(file.directory)/\(parts[0])")
      guard Repository.paths.contains(path) else { return "the link \(target)" }
      guard parts.count == 2 else { return nil }
      let isThere = headings(of: path).contains { anchor(of: $0) == parts[1] }
      return isThere ? nil : "the link \(target)"
    }
  }

  /// Numbered sections that a document does not have.
  private static func sections(in words: Substring, of file: SourceFile) -> [String] {
    words.matches(of: /([\w.\/-]+\.md) (\d+(?:\.\d+)?)(?!\d)/).compactMap { match -> String? in
      let (citation, name, number) = match.output
      guard let path = path(of: name, citedIn: file) else { return nil }
      return headings(of: path).contains { $0.hasPrefix("\(number) ") } ? nil : String(citation)
    }
  }

  /// Paths from the root at which nothing lies.
  private static func paths(in words: Substring) -> [String] {
    words.matches(of: /(?:^|[\s`(])((?:Sources|Tests|bench|docs|sql)\/[\w.+\/-]*\w)/)
      .map { String($0.output.1) }
      .filter { !Repository.paths.contains($0) && !made.contains($0) }
  }

  /// Names of documents, contracts and scripts that no file has.
  private static func names(in words: Substring, of file: SourceFile) -> [String] {
    words.matches(of: /[\w.+\/-]+\.(?:md|yaml|yml|sql)(?!\w)/)
      .map(\.output)
      .filter { path(of: $0, citedIn: file) == nil }
      .map { String($0) }
  }

  /// The file that a name stands for: from the root, from the file that cites it, or anywhere.
  private static func path(of name: Substring, citedIn file: SourceFile) -> String? {
    let candidates = [normalized(name), normalized("\(file.directory)/\(name)")]
    return candidates.first { Repository.paths.contains($0) }
      ?? Repository.paths.first { $0.hasSuffix("/\(name)") }
  }

  /// A path without `.` and `..`: `docs/../README.md` is `README.md`.
  private static func normalized(_ path: some StringProtocol) -> String {
    var parts: [String] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", !parts.isEmpty { parts.removeLast() } else { parts.append(String(part)) }
    }
    return parts.joined(separator: "/")
  }

  /// The headings of a document, without those lines of code that look like one.
  private static func headings(of path: String) -> [Substring] {
    var isCode = false
    var headings: [Substring] = []
    for line in Repository.documents.first(where: { $0.path == path })?.lines ?? [] {
      if line.hasPrefix("```") { isCode.toggle() }
      if !isCode, line.hasPrefix("#") { headings.append(line.drop { $0 == "#" || $0 == " " }) }
    }
    return headings
  }

  /// What a heading is called in a link: letters and digits in lower case, a hyphen for a space.
  private static func anchor(of heading: Substring) -> String {
    let characters = heading.lowercased().map { $0 == " " ? "-" : $0 }
    return String(characters.filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
  }
}
