import JSON

/// The codes of records that an import rejects or takes in part, besides those of reports.
enum ImportFault: String, Sendable, CaseIterable {
  /// It is of no system of Apple's: another push service, e-mail, a browser.
  case unsupportedPlatform = "unsupported_platform"
  /// It has no device token.
  case missingToken = "missing_token"
  /// Its token is another installation's, which is newer.
  case tokenOwned = "token_owned"
  /// It is larger than ``Limits/importRecordBytes``.
  case recordTooLarge = "record_too_large"
  /// A row has more or fewer cells than the header.
  case wrongColumns = "wrong_columns"
  /// A row's quotation marks are not in pairs, or it is not UTF-8.
  case malformedCSV = "malformed_csv"
  /// The body cannot be read on from here.
  case unreadableRest = "unreadable_rest"
  /// A cell says NULL, and is taken as empty.
  case nullText = "null_text"
  /// An earlier row of the table has the token for another user.
  case tokenOfTwoUsers = "token_of_two_users"
  /// An earlier row of the table has the token with other values.
  case tokenTwice = "token_twice"
  /// An earlier row of the table has another token of the user.
  case userOfTwoTokens = "user_of_two_tokens"
  /// Others keep changing the same installation or its tokens.
  case outrun = "conflict"
  /// The database does not take it.
  case notStorable = "not_storable"

  /// The fault at a place of the record.
  func problem(at pointer: String = "", _ detail: String) -> InputProblem {
    InputProblem(pointer: pointer, code: rawValue, detail: detail)
  }
}

extension InputFailure {
  /// A failure with one fault.
  init(_ fault: ImportFault, at pointer: String = "", _ detail: String) {
    self.init([fault.problem(at: pointer, detail)])
  }
}
