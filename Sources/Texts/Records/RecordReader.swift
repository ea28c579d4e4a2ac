/// Reads the records of a body of any size as its bytes come, JSON or CSV.
///
///     var reader = RecordReader(envelope: "items", header: ["installation_id"], takesJSON: true)
///     try reader.append(bytes)
///     while let piece = try reader.next() { … }
package struct RecordReader: Sendable {
  /// Why a body cannot be read at all.
  package enum Refusal: Error, Equatable {
    /// It is compressed by gzip.
    case compressed
    /// Its first line lacks these names of columns.
    case header(missing: [String])

    /// A sentence that says what to do.
    package var detail: String {
      switch self {
      case .compressed: "The body is compressed with gzip; gunzip it first."
      case .header(let missing):
        "The first line is not a header with the columns \(missing.joined(separator: ", "))."
      }
    }
  }

  /// The names of the columns of CSV, once its first line was read.
  package private(set) var columns: [String]?

  private let envelope: String?
  private let header: [String]?
  private let takesJSON: Bool
  private var name: @Sendable (String) -> String = { name in
    name.unicodeScalars.first == "\u{FEFF}" ? String(name.unicodeScalars.dropFirst()) : name
  }
  private var cutter: (any RecordCutting)?
  /// The blanks before the first byte that counts, which are lines, too.
  private var leading: [UInt8] = []
  private var isOver = false

  /// - Parameters:
  ///   - envelope: The member that holds the records, when the body is one JSON object.
  ///   - header: The columns that CSV must have; `nil` when the body is never CSV.
  ///   - takesJSON: Whether a body that can be CSV can be JSON, too; the first byte tells.
  package init(envelope: String?, header: [String]?, takesJSON: Bool) {
    self.envelope = envelope
    self.header = header
    self.takesJSON = takesJSON
  }

  /// A reader of a table whose header was found.
  /// - Parameter name: Turns the name of a column into the spelling that `header` has.
  package init(
    _ table: CSVCutter, header: [String], name: @escaping @Sendable (String) -> String
  ) {
    self.init(envelope: nil, header: header, takesJSON: false)
    cutter = table
    self.name = name
  }

  /// Takes the next bytes; the records before must have been asked for to the end.
  package mutating func append(_ bytes: [UInt8]) throws(Refusal) {
    guard cutter == nil else {
      cutter?.append(bytes)
      return
    }
    guard let first = bytes.first(where: { !Self.blanks.contains($0) }) else {
      // If blanks do not end, nobody needs the number of lines.
      if leading.count < RecordLimits.recordBytes { leading += bytes }
      return
    }
    guard first != 0x1F else { throw .compressed }
    let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    cutter = header == nil || isJSON && takesJSON ? JSONCutter(envelope: envelope) : CSVCutter()
    cutter?.append(leading + bytes)
    leading = []
  }

  /// Blanks, ends of lines, and the three bytes of a byte order mark.
  private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]

  /// The body is over.
  package mutating func finish() { isOver = true }

  /// The next record; `nil` when more bytes are needed, or after the last one.
  package mutating func next() throws(Refusal) -> RecordPiece? {
    while true {
      var piece = cutter?.next()
      if piece == nil, isOver {
        piece = cutter?.finish()
        cutter = nil
      }
      guard let piece else { return nil }
      guard case .row(let cells) = piece.content else { return piece }
      if let columns {
        guard cells.count != columns.count else { return piece }
        let detail = "\(cells.count) cells under \(columns.count) names of columns."
        return RecordPiece(line: piece.line, content: .fault(.init(.wrongColumns, detail)))
      }
      columns = try names(cells)
    }
  }

  private func names(_ cells: [String?]) throws(Refusal) -> [String] {
    let names = cells.map { name($0 ?? "") }
    let missing = (header ?? []).filter { wanted in
      !names.contains { $0.utf8.elementsEqual(wanted.utf8) }
    }
    guard missing.isEmpty else { throw .header(missing: missing) }
    return names
  }
}
