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
/// and reads them. Values stay as they are, also those that a spreadsheet would take for a formula
/// because they begin with `=`, `+`, `-` or `@`: this is data for programs, and a changed cell is
/// wrong data.
///
/// `["a", nil, "", "b,c", "say \"hi\""]` → `a,,"","b,c","say ""hi"""`
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

  private static func append(_ cell: String, to bytes: inout [UInt8]) {
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
