/// All commands of the program: the one table that parsing, help, manual page and completions read.
public struct Grammar: Sendable {
  /// Commands that belong together, as the first help shows them.
  public struct Section: Sendable {
    /// Its heading.
    public var title: String
    /// Its commands.
    public var commands: [CommandSyntax]

    /// A section.
    public init(_ title: String, _ commands: [CommandSyntax]) {
      self.title = title
      self.commands = commands
    }
  }

  /// A heading of the manual page with terms and their meanings.
  public struct Chapter: Sendable {
    /// The heading: `FILES`.
    public var title: String
    /// What it explains.
    public var terms: [(term: String, meaning: String)]

    /// A chapter.
    public init(_ title: String, _ terms: [(term: String, meaning: String)]) {
      self.title = title
      self.terms = terms
    }
  }

  /// The program's name.
  public let program: String
  /// What it is, in a sentence.
  public let summary: String
  /// Its release.
  public let version: String
  /// Its commands.
  public let sections: [Section]
  /// What the first words mean that other words follow, such as `catalog`.
  public let groups: [String: String]
  /// What the manual page tells besides.
  public let chapters: [Chapter]
  /// Command lines that show what the program is for.
  public let examples: [CommandSyntax.Example]

  /// A grammar. Of a first word that other words follow, `groups` has the meaning.
  public init(
    program: String, summary: String, version: String, sections: [Section],
    groups: [String: String], chapters: [Chapter] = [], examples: [CommandSyntax.Example] = []
  ) {
    self.program = program
    self.summary = summary
    self.version = version
    self.sections = sections
    self.groups = groups
    self.chapters = chapters
    self.examples = examples
  }

  /// All commands.
  public var commands: [CommandSyntax] { sections.flatMap(\.commands) }

  /// The command of these words.
  public func command(_ path: [String]) -> CommandSyntax? { commands.first { $0.path == path } }

  /// The words that can follow some words, with what they mean.
  public func words(after path: [String]) -> [(word: String, meaning: String)] {
    Self.words(of: commands, after: path, groups)
  }

  static func words(
    of commands: [CommandSyntax], after path: [String], _ groups: [String: String]
  ) -> [(word: String, meaning: String)] {
    var words: [(word: String, meaning: String)] = []
    for command in commands where command.path.count > path.count {
      guard command.path.starts(with: path) else { continue }
      let word = command.path[path.count]
      guard !words.contains(where: { $0.word == word }) else { continue }
      let isWhole = command.path.count == path.count + 1
      words.append((word, isWhole ? command.summary : groups[word] ?? ""))
    }
    return words
  }
}
