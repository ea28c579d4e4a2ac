/// A shell that completes command lines.
public enum Shell: String, Sendable, CaseIterable {
  case bash
  case zsh
  case fish
}

extension Grammar {
  /// The first word of a line that asks for candidates; the line to complete follows it.
  static let completing = "__complete"

  /// What can follow a line: a word on each line, with its meaning behind a tab. `:files` or
  /// `:directories` alone leave it to the shell.
  ///
  ///     catalog pu                  push⇥…, list⇥…: all words, the shell picks those that fit
  ///     export --app food --form    --format⇥…, --json⇥…
  ///     export --format=n           ndjson, csv: what follows the sign
  ///
  /// - Parameter line: The words up to the cursor. The last one is not finished, and may be empty.
  public func candidates(_ line: [String]) -> String {
    let word = line.last ?? ""
    let before = line.dropLast()
    let (path, rest) = path(of: before.first == "help" ? before.dropFirst() : before)
    guard let command = command(path) else {
      guard rest.isEmpty else { return "" }
      return listed(word.hasPrefix("-") ? [Self.help] : words(after: path))
    }
    var reading = Reading(command)
    // Faults are told when the line runs.
    for word in rest { _ = try? take(word, &reading) }
    if let option = reading.waiting { return values(option.kind) }
    if reading.isOver || (!word.hasPrefix("-") && !reading.places.isEmpty) {
      return reading.places.first.map { values($0.kind) } ?? ""
    }
    let options = command.options.filter { $0.isRepeated || reading.invocation.isMissing($0) }
    if let option = options.first(where: { $0.value != nil && word.hasPrefix($0.flag + "=") }) {
      return values(option.kind)
    }
    return listed(options.map { ($0.flag, $0.meaning) } + [Self.help])
  }

  private static let help = (word: "--help", meaning: "help")

  private func listed(_ words: [(word: String, meaning: String)]) -> String {
    words.map { "\($0.word)\t\($0.meaning)\n" }.joined()
  }

  private func values(_ kind: ValueKind) -> String {
    switch kind {
    case .text, .number: ""
    case .words(let words): words.map { $0 + "\n" }.joined()
    case .file: ":files\n"
    case .directory: ":directories\n"
    }
  }

  /// The script that lets a shell ask the program what can follow.
  public func completions(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// For bash 4 or later, without the package bash-completion. It cuts the line at blanks alone;
  /// bash itself also cuts at `=` and `:`, and `$2` is what is behind them.
  private var bash: String {
    """
    # Completions of \(program) for bash: source <(\(program) completions bash)
    _\(program)() {
      local IFS=$' \\t\\n' words offered
      read -a words <<< "${COMP_LINE:0:COMP_POINT}."
      offered=$(\(program) \(Self.completing) "${words[@]:1:${#words[@]} - 2}" \\
        "${words[${#words[@]} - 1]%.}" 2> /dev/null | cut -f 1)
      IFS=$'\\n' COMPREPLY=()
      case $offered in
        :files) compopt -o default ;;
        :directories) compopt -o dirnames ;;
        *) COMPREPLY=($(compgen -W "$offered" -- "$2")) ;;
      esac
    }
    complete -F _\(program) \(program)

    """
  }

  private var zsh: String {
    """
    #compdef \(program)
    # Completions of \(program) for zsh: put this into a directory of $fpath as _\(program),
    # or source <(\(program) completions zsh) after compinit.
    _\(program)() {
      local -a offered
      offered=(${(f)"$(\(program) \(Self.completing) \\
        "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)"})
      offered=(${offered/$'\\t'/:})
      compset -P 1 '--*='
      case $offered in
        :files) _files ;;
        :directories) _files -/ ;;
        *) _describe -t words word offered ;;
      esac
    }
    if [[ $funcstack[1] == _\(program) ]]; then
      _\(program) "$@"
    else
      compdef _\(program) \(program)
    fi

    """
  }

  /// For fish 3.0 or later.
  private var fish: String {
    """
    # Completions of \(program) for fish: \(program) completions fish | source
    function __\(program)_offered
        set -l words (commandline -opc)
        set -e words[1]
        set -l word (commandline -ct)
        set -l flag (string match -r -- '^--[^=]*=' "$word")
        set -l value (string replace -- "$flag" '' "$word")
        set -l offered (\(program) \(Self.completing) $words "$word" 2> /dev/null)
        switch "$offered"
            case :files
                set offered (__fish_complete_path "$value")
            case :directories
                set offered (__fish_complete_directories "$value")
        end
        for line in $offered
            printf '%s\\n' "$flag$line"
        end
    end
    complete -c \(program) -f -a '(__\(program)_offered)'

    """
  }
}
