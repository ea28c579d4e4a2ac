/// CSV answers (RFC 4180): lines end in CRLF, and a cell is quoted only where a reader could take
/// it apart.
///
/// An absent value is an empty cell, and an empty text is `""`. PostgreSQL writes and reads them in
/// the same way.
///
/// A spreadsheet runs a cell as a formula that begins with `=`, `+`, `-` or `@`, or with one of
/// their wide forms `＝`, `＋`, `－` and `＠`. Such a sign gets an apostrophe in front (OWASP, CSV
/// Injection)
///
/// - at the beginning of a text, and
/// - behind `;`, `|`, a tab or the end of a line within it: a spreadsheet that separates by these
///   finds a cell there, whatever quotation marks are around. A comma needs no such care, as
///   quotation marks hold it for every reader that separates by commas;
///
/// also when spaces or quotation marks stand between. A tab or the end of a line that begins a text
/// gets an apostrophe, too. An apostrophe in such a place gets another one, so that ``value(of:)``
/// has both back. A negative whole number is no formula. `console/csv.js` has the same rule.
///
///     =1+1      '=1+1           a;=1+1    "a;'=1+1"
///     'a        ''a             a\n- b    "a\n'- b"
///     -5        -5              a=b;c     "a=b;c"
enum CSVText {
  /// Appends a line.
  static func append(_ cells: some Sequence<String?>, to bytes: inout [UInt8]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if var cell { cell.withUTF8 { append($0, to: &bytes) } }
    }
    bytes.append(UInt8(ascii: "\r"))
    bytes.append(UInt8(ascii: "\n"))
  }

  /// The value that a cell was made of. An apostrophe that begins a cell is taken away also when no
  /// rule has put it there.
  static func value(of cell: String) -> String {
    guard cell.utf8.contains(apostrophe) else { return cell }
    let cell = Array(cell.utf8)
    var value: [UInt8] = []
    var mayBeFormula = true
    for (index, byte) in cell.enumerated() {
      if mayBeFormula, byte == apostrophe, index == 0 || isSign(cell[(index + 1)...]) {
        mayBeFormula = false
      } else {
        value.append(byte)
        mayBeFormula = self.mayBeFormula(behind: byte, mayBeFormula)
      }
    }
    return String(decoding: value, as: UTF8.self)
  }

  private static let apostrophe = UInt8(ascii: "'")
  private static let quotationMark = UInt8(ascii: "\"")

  private static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    let isQuoted = text.isEmpty || text.contains { $0 == UInt8(ascii: ",") || isSpecial($0) }
    if isQuoted { bytes.append(quotationMark) }
    var mayBeFormula = !isNegativeNumber(text)
    for (index, byte) in text.enumerated() {
      let isBlank = index == 0 && (byte == 0x09 || byte == 0x0A || byte == 0x0D)
      if mayBeFormula, isBlank || isSign(text[index...]) { bytes.append(apostrophe) }
      if byte == quotationMark { bytes.append(byte) }
      bytes.append(byte)
      mayBeFormula = self.mayBeFormula(behind: byte, mayBeFormula)
    }
    if isQuoted { bytes.append(quotationMark) }
  }

  /// Whether a sign would begin a formula behind this byte.
  private static func mayBeFormula(behind byte: UInt8, _ mightBefore: Bool) -> Bool {
    byte == UInt8(ascii: " ") || byte == quotationMark ? mightBefore : isSpecial(byte)
  }

  /// Whether some spreadsheets separate cells or lines by this byte, or quote cells with it.
  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ";"), UInt8(ascii: "|"), 0x09, 0x0A, 0x0D, quotationMark: true
    default: false
    }
  }

  /// Whether a text begins with a sign of a formula, or with an apostrophe.
  private static func isSign(_ text: some Sequence<UInt8>) -> Bool {
    var bytes = text.makeIterator()
    switch bytes.next() {
    case apostrophe, UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"):
      return true
    case 0xEF where bytes.next() == 0xBC:
      // U+FF1D, U+FF0B, U+FF0D and U+FF20.
      return [0x9D, 0x8B, 0x8D, 0xA0].contains(bytes.next())
    default: return false
    }
  }

  private static func isNegativeNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.first == UInt8(ascii: "-") && text.count > 1
      && text.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 }
  }
}
