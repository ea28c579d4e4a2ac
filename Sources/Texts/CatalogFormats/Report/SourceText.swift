/// The bytes of a text file as valid UTF-8 without byte order marks.
///
/// | the file begins with | it is |
/// |---|---|
/// | a byte order mark | what the mark says |
/// | several | what the last one says, with a warning |
/// | none, and zeros beside its first letter | UTF-16 or UTF-32, with a warning |
/// | none | UTF-8, or what an XML declaration says, see ``DeclaredEncoding``, or an error |
///
/// Unpaired surrogates become U+FFFD and an incomplete last unit is dropped, as Foundation does.
struct SourceText {
  /// Valid UTF-8.
  let utf8: [UInt8]
  /// The fault of the byte order marks: then it is not certain that Apple's runtime reads the file.
  let warning: Finding?

  init(_ bytes: [UInt8]) throws(Finding) {
    var encoding: Encoding?
    var rest = bytes[...]
    var marks = 0
    while let (marked, length) = Encoding.mark(of: rest) {
      encoding = marked
      rest = rest.dropFirst(length)
      marks += 1
    }
    let unmarked = encoding == nil ? Encoding(guessing: rest) : nil
    let declared = marks == 0 && unmarked == nil ? DeclaredEncoding.name(in: rest) : nil
    let isDeclaredOtherwise =
      declared.map { DeclaredEncoding(named: $0.name) != .unicode } ?? false
    warning =
      if marks > 1 {
        Self.warning(
          .secondByteOrderMark, "The file begins with \(marks) byte order marks: the last counts.")
      } else if let unmarked {
        Self.warning(
          .missingByteOrderMark,
          "The file is \(unmarked.name) without a byte order mark: Apple's runtime needs one.")
      } else if isDeclaredOtherwise, rest.contains(where: { $0 >= 0x80 }), Self.isUTF8(rest) {
        Self.warning(
          .encodingMismatch,
          "The file is UTF-8 and declares \(declared?.name.quoted ?? ""), by which Apple's runtime "
            + "reads it.")
      } else {
        nil
      }
    switch encoding ?? unmarked ?? .utf8 {
    case .utf16(let bigEndian): utf8 = UTF16Bytes.utf8(rest, bigEndian: bigEndian)
    case .utf32(let bigEndian):
      let units = Self.units32(rest, bigEndian: bigEndian)
      utf8 = Array(String(decoding: units, as: UTF32.self).utf8)
    case .utf8:
      do {
        _ = try UTF8Span(validating: rest.span)
      } catch {
        let encoding = declared.flatMap { DeclaredEncoding(named: $0.name) }
        if case .singleByte(let scalars) = encoding {
          utf8 = Self.utf8(rest, scalars)
          return
        }
        let isOther = declared != nil && encoding != .unicode
        throw Finding(
          offset: isOther
            ? declared?.offset ?? 0 : rest.startIndex + error.byteOffsets.lowerBound,
          code: .invalidEncoding,
          message: isOther
            ? "The encoding '\(declared?.name.quoted ?? "")' is not read: write the file in UTF-8."
            : "The file is neither UTF-8 nor UTF-16 with a byte order mark.")
      }
      utf8 = marks == 0 ? bytes : Array(rest)
    }
  }

  private static func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
    (try? UTF8Span(validating: bytes.span)) != nil
  }

  /// The UTF-8 of bytes in an encoding that has one byte for each character.
  private static func utf8(_ bytes: ArraySlice<UInt8>, _ upperHalf: [Unicode.Scalar]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + bytes.count / 4)
    let upperHalf = upperHalf.map { Array(String($0).utf8) }
    for byte in bytes {
      if byte < 0x80 { output.append(byte) } else { output += upperHalf[Int(byte) - 0x80] }
    }
    return output
  }

  private static func warning(_ code: Diagnostic.Code, _ message: String) -> Finding {
    Finding(offset: 0, severity: .warning, code: code, message: message)
  }

  private static func units32(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> [UInt32] {
    stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4).map { index in
      (0..<4).reduce(0) { unit, place in
        unit << 8 | UInt32(bytes[index + (bigEndian ? place : 3 - place)])
      }
    }
  }

  private enum Encoding {
    case utf8
    case utf16(bigEndian: Bool)
    case utf32(bigEndian: Bool)

    /// The encoding by the zeros around the first letter, which is one of ASCII in every format.
    init?(guessing bytes: ArraySlice<UInt8>) {
      switch bytes.prefix(4).map({ $0 == 0 }) {
      case [false, true, true, true]: self = .utf32(bigEndian: false)
      case [true, true, true, false]: self = .utf32(bigEndian: true)
      case let zeros where zeros.starts(with: [false, true]): self = .utf16(bigEndian: false)
      case let zeros where zeros.starts(with: [true, false]): self = .utf16(bigEndian: true)
      default: return nil
      }
    }

    /// The byte order mark at the beginning, and how long it is.
    static func mark(of bytes: ArraySlice<UInt8>) -> (Encoding, length: Int)? {
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
      if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32(bigEndian: false), 4) }
      if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32(bigEndian: true), 4) }
      if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(bigEndian: false), 2) }
      if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(bigEndian: true), 2) }
      return nil
    }

    var name: String {
      switch self {
      case .utf8: "UTF-8"
      case .utf16: "UTF-16"
      case .utf32: "UTF-32"
      }
    }
  }
}
