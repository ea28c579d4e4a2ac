/// One fault of a request's input: where, what, and a sentence for the developer who reads it.
public struct InputProblem: Sendable, Hashable, Codable {
  /// RFC 6901 pointer into the JSON body, or the name of a query parameter.
  public var pointer: String
  /// Stable, machine-readable, `snake_case`.
  public var code: String
  /// One sentence that names the fix; no values of secrets.
  public var detail: String

  /// A fault at a place.
  public init(pointer: String, code: String, detail: String) {
    self.pointer = pointer
    self.code = code
    self.detail = detail
  }
}

/// An error answer: RFC 9457 `application/problem+json` with our extension members.
public struct ProblemDocument: Sendable, Hashable, Codable {
  /// A URI that names the kind of problem.
  public var type: String
  /// A short summary, the same for every occurrence.
  public var title: String
  /// The HTTP status, repeated.
  public var status: Int
  /// Stable, machine-readable, `snake_case`.
  public var code: String
  /// What happened this time, for people.
  public var detail: String
  /// The request's id, as in the log.
  public var requestID: String
  /// The faults of the input, when there are any.
  public var errors: [InputProblem]?

  enum CodingKeys: String, CodingKey {
    case type, title, status, code, detail, errors
    case requestID = "request_id"
  }

  /// A problem document.
  public init(
    type: String, title: String, status: Int, code: String, detail: String, requestID: String,
    errors: [InputProblem]? = nil
  ) {
    self.type = type
    self.title = title
    self.status = status
    self.code = code
    self.detail = detail
    self.requestID = requestID
    self.errors = errors
  }
}
