/// Completions of zsh: a function for each command, in the way of its own `_arguments`.
struct ZshCompletions {
  let grammar: Grammar

  var text: String {
    let name = grammar.function([])
    let functions = grammar.paths.map(function(of:)).joined(separator: "\n\n")
    return """
      #compdef \(grammar.program)
      # Completions of \(grammar.program) for zsh: put this into a directory of $fpath as \(name),
      # or source <(\(grammar.program) completions zsh) after compinit.
      \(functions)

      if [[ $funcstack[1] == \(name) ]]; then
        \(name) "$@"
      else
        compdef \(name) \(grammar.program)
      fi

      """
  }

  private func function(of path: [String]) -> String {
    let name = grammar.function(path)
    if let command = grammar.command(path) {
      let specifications = command.options.map(specification) + ["'(-h --help)'{-h,--help}'[help]'"]
      let places = command.arguments.map { argument in
        let mark = argument.isOptional ? "::" : ":"
        return "\(mark)\(argument.name):\(action(argument.kind))".quoted()
      }
      let lines = (specifications + places).joined(separator: " \\\n    ")
      return "\(name)() {\n  _arguments \\\n    \(lines)\n}"
    }
    let words = grammar.words(after: path)
    let items = words.map { "\($0.word):\($0.meaning)".quoted() }.joined(separator: "\n      ")
    let branches = words.map { "        \($0.word)) \(grammar.function(path + [$0.word])) ;;" }
    return """
      \(name)() {
        local curcontext=$curcontext context state state_descr line
        typeset -A opt_args
        _arguments -C '(-h --help)'{-h,--help}'[help]' '1: :->word' '*:: :->rest' && return
        case $state in
          word)
            local -a words_of_it=(
            \(items)
            )
            _describe -t commands command words_of_it ;;
          rest)
            case $words[1] in
      \(branches.joined(separator: "\n"))
            esac ;;
        esac
      }
      """
  }

  private func specification(_ option: OptionSyntax) -> String {
    let meaning = option.meaning.replacing("[", with: "\\[").replacing("]", with: "\\]")
    let times = option.isRepeated ? "*" : ""
    guard let value = option.value else { return "\(times)\(option.flag)[\(meaning)]".quoted() }
    return "\(times)\(option.flag)=[\(meaning)]:\(value):\(action(option.kind))".quoted()
  }

  private func action(_ kind: ValueKind) -> String {
    switch kind {
    case .text, .number: " "
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .file: "_files"
    case .directory: "_files -/"
    }
  }
}
