internal import ASCII
internal import Crypto
internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Records

/// Makes native lines of a file of another service, as its bytes come.
///
///     {"deviceToken": "740f47…", "deviceType": "ios"}⏎      of Parse, becomes
///     {"installation_id": "…", "platform": "ios", "environment": "production",
///      "credentials": {"apns": {"token": "740f47…", "status": "active"}}}⏎
///
/// A record that is none of Apple's or has no token is left out and counted in `report`. Whether
/// the values are good is for the service to say.
struct ForeignConversion {
  /// A record of the file.
  struct Row {
    /// The line of the file on which it begins, from 1.
    var line: Int
    /// Its native form, or why it has none.
    var record: Result<JSONObject, InputFailure>
    /// What was left out of it.
    var ignored: [InputProblem] = []
    /// What is worth a look, and costs nothing.
    var notices: [InputProblem] = []
  }

  /// What was found out about the file so far.
  private(set) var report = ImportReport()
  /// The lines of the file from which the native lines came, four bytes for each.
  private var lines: [UInt32] = []

  private let format: ForeignFormat
  private let table: OwnTable?
  private let app: String
  private let environment: Environment
  private let now: Int64
  /// `nil` until the head of a table was found.
  private var reader: RecordReader?
  /// The beginning of a table, until its head was found.
  private var beginning: [UInt8] = []
  private var memory = OwnTableMemory()
  /// Records of the last piece of the file, with its line; the next one is the last.
  private var waiting: [(line: Int, record: FlatRecord)] = []
  private var lengths = TokenLengths()
  /// The other service's name of the app, by the group of records that could be of one.
  private var vendorApps: [Spelling: String] = [:]
  /// Unknown fields that were told of: each once.
  private var namedFields: Set<Spelling> = []

  /// - Parameters:
  ///   - app: The name of the app, a part of the names of installations.
  ///   - environment: That of records that do not say it.
  ///   - now: The time of day, in microseconds since 1970.
  init(_ format: ForeignFormat, app: String, environment: Environment, now: Int64) {
    self.init(format, table: nil, app: app, environment: environment, now: now)
    reader = RecordReader(
      envelope: format.envelope, header: format.header, takesJSON: format.takesJSON)
  }

  /// A conversion of a table of one's own.
  init(_ table: OwnTable, app: String, environment: Environment, now: Int64) {
    self.init(table.format, table: table, app: app, environment: environment, now: now)
  }

  private init(
    _ format: ForeignFormat, table: OwnTable?, app: String, environment: Environment, now: Int64
  ) {
    self.format = format
    self.table = table
    self.app = app
    self.environment = environment
    self.now = now
  }

  /// Takes the next bytes; the rows before must have been asked for to the end.
  mutating func append(_ bytes: [UInt8]) throws(Exit) {
    if reader == nil {
      beginning += bytes
      return try beginTable(isWhole: false)
    }
    do throws(RecordReader.Refusal) {
      try reader?.append(bytes)
    } catch {
      throw Exit(ExitCode.data, error.detail)
    }
  }

  /// The file is over.
  mutating func finish() throws(Exit) {
    if reader == nil, !beginning.isEmpty { try beginTable(isWhole: true) }
    reader?.finish()
  }

  private mutating func beginTable(isWhole: Bool) throws(Exit) {
    guard let table, let head = try table.head(beginning, isWhole: isWhole) else { return }
    var cutter = CSVCutter(separator: head.separator, behind: head.lines)
    cutter.append(Array(beginning[head.offset...]))
    reader = RecordReader(cutter, header: format.header ?? [], name: OwnTable.name)
    beginning = []
  }

  /// The next native line, with its end; `nil` when more bytes are needed, or after the last one.
  mutating func next() throws(Exit) -> [UInt8]? {
    while let row = try nextRow() {
      report.note(row.ignored, .ignored, line: row.line)
      report.note(row.notices, .notice, line: row.line)
      switch row.record {
      case .failure(let failure): report.reject(failure.problems, line: row.line)
      case .success(let members):
        lines.append(UInt32(clamping: row.line))
        var writer = JSONWriter()
        writer.value(.object(members))
        return writer.bytes + [UInt8(ascii: "\n")]
      }
    }
    return nil
  }

  /// What the service says of the native lines, told of the lines and fields of the file, together
  /// with what was found out here.
  func completed(_ answer: ImportReport) -> ImportReport {
    func line(_ number: Int) -> Int {
      lines.indices.contains(number - 1) ? Int(lines[number - 1]) : number
    }
    func moved(_ remark: ImportReport.Remark) -> ImportReport.Remark {
      var remark = remark
      remark.line = line(remark.line)
      remark.pointer = format.origin(of: remark.pointer)
      return remark
    }
    var answer = answer
    answer.errors = answer.errors.map(moved)
    answer.ignored = answer.ignored.map(moved)
    for index in answer.reasons.indices {
      answer.reasons[index].lines = answer.reasons[index].lines.map(line)
    }
    answer.add(report)
    answer.add(lengths.report)
    return answer
  }

  /// The next record of the file.
  mutating func nextRow() throws(Exit) -> Row? {
    while waiting.isEmpty {
      let piece: RecordPiece?
      do throws(RecordReader.Refusal) {
        piece = try reader?.next()
      } catch {
        throw Exit(ExitCode.data, error.detail)
      }
      guard let piece else { return nil }
      do throws(InputFailure) {
        waiting = try records(of: piece).map { (piece.line, $0) }.reversed()
      } catch {
        return Row(line: piece.line, record: .failure(error))
      }
    }
    let (line, record) = waiting.removeLast()
    var row = Row(line: line, record: .success([:]))
    do throws(InputFailure) {
      row.record = .success(try members(of: record, &row))
    } catch {
      row.record = .failure(error)
    }
    return row
  }

  /// The records of single devices in a piece of the file.
  private func records(of piece: RecordPiece) throws(InputFailure) -> [FlatRecord] {
    switch piece.content {
    case .fault(let failure): throw failure
    case .row(let cells): return [FlatRecord(names: reader?.columns ?? [], cells: cells)]
    case .json(let bytes):
      guard case .object(let members) = try JSONValue(body: bytes) else {
        throw InputFailure(.wrongType, at: "", "A record is an object.")
      }
      guard let devices = format.devices else { return [FlatRecord(members)] }
      // One that may have no devices: the message of an error would be as good as a person.
      guard members.contains(where: { format.knowsMember($0.key) }) else {
        throw InputFailure(
          .missingField, at: "",
          "It has no member that this format knows. Is it the message of an error?")
      }
      return devices(members).map { FlatRecord($0) }
    }
  }

  /// The native form of a record; problems are told of fields as the other service calls them.
  private mutating func members(
    of record: FlatRecord, _ row: inout Row
  ) throws(InputFailure) -> JSONObject {
    var draft = ForeignDraft(environment: environment, now: now)
    let names =
      if let table { try table.convert(record, &draft) } else {
        try format.convert(record, &draft)
      }
    guard let token = draft.token, !token.allSatisfy({ $0 == " " }) else {
      throw InputFailure(
        .missingToken, at: format.origin(of: "/credentials/\(draft.kind)/token"),
        "Without a device token there is nothing to send to.")
    }
    try check(draft.vendorApp)
    let unknown = unknownFields(names)
    let digits = Self.digits(of: token)
    if let digits { lengths.note(digits.utf8.count / 2, line: row.line) }
    if table != nil, let digits,
      let (problem, isFault) = memory.note(draft, token: digits, line: row.line)
    {
      let problem = problem.moved(to: format.origin)
      guard !isFault else { throw InputFailure([problem]) }
      row.notices = [problem]
    }
    row.ignored = draft.ignored + unknown
    var members = draft.members
    members["installation_id"] = .string(installationID(draft, digits ?? token))
    return members
  }

  /// Refuses a record of another app than those before it: its tokens are of another topic.
  private mutating func check(_ app: ForeignDraft.VendorApp?) throws(InputFailure) {
    guard let app else { return }
    guard let first = vendorApps[app.group] else {
      vendorApps[app.group] = app.name
      return
    }
    guard !first.isSpelled(like: app.name) else { return }
    throw InputFailure(
      .otherApp, at: app.pointer,
      "The records before are of the app \(first.shortened(to: 64)), this one is of "
        + "\(app.name.shortened(to: 64)): import the records of each app from a file of its own.")
  }

  /// Tells of fields that the format does not know, of each once.
  private mutating func unknownFields(_ names: [String]) -> [InputProblem] {
    names.compactMap { name in
      guard namedFields.count < RecordLimits.listedProblems, namedFields.insert(name) else {
        return nil
      }
      let what = table == nil ? "No known field of this format" : "No --map names this column"
      let detail = "\(what): it is left out of all records."
      return InputFault.unknownField.problem(at: "/\(escapedPointer(name))", detail)
    }
  }

  /// The hex digits of a token, the same for all its spellings; `nil` when the service will refuse
  /// it.
  ///
  ///     <740F4707 BEBCF74F …>, 74-0F-47-07-…    740f4707bebcf74f…
  private static func digits(of token: String) -> String? {
    let digits = token.lowercased().filter { !" <>-:".contains($0) }
    let isHex = digits.utf8.allSatisfy { $0.hexDigit != nil }
    return isHex && digits.utf8.count.isMultiple(of: 2) && (32...1024).contains(digits.utf8.count)
      ? digits : nil
  }

  /// A version 8 UUID (RFC 9562, section 5.8) out of SHA-256 over the app, the format and the
  /// other service's id, or without one the token: the same record leads to the same installation
  /// whenever it is imported. So what is hashed never changes.
  private func installationID(_ draft: ForeignDraft, _ token: String) -> String {
    let name =
      draft.vendorID.map { "id \($0)" }
      ?? "token \(draft.environment.rawValue) \(draft.kind) \(token)"
    let hash = SHA256.hash("postilion-import\n\(app)\n\(format.name)\n\(name)")
    return UUID(bytes: Array(hash.prefix(16)), version: 8).text
  }
}
