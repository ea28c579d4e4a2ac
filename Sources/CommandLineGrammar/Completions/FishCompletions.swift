/// Completions of fish, 3.0 or later: a line for each word that can follow, with the condition that
/// the words before the cursor are its command.
struct FishCompletions {
  let grammar: Grammar

  var text: String {
    """
    # Completions of \(grammar.program) for fish: \(grammar.program) completions fish | source
    function __\(grammar.program)_at --description 'Whether the words so far are this command'
        set -l words (commandline -opc)
        set -e words[1]
        set -l path
        set -l is_value no
        for word in $words
            if test $is_value = yes
                set is_value no
                continue
            end
            switch $word
                case \(grammar.valueFlags.joined(separator: " "))
                    set is_value yes
                case '-*'
                case '*'
                    if contains -- (string join ' ' $path $word) \(paths)
                        set path $path $word
                    end
            end
        end
        test "$path" = "$argv"
    end
    complete -c \(grammar.program) -f
    \(lines.joined(separator: "\n"))

    """
  }

  private var paths: String {
    grammar.paths.dropFirst().map { $0.joined(separator: " ").quoted() }.joined(separator: " ")
  }

  private var lines: [String] {
    grammar.paths.flatMap { path -> [String] in
      guard let command = grammar.command(path) else {
        return grammar.words(after: path).map { word, meaning in
          line(path, "-a \(word) -d \(described(meaning))")
        }
      }
      return command.arguments.compactMap { argument in
        candidates(argument.kind).map { line(path, $0) }
      } + command.options.map { line(path, option($0)) }
    }
  }

  private func line(_ path: [String], _ rest: String) -> String {
    let condition = (["__\(grammar.program)_at"] + path).joined(separator: " ").quoted()
    return "complete -c \(grammar.program) -n \(condition) \(rest)"
  }

  private func option(_ option: OptionSyntax) -> String {
    let description = "-l \(option.name) -d \(described(option.meaning))"
    guard option.value != nil else { return description }
    if option.kind == .file || option.kind == .directory { return description + " -r -F" }
    return ([description, "-x"] + [candidates(option.kind)].compactMap { $0 })
      .joined(separator: " ")
  }

  private func candidates(_ kind: ValueKind) -> String? {
    switch kind {
    case .text, .number: nil
    case .words(let words): "-a \(words.joined(separator: " ").quoted())"
    case .file: "-F"
    case .directory: "-a '(__fish_complete_directories)'"
    }
  }

  private func described(_ text: String) -> String { text.quoted(escapingBackslashes: true) }
}
