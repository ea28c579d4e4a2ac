import JSON

/// The value of a text parameter that is itself translated: `{"loc-key": "KEY"}`, with `loc-args`
/// for the placeholders of its text.
///
/// For each device the key is looked up where the key of the surrounding text is looked up.
public struct TranslatedText: Sendable, Hashable {
  /// The value of a placeholder.
  public indirect enum Argument: Sendable, Hashable {
    /// A text, put in as it is.
    case text(String)
    /// A whole number, which a plural may count.
    case integer(Int64)
    /// Again a text that is translated.
    case translated(TranslatedText)
  }

  public var key: String
  /// The values of its text's placeholders.
  public var arguments: [Argument] = []
}

extension TranslatedText {
  /// Reads a value that should be such an object; `nil` after noting a fault.
  init?(_ value: JSONValue, at pointer: String, _ fields: FieldReader) {
    var remaining = MessageLimits.translatedTexts
    let text = Self.read(value, at: pointer, fields, depth: 1, &remaining)
    guard let text else { return nil }
    self = text
  }

  private static func read(
    _ value: JSONValue, at pointer: String, _ fields: FieldReader, depth: Int,
    _ remaining: inout Int
  ) -> TranslatedText? {
    remaining -= 1
    guard depth <= MessageLimits.translatedDepth, remaining >= 0 else {
      fields.refuse(
        .tooDeep, pointer: pointer,
        "At most \(MessageLimits.translatedTexts) keys, "
          + "\(MessageLimits.translatedDepth) within each other.")
      return nil
    }
    return fields.nested(value, at: pointer) { fields in
      let key = fields.required(fields.identifier("loc-key"), "loc-key")
      let arguments = Self.arguments(fields, depth: depth, &remaining)
      guard let key, let arguments else { return nil }
      return TranslatedText(key: key, arguments: arguments)
    }
  }

  private static func arguments(
    _ fields: FieldReader, depth: Int, _ remaining: inout Int
  ) -> [Argument]? {
    guard let value = fields.json("loc-args").value else { return [] }
    guard case .array(let elements) = value else {
      fields.refuseType("loc-args", "an array", value)
      return nil
    }
    guard elements.count <= MessageLimits.translatedArguments else {
      fields.refuse(
        .tooMany, at: "loc-args", "At most \(MessageLimits.translatedArguments) entries.")
      return nil
    }
    var arguments: [Argument] = []
    for (index, element) in elements.enumerated() {
      let pointer = "\(fields.pointer(to: "loc-args"))/\(index)"
      switch element {
      case .string(let text):
        if let (fault, detail) = TextBounds(maximum: MessageLimits.argumentBytes).fault(of: text) {
          fields.refuse(fault.problem(at: pointer, detail))
        } else {
          arguments.append(.text(text))
        }
      case .integer(let number): arguments.append(.integer(number))
      case .object:
        if let text = read(element, at: pointer, fields, depth: depth + 1, &remaining) {
          arguments.append(.translated(text))
        }
      default:
        fields.refuse(
          .wrongType, pointer: pointer,
          "Expected a string, a whole number or an object with a `loc-key`.")
      }
    }
    return arguments.count == elements.count ? arguments : nil
  }
}
