import HTTP

/// A request's input that cannot be taken: every fault found in it, in reading order.
struct InputFailure: Error, Hashable {
  /// The faults, at least one, at most ``Limits/inputProblems``.
  var problems: [InputProblem]

  /// Whether the body is no JSON at all (400) and not merely wrong JSON (422).
  var isMalformed: Bool { problems.first?.code == InputFault.malformedJSON.rawValue }

  /// A failure with these faults.
  init(_ problems: [InputProblem]) { self.problems = problems }
}

/// The stable codes of faults that any body can have.
enum InputFault: String, Sendable, CaseIterable {
  case malformedJSON = "malformed_json"
  case wrongType = "wrong_type"
  case missingField = "missing_field"
  case unknownField = "unknown_field"
  case unknownValue = "unknown_value"
  case tooLong = "too_long"
  case tooShort = "too_short"
  case tooMany = "too_many"
  case outOfRange = "out_of_range"
  case containsNUL = "contains_nul"
  case invalidUUID = "invalid_uuid"
  case invalidTimestamp = "invalid_timestamp"
  case invalidLanguage = "invalid_language"
  case unknownTimeZone = "unknown_time_zone"
  case unreadableVersion = "unreadable_version"
  case tokenKindMismatch = "token_kind_mismatch"

  /// The fault at a place of the input.
  func problem(at pointer: String, _ detail: String) -> InputProblem {
    InputProblem(pointer: pointer, code: rawValue, detail: detail)
  }
}
