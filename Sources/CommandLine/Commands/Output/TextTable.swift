internal import JSON
internal import Localization

/// A column of a table: its heading, and its cell of an item.
struct TableColumn: Sendable {
  let title: String
  let cell: @Sendable (JSONValue) -> String

  init(_ title: String, _ cell: @escaping @Sendable (JSONValue) -> String) {
    self.title = title
    self.cell = cell
  }

  /// A member of the item.
  init(_ title: String, _ member: String) {
    self.init(title) { $0[member]?.cell ?? "-" }
  }
}

/// Rows in columns as wide as their widest cell, two spaces apart.
struct TextTable {
  private let columns: [TableColumn]
  private let cut: Int?
  private let isolates: Bool
  private var waiting: [[String]] = []
  private var widths: [Int]?

  /// A table. On a terminal long cells are cut: other programs get all of them.
  ///
  /// Text from right to left stands in isolation there, so that it moves no other column; with
  /// `isolates` everywhere.
  init(_ columns: [TableColumn], isTerminal: Bool, isolates: Bool = false) {
    self.columns = columns
    self.isolates = isolates || isTerminal
    cut = isTerminal ? CommandLimits.cellColumns : nil
  }

  /// The lines that can be written once an item is there: none while the widths are not known.
  mutating func add(_ item: JSONValue) -> [String] {
    let cells = columns.map { shortened(Printable.line($0.cell(item))) }
    if let widths { return [line(cells, widths)] }
    waiting.append(cells)
    return waiting.count < CommandLimits.measuredRows ? [] : finish()
  }

  /// The lines that are still to be written; the first is the heading.
  mutating func finish() -> [String] {
    guard widths == nil else { return [] }
    let rows = [columns.map(\.title)] + waiting
    let widths = columns.indices.map { index in
      rows.reduce(0) { max($0, $1[index].displayColumns) }
    }
    self.widths = widths
    waiting = []
    return rows.map { line($0, widths) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (cell, width) in zip(cells, widths) {
      // RIGHT-TO-LEFT ISOLATE and POP DIRECTIONAL ISOLATE.
      let isolated = isolates && cell.isRightToLeft ? "\u{2067}\(cell)\u{2069}" : cell
      line += isolated + String(repeating: " ", count: max(0, width - cell.displayColumns) + 2)
    }
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  private func shortened(_ cell: String) -> String {
    guard let cut, cell.displayColumns > cut else { return cell }
    var text = ""
    var columns = 0
    for character in cell {
      columns += String(character).displayColumns
      if columns >= cut { break }
      text.append(character)
    }
    return text + "…"
  }
}
