/// Turns the bytes of a text file into valid UTF-8 without a byte order mark.
enum SourceText {
  /// UTF-8 with or without a byte order mark; UTF-16 and UTF-32 with one.
  ///
  /// Unpaired surrogates become U+FFFD and an incomplete last unit is dropped, as Foundation
  /// does. Anything that is not valid UTF-8 otherwise (Latin-1, UTF-16 without mark) is an error.
  static func utf8(_ bytes: [UInt8]) throws(Finding) -> [UInt8] {
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
      return Array(String(decoding: units32(bytes, bigEndian: false), as: UTF32.self).utf8)
    }
    if bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      return Array(String(decoding: units32(bytes, bigEndian: true), as: UTF32.self).utf8)
    }
    if bytes.starts(with: [0xFF, 0xFE]) {
      return UTF16Bytes.utf8(bytes[2...], bigEndian: false)
    }
    if bytes.starts(with: [0xFE, 0xFF]) {
      return UTF16Bytes.utf8(bytes[2...], bigEndian: true)
    }
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw Finding(
        offset: error.byteOffsets.lowerBound, code: .invalidEncoding,
        message: "The file is neither UTF-8 nor UTF-16 with a byte order mark.")
    }
    return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes[3...]) : bytes
  }

  private static func units32(_ bytes: [UInt8], bigEndian: Bool) -> [UInt32] {
    stride(from: 4, to: bytes.count - 3, by: 4).map { index in
      (0..<4).reduce(0) { unit, place in
        unit << 8 | UInt32(bytes[index + (bigEndian ? place : 3 - place)])
      }
    }
  }
}
