/// Completions of bash, 3.2 or later, without the package bash-completion.
///
/// One function finds the command among the words before the cursor. Then either an option waits
/// for its value, or the words that can follow are offered: options after a hyphen, else commands
/// or arguments.
struct BashCompletions {
  let grammar: Grammar

  var text: String {
    let name = grammar.function([])
    return """
      # Completions of \(grammar.program) for bash: source <(\(grammar.program) completions bash)
      \(name)() {
        local current=${COMP_WORDS[COMP_CWORD]} path='' flag='' words='' files='' word index
        COMPREPLY=()
        for ((index = 1; index < COMP_CWORD; index++)); do
          word=${COMP_WORDS[index]}
          if [[ -n $flag ]]; then flag=''; continue; fi
          case $word in
            \(grammar.valueFlags.joined(separator: "|"))) flag=$word; continue ;;
            -*) continue ;;
          esac
          case "$path $word" in
            \(paths.joined(separator: "|"))) path="$path $word" ;;
          esac
        done
        if [[ -n $flag ]]; then
          case "$path $flag" in
      \(branches(values))
          esac
        elif [[ $current == -* ]]; then
          case $path in
      \(branches(options))
          esac
        else
          case $path in
      \(branches(places))
          esac
        fi
        local IFS=$'\\n'
        if [[ -n $files ]]; then
          compopt -o filenames 2>/dev/null
          COMPREPLY=($(compgen "$files" -- "$current"))
        else
          COMPREPLY=($(compgen -W "$words" -- "$current"))
        fi
      }
      complete -F \(name) \(grammar.program)

      """
  }

  private var paths: [String] {
    grammar.paths.dropFirst().map { spelled($0).quoted() }
  }

  /// As the function's variable has it: each word with a space before.
  private func spelled(_ path: [String]) -> String { path.map { " \($0)" }.joined() }

  private func branches(_ cases: [(pattern: String, command: String)]) -> String {
    cases.map { "      \($0.pattern.quoted())) \($0.command) ;;" }.joined(separator: "\n")
  }

  private func command(_ kind: ValueKind) -> String? {
    switch kind {
    case .text, .number: nil
    case .words(let words): command(words)
    case .file: "files=-f"
    case .directory: "files=-d"
    }
  }

  private func command(_ words: [String]) -> String {
    "words=$'\(words.joined(separator: "\\n"))'"
  }

  private var values: [(String, String)] {
    grammar.commands.flatMap { syntax in
      syntax.options.compactMap { option in
        command(option.kind).map { ("\(spelled(syntax.path)) \(option.flag)", $0) }
      }
    }
  }

  private var options: [(String, String)] {
    grammar.commands.map { (spelled($0.path), command($0.options.map(\.flag) + ["--help"])) }
  }

  private var places: [(String, String)] {
    grammar.paths.compactMap { path in
      guard let syntax = grammar.command(path) else {
        return (spelled(path), command(grammar.words(after: path).map(\.word)))
      }
      let place = syntax.arguments.lazy.compactMap { command($0.kind) }.first
      return place.map { (spelled(path), $0) }
    }
  }
}
