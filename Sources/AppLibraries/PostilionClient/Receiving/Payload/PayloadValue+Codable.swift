import Foundation

extension PayloadValue: Codable {
  /// Reads any JSON value.
  ///
  /// - Throws: `DecodingError` for a value below 64 levels of arrays and objects.
  public init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= ReceivingLimits.depth else {
      let context = DecodingError.Context(
        codingPath: [], debugDescription: "more than \(ReceivingLimits.depth) levels")
      throw DecodingError.dataCorrupted(context)
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = PayloadValue(number: value, digits: try? container.decode(Decimal.self))
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([PayloadValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: PayloadValue].self))
    }
  }

  /// Writes the value; a number that is not finite as `null`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .longInteger(let value): try container.encode(value)
    case .double(let value):
      if value.isFinite { try container.encode(value) } else { try container.encodeNil() }
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
