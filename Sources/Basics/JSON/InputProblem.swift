internal import ASCII

/// One fault of a request's input: where, what, and a sentence for the developer who reads it.
public struct InputProblem: JSONWritable, Sendable, Hashable {
  /// RFC 6901 pointer into the JSON body, or the name of a query or path parameter.
  public var pointer: String
  /// Stable, machine-readable, `snake_case`.
  public var code: String
  /// One sentence that names the fix; no values of secrets.
  public var detail: String
  /// The place in the text, when the text is no JSON that a pointer could lead through.
  public var position: TextPosition?

  /// A fault at a place. Pointer and detail quote a bounded part of the input.
  public init(pointer: String, code: String, detail: String) {
    self.pointer = pointer.shortened(to: InputLimits.pointerBytes + InputLimits.quotedNameBytes)
    self.code = code
    self.detail = detail.shortened(to: InputLimits.detailBytes)
  }

  /// The same fault with its pointer changed by `origin`.
  public func moved(to origin: (String) -> String) -> Self {
    var moved = self
    moved.pointer = origin(pointer)
    return moved
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("pointer", pointer)
      writer.member("code", code)
      writer.member("detail", detail)
      guard let position else { return }
      writer.member("byte", position.byte)
      writer.member("line", position.line)
      writer.member("column", position.column)
    }
  }
}

/// A request's input that cannot be taken: every fault found in it, in reading order.
public struct InputFailure: Error, Hashable {
  /// The faults, at least one, at most ``InputLimits/problems``.
  public var problems: [InputProblem]

  public init(_ problems: [InputProblem]) { self.problems = problems }

  public init(_ fault: InputFault, at pointer: String, _ detail: String) {
    problems = [fault.problem(at: pointer, detail)]
  }
}

/// The stable codes of faults that an input can have.
public enum InputFault: String, Sendable, CaseIterable {
  // Of any body.
  case malformedJSON = "malformed_json"
  case duplicateMember = "duplicate_member"
  case wrongType = "wrong_type"
  case missingField = "missing_field"
  case unknownField = "unknown_field"
  case unknownValue = "unknown_value"
  case tooLong = "too_long"
  case tooShort = "too_short"
  case tooMany = "too_many"
  case outOfRange = "out_of_range"
  case containsNUL = "contains_nul"
  // Of reports and settings.
  case invalidUUID = "invalid_uuid"
  case invalidTimestamp = "invalid_timestamp"
  case timestampInSeconds = "timestamp_in_seconds"
  case invalidLanguage = "invalid_language"
  case invalidLocale = "invalid_locale"
  case unknownTimeZone = "unknown_time_zone"
  case unreadableVersion = "unreadable_version"
  case tokenKindMismatch = "token_kind_mismatch"
  case environmentNeedsTokens = "environment_needs_tokens"
  case inBothLists = "in_both_lists"
  case invalidPublicKey = "invalid_public_key"
  // Of messages and their arguments.
  case tooDeep = "too_deep"
  case invalidName = "invalid_name"
  case unknownParameter = "unknown_parameter"
  case unknownPlaceholder = "unknown_placeholder"
  case missingArgument = "missing_argument"
  case unknownArgument = "unknown_argument"
  case unsupportedPushType = "unsupported_push_type"
  case backgroundNotSilent = "background_not_silent"
  case reservedName = "reserved_aps_in_data"

  public func problem(at pointer: String, _ detail: String) -> InputProblem {
    InputProblem(pointer: pointer, code: rawValue, detail: detail)
  }
}

/// What happens to a field that the contract does not know, and to secondary data that cannot be
/// read.
public enum FieldPolicy: Sendable {
  /// It is an error: a backend's typo is not silently lost.
  case strict
  /// It is left out and listed in the answer: a client never loses a token over it.
  case lenient
}

/// The faults that the readers of one input note; the readers of nested objects share them.
public final class InputProblems {
  let policy: FieldPolicy
  /// Faults that refuse the input, at most ``InputLimits/problems``.
  public private(set) var refusing: [InputProblem] = []
  /// Parts that were left out, also at most ``InputLimits/problems``.
  private(set) var ignored: [InputProblem] = []

  init(policy: FieldPolicy) { self.policy = policy }

  public var count: Int { refusing.count + ignored.count }

  /// Notes a fault that refuses the input.
  func refuse(_ problem: InputProblem) {
    if refusing.count < InputLimits.problems { refusing.append(problem) }
  }

  /// Notes secondary data that cannot be taken: left out for clients, refused for backends.
  func leaveOut(_ problem: InputProblem) {
    switch policy {
    case .strict: refuse(problem)
    case .lenient: if ignored.count < InputLimits.problems { ignored.append(problem) }
    }
  }
}

/// An input and what was left out of it.
public struct Decoded<Body> {
  public var body: Body
  /// The parts that were left out, under ``FieldPolicy/lenient``.
  public var ignored: [InputProblem]
}

extension Decoded: Sendable where Body: Sendable {}

extension JSONValue {
  /// Reads an object, and tells all faults at once.
  ///
  /// - Parameters:
  ///   - policy: the treatment of fields that nobody asks for.
  ///   - read: takes the fields; `nil` only after it noted at least one fault.
  /// - Throws: ``InputFailure`` with all faults found.
  public func read<Body>(
    _ policy: FieldPolicy = .strict, _ read: (FieldReader) -> Body?
  ) throws(InputFailure) -> Decoded<Body> {
    let problems = InputProblems(policy: policy)
    let body = FieldReader.read(self, at: "", problems, read)
    guard let body, problems.refusing.isEmpty else { throw InputFailure(problems.refusing) }
    return Decoded(body: body, ignored: problems.ignored)
  }
}
