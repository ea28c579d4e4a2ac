internal import ASCII

/// The encoding that an XML declaration names, such as `ISO-8859-1`, as far as it matters.
///
/// | declared | bytes | read as |
/// |---|---|---|
/// | UTF-8, UTF-16, UTF-32, US-ASCII | as ``SourceText`` finds them | these: tools that write a
///   file anew leave the old name in it |
/// | another one | valid UTF-8 with letters beyond ASCII | UTF-8, with a warning |
/// | ISO 8859-1, ISO 8859-15, windows-1252, macintosh | other | what is declared |
/// | another one whose first half is ASCII | ASCII | ASCII |
/// | any other | | not at all |
///
/// Source: CFPropertyList.c, whose XML lists may be in any encoding that is declared; the tables of
/// the Unicode Consortium.
enum DeclaredEncoding: Equatable {
  /// One of Unicode's, or ASCII.
  case unicode
  /// One byte for each character; the list has the characters from 0x80 on.
  case singleByte([Unicode.Scalar])
  /// An encoding whose first half is ASCII.
  case beyondASCII

  /// The encoding of that name; nil for one that is not read.
  init?(named name: String) {
    guard name.utf8.count <= Limits.encodingNameBytes else { return nil }
    let name = name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    func isIn(_ names: [String]) -> Bool { names.contains { name.elementsEqual($0.utf8) } }
    if isIn(Self.unicodeNames) {
      self = .unicode
    } else if isIn(["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1"]) {
      self = .singleByte(Self.latin1)
    } else if isIn(["iso-8859-15", "latin-9"]) {
      self = .singleByte(Self.latin9)
    } else if isIn(["windows-1252", "cp1252"]) {
      self = .singleByte(Array(Self.windows1252.unicodeScalars) + Self.latin1[32...])
    } else if isIn(["macintosh", "x-mac-roman"]) {
      self = .singleByte(Array(Self.macintosh.unicodeScalars))
    } else if Self.prefixes.contains(where: { name.starts(with: $0.utf8) }) {
      self = .beyondASCII
    } else {
      return nil
    }
  }

  /// The encoding that the XML declaration at the beginning of these bytes names; nil without one.
  static func name(in bytes: ArraySlice<UInt8>) -> (name: String, offset: Int)? {
    guard bytes.starts(with: "<?xml".utf8) else { return nil }
    var scanner = XMLScanner(Array(bytes.prefix(Limits.declarationBytes)))
    scanner.index = 5
    do throws(Finding) {
      while scanner.skipBlanks(), scanner.byte != UInt8(ascii: "?") {
        let start = scanner.index
        let (name, value) = try scanner.readAttribute()
        if name.isSpelled(like: "encoding") { return (value, bytes.startIndex + start) }
      }
    } catch {
      // The reader of the XML says what is wrong.
    }
    return nil
  }

  private static let unicodeNames = [
    "utf-8", "utf8", "us-ascii", "utf-16", "utf-16le", "utf-16be", "utf-32", "utf-32le", "utf-32be",
  ]

  /// In UTF-7, ISO 2022 and EBCDIC the first half is not ASCII.
  private static let prefixes = [
    "iso-8859-", "windows-", "gb", "big5", "shift_jis", "euc-", "koi8-", "x-mac-",
  ]

  private static let latin1 = (0x80...0xFF as ClosedRange<UInt8>).map { Unicode.Scalar($0) }

  private static let latin9: [Unicode.Scalar] = {
    var scalars = latin1
    for (byte, scalar) in zip(
      [0xA4, 0xA6, 0xA8, 0xB4, 0xB8, 0xBC, 0xBD, 0xBE], "€ŠšŽžŒœŸ".unicodeScalars)
    {
      scalars[byte - 0x80] = scalar
    }
    return scalars
  }()

  private static let windows1252 =
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ"

  private static let macintosh =
    "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
    + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
}
