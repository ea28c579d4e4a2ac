// Foundation's own readers are not used here: shared objects let a small binary property list
// stand for a dictionary of any size, which they build in full (40 nested pairs of references
// keep `PropertyListSerialization` busy for hours).

/// Reads a binary property list, which `.strings` and `.stringsdict` files of built apps are.
///
///     "bplist00"  objects  offset table  trailer (32 bytes):
///     5 unused, 1 sort version, 1 offset size, 1 reference size,
///     8 object count, 8 top object, 8 offset table's offset
///
/// Only dictionaries and strings are looked at; other values are left out.
/// Source: CFBinaryPList.c.
struct BinaryPropertyList {
  static let magic = Array("bplist00".utf8)

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let tableOffset: Int
  private var strings: [Int: String] = [:]

  /// The list with its nested dictionaries; objects that are shared count each time.
  static func read(_ bytes: [UInt8]) throws(Finding) -> PropertyListValue {
    var reader = try BinaryPropertyList(bytes)
    return try reader.value(reader.topObject, depth: 0)
  }

  private var topObject: Int
  private var valueCount = 0
  private var textBytes = 0
  /// How many bytes of the file the strings read so far take: more than it has when they overlap.
  private var stringBytes = 0

  private init(_ bytes: [UInt8]) throws(Finding) {
    let trailer = bytes.count - 32
    guard trailer >= Self.magic.count,
      let count = Self.integer(bytes, at: trailer + 8, size: 8),
      let top = Self.integer(bytes, at: trailer + 16, size: 8),
      let table = Self.integer(bytes, at: trailer + 24, size: 8)
    else { throw Self.malformed("its trailer is incomplete") }
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    objectCount = count
    topObject = top
    tableOffset = table
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), top < count,
      table < trailer, count <= (trailer - table) / offsetSize
    else { throw Self.malformed("its trailer contradicts its size") }
  }

  private mutating func value(_ index: Int, depth: Int) throws(Finding) -> PropertyListValue {
    valueCount += 1
    guard valueCount <= Limits.propertyListValues, depth < Limits.nesting else {
      throw Finding(
        offset: 0, code: .limitExceeded,
        message: "There are more than \(Limits.propertyListValues) values.")
    }
    if let text = try string(index) { return .text(text) }
    let (kind, count, start) = try object(index)
    guard kind == 0xD else { return .other }
    var pairs: [PropertyListValue.Pair] = []
    for place in 0..<count {
      try Finding.checkCancellation()
      let (key, valueIndex) = try pair(place, of: count, start: start)
      let value = try value(valueIndex, depth: depth + 1)
      if case .text(let text) = value { try countBytes(of: text) }
      pairs.append(PropertyListValue.Pair(key: key, value: value, offset: 0))
    }
    return .dictionary(pairs)
  }

  /// A key of a dictionary with `count` of them, and where its value is.
  private mutating func pair(
    _ place: Int, of count: Int, start: Int
  ) throws(Finding) -> (key: String, valueIndex: Int) {
    let keyAt = start + place * referenceSize
    guard let keyIndex = Self.integer(bytes, at: keyAt, size: referenceSize),
      let valueIndex = Self.integer(bytes, at: keyAt + count * referenceSize, size: referenceSize),
      let key = try string(keyIndex)
    else { throw Self.malformed("a key is no string") }
    try countBytes(of: key)
    if key.utf8.contains(0) { throw TableLimits.nul(at: 0) }
    return (key, valueIndex)
  }

  /// Counts the bytes of a key or text. These may be shared, and add up to far more than the file.
  private mutating func countBytes(of text: String) throws(Finding) {
    textBytes += text.utf8.count
    guard textBytes <= UploadLimits.fileBytes else {
      throw Finding(
        offset: 0, code: .limitExceeded,
        message: "Its texts are longer than \(UploadLimits.fileBytes) bytes.")
    }
  }

  /// The string at an index of the offset table; nil for any other kind of object.
  private mutating func string(_ index: Int) throws(Finding) -> String? {
    if let string = strings[index] { return string }
    let (kind, count, start) = try object(index)
    if kind == 0x5 || kind == 0x6 { stringBytes += count }
    guard stringBytes <= bytes.count else { throw Self.malformed("its strings overlap") }
    let string: String
    switch kind {
    case 0x5 where count <= bytes.count - start:
      string = String(decoding: bytes[start..<start + count], as: UTF8.self)
    case 0x6 where count <= (bytes.count - start) / 2:
      let utf8 = UTF16Bytes.utf8(bytes[start..<start + 2 * count], bigEndian: true)
      string = String(decoding: utf8, as: UTF8.self)
    case 0x5, 0x6: throw Self.malformed("a string is longer than the file")
    default: return nil
    }
    strings[index] = string
    return string
  }

  /// An object's kind (the upper half of its first byte), its count and where its content starts.
  private func object(_ index: Int) throws(Finding) -> (kind: UInt8, count: Int, start: Int) {
    guard index < objectCount,
      let offset = Self.integer(bytes, at: tableOffset + index * offsetSize, size: offsetSize),
      offset < bytes.count
    else { throw Self.malformed("a reference leads nowhere") }
    let marker = bytes[offset]
    guard marker & 0x0F == 0x0F, (0x4...0xD).contains(marker >> 4) else {
      return (marker >> 4, Int(marker & 0x0F), offset + 1)
    }
    // A count of 15 or more follows as an integer object: 0x1n, then 2^n bytes.
    guard offset + 1 < bytes.count, bytes[offset + 1] & 0xF0 == 0x10,
      case let size = 1 << Int(bytes[offset + 1] & 0x0F), size <= 8,
      let count = Self.integer(bytes, at: offset + 2, size: size)
    else { throw Self.malformed("a count is unreadable") }
    return (marker >> 4, count, offset + 2 + size)
  }

  /// A big-endian integer; nil when it does not fit or lies outside. Bounded far below `Int.max`,
  /// so that sums and products of what it returns with small numbers cannot overflow.
  private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - size else { return nil }
    var value: UInt64 = 0
    for byte in bytes[offset..<offset + size] { value = value << 8 | UInt64(byte) }
    return value <= UInt64(Int32.max) ? Int(value) : nil
  }

  private static func malformed(_ reason: String) -> Finding {
    Finding(
      offset: 0, code: .malformedPropertyList,
      message: "The binary property list cannot be read: \(reason).")
  }
}
