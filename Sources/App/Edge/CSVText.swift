/// A column of a list's CSV form.
struct CSVColumn<Item>: Sendable {
  let name: String
  /// The cell of an item; `nil` leaves it empty.
  let cell: @Sendable (Item) -> String?

  init(_ name: String, _ cell: @escaping @Sendable (Item) -> String?) {
    self.name = name
    self.cell = cell
  }
}

/// CSV answers (RFC 4180): lines end in CRLF, and a cell is quoted only where it must be.
///
/// A value that is absent is an empty cell, one that is an empty text `""`, as PostgreSQL writes
/// and reads them.
///
/// A text that a spreadsheet would run as a formula, because it begins with `=`, `+`, `-`, `@`, a
/// tab or the end of a line, gets an apostrophe in front (OWASP, CSV Injection), and so does one
/// that begins with an apostrophe, so that ``value(of:)`` has both back. A negative whole number is
/// none.
///
/// `["a", nil, "", "b,c", "say \"hi\"", "=1+1", "'a", "-5"]` →
/// `a,,"","b,c","say ""hi""",'=1+1,''a,-5`
enum CSVText {
  /// Appends a line.
  static func append(_ cells: some Sequence<String?>, to bytes: inout [UInt8]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if let cell { append(cell, to: &bytes) }
    }
    bytes.append(UInt8(ascii: "\r"))
    bytes.append(UInt8(ascii: "\n"))
  }

  /// The value that a cell was made of.
  static func value(of cell: String) -> String {
    cell.utf8.first == apostrophe ? String(cell.unicodeScalars.dropFirst()) : cell
  }

  private static let apostrophe = UInt8(ascii: "'")

  /// Whether a text gets an apostrophe.
  private static func isRisky(_ text: String) -> Bool {
    switch text.utf8.first {
    case apostrophe, UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "@"), 0x09, 0x0A, 0x0D:
      true
    case UInt8(ascii: "-"):
      text.utf8.count == 1
        || !text.utf8.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 }
    default: false
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let cell = isRisky(text) ? "'" + text : text
    guard cell.isEmpty || cell.utf8.contains(where: isSpecial) else {
      bytes.append(contentsOf: cell.utf8)
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in cell.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
    default: false
    }
  }
}
