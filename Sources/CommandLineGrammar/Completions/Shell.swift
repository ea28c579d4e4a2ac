/// A shell that completes command lines.
public enum Shell: String, Sendable, CaseIterable {
  case bash
  case zsh
  case fish
}

extension Grammar {
  /// The script that teaches a shell to complete the program's command lines.
  public func completions(for shell: Shell) -> String {
    switch shell {
    case .bash: BashCompletions(grammar: self).text
    case .zsh: ZshCompletions(grammar: self).text
    case .fish: FishCompletions(grammar: self).text
    }
  }

  /// The name of the function of a completion script: `_postilion_catalog_push`.
  func function(_ path: [String]) -> String {
    (["_\(program)"] + path).joined(separator: "_").replacing("-", with: "_")
  }
}

extension String {
  /// Between apostrophes, as all three shells read it; fish needs the backslash written, too.
  func quoted(escapingBackslashes: Bool = false) -> String {
    let text = escapingBackslashes ? replacing("\\", with: "\\\\") : self
    return "'" + text.replacing("'", with: escapingBackslashes ? "\\'" : "'\\''") + "'"
  }
}
