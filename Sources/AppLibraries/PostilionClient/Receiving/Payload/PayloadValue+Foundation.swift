import Foundation

extension PayloadValue {
  /// Reads an object of Foundation, such as a value of a notification's `userInfo`.
  ///
  /// | object | value |
  /// |---|---|
  /// | `NSNull` | ``null`` |
  /// | `Bool`, and the boolean `NSNumber` | ``bool(_:)`` |
  /// | other numbers | ``integer(_:)``, ``longInteger(_:)`` or ``double(_:)`` |
  /// | `String` | ``string(_:)`` |
  /// | `Date` | ``string(_:)``: ISO 8601, in UTC, to the second |
  /// | `Data` | ``string(_:)``: base64 |
  /// | `URL`, `UUID` | ``string(_:)``: their text |
  /// | lists | ``array(_:)``; what has no value here is ``null`` in it, so that places stay |
  /// | dictionaries | ``object(_:)``, of the members whose name is a text and that have a value |
  ///
  /// Anything else has no value: other objects, numbers that are not finite, and what lies below 64
  /// levels of lists and dictionaries. The values beside it are read.
  ///
  /// - Returns: `nil` if the object has no value.
  public init?(_ object: Any) {
    self.init(object, levels: ReceivingLimits.depth)
  }

  /// Reads the members of a dictionary of Foundation; those that have no value are left out.
  static func members(of userInfo: [AnyHashable: Any]) -> [String: PayloadValue] {
    members(of: userInfo, levels: ReceivingLimits.depth - 1)
  }

  /// Reads the bytes of a JSON text, UTF-8.
  ///
  /// - Returns: `nil` if they are no JSON, or have more than the 512 levels that Foundation reads.
  ///   Of fewer levels, those below 64 are left out.
  public init?(json: Data) {
    let object = try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
    guard let object else { return nil }
    self.init(object)
  }

  /// The value as compact JSON, UTF-8: members in the order of their names, no escapes without
  /// need.
  public func encoded() -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Nothing of it can fail: a number that is not finite is written as null.
    return (try? encoder.encode(self)) ?? Data("null".utf8)
  }

  /// The value as objects of a property list, as the `userInfo` of a local notification must be;
  /// `nil` for ``null``, which property lists do not have. Nulls in lists and objects are left out.
  /// A number beyond 64 bits is a text, as property lists would not keep its digits.
  public var propertyList: Any? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .integer(let value): value
    case .longInteger(let value): value.description
    case .double(let value): value
    case .string(let value): value
    case .array(let value): value.compactMap(\.propertyList)
    case .object(let value): value.compactMapValues(\.propertyList)
    }
  }

  /// A number.
  /// - Parameter digits: The same number, exactly, if that is known.
  init(number: Double, digits: Decimal? = nil) {
    if let integer = Int64(exactly: number), digits.map({ $0 == Decimal(integer) }) ?? true {
      self = .integer(integer)
    } else if number.rounded() == number, abs(number) < 1e38,
      let digits = digits ?? Decimal(string: String(number)), !digits.description.contains(".")
    {
      self = .longInteger(digits)
    } else {
      self = .double(number)
    }
  }

  /// The value as it comes back from a file: `3.0` as a whole number, and a number that is not
  /// finite, which equals nothing, as ``null``.
  var normal: PayloadValue {
    switch self {
    case .double(let value): value.isFinite ? Self(number: value) : .null
    case .longInteger(let value): Self(NSDecimalNumber(decimal: value)) ?? .null
    case .array(let value): .array(value.map(\.normal))
    case .object(let value): .object(value.mapValues(\.normal))
    case .null, .bool, .integer, .string: self
    }
  }

  private init?(_ object: Any, levels: Int) {
    switch object {
    case is NSNull: self = .null
    case let text as String: self = .string(text)
    case let number as NSNumber: self.init(number)
    case let date as Date: self = .string(date.formatted(.iso8601))
    case let data as Data: self = .string(data.base64EncodedString())
    case let url as URL: self = .string(url.absoluteString)
    case let uuid as UUID: self = .string(uuid.uuidString)
    case let list as [Any]:
      guard levels > 0 else { return nil }
      self = .array(list.map { PayloadValue($0, levels: levels - 1) ?? .null })
    case let dictionary as [AnyHashable: Any]:
      guard levels > 0 else { return nil }
      self = .object(Self.members(of: dictionary, levels: levels - 1))
    default: return nil
    }
  }

  private static func members(
    of dictionary: [AnyHashable: Any], levels: Int
  ) -> [String: PayloadValue] {
    var members: [String: PayloadValue] = [:]
    for (name, object) in dictionary {
      guard let name = name as? String else { continue }
      members[name] = PayloadValue(object, levels: levels)
    }
    return members
  }

  private init?(_ number: NSNumber) {
    if number.isBoolean {
      self = .bool(number.boolValue)
      return
    }
    // Of numbers with many digits only the text is exact, and of floating ones only the number.
    let text = number is NSDecimalNumber || !number.isFloating ? number.stringValue : nil
    if let integer = text.flatMap({ Int64($0) }) {
      self = .integer(integer)
      return
    }
    let double = text.flatMap { Double($0) } ?? number.doubleValue
    guard double.isFinite else { return nil }
    self.init(number: double, digits: text.flatMap { Decimal(string: $0) })
  }
}

extension NSNumber {
  /// Whether this is `true` or `false`, and not the number 1 or 0.
  fileprivate var isBoolean: Bool {
    #if canImport(Darwin)
      // Elsewhere no other number has the type of a C character.
      CFGetTypeID(self) == CFBooleanGetTypeID()
    #else
      objCType.pointee == CChar(UInt8(ascii: "c"))
    #endif
  }

  /// Whether this is stored as a floating number, so that it may have no whole value at all.
  fileprivate var isFloating: Bool {
    let type = UInt8(bitPattern: objCType.pointee)
    return type == UInt8(ascii: "d") || type == UInt8(ascii: "f")
  }
}
