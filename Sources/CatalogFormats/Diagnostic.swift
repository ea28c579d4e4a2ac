/// Something an import has to say about a place in a file.
public struct Diagnostic: Sendable, Hashable {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable {
    /// The file yields nothing, and the import should not be applied.
    case error
    /// The file was read, but not everything in it can be meant.
    case warning
  }

  /// The kinds of diagnostic; the raw values are stable and part of the API.
  public enum Code: String, Sendable, CaseIterable {
    // The upload.
    case invalidPath = "invalid_path"
    case noLocalization = "no_localization"
    case duplicateFile = "duplicate_file"
    case unsupportedFormat = "unsupported_format"
    case limitExceeded = "limit_exceeded"
    // A file as a whole.
    case invalidEncoding = "invalid_encoding"
    case malformedPropertyList = "malformed_property_list"
    case notADictionary = "not_a_dictionary"
    case emptyFile = "empty_file"
    case moreDiagnostics = "more_diagnostics"
    // The grammar.
    case unterminatedString = "unterminated_string"
    case unterminatedComment = "unterminated_comment"
    case missingSemicolon = "missing_semicolon"
    case missingEqualsSign = "missing_equals_sign"
    case missingBracket = "missing_bracket"
    case unexpectedCharacter = "unexpected_character"
    case unexpectedEnd = "unexpected_end"
    case malformedData = "malformed_data"
    case nulCharacter = "nul_character"
    case textAfterEnd = "text_after_end"
    // The content.
    case duplicateKey = "duplicate_key"
    case ignoredValue = "ignored_value"
    case suspiciousEscape = "suspicious_escape"
  }

  /// The path as it was given.
  public let file: String
  /// The line, counted from 1; 1 when the file is meant as a whole.
  public let line: Int
  /// The column in characters (Unicode scalars), counted from 1.
  public let column: Int
  /// How bad it is.
  public let severity: Severity
  /// The stable snake_case code.
  public let code: String
  /// One English sentence.
  public let message: String

  /// A diagnostic; without a place it is about the file as a whole.
  public init(
    file: String, line: Int = 1, column: Int = 1, severity: Severity, code: Code, message: String
  ) {
    self.file = file
    self.line = line
    self.column = column
    self.severity = severity
    self.code = code.rawValue
    self.message = message
  }
}
