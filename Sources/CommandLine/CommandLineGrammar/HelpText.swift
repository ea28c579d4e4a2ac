extension Grammar {
  /// The help of a command, or of those that begin with the same words; with no words, of all.
  public func help(_ path: [String] = []) -> String {
    if let command = command(path) { return help(of: command) }
    let spelled = ([program] + path).joined(separator: " ")
    var parts = ["usage: \(spelled) <command>"]
    if let word = path.last {
      parts.append(sentence(groups[word] ?? ""))
      parts.append(heading("Commands", table(words(after: path))))
      let examples = commands.filter { $0.path.starts(with: path) }.compactMap(\.examples.first)
      parts += exampleParts(examples)
    } else {
      parts.append(wrapped(summary, indent: 0))
      for section in sections {
        let words = Self.words(of: section.commands, after: [], groups)
        parts.append(heading(section.title, table(words)))
      }
      parts += exampleParts(examples)
    }
    parts.append("\(spelled) <command> --help tells more about a command.")
    return parts.joined(separator: "\n\n")
  }

  private func help(of command: CommandSyntax) -> String {
    var parts = [
      hanging("usage: \(program) \(command.usage)", by: 7), sentence(command.summary),
    ]
    parts += command.details.map { wrapped($0, indent: 0) }
    if !command.arguments.isEmpty {
      let terms = command.arguments.map { term($0.name, $0.meaning) }
      parts.append(heading("Arguments", terms))
    }
    for (title, isShared) in [("Options", false), ("Options of every such command", true)] {
      let options = command.options.filter { $0.isShared == isShared }
      if options.isEmpty { continue }
      parts.append(heading(title, options.map { term(label(of: $0), $0.explanation) }))
    }
    return (parts + exampleParts(command.examples)).joined(separator: "\n\n")
  }

  /// `--app NAME  (POSTILION_APP)`.
  private func label(of option: OptionSyntax) -> String {
    option.variable.map { "\(option.usage)  (\($0))" } ?? option.usage
  }

  private func exampleParts(_ examples: [CommandSyntax.Example]) -> [String] {
    guard !examples.isEmpty else { return [] }
    return [heading("Examples", examples.map { term($0.line, $0.meaning) })]
  }

  private func heading(_ title: String, _ lines: [String]) -> String {
    ([title + ":"] + lines).joined(separator: "\n")
  }

  private func term(_ term: String, _ meaning: String) -> String {
    "  \(term)\n" + wrapped(meaning, indent: 6)
  }

  private func table(_ words: [(word: String, meaning: String)]) -> [String] {
    let width = words.map(\.word.count).max() ?? 0
    return words.map { word, meaning in
      let gap = String(repeating: " ", count: width - word.count + 2)
      return hanging("  \(word)\(gap)\(meaning)", by: width + 4)
    }
  }

  private func sentence(_ text: String) -> String {
    wrapped(text.prefix(1).uppercased() + text.dropFirst() + ".", indent: 0)
  }

  private func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    return lines(of: text, width: Self.columns - indent).map { margin + $0 }
      .joined(separator: "\n")
  }

  /// The first line as it is, the others further in.
  private func hanging(_ text: String, by indent: Int) -> String {
    let head = text.prefix(indent)
    let rest = lines(of: String(text.dropFirst(indent)), width: Self.columns - indent)
    let first = rest.first ?? ""
    let others = rest.dropFirst().map { String(repeating: " ", count: indent) + $0 }
    return ([head + first] + others).joined(separator: "\n")
  }

  /// Words in lines that are no longer than `width`, unless a single word is.
  private func lines(of text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// Of a terminal that nobody made larger.
  private static var columns: Int { 80 }
}
