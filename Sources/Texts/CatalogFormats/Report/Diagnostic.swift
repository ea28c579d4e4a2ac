/// Something an import has to say about a place in a file.
public struct Diagnostic: Sendable, Hashable {
  public enum Severity: String, Sendable, Hashable {
    /// The entry at this place, or the whole file, cannot be read and is left out.
    case error
    /// The file was read, but not everything in it can be meant.
    case warning
  }

  /// The kinds of diagnostic; the raw values are stable and part of the API.
  public enum Code: String, Sendable, CaseIterable {
    /// The path is absolute, leads upwards or holds characters that no path should.
    case invalidPath = "invalid_path"
    /// No folder of the path names a localization.
    case noLocalization = "no_localization"
    /// Another file holds the same table of the same localization; an error if it has the same
    /// path.
    case duplicateFile = "duplicate_file"
    /// Files with this extension are not read.
    case unsupportedFormat = "unsupported_format"
    /// The bytes are no zip archive, or a damaged one.
    case malformedArchive = "malformed_archive"
    /// The archive is encrypted, ZIP64, in parts, or compressed by a method that is not read.
    case unsupportedArchive = "unsupported_archive"
    /// No file of the archive is one that is imported.
    case emptyArchive = "empty_archive"
    /// There is more of something than an import may hold.
    case limitExceeded = "limit_exceeded"
    /// The bytes are no text in an encoding that Apple's runtime reads.
    case invalidEncoding = "invalid_encoding"
    /// Two byte order marks stand at the beginning of the file; the last says the encoding.
    case secondByteOrderMark = "second_byte_order_mark"
    /// The text is UTF-16 or UTF-32 without a byte order mark.
    case missingByteOrderMark = "missing_byte_order_mark"
    /// An XML file declares another encoding than it has: a device may show other letters.
    case encodingMismatch = "encoding_mismatch"
    /// An XML or binary property list is damaged.
    case malformedPropertyList = "malformed_property_list"
    /// The file holds an array, data or a string instead of pairs.
    case notADictionary = "not_a_dictionary"
    /// The file has no bytes: an empty table.
    case emptyFile = "empty_file"
    /// There were more diagnostics than are listed.
    case moreDiagnostics = "more_diagnostics"
    /// A quoted string is not closed.
    case unterminatedString = "unterminated_string"
    /// A comment is not closed: the runtime ignores the rest of the file.
    case unterminatedComment = "unterminated_comment"
    /// A pair does not end with `;`.
    case missingSemicolon = "missing_semicolon"
    /// Neither `=` nor `;` follows a key.
    case missingEqualsSign = "missing_equals_sign"
    /// A dictionary or array is not closed.
    case missingBracket = "missing_bracket"
    /// A character cannot start the key or value that is due.
    case unexpectedCharacter = "unexpected_character"
    /// The file ends after `=`.
    case unexpectedEnd = "unexpected_end"
    /// The hexadecimal digits between `<` and `>` are no bytes.
    case malformedData = "malformed_data"
    /// A string holds U+0000, which can be neither shown nor stored.
    case nulCharacter = "nul_character"
    /// Text follows the last pair: ignored by the runtime, an error after `}`.
    case textAfterEnd = "text_after_end"
    /// A key occurs again; the last value counts.
    case duplicateKey = "duplicate_key"
    /// A value is a dictionary, an array or data, hence no text.
    case ignoredValue = "ignored_value"
    /// `\u` means the letter u, not a character by number.
    case suspiciousEscape = "suspicious_escape"

    // Texts that vary, in any format.

    /// A key has variations but no text that they belong to (`NSStringLocalizedFormatKey`, the
    /// text of a catalog's substitutions): nothing could be shown.
    case missingFormat = "missing_format"
    /// A text refers to a variable `%#@name@` that is not there.
    case undefinedVariable = "undefined_variable"
    /// No text refers to a variable.
    case unreferencedVariable = "unreferenced_variable"
    /// A variable's text refers, directly or not, to the variable itself.
    case cyclicVariables = "cyclic_variables"
    /// A variable has no text for `other`, the category that every language has.
    case missingOther = "missing_other"
    /// No plural category has this name.
    case unknownCategory = "unknown_category"
    /// No class of devices has this name.
    case unknownDevice = "unknown_device"
    /// Variations are combined in a way that Xcode does not compile.
    case unsupportedVariation = "unsupported_variation"
    /// A text and variations, or variations by plural and by device, stand at the same place.
    case conflictingVariations = "conflicting_variations"

    // String catalogs.

    /// The text is no JSON.
    case malformedJSON = "malformed_json"
    /// A field holds another type of JSON than it should.
    case wrongType = "wrong_type"
    /// A required field is missing.
    case missingField = "missing_field"
    /// A string catalog has a field that no known version of the format has.
    case unknownField = "unknown_field"
    /// A field has a value that it cannot have.
    case invalidValue = "invalid_value"
    /// Only version 1 of the format is known.
    case unsupportedVersion = "unsupported_version"
    /// A localization is named by something that is no language.
    case invalidLanguage = "invalid_language"
    /// The device class `other` varies by plural.
    case pluralInOtherDevice = "plural_in_other_device"
    /// A text of one plural category varies again.
    case nestedInPlural = "nested_in_plural"
    /// None of the texts of a plural shows a number.
    case pluralWithoutNumber = "plural_without_number"
    /// A phrase has several texts; the first counts.
    case severalTexts = "several_texts"

    // XML and what is written in it.

    /// The bytes are no well-formed XML, or declare entities of their own.
    case malformedXML = "malformed_xml"
    /// A variable's `NSStringFormatSpecTypeKey` is not `NSStringPluralRuleType`.
    case unknownRule = "unknown_rule"
    /// A variable's `NSStringFormatValueTypeKey` is missing, or no specifier of a number.
    case unknownSpecifier = "unknown_specifier"
    /// A key of a width rule is no number.
    case unknownWidth = "unknown_width"
    /// An XLIFF element lacks an attribute or a part that it must have.
    case malformedXLIFF = "malformed_xliff"
    /// The id of a translation unit can be read in two ways.
    case ambiguousKey = "ambiguous_key"
    /// No state of a translation has this name; the text counts as translated.
    case unknownState = "unknown_state"
    /// A text holds elements, or Apple's `^[…](inflect: true)`: only the characters in them are
    /// kept, or shown.
    case inlineMarkup = "inline_markup"
    /// Some texts of a key that varies are translated, too few to show it.
    case incompleteTranslation = "incomplete_translation"

    // What a comparison of the languages shows.

    /// There is no text in the language that the app was written in.
    case developmentLanguageMissing = "development_language_missing"
    /// A translation leaves out an argument that the reference text shows.
    case argumentMissing = "argument_missing"
    /// A translation shows an argument that the reference text does not have.
    case argumentUnknown = "argument_unknown"
    /// One argument is shown as a text here and as a number there, or as a number with decimals.
    case argumentTypeMismatch = "argument_type_mismatch"
    /// A text counts some of its arguments and names others by position.
    case mixedPositions = "mixed_positions"
    /// The positions of a text leave out an argument, whose size the runtime then cannot know.
    case skippedPosition = "skipped_position"
    /// A percent sign starts no placeholder that could be meant. To show the sign, write `%%`.
    case unescapedPercent = "unescaped_percent"
    /// A placeholder has a space behind its percent sign: `% @` shows the argument, but not on a
    /// device that gets the key.
    case spacedPlaceholder = "spaced_placeholder"
    /// A placeholder for a character, a C string or an address, which no notification can fill.
    case unsupportedSpecifier = "unsupported_specifier"
    /// A variable lacks the text of a plural category that its language has.
    case missingPluralCategory = "missing_plural_category"
    /// A variable has a text for a plural category that its language does not have.
    case unreachablePluralCategory = "unreachable_plural_category"
    /// No device shows this variant of a text.
    case unreachableVariant = "unreachable_variant"
    /// A text that varies by number in the reference is the same for every number here.
    case pluralMismatch = "plural_mismatch"
  }

  /// The path as it was given.
  public let file: String
  /// The line, counted from 1; 1 when the file is meant as a whole.
  public let line: Int
  /// The column in characters (Unicode scalars), counted from 1.
  public let column: Int
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
