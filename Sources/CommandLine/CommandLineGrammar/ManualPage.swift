/// The manual page, in the macros of man(7).
public struct ManualPage: Sendable {
  private let grammar: Grammar

  /// Of a program.
  public init(_ grammar: Grammar) { self.grammar = grammar }

  /// The text of `postilion.1`.
  public var text: String {
    let program = grammar.program
    var lines = [
      ".TH \(program.uppercased()) 1 \"\" \"\(program) \(grammar.version)\" \"User Commands\"",
      ".SH NAME", "\(program) \\- \(escaped(grammar.summary))",
      ".SH SYNOPSIS", ".B \(program)", ".I command", "[\\fIoptions\\fR]",
    ]
    for section in grammar.sections {
      lines.append(".SH \(section.title.uppercased())")
      lines += section.commands.flatMap(lines(of:))
    }
    for chapter in grammar.chapters {
      lines.append(".SH \(chapter.title)")
      for (term, meaning) in chapter.terms { lines += item(term, meaning) }
    }
    if !grammar.examples.isEmpty {
      lines.append(".SH EXAMPLES")
      lines += grammar.examples.flatMap { item($0.line, $0.meaning) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func lines(of command: CommandSyntax) -> [String] {
    var lines = [".SS \(escaped("\(grammar.program) \(command.usage)"))"]
    lines.append(line(command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."))
    for paragraph in command.details { lines += [".PP", line(paragraph)] }
    for argument in command.arguments { lines += item(argument.name, argument.meaning) }
    for option in command.options where !option.isShared {
      lines += item(option.usage, explanation(of: option))
    }
    for example in command.examples { lines += item(example.line, example.meaning) }
    return lines
  }

  private func explanation(of option: OptionSyntax) -> String {
    option.variable.map { "\(option.explanation) (\($0))" } ?? option.explanation
  }

  private func item(_ term: String, _ meaning: String) -> [String] {
    [".TP", ".B \(escaped(term))", line(meaning)]
  }

  /// Text that starts a line: a point or an apostrophe there would be a macro.
  private func line(_ text: some StringProtocol) -> String {
    let text = escaped(text)
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  private func escaped(_ text: some StringProtocol) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      default: escaped.append(character)
      }
    }
  }
}
