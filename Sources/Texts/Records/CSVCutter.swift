internal import JSON

/// Cuts rows out of CSV (RFC 4180) of any size: quoted cells with commas, line breaks and doubled
/// quotation marks, lines that end in LF or CRLF. Foundation has no reader of it.
///
///     a,,"b ""c"", d"⏎     ["a", nil, "b \"c\", d"]
///
/// A quotation mark within a cell that does not begin with one stands for itself.
package struct CSVCutter: RecordCutting {
  private enum State {
    /// At the beginning of a cell.
    case cell
    /// In a cell without quotation marks.
    case plain
    /// Between quotation marks.
    case quoted
    /// Behind a quotation mark in a quoted cell: its end, or the first of two.
    case quote
  }

  private let separator: UInt8
  private var state = State.cell
  private var input: [UInt8] = []
  private var position = 0
  private var line: Int

  private var rowLine: Int
  private var bytes = 0
  private var cell: [UInt8] = []
  private var cells: [String?] = []
  private var fault: RecordFault?

  /// - Parameter lines: How many lines come before the first row.
  package init(separator: UInt8 = UInt8(ascii: ","), behind lines: Int = 0) {
    self.separator = separator
    line = lines + 1
    rowLine = line
  }

  package mutating func append(_ bytes: [UInt8]) {
    input = bytes
    position = 0
  }

  package mutating func next() -> RecordPiece? {
    while position < input.count {
      let byte = input[position]
      position += 1
      if byte == UInt8(ascii: "\n") { line += 1 }
      if let piece = step(byte) { return piece }
    }
    return nil
  }

  package mutating func finish() -> RecordPiece? {
    if case .quoted = state { fault = fault ?? .malformedCSV }
    return endRow()
  }

  private mutating func step(_ byte: UInt8) -> RecordPiece? {
    bytes += 1
    if bytes > RecordLimits.recordBytes { overflow() }
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")): state = .quote
    case (.quoted, _): put(byte)
    case (.quote, UInt8(ascii: "\"")), (.plain, UInt8(ascii: "\"")):
      put(byte)
      if case .quote = state { state = .quoted }
    case (.cell, UInt8(ascii: "\"")): state = .quoted
    case (_, separator): endCell()
    case (_, UInt8(ascii: "\n")): return endRow()
    case (.quote, UInt8(ascii: "\r")): break
    case (.quote, _):
      fault = fault ?? .malformedCSV
      state = .plain
    default:
      put(byte)
      state = .plain
    }
    return nil
  }

  private mutating func put(_ byte: UInt8) { if fault == nil { cell.append(byte) } }

  private mutating func overflow() {
    fault = .recordTooLarge
    cell = []
    cells = []
  }

  /// Whether the cell that ends was between quotation marks.
  private var isQuoted: Bool { if case .quote = state { true } else { false } }

  private mutating func endCell() {
    if fault == nil {
      if cell.isEmpty, !isQuoted {
        cells.append(nil)
      } else if let text = String(validating: cell, as: UTF8.self) {
        cells.append(text)
      } else {
        fault = .malformedCSV
      }
    }
    cell.removeAll(keepingCapacity: true)
    state = .cell
  }

  /// A row; none for an empty line.
  private mutating func endRow() -> RecordPiece? {
    if case .plain = state, cell.last == UInt8(ascii: "\r") { cell.removeLast() }
    defer {
      cells = []
      bytes = 0
      fault = nil
      rowLine = line
    }
    if fault == nil, cells.isEmpty, cell.isEmpty, !isQuoted {
      state = .cell
      return nil
    }
    endCell()
    switch fault {
    case nil: return RecordPiece(line: rowLine, content: .row(cells))
    case .recordTooLarge: return .tooLarge(line: rowLine)
    case .some:
      let detail = "The row's quotation marks are not in pairs, or it is not UTF-8."
      return RecordPiece(line: rowLine, content: .fault(InputFailure(.malformedCSV, detail)))
    }
  }
}
