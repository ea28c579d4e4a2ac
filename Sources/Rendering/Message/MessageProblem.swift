/// One fault of a message or its arguments: where, what, and a sentence for the developer.
public struct MessageProblem: Sendable, Hashable, Codable {
  /// RFC 6901 pointer into the JSON that was read.
  public var pointer: String
  /// Stable, machine-readable, `snake_case`.
  public var code: String
  /// One sentence that names the fix.
  public var detail: String

  /// A fault at a place.
  public init(pointer: String, code: String, detail: String) {
    self.pointer = pointer
    self.code = code
    self.detail = detail
  }
}

/// All faults that were found in one reading; at least one.
public struct MessageFaults: Error, Sendable, Hashable {
  /// The faults in the order in which they were met, at most ``MessageLimits/problems``.
  public var problems: [MessageProblem]
}
