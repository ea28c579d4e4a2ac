/// A JSON object that a client sends, read field by field.
public protocol RequestBody: Sendable {
  /// How the fields it does not know are treated.
  static var policy: FieldPolicy { get }
  /// Reads all fields; faults go to the reader. `nil` only after it noted at least one.
  init?(reading fields: FieldReader)
}

extension RequestBody {
  /// Reads a body from JSON text.
  /// - Throws: ``InputFailure`` with all faults found, or with the one fault that this is no JSON.
  public static func decode(_ json: [UInt8]) throws(InputFailure) -> Decoded<Self> {
    try JSONValue(body: json).read(policy, Self.init(reading:))
  }
}

extension JSONValue {
  /// Reads a body from JSON text.
  /// - Throws: ``InputFailure`` when it is no JSON, or has a member twice.
  public init(body: [UInt8]) throws(InputFailure) {
    guard let value = JSONValue(parsing: body) else {
      throw InputFailure(JSONFault.problems(in: body))
    }
    self = value
  }
}
