/// The few forms of DER (X.690) that keys and signatures come in.
enum DER {
  /// A SEQUENCE of elements.
  static func sequence(_ elements: [UInt8]...) -> [UInt8] {
    element(0x30, Array(elements.joined()))
  }

  /// An INTEGER that is not negative, of its bytes with the highest first: `[0, 0x80]` → `02 02 00
  /// 80`, as a first bit that is set would make it negative.
  static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let digits = bytes.drop { $0 == 0 }
    let isBare = digits.first.map { $0 < 0x80 } ?? false
    return element(0x02, (isBare ? [] : [0]) + digits)
  }

  /// A BIT STRING of whole bytes.
  static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [0] + bytes) }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    if count < 0x80 { return [tag, UInt8(count)] + content }
    let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }.drop { $0 == 0 }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }
}
