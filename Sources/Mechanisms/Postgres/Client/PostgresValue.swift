public import FoundationEssentials

/// A Swift value with a PostgreSQL binary form (`typsend`/`typreceive`, network byte order).
public protocol PostgresValue: RowDecodable, Sendable {
  /// The type's object id in `pg_type`.
  static var oid: UInt32 { get }
  /// The object id of the array type over it.
  static var arrayOID: UInt32 { get }
  /// Appends the binary form, without its length.
  func encode(into bytes: inout [UInt8])
  /// Reads the binary form; `nil` when the bytes are not one.
  init?(binary bytes: UnsafeRawBufferPointer)
}

extension FixedWidthInteger {
  /// Appends the integer's bytes, most significant first.
  func encodeBigEndian(into bytes: inout [UInt8]) {
    // One by one: a call for four bytes takes three times as long.
    for shift in stride(from: Self.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: self >> shift))
    }
  }

  /// Reads an integer, most significant byte first; `nil` when the width differs.
  init?(bigEndian bytes: UnsafeRawBufferPointer) {
    guard bytes.count == MemoryLayout<Self>.size else { return nil }
    self = Self(bigEndian: bytes.loadUnaligned(as: Self.self))
  }
}

extension Bool: PostgresValue {
  /// `bool`.
  public static var oid: UInt32 { 16 }
  /// `bool[]`.
  public static var arrayOID: UInt32 { 1000 }
  /// One byte, 1 or 0.
  public func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
  /// Reads the same; `nil` when the length differs.
  public init?(binary bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 1 else { return nil }
    self = bytes[0] != 0
  }
}

extension Int16: PostgresValue {
  /// `smallint`.
  public static var oid: UInt32 { 21 }
  /// `smallint[]`.
  public static var arrayOID: UInt32 { 1005 }
  /// Two bytes, the most significant first.
  public func encode(into bytes: inout [UInt8]) { encodeBigEndian(into: &bytes) }
  /// Reads the same; `nil` when the length differs.
  public init?(binary bytes: UnsafeRawBufferPointer) { self.init(bigEndian: bytes) }
}

extension Int32: PostgresValue {
  /// `integer`.
  public static var oid: UInt32 { 23 }
  /// `integer[]`.
  public static var arrayOID: UInt32 { 1007 }
  /// Four bytes, the most significant first.
  public func encode(into bytes: inout [UInt8]) { encodeBigEndian(into: &bytes) }
  /// Reads the same; `nil` when the length differs.
  public init?(binary bytes: UnsafeRawBufferPointer) { self.init(bigEndian: bytes) }
}

extension Int64: PostgresValue {
  /// `bigint`.
  public static var oid: UInt32 { 20 }
  /// `bigint[]`.
  public static var arrayOID: UInt32 { 1016 }
  /// Eight bytes, the most significant first.
  public func encode(into bytes: inout [UInt8]) { encodeBigEndian(into: &bytes) }
  /// Reads the same; `nil` when the length differs.
  public init?(binary bytes: UnsafeRawBufferPointer) { self.init(bigEndian: bytes) }
}

/// `text`: UTF-8. PostgreSQL cannot hold U+0000, so features refuse it at decode.
extension String: PostgresValue {
  /// `text`.
  public static var oid: UInt32 { 25 }
  /// `text[]`.
  public static var arrayOID: UInt32 { 1009 }
  /// UTF-8; malformed sequences are repaired on the way in.
  public func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
  /// Reads UTF-8.
  public init?(binary bytes: UnsafeRawBufferPointer) { self.init(decoding: bytes, as: UTF8.self) }
}

extension UUID: PostgresValue {
  /// `uuid`.
  public static var oid: UInt32 { 2950 }
  /// `uuid[]`.
  public static var arrayOID: UInt32 { 2951 }
  /// Its 16 bytes.
  public func encode(into bytes: inout [UInt8]) {
    withUnsafeBytes(of: uuid) { bytes.append(contentsOf: $0) }
  }
  /// Reads the same; `nil` when the length differs.
  public init?(binary bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }
}

/// `bytea`: bytes as they are.
public struct Bytea: PostgresValue, Hashable {
  public var bytes: [UInt8]
  /// Wraps bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// `bytea`.
  public static var oid: UInt32 { 17 }
  /// `bytea[]`.
  public static var arrayOID: UInt32 { 1001 }
  /// The bytes as they are.
  public func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: self.bytes) }
  /// Takes all bytes.
  public init?(binary bytes: UnsafeRawBufferPointer) { self.bytes = [UInt8](bytes) }
}

/// `jsonb`: one JSON text in UTF-8, behind the version byte of its binary form.
public struct JSONB: PostgresValue, Hashable {
  /// The JSON text.
  public var bytes: [UInt8]
  /// Wraps a JSON text; the server refuses what is not JSON.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
  /// `jsonb`.
  public static var oid: UInt32 { 3802 }
  /// `jsonb[]`.
  public static var arrayOID: UInt32 { 3807 }
  /// A version byte, then the JSON text.
  public func encode(into bytes: inout [UInt8]) {
    bytes.append(1)
    bytes.append(contentsOf: self.bytes)
  }
  /// Takes the text behind version 1.
  public init?(binary bytes: UnsafeRawBufferPointer) {
    guard bytes.first == 1 else { return nil }
    self.bytes = [UInt8](bytes.dropFirst())
  }
}

/// A word of a fixed list is stored as its raw value.
extension PostgresValue where Self: RawRepresentable, RawValue: PostgresValue {
  public static var oid: UInt32 { RawValue.oid }
  public static var arrayOID: UInt32 { RawValue.arrayOID }
  public func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }
  public init?(binary bytes: UnsafeRawBufferPointer) {
    guard let value = RawValue(binary: bytes) else { return nil }
    self.init(rawValue: value)
  }
}

/// A one-dimensional array without nulls inside, such as `text[]`. Our own code writes no null. A
/// null that somebody else wrote is left out, so that it costs its row only that element.
extension Array: RowDecodable, PostgresValue where Element: PostgresValue {
  /// The element type's array type.
  public static var oid: UInt32 { Element.arrayOID }
  /// PostgreSQL has one type for arrays of any dimension.
  public static var arrayOID: UInt32 { Element.arrayOID }
  /// The header of one dimension, then each element behind its length.
  public func encode(into bytes: inout [UInt8]) {
    encodeArray(self, into: &bytes)
  }
  /// Reads an array of at most one dimension, without its nulls.
  public init?(binary bytes: UnsafeRawBufferPointer) {
    var reader = BinaryCursor(bytes)
    guard let dimensions: Int32 = reader.integer(), let _: Int32 = reader.integer(),
      let _: Int32 = reader.integer()
    else { return nil }
    guard dimensions != 0 else {
      self = []
      return
    }
    guard dimensions == 1, let count: Int32 = reader.integer(), let _: Int32 = reader.integer(),
      0...bytes.count ~= Int(count)
    else { return nil }
    self = []
    reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let length: Int32 = reader.integer() else { return nil }
      if length == -1 { continue }
      guard let slice = reader.take(Int(length)),
        let element = Element(binary: slice)
      else { return nil }
      append(element)
    }
  }
}

/// Encodes a one-dimensional array, nulls allowed: a header, then each element behind its length
/// (−1 for null).
func encodeArray<Element: PostgresValue>(_ elements: [Element?], into bytes: inout [UInt8]) {
  encodeArrayHeader(of: Element.oid, count: elements.count, into: &bytes)
  for element in elements { encodeElement(element, into: &bytes) }
}

/// Encodes the header of a one-dimensional array, nulls allowed.
func encodeArrayHeader(of elementOID: UInt32, count: Int, into bytes: inout [UInt8]) {
  Int32(count == 0 ? 0 : 1).encodeBigEndian(into: &bytes)
  Int32(1).encodeBigEndian(into: &bytes)
  elementOID.encodeBigEndian(into: &bytes)
  guard count > 0 else { return }
  Int32(count).encodeBigEndian(into: &bytes)
  Int32(1).encodeBigEndian(into: &bytes)
}

/// Encodes a value behind its length, -1 for null: an element of an array, a column of a row.
func encodeElement<Element: PostgresValue>(_ element: Element?, into bytes: inout [UInt8]) {
  guard let element else { return Int32(-1).encodeBigEndian(into: &bytes) }
  let start = bytes.count
  Int32(0).encodeBigEndian(into: &bytes)
  element.encode(into: &bytes)
  let length = Int32(bytes.count - start - 4).bigEndian
  bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: start, as: Int32.self) }
}

/// Walks a binary value from front to back; every step fails softly at the end.
struct BinaryCursor {
  private var rest: UnsafeRawBufferPointer.SubSequence

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

  mutating func integer<Value: FixedWidthInteger>() -> Value? {
    take(MemoryLayout<Value>.size).flatMap { Value(bigEndian: $0) }
  }

  mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
  }
}
