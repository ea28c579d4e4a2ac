import JSON

/// The number on an app's icon.
public enum Badge: Sendable, Hashable {
  /// The number; 0 removes it.
  case number(Int)
  /// The value of the integer parameter of this name.
  case parameter(String)
  /// Any number that is not known yet: the word of this number, see `JSONGap`.
  case gap(Int)

  /// The numbers that a device can show.
  private static let range: ClosedRange<Int64> = 0...Int64(MessageLimits.badge)

  /// Why a number can be no badge; nil when it can.
  static func fault(of number: Int64) -> String? {
    range.contains(number) ? nil : "A badge is from 0 to \(MessageLimits.badge)."
  }

  /// The number, with the value of its parameter; nil when there is none.
  func number(_ arguments: Arguments) -> Int? {
    switch self {
    case .number(let number): return number
    // A gap is judged like any other number.
    case .gap: return 0
    case .parameter(let name):
      guard case .integer(let number)? = arguments[name] else { return nil }
      return Int(number)
    }
  }

  /// Reads the field `badge`: a number, or the name of an integer parameter in braces.
  init?(reading fields: FieldReader, parameters: [String: Parameter]) {
    switch fields.json("badge").value {
    case nil: return nil
    case .integer(let number):
      if let fault = Self.fault(of: number) {
        fields.refuse(.outOfRange, at: "badge", fault)
        return nil
      }
      self = .number(Int(number))
    case .double(let number) where number == number.rounded():
      fields.refuse(.outOfRange, at: "badge", "A badge is from 0 to \(MessageLimits.badge).")
      return nil
    case .longNumber:
      fields.refuse(.outOfRange, at: "badge", JSONValue.tooManyDigits)
      return nil
    case .string(let text):
      guard let name = Template(text).onlyName else {
        let detail = "Expected a whole number, or the name of one parameter in braces."
        fields.refuse(.wrongType, at: "badge", detail)
        return nil
      }
      fields.checkPlaceholders(in: text, parameters, at: fields.pointer(to: "badge"))
      Self.check(name, parameters, fields)
      self = .parameter(name)
    case let value?:
      fields.refuseType("badge", "a whole number", value)
      return nil
    }
  }

  /// Tells of a parameter, or of its default, that can be no badge.
  private static func check(
    _ name: String, _ parameters: [String: Parameter], _ fields: FieldReader
  ) {
    guard let parameter = parameters[name] else { return }
    guard parameter.type == .integer else {
      return fields.refuse(.wrongType, at: "badge", "`\(name)` is no `integer`.")
    }
    if case .integer(let number)? = parameter.defaultValue, let fault = fault(of: number) {
      fields.refuse(
        .outOfRange, pointer: "\(fields.pointer(to: "parameters"))/\(name)/default", fault)
    }
  }
}
