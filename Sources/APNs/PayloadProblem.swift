/// A reason why APNs would refuse a notification, or a device show less than was meant.
public struct PayloadProblem: Sendable, Hashable, Codable {
  /// Stable, machine-readable, `snake_case`.
  public var code: String
  /// One sentence that names the fix.
  public var detail: String

  /// A problem.
  public init(code: String, detail: String) {
    self.code = code
    self.detail = detail
  }
}
