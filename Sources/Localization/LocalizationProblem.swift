/// Something that kept a text from being shown as its catalog and arguments promise.
public struct LocalizationProblem: Sendable, Hashable {
  /// The kinds of problem; the raw values are stable and part of the API.
  public enum Code: String, Sendable, CaseIterable {
    /// A localization of the chain lacks the key; the detail names the localization.
    case keyNotInLocalization = "key_not_in_localization"
    /// The text is the development language's, as nothing closer has the key.
    case developmentLanguageUsed = "development_language_used"
    /// No localization has the key; the literal text that came with it was used.
    case literalUsed = "literal_used"
    /// No localization has the key and there is no literal: the text is empty.
    case missingKey = "missing_key"
    /// A placeholder names an argument that was not given; nothing was put there.
    case missingArgument = "missing_argument"
    /// A specifier that is not supported was left out.
    case unsupportedSpecifier = "unsupported_specifier"
    /// An integer specifier met an argument that is no integer; its text was put there.
    case argumentNotInteger = "argument_not_integer"
  }

  /// The stable snake_case code.
  public let code: String
  /// What it happened to: a localization, a key, a placeholder. Never the text of a message.
  public let detail: String

  /// A problem of the given kind.
  public init(_ code: Code, detail: String) {
    self.code = code.rawValue
    self.detail = detail
  }
}
