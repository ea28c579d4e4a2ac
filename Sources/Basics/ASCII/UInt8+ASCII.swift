/// Bytes as characters of ASCII.
extension UInt8 {
  /// `0`–`9`.
  @inlinable
  public var isASCIIDigit: Bool { self &- 0x30 < 10 }

  /// `a`–`z`.
  @inlinable
  public var isASCIILowercaseLetter: Bool { self &- 0x61 < 26 }

  /// `A`–`Z` or `a`–`z`.
  @inlinable
  public var isASCIILetter: Bool { (self | 0x20).isASCIILowercaseLetter }

  /// The value of a hexadecimal digit in either case; `nil` for any other character.
  @inlinable
  public var hexDigit: UInt8? {
    if isASCIIDigit { return self &- 0x30 }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }
}
