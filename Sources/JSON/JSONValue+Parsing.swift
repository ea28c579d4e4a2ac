extension JSONValue {
  /// Arrays and objects within each other at most; deeper is an attack on the stack.
  public static let maximumDepth = 512

  /// Reads one JSON text (RFC 8259) in UTF-8, strictly; `nil` when it is none.
  ///
  /// No trailing comma, no other encoding, no lone surrogate. Of members with one name the last
  /// counts. A number without a fraction that fits is an `integer`, any other a `double`; one
  /// that is beyond a `double`, such as `1e400`, is refused.
  ///
  /// Foundation's readers are not used: they take a typical registration 20 µs and this 4, and the
  /// difference was a fifth of all that the service spends on a request. They also take trailing
  /// commas and UTF-16, and round whole numbers.
  public init?(parsing text: [UInt8]) {
    // One look at the whole text: its parts between ASCII bytes are UTF-8 then too.
    guard String(validating: text, as: UTF8.self) != nil else { return nil }
    let value = text.withUnsafeBufferPointer { bytes in
      var parser = JSONParser(bytes)
      return try? parser.document()
    }
    guard let value else { return nil }
    self = value
  }
}

/// The text is not JSON.
private struct NotJSON: Error {}

/// Recursive descent over bytes that are known to be UTF-8.
private struct JSONParser {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private var depth = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func document() throws(NotJSON) -> JSONValue {
    let value = try value()
    skipSpace()
    guard index == bytes.count else { throw NotJSON() }
    return value
  }

  private mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return
      }
    }
  }

  /// The next byte; 0, which begins nothing, at the end.
  private var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    index += 1
    return true
  }

  private mutating func value() throws(NotJSON) -> JSONValue {
    skipSpace()
    switch current {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: return try number()
    }
  }

  private mutating func literal(
    _ text: StaticString, _ value: JSONValue
  ) throws(NotJSON) -> JSONValue {
    let count = text.utf8CodeUnitCount
    guard bytes.count - index >= count else { throw NotJSON() }
    for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] {
      throw NotJSON()
    }
    index += count
    return value
  }

  private mutating func enter() throws(NotJSON) {
    index += 1
    depth += 1
    guard depth <= JSONValue.maximumDepth else { throw NotJSON() }
    skipSpace()
  }

  private mutating func object() throws(NotJSON) -> JSONValue {
    try enter()
    defer { depth -= 1 }
    var members: [String: JSONValue] = [:]
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw NotJSON() }
      let name = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw NotJSON() }
      members[name] = try value()
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw NotJSON() }
    }
  }

  private mutating func array() throws(NotJSON) -> JSONValue {
    try enter()
    defer { depth -= 1 }
    var elements: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    while true {
      elements.append(try value())
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else { throw NotJSON() }
    }
  }

  // MARK: Strings

  private mutating func string() throws(NotJSON) -> String {
    index += 1
    let start = index
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        defer { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw NotJSON()
      default: index += 1
      }
    }
    throw NotJSON()
  }

  /// The rest of a string in which an escape was met.
  private mutating func escapedString(from start: Int) throws(NotJSON) -> String {
    var text = Array(bytes[start..<index])
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        index += 1
        try escape(into: &text)
      case 0..<0x20: throw NotJSON()
      default:
        text.append(byte)
        index += 1
      }
    }
    throw NotJSON()
  }

  private mutating func escape(into text: inout [UInt8]) throws(NotJSON) {
    defer { index += 1 }
    switch current {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(current)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: try scalar().utf8)
    default: throw NotJSON()
    }
  }

  /// `u` and four digits, or a pair of surrogates; leaves the index at the last digit.
  private mutating func scalar() throws(NotJSON) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(UInt32(first)) { return scalar }
    index += 1
    guard UTF16.isLeadSurrogate(first), take(UInt8(ascii: "\\")), current == UInt8(ascii: "u")
    else { throw NotJSON() }
    let second = try codeUnit()
    guard UTF16.isTrailSurrogate(second) else { throw NotJSON() }
    let code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    guard let scalar = Unicode.Scalar(code) else { throw NotJSON() }
    return scalar
  }

  private mutating func codeUnit() throws(NotJSON) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      index += 1
      guard let digit = current.hexDigit else { throw NotJSON() }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  // MARK: Numbers

  /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
  private mutating func number() throws(NotJSON) -> JSONValue {
    let start = index
    let isNegative = take(UInt8(ascii: "-"))
    var isWhole = true
    var magnitude: Int64? = 0
    let firstDigit = index
    while let digit = current.digit {
      // Negative numbers reach further, so the sum is built below zero.
      let (product, tooLarge) = (magnitude ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, tooMuch) = product.subtractingReportingOverflow(Int64(digit))
      magnitude = magnitude == nil || tooLarge || tooMuch ? nil : sum
      index += 1
    }
    guard index > firstDigit, bytes[firstDigit] != UInt8(ascii: "0") || index == firstDigit + 1
    else { throw NotJSON() }
    if take(UInt8(ascii: ".")) {
      isWhole = false
      try digits()
    }
    if current | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      index += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    if isWhole, let magnitude {
      if isNegative { return .integer(magnitude) }
      if magnitude != .min { return .integer(-magnitude) }
    }
    let value = Double(String(decoding: bytes[start..<index], as: UTF8.self)) ?? .infinity
    guard value.isFinite else { throw NotJSON() }
    // 1.0 is a whole number too, as long as no digit was lost.
    if value.magnitude < 0x1p53, let whole = Int64(exactly: value) { return .integer(whole) }
    return .double(value)
  }

  private mutating func digits() throws(NotJSON) {
    guard current.digit != nil else { throw NotJSON() }
    while current.digit != nil { index += 1 }
  }
}

extension UInt8 {
  fileprivate var digit: UInt8? {
    let value = self &- UInt8(ascii: "0")
    return value < 10 ? value : nil
  }

  fileprivate var hexDigit: UInt8? {
    if let digit { return digit }
    let value = (self | 0x20) &- UInt8(ascii: "a")
    return value < 6 ? value + 10 : nil
  }
}
