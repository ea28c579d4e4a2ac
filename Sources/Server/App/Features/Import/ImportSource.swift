import ASCII
import DeviceProfile
import JSON
import Records
import Registry

/// The records of a body, read as its bytes come: JSON, a record on each line, an array or a page
/// of the list; or the export as CSV.
struct ImportSource: Sendable {
  /// A record as far as the body alone says it.
  struct Row: Sendable {
    /// The line of the body on which it begins, from 1.
    var line: Int
    var record: Result<ImportRecord, InputFailure>
    /// The problems of the fields that were left out.
    var ignored: [InputProblem] = []
  }

  private var reader = RecordReader(
    envelope: "items", header: [NativeTable.idColumn], takesJSON: true)

  /// Takes the next bytes. The caller must have taken all records of the bytes before (``next()``).
  mutating func append(_ bytes: [UInt8]) throws(Problem) {
    do throws(RecordReader.Refusal) {
      try reader.append(bytes)
    } catch {
      throw Problem(error)
    }
  }

  /// Tells the source that the body is over.
  mutating func finish() { reader.finish() }

  /// The next record; `nil` when more bytes are needed, or after the last one.
  mutating func next() throws(Problem) -> Row? {
    do throws(RecordReader.Refusal) {
      return try reader.next().map(row)
    } catch {
      throw Problem(error)
    }
  }

  /// Reads a record. An unknown field is a backend's typo and is refused; secondary data that
  /// cannot be read is left out.
  private func row(_ piece: RecordPiece) -> Row {
    do throws(InputFailure) {
      let value =
        switch piece.content {
        case .fault(let failure): throw failure
        case .row(let cells): try NativeTable.record(reader.columns ?? [], cells)
        case .json(let bytes): try JSONValue(body: bytes)
        }
      let decoded = try value.read(ImportRecord.policy, ImportRecord.init(reading:))
      let unknown = decoded.ignored.filter { $0.code == InputFault.unknownField.rawValue }
      guard unknown.isEmpty else { throw InputFailure(unknown) }
      return Row(line: piece.line, record: .success(decoded.body), ignored: decoded.ignored)
    } catch {
      return Row(line: piece.line, record: .failure(error))
    }
  }
}

extension Problem {
  fileprivate init(_ refusal: RecordReader.Refusal) {
    self.init(refusal == .compressed ? .contentEncoding : .invalidInput, refusal.detail)
  }
}

/// The export as CSV. A row has the same data as a line of the JSON export.
///
///     apns_token      {"credentials": {"apns": {"token": …}}}
///     languages       fr-CA en → ["fr-CA", "en"]
///     tags            JSON
///     other_credentials   {"credentials": …}, of the kinds without columns
///     user_id         {"user": {"id": …}}
///     time_zone       text, as of all other columns; an empty cell is null
enum NativeTable {
  /// The column that every table has.
  static let idColumn = "installation_id"
  /// The column of the credentials without columns of their own.
  static let othersColumn = "other_credentials"

  private static let forms = Dictionary(
    uniqueKeysWithValues: ProfileField.all.map { (Spelling($0.name), $0.cellForm) })

  /// The JSON form of a row.
  /// - Throws: ``InputFailure`` with the cells that should be JSON and are not.
  static func record(_ names: [String], _ cells: [String?]) throws(InputFailure) -> JSONValue {
    var members: JSONObject = [:]
    var credentials: [Spelling: JSONObject] = [:]
    var problems: [InputProblem] = []
    for (name, cell) in zip(names, cells) {
      let text = cell.map(CSVText.value(of:))
      if let (kind, fact) = credential(name) {
        if let text { credentials[Spelling(kind), default: [:]][fact] = .string(text) }
      } else if name.isSpelled(like: othersColumn) {
        guard let text else { continue }
        if case .object(let kinds)? = JSONValue(parsing: Array(text.utf8)) {
          for case (let kind, .object(let members)) in kinds { credentials[kind] = members }
        } else {
          problems.append(
            InputFault.malformedJSON.problem(at: "/\(name)", "The cell is a JSON object."))
        }
      } else if name.isSpelled(like: "user_id") {
        members["user"] = text.map { .object(["id": .string($0)]) } ?? .null
      } else if forms[name] == .words {
        members[name] = .array((text ?? "").parts(between: " ").map(JSONValue.string))
      } else if let text, forms[name] == .json {
        if let value = JSONValue(parsing: Array(text.utf8)) {
          members[name] = value
        } else {
          problems.append(InputFault.malformedJSON.problem(at: "/\(name)", "The cell is JSON."))
        }
      } else {
        members[name] = text.map(JSONValue.string) ?? .null
      }
    }
    guard problems.isEmpty else { throw InputFailure(problems) }
    members["credentials"] = .object(
      JSONObject(credentials.map { ($0.text, .object($1)) }))
    return .object(members)
  }

  /// The kind and the fact of a column of a token: `voip_status` → `("voip", "status")`.
  private static func credential(_ column: String) -> (kind: String, fact: String)? {
    for kind in CredentialKind.withColumns {
      let prefix = "\(kind.rawValue)_".utf8
      guard column.utf8.starts(with: prefix) else { continue }
      return (kind.rawValue, String(column.utf8.dropFirst(prefix.count)) ?? "")
    }
    return nil
  }
}
