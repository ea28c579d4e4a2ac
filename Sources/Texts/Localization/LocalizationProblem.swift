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
    /// A specifier that no argument can serve, or that is none.
    case unsupportedSpecifier = "unsupported_specifier"
    /// An integer specifier met an argument that is no integer; its text was put there.
    case argumentNotInteger = "argument_not_integer"
    /// A number or plural met an argument that is no number; its text or `other` was put there.
    case argumentNotNumber = "argument_not_number"
    /// A percent sign before a word should be written `%%`; it was shown as it is.
    case unescapedPercent = "unescaped_percent"
    /// A text names a variable that it does not define; the argument's text was put there.
    case undefinedVariable = "undefined_variable"
    /// A variable has no text for the number's category, nor `other`: the text of the next
    /// language was used, or that of another category where no language has one.
    case missingPluralCase = "missing_plural_case"
    /// A text came out empty. The detail names its localization, and the next one stands in. If no
    /// text is left, the detail is `left out`.
    case emptyText = "empty_text"
    /// The text has no variant for the kind of device, which the detail names: the next language
    /// stands in, and never the text of another kind.
    case missingDeviceVariant = "missing_device_variant"
    /// The filled text is longer than any notification, has more placeholders than one could
    /// use, or its variables hold each other; what was too much was left out.
    case expansionLimit = "expansion_limit"
  }

  /// The stable snake_case code.
  public let code: String
  /// What it happened to: a localization, a key, a placeholder. Never the text of a message.
  public let detail: String

  public init(_ code: Code, detail: String) {
    self.code = code.rawValue
    self.detail = detail
  }
}
