import ASCII
import Crypto
import DeviceProfile
import FoundationEssentials
import HTTP
import JSON
import Postgres
import Registry

/// What an import is asked to do.
struct ImportOrder: Sendable {
  var app: AppRecord
  var format: ImportFormat
  /// The environment of formats that do not say it.
  var environment: Environment
  /// Whether nothing is written.
  var isDryRun: Bool
  /// Whose installations a dry run counts apart.
  var condition: InstallationCondition?
  /// Which column is what, of a table of one's own.
  var table: TableFormat?

  /// How the records are read, when they are not in the native form.
  var foreign: ForeignFormat? { table?.foreign ?? format.foreign }

  /// The place in a record that a place in its native form came from.
  func origin(of pointer: String) -> String { foreign?.origin(of: pointer) ?? pointer }
}

/// The forms that an import reads.
enum ImportFormat: String, Sendable, CaseIterable {
  case native, aerogear, parse, onesignal, pinpoint, azure, table

  /// How it is read, when it is another service's.
  var foreign: ForeignFormat? {
    switch self {
    case .native, .table: nil
    case .aerogear: .aeroGear
    case .parse: .parse
    case .onesignal: .oneSignal
    case .pinpoint: .pinpoint
    case .azure: .azure
    }
  }
}

/// A record as far as the body alone says it.
struct ImportRow: Sendable {
  /// The line of the body on which it begins, from 1.
  var line: Int
  var record: Result<ImportRecord, InputFailure>
  /// What was left out of it.
  var ignored: [InputProblem] = []
  /// What is worth a look, and costs nothing.
  var notices: [InputProblem] = []
}

/// The records of a body, read as its bytes come.
struct ImportSource: Sendable {
  private let order: ImportOrder
  private let foreign: ForeignFormat?
  private let memory = TableMemory()
  private var cutter: (any RecordCutting)?
  /// What came before the first byte that counts: lines, and maybe a part of a byte order mark.
  private var leading: [UInt8] = []
  private var isOver = false
  /// The header of CSV, once it was read.
  private var names: [String]?
  /// Unknown fields of other services that were told of: each once.
  private var namedFields: Set<Spelling> = []

  init(_ order: ImportOrder) {
    self.order = order
    foreign = order.foreign
  }

  /// Takes the next bytes; the records before must have been asked for to the end.
  mutating func append(_ bytes: [UInt8]) throws(Problem) {
    if cutter == nil, let table = order.table {
      leading += bytes
      try beginTable(table)
      return
    }
    if cutter == nil {
      let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
      guard let first = bytes.first(where: { !blanks.contains($0) }) else {
        // Of blanks without end nobody needs the number of lines.
        if leading.count < Limits.importRecordBytes { leading += bytes }
        return
      }
      cutter = try makeCutter(first)
    }
    cutter?.append(leading + bytes)
    leading = []
  }

  /// The body is over.
  mutating func finish() { isOver = true }

  /// Begins to cut a table, once enough of it is there to see its head.
  private mutating func beginTable(_ table: TableFormat) throws(Problem) {
    try refuseCompressed(leading.first)
    guard let head = try table.head(leading, isWhole: isOver) else { return }
    cutter = CSVCutter(separator: head.separator, behind: head.lines)
    cutter?.append(Array(leading[head.offset...]))
    leading = []
  }

  /// The next record; `nil` when more bytes are needed, or after the last one.
  /// - Parameter now: The server's time.
  mutating func next(now: Timestamp) throws(Problem) -> ImportRow? {
    if cutter == nil, isOver, !leading.isEmpty, let table = order.table { try beginTable(table) }
    while true {
      var piece = cutter?.next()
      if piece == nil, isOver {
        piece = cutter?.finish()
        cutter = nil
      }
      guard let piece else { return nil }
      guard case .row(let cells) = piece.content, names == nil else {
        return row(piece, now)
      }
      names = try header(cells)
    }
  }

  /// Tells JSON from CSV by the first byte.
  private func makeCutter(_ first: UInt8) throws(Problem) -> any RecordCutting {
    try refuseCompressed(first)
    let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    guard let foreign else {
      return isJSON ? JSONCutter(envelope: "items") : CSVCutter()
    }
    return foreign.header == nil || (isJSON && foreign.takesJSON)
      ? JSONCutter(envelope: foreign.envelope) : CSVCutter()
  }

  private func refuseCompressed(_ first: UInt8?) throws(Problem) {
    guard first == 0x1F else { return }
    throw Problem(.contentEncoding, "The body is compressed with gzip; gunzip it first.")
  }

  private func header(_ cells: [String?]) throws(Problem) -> [String] {
    let names = cells.map { $0 ?? "" }.map { name in
      if order.table != nil { return TableFormat.name(name) }
      return name.hasPrefix("\u{FEFF}") ? String(name.unicodeScalars.dropFirst()) : name
    }
    let needed = foreign.map { $0.header ?? [] } ?? [NativeTable.idColumn]
    let missing = needed.filter { !names.contains($0) }
    guard missing.isEmpty else {
      let columns = missing.joined(separator: ", ")
      throw Problem(.invalidInput, "The first line is not a header with the columns \(columns).")
    }
    return names
  }

  private mutating func row(_ piece: RecordPiece, _ now: Timestamp) -> ImportRow {
    do throws(InputFailure) {
      switch piece.content {
      case .fault(let failure): throw failure
      case .row(let cells):
        let names = names ?? []
        guard cells.count == names.count else {
          throw InputFailure(
            .wrongColumns, "\(cells.count) cells under \(names.count) names of columns.")
        }
        guard foreign != nil else {
          return try nativeRow(try NativeTable.record(names, cells), piece.line)
        }
        return try foreignRow(FlatRecord(names: names, cells: cells), piece.line, now)
      case .json(let bytes):
        let value = try JSONValue(body: bytes)
        if foreign != nil, case .object(let members) = value {
          return try foreignRow(FlatRecord(members), piece.line, now)
        }
        return try nativeRow(value, piece.line)
      }
    } catch {
      return ImportRow(line: piece.line, record: .failure(error))
    }
  }

  /// Reads a record in the native form. A field that it does not know is a backend's typo and
  /// refused; what cannot be read in secondary data is left out.
  private func nativeRow(_ value: JSONValue, _ line: Int) throws(InputFailure) -> ImportRow {
    let decoded = try value.read(ImportRecord.policy, ImportRecord.init(reading:))
    let unknown = decoded.ignored.filter { $0.code == InputFault.unknownField.rawValue }
    guard unknown.isEmpty else { throw InputFailure(unknown) }
    return ImportRow(line: line, record: .success(decoded.body), ignored: decoded.ignored)
  }

  /// Brings another service's record into the native form and reads that; places are told in the
  /// names of the other service.
  private mutating func foreignRow(
    _ record: FlatRecord, _ line: Int, _ now: Timestamp
  ) throws(InputFailure) -> ImportRow {
    guard let format = foreign else { return try nativeRow(.object([:]), line) }
    var draft = ForeignDraft(environment: order.environment, now: now)
    try format.convert(record, &draft)
    guard let token = draft.token, !token.allSatisfy({ $0 == " " }) else {
      throw InputFailure(
        .missingToken, at: format.origin(of: "/credentials/\(draft.kind.rawValue)/token"),
        "Without a device token there is nothing to send to.")
    }
    let unknown = unknownFields(record, format, &draft)
    var members = draft.members
    members["installation_id"] = .string(derivedID(draft, token, format).text)
    do throws(InputFailure) {
      var row = try nativeRow(.object(members), line)
      row.ignored = (draft.ignored + row.ignored).map { $0.moved(to: format.origin) } + unknown
      if order.table != nil { try compare(&row, JSONValue.object(members).hashValue) }
      return row
    } catch {
      throw InputFailure(error.problems.map { $0.moved(to: format.origin) })
    }
  }

  /// Compares a row of a table with the rows before it.
  private func compare(_ row: inout ImportRow, _ values: Int) throws(InputFailure) {
    guard case .success(let record) = row.record,
      let (problem, isFault) = memory.note(record, values: values, line: row.line)
    else { return }
    guard !isFault else { throw InputFailure([problem]) }
    row.notices = [problem.moved(to: order.origin)]
  }

  /// What is not in the format's table becomes attributes, or is told of once.
  private mutating func unknownFields(
    _ record: FlatRecord, _ format: ForeignFormat, _ draft: inout ForeignDraft
  ) -> [InputProblem] {
    var problems: [InputProblem] = []
    for name in record.values.keys.sorted().map(\.text)
    where !format.fields.contains(where: { $0.covers(name) }) {
      if format.keepsUnknownFields {
        draft.attributes[name] = record.value(name)
      } else if namedFields.count < Limits.importProblems, namedFields.insert(name) {
        let what =
          order.table == nil ? "Not a field of this format that is known" : "A column without a map"
        let detail = "\(what); it is left out everywhere."
        problems.append(InputFault.unknownField.problem(at: "/\(escapedPointer(name))", detail))
      }
    }
    return problems
  }

  /// A version 8 UUID (RFC 9562, section 5.8) out of SHA-256 over the app, the format and the
  /// other service's id, or without one the token: the same record leads to the same installation
  /// whenever it is imported.
  private func derivedID(
    _ draft: ForeignDraft, _ token: String, _ format: ForeignFormat
  ) -> InstallationID {
    let hex = (try? DeviceToken(parsing: token))?.hex ?? token
    let name =
      draft.vendorID.map { "id \($0)" }
      ?? "token \(draft.environment.rawValue) \(draft.kind.rawValue) \(hex)"
    let hash = SHA256.hash("postilion-import\n\(order.app.slug.text)\n\(format.name)\n\(name)")
    return InstallationID(UUID(bytes: Array(hash.prefix(16)), version: 8))
  }
}
