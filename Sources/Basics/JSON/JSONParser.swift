internal import ASCII

/// The form that the parser makes of a text: plain values, or nodes that know their place.
protocol JSONForm {
  /// The members of an object, as far as they are read.
  associatedtype Members

  /// Neither an array nor an object.
  init(_ value: JSONValue, at offset: Int)
  init(elements: [Self], at offset: Int)
  init(members: Members, at offset: Int)

  static var noMembers: Members { get }
  /// Takes a member; `false` when the object must not have a second one of its name.
  static func add(_ value: Self, name: String, at offset: Int, to members: inout Members) -> Bool
}

/// Recursive descent over bytes that are known to be UTF-8.
struct JSONParser<Form: JSONForm> {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The offset of the next byte; after a fault, the approximate place of the fault.
  private(set) var index = 0
  private var depth = 0
  private var valuesLeft: Int

  init(_ bytes: UnsafeBufferPointer<UInt8>, maximumCount: Int = .max) {
    self.bytes = bytes
    valuesLeft = maximumCount
  }

  /// Reads a whole text, and tells where it cannot.
  static func parse(_ text: [UInt8], maximumCount: Int = .max) throws(JSONFault) -> Form {
    do {
      _ = try UTF8Span(validating: text.span)
    } catch {
      throw JSONFault(offset: error.byteOffsets.lowerBound, reason: .notUTF8)
    }
    let result = text.withUnsafeBufferPointer { bytes -> Result<Form, JSONFault> in
      var parser = JSONParser(bytes, maximumCount: maximumCount)
      do throws(JSONFault.Reason) {
        return .success(try parser.document())
      } catch {
        return .failure(JSONFault(offset: parser.index, reason: error))
      }
    }
    return try result.get()
  }

  mutating func document() throws(JSONFault.Reason) -> Form {
    skipSpace()
    if index == bytes.count { throw .empty }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw .byteOrderMark }
    let value = try value()
    skipSpace()
    guard index == bytes.count else { throw .expected(.end) }
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

  private mutating func value() throws(JSONFault.Reason) -> Form {
    skipSpace()
    guard valuesLeft > 0 else { throw .tooMany }
    valuesLeft -= 1
    let start = index
    switch current {
    case UInt8(ascii: "\""): return Form(.string(try string()), at: start)
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "t"): return Form(try literal("true", .bool(true)), at: start)
    case UInt8(ascii: "f"): return Form(try literal("false", .bool(false)), at: start)
    case UInt8(ascii: "n"): return Form(try literal("null", .null), at: start)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return Form(try number(), at: start)
    default: throw .expected(.value)
    }
  }

  private mutating func literal(
    _ text: StaticString, _ value: JSONValue
  ) throws(JSONFault.Reason) -> JSONValue {
    let count = text.utf8CodeUnitCount
    guard bytes.count - index >= count else { throw .expected(.literal) }
    for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] {
      throw .expected(.literal)
    }
    index += count
    return value
  }

  private mutating func enter() throws(JSONFault.Reason) {
    index += 1
    depth += 1
    guard depth <= JSONValue.maximumDepth else { throw .tooDeep }
    skipSpace()
  }

  private mutating func object() throws(JSONFault.Reason) -> Form {
    let start = index
    try enter()
    defer { depth -= 1 }
    var members = Form.noMembers
    if take(UInt8(ascii: "}")) { return Form(members: members, at: start) }
    while true {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw .expected(.name) }
      let place = index
      let name = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw .expected(.colon) }
      guard Form.add(try value(), name: name, at: place, to: &members) else {
        index = place
        throw .duplicateMember
      }
      skipSpace()
      if take(UInt8(ascii: "}")) { return Form(members: members, at: start) }
      guard take(UInt8(ascii: ",")) else { throw .expected(.commaOrBrace) }
    }
  }

  private mutating func array() throws(JSONFault.Reason) -> Form {
    let start = index
    try enter()
    defer { depth -= 1 }
    var elements: [Form] = []
    if take(UInt8(ascii: "]")) { return Form(elements: elements, at: start) }
    while true {
      elements.append(try value())
      skipSpace()
      if take(UInt8(ascii: "]")) { return Form(elements: elements, at: start) }
      guard take(UInt8(ascii: ",")) else { throw .expected(.commaOrBracket) }
    }
  }

  // MARK: Strings

  private mutating func string() throws(JSONFault.Reason) -> String {
    index += 1
    let start = index
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        defer { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw .expected(.escapedControl)
      default: index += 1
      }
    }
    throw .expected(.quotationMark)
  }

  /// The rest of a string in which an escape was met.
  private mutating func escapedString(from start: Int) throws(JSONFault.Reason) -> String {
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
      case 0..<0x20: throw .expected(.escapedControl)
      default:
        text.append(byte)
        index += 1
      }
    }
    throw .expected(.quotationMark)
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONFault.Reason) {
    switch current {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(current)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: try scalar().utf8)
    default: throw .expected(.escape)
    }
    index += 1
  }

  /// `u` and four digits, or a pair of surrogates; leaves the index at the last digit.
  private mutating func scalar() throws(JSONFault.Reason) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(UInt32(first)) { return scalar }
    index += 1
    guard UTF16.isLeadSurrogate(first), take(UInt8(ascii: "\\")), current == UInt8(ascii: "u")
    else { throw .expected(.surrogate) }
    let second = try codeUnit()
    guard UTF16.isTrailSurrogate(second) else { throw .expected(.surrogate) }
    let code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    guard let scalar = Unicode.Scalar(code) else { throw .expected(.surrogate) }
    return scalar
  }

  private mutating func codeUnit() throws(JSONFault.Reason) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      index += 1
      guard let digit = current.hexDigit else { throw .expected(.hexDigit) }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  // MARK: Numbers

  /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
  private mutating func number() throws(JSONFault.Reason) -> JSONValue {
    let start = index
    let isNegative = take(UInt8(ascii: "-"))
    var isWhole = true
    var magnitude: Int64? = 0
    let firstDigit = index
    while current.isASCIIDigit, let digit = current.hexDigit {
      // Negative numbers reach further, so the sum is built below zero.
      let (product, tooLarge) = (magnitude ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, tooMuch) = product.subtractingReportingOverflow(Int64(digit))
      magnitude = magnitude == nil || tooLarge || tooMuch ? nil : sum
      index += 1
    }
    guard index > firstDigit else { throw .expected(.digit) }
    guard bytes[firstDigit] != UInt8(ascii: "0") || index == firstDigit + 1 else {
      index = firstDigit + 1
      throw .expected(.oneZero)
    }
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
    let text = bytes[start..<index]
    let value = Double(String(decoding: text, as: UTF8.self)) ?? .infinity
    guard value.isFinite else {
      index = start
      throw .expected(.finiteNumber)
    }
    // A `Double` has 15 digits of its own, unless it is next to 0.
    let isShort = text.count <= 16 && (value.isNormal || text.allSatisfy { $0 | 0x20 != 0x65 })
    guard !isWhole, isShort || DecimalDigits(text) == DecimalDigits(value.description.utf8) else {
      return .longNumber(String(decoding: text, as: UTF8.self))
    }
    // 1.0 is a whole number too, as long as no digit was lost.
    if value.magnitude < 0x1p53, let whole = Int64(exactly: value) { return .integer(whole) }
    return .double(value)
  }

  private mutating func digits() throws(JSONFault.Reason) {
    guard current.isASCIIDigit else { throw .expected(.digit) }
    while current.isASCIIDigit { index += 1 }
  }
}

/// A number by its digits: `-1.50e3` and `-1500` are the same.
struct DecimalDigits: Equatable {
  private var isNegative: Bool
  /// The digits from the first that is not 0 to the last.
  private(set) var digits: [UInt8] = []
  /// How many places the point stands behind the first digit; 0 if there are no digits.
  private var point = 0

  /// The digits of a JSON number.
  init(_ number: some Sequence<UInt8>) {
    var number = Array(number)
    isNegative = number.first == UInt8(ascii: "-")
    if let mark = number.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      // An exponent that is no `Int` belongs to 0, or to a number that no `Double` holds.
      point = Int(String(decoding: number[(mark + 1)...], as: UTF8.self)) ?? .min / 2
      number.removeSubrange(mark...)
    }
    let fraction = number.firstIndex(of: UInt8(ascii: ".")) ?? number.endIndex
    let whole = number[..<fraction].filter(\.isASCIIDigit)
    let all = whole + number[fraction...].filter(\.isASCIIDigit)
    guard let first = all.firstIndex(where: { $0 != UInt8(ascii: "0") }),
      let last = all.lastIndex(where: { $0 != UInt8(ascii: "0") })
    else {
      (isNegative, point) = (false, 0)
      return
    }
    digits = Array(all[first...last])
    point &+= whole.count - first
  }
}
