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

/// A finding at a byte offset, before lines and columns are counted.
struct Finding: Error {
  var offset: Int
  var severity: Diagnostic.Severity = .error
  var code: Diagnostic.Code
  var message: String
}

/// Turns offsets into lines and columns in one walk over the text.
struct PositionCounter {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  private var column = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The place of an offset; offsets must not decrease from call to call.
  mutating func position(of target: Int) -> (line: Int, column: Int) {
    while offset < min(target, bytes.count) {
      let byte = bytes[offset]
      offset += 1
      let isCarriageReturn = byte == UInt8(ascii: "\r")
      let precedesLineFeed = offset < bytes.count && bytes[offset] == UInt8(ascii: "\n")
      if byte == UInt8(ascii: "\n") || isCarriageReturn && !precedesLineFeed {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return (line, column)
  }

  /// The diagnostics of one file, in order of place, no more than the limit.
  static func diagnostics(_ findings: [Finding], file: String, text: [UInt8]) -> [Diagnostic] {
    var counter = PositionCounter(text)
    return findings.sorted { $0.offset < $1.offset }.map { finding in
      let place = counter.position(of: finding.offset)
      return Diagnostic(
        file: file, line: place.line, column: place.column, severity: finding.severity,
        code: finding.code, message: finding.message)
    }
  }
}
