/// A command of the program as people write it: its words, arguments and options. Parsing, help,
/// manual page and completions are made from it.
public struct CommandSyntax: Sendable, Hashable {
  /// Its words: `catalog`, `push`.
  public var path: [String]
  /// What it does, as the end of “it is there to …”: `upload the strings of a build`.
  public var summary: String
  /// What else there is to know, a paragraph each.
  public var details: [String]
  /// What follows its words, in this order.
  public var arguments: [ArgumentSyntax]
  /// Its options.
  public var options: [OptionSyntax]
  /// Flags that are no options on purpose, each with the reason.
  public var refusals: [String: String]
  /// Whole command lines that show what it is for.
  public var examples: [Example]

  /// A command line and what it does.
  public struct Example: Sendable, Hashable {
    /// As it is typed.
    public var line: String
    /// What it does, in a sentence.
    public var meaning: String

    /// An example.
    public init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  /// A command.
  public init(
    _ path: [String], _ summary: String, details: [String] = [],
    arguments: [ArgumentSyntax] = [], options: [OptionSyntax] = [],
    refusals: [String: String] = [:], examples: [Example] = []
  ) {
    self.path = path
    self.summary = summary
    self.details = details
    self.arguments = arguments
    self.options = options
    self.refusals = refusals
    self.examples = examples
  }

  /// Its words with spaces: `catalog push`.
  public var name: String { path.joined(separator: " ") }

  /// How it is written, without the program's name: `catalog push DIR --app NAME [options]`.
  public var usage: String {
    var words = path + arguments.map(\.usage)
    words += options.filter(\.isExpected).map(\.usage)
    if options.contains(where: { !$0.isExpected }) { words.append("[options]") }
    return words.joined(separator: " ")
  }
}

/// What an argument or an option may be.
public enum ValueKind: Sendable, Hashable {
  /// Any text.
  case text
  /// One of these words.
  case words([String])
  /// A whole number in a range.
  case number(ClosedRange<Int>)
  /// A file's path.
  case file
  /// A directory's path, or that of something that Xcode shows as one file.
  case directory
}

/// A word after the command that is no option.
public struct ArgumentSyntax: Sendable, Hashable {
  /// Its placeholder: `DIR`.
  public var name: String
  /// What it is.
  public var meaning: String
  /// What it may be.
  public var kind: ValueKind
  /// Whether it may be left out.
  public var isOptional: Bool

  /// An argument.
  public init(
    _ name: String, _ meaning: String, _ kind: ValueKind = .text, isOptional: Bool = false
  ) {
    self.name = name
    self.meaning = meaning
    self.kind = kind
    self.isOptional = isOptional
  }

  /// As a usage line shows it.
  var usage: String { isOptional ? "[\(name)]" : name }
}

/// An option, `--name VALUE`, or a switch, `--name`.
public struct OptionSyntax: Sendable, Hashable {
  /// Without the hyphens: `bundle-id`.
  public var name: String
  /// The placeholder of its value; `nil` for a switch.
  public var value: String?
  /// What it does, or what its value is.
  public var meaning: String
  /// What its value may be.
  public var kind: ValueKind
  /// What counts when it is not given, in words.
  public var standard: String?
  /// The environment variable that says the same; the option wins.
  public var variable: String?
  /// Whether the command cannot do without.
  public var isRequired: Bool
  /// Whether a usage line shows it: what is required, and what else comes from elsewhere.
  public var isExpected: Bool
  /// Whether it may be given several times.
  public var isRepeated: Bool
  /// Whether it belongs to all commands of its kind, and is listed after the others.
  public var isShared: Bool

  /// An option with a value.
  public init(
    _ name: String, _ value: String, _ meaning: String, _ kind: ValueKind = .text,
    standard: String? = nil, variable: String? = nil, isRequired: Bool = false,
    isExpected: Bool = false, isRepeated: Bool = false, isShared: Bool = false
  ) {
    self.name = name
    self.value = value
    self.meaning = meaning
    self.kind = kind
    self.standard = standard
    self.variable = variable
    self.isRequired = isRequired
    self.isExpected = isExpected || isRequired
    self.isRepeated = isRepeated
    self.isShared = isShared
  }

  /// A switch.
  public init(switch name: String, _ meaning: String, isShared: Bool = false) {
    self.name = name
    self.meaning = meaning
    self.isShared = isShared
    kind = .text
    isRequired = false
    isExpected = false
    isRepeated = false
  }

  /// As it is typed: `--bundle-id`.
  public var flag: String { "--\(name)" }

  /// As a usage line shows it: `--bundle-id ID`.
  var usage: String { value.map { "\(flag) \($0)" } ?? flag }

  /// What it means, and what counts without it.
  var explanation: String { standard.map { "\(meaning); default: \($0)" } ?? meaning }
}
