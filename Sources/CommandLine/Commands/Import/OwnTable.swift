internal import ASCII
internal import DeviceProfile
internal import JSON
internal import Records

/// A table of one's own: which column is what, and what counts where a row has nothing.
///
///     --map token=device_token --map user=user_id --default platform=ios
struct OwnTable: Sendable {
  /// The column of each part of a record.
  private let columns: [String: String]
  /// The text that counts where a row has none.
  private let defaults: [String: String]

  /// The parts that it has, in the order in which they are taken, with the columns as fields.
  private let fields: [(part: String, field: ForeignFormat.Field)]

  /// What a column may be.
  static let parts: KeyValuePairs<String, ForeignUse> = [
    "token": .token(), "user": .user, "languages": .languages,
    "locale": .text(\.locale, "/locale") { $0.replacing("-", with: "_") },
    "time_zone": .text("time_zone"), "platform": .platform(),
    "environment": ForeignUse(["/environment"]) { value, draft throws(InputFailure) in
      guard let environment = value.text.flatMap({ environments[$0.lowercased()] }) else {
        throw InputFailure([
          InputFault.unknownValue.problem(
            at: value.pointer, "The environment is production or sandbox.")
        ])
      }
      draft.environment = environment
    },
    "bundle_id": .bundleID, "app_version": .text("app_version"), "app_build": .text("app_build"),
    "os_version": .text("os_version"), "device_model": .text("device_model"), "tags": .tags,
    "attributes.NAME": .attributes(), "installation_id": .id, "created_at": .date("created_at"),
    "updated_at": .date("updated_at"), "last_seen_at": .date("last_seen_at"),
  ]
  /// Between the words of a cell.
  private static let separators = ["languages": " ,;|", "tags": ",;|"]
  private static let attributes = "attributes."

  /// - Parameters:
  ///   - columns: What `--map` says: parts of a record and their columns.
  ///   - defaults: What `--default` says.
  /// - Throws: ``Exit`` when something is no part of a record, or no column is the token.
  init(columns: [String: String], defaults: [String: String]) throws(Exit) {
    for (option, part) in columns.keys.map({ ("map", $0) }) + defaults.keys.map({ ("default", $0) })
    where Self.use(of: part) == nil {
      let parts = Self.parts.map(\.key).joined(separator: ", ")
      throw Exit(
        ExitCode.usage, "--\(option) \(part)=…: a column of a table can be \(parts).")
    }
    guard columns["token"] != nil else {
      throw Exit(ExitCode.usage, "A table needs --map token=COLUMN, the column of the token.")
    }
    let columns = columns.mapValues(Self.name)
    let known = Self.parts.map(\.key)
    let parts = Set(columns.keys).union(defaults.keys)
    fields = (known.filter(parts.contains) + parts.subtracting(known).sorted()).compactMap { part in
      Self.use(of: part).map { (part, ForeignFormat.Field(columns[part] ?? part, $0)) }
    }
    self.columns = columns
    self.defaults = defaults
  }

  /// What becomes of a part; `nil` when there is no such part.
  private static func use(of part: String) -> ForeignUse? {
    guard part.hasPrefix(attributes), part != attributes else {
      return parts.first { $0.key == part }?.value
    }
    return .attributes(String(part.dropFirst(attributes.count)))
  }

  /// The table as a format of another service.
  var format: ForeignFormat {
    ForeignFormat(
      name: "table", header: columns.values.sorted(),
      fields: fields.filter { columns[$0.part] != nil }.map(\.field))
  }

  /// Takes the cells of a row, and what counts where there is nothing.
  /// - Returns: The columns that no part names.
  func convert(
    _ record: FlatRecord, _ draft: inout ForeignDraft
  ) throws(InputFailure) -> [String] {
    for (part, field) in fields {
      let cell = columns[part].flatMap(record.text)
      var text = cell.map(Self.trimmed) ?? ""
      if Self.nulls.contains(text.lowercased()) {
        draft.ignored.append(
          ForeignFault.nullText.problem(
            at: field.pointer, "The cell says \(text): it is taken as empty."))
        text = ""
      }
      if let text = text.isEmpty ? defaults[part] : text {
        let value = ForeignValue(pointer: field.pointer, all: [("", Self.values(text, part))])
        try field.use.take(value, &draft)
      } else if part == "token", let cell {
        throw InputFailure(
          .missingToken, at: field.pointer,
          "The cell says \(cell.shortened(to: 32)): there is nothing to send to.")
      }
    }
    return record.values.keys.map(\.text).filter { !columns.values.contains($0) }.sorted()
  }

  /// What databases write where there is nothing.
  private static let nulls: Set<String> = ["null", "(null)", "\\n", "nil", "none", "undefined"]

  private static let environments: [String: Environment] = [
    "production": .production, "prod": .production, "sandbox": .sandbox, "development": .sandbox,
    "dev": .sandbox,
  ]

  private static func trimmed(_ text: String) -> String {
    var text = Substring(text)
    while text.first?.isWhitespace ?? false { text.removeFirst() }
    while text.last?.isWhitespace ?? false { text.removeLast() }
    return String(text)
  }

  /// What a cell says: words, maybe as a list of PostgreSQL (`{fr,en}`) or JSON (`["fr"]`), or for
  /// an attribute a number or boolean. A number that begins with 0, such as a code, is a text.
  private static func values(_ text: String, _ part: String) -> [JSONValue] {
    if let separators = separators[part] {
      let marks: Set<Character> = ["{", "}", "[", "]", "\""]
      return text.filter { !marks.contains($0) }.split { separators.contains($0) }
        .map { trimmed(String($0)) }.filter { !$0.isEmpty }.map(JSONValue.string)
    }
    guard part.hasPrefix(attributes) else { return [.string(text)] }
    return switch JSONValue(parsing: Array(text.utf8)) {
    case .bool(let flag)?: [.bool(flag)]
    case .integer(let number)?: [.integer(number)]
    case .double(let number)?: [.double(number)]
    default: [.string(text)]
    }
  }
}

// MARK: The head of a table

extension OwnTable {
  /// Where the rows of a table begin, and what stands between their cells.
  struct Head: Equatable {
    /// Bytes before the first row, and lines.
    var offset, lines: Int
    var separator: UInt8
  }

  /// Finds the line with the names of the columns; programs write titles in front of it. `nil`
  /// when more bytes are needed.
  /// - Parameter isWhole: Whether no more bytes come.
  func head(_ bytes: [UInt8], isWhole: Bool) throws(Exit) -> Head? {
    if bytes.first == 0x1F { throw Exit(ExitCode.data, RecordReader.Refusal.compressed.detail) }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw Exit(ExitCode.data, "The table is in UTF-16: save it as CSV in UTF-8.")
    }
    if bytes.starts(with: Array("PK".utf8)) {
      throw Exit(
        ExitCode.data, "This is a workbook or a zip archive: save the table as CSV.")
    }
    let wanted = Set(columns.values)
    var first: [String]?
    var offset = 0
    for line in 0..<CommandLimits.tableHeadLines {
      let rest = bytes[offset...]
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      guard end != nil || isWhole else { break }
      let text = String(decoding: rest[..<(end ?? bytes.count)], as: UTF8.self)
      for separator in [",", ";", "\t", "|"] as [Character] {
        let names = text.split(separator: separator).map { Self.name(String($0)) }
        if wanted.isSubset(of: names), let byte = separator.asciiValue {
          return Head(offset: offset, lines: line, separator: byte)
        }
        if names.count > first?.count ?? 0 { first = names }
      }
      guard let end else { break }
      offset = end + 1
    }
    guard isWhole || bytes.count >= CommandLimits.tableHeadBytes else { return nil }
    let missing = wanted.subtracting(first ?? []).sorted().joined(separator: ", ")
    throw Exit(
      ExitCode.data,
      "None of the first \(CommandLimits.tableHeadLines) lines names the columns \(missing). The "
        + "table has: \((first ?? []).joined(separator: ", ").shortened(to: 256)).")
  }

  /// A name of a column as it is compared: in small letters, without what programs put around it.
  static func name(_ cell: String) -> String {
    let text = cell.unicodeScalars.filter { $0 != "\u{FEFF}" && $0 != "\"" }
    return trimmed(String(String.UnicodeScalarView(text))).lowercased()
  }
}

// MARK: Rows that repeat each other

/// What the rows of a table have said so far: a table without times does not say which of two rows
/// about one token is the newer one.
///
/// | a later row | |
/// |---|---|
/// | the same token, the same values | it is there already |
/// | the same token, another user | `token_of_two_users`: the first row counts |
/// | the same token, other values | `token_twice`: the first row counts |
/// | another token, the same user | `user_of_two_tokens`: a notice, as people have two devices |
///
/// With a time in both, the newer one counts, and the rows are told as notices.
struct OwnTableMemory {
  private struct Row {
    var line: Int
    /// Hashes: of the user, of the whole record.
    var user, values: Int
  }

  /// Rows by hashes of their tokens.
  private var rows: [Int: Row] = [:]
  /// Hashes of users.
  private var users: Set<Int> = []

  /// Compares a row with those before it.
  /// - Parameter token: Its token, in the one form that all spellings of it have.
  /// - Returns: What there is to say of it, and whether it costs the row.
  mutating func note(
    _ draft: ForeignDraft, token: String, line: Int
  ) -> (problem: InputProblem, isFault: Bool)? {
    let (token, values) = (token.hashValue, JSONValue.object(draft.members).hashValue)
    let user = draft.userID.map { Array($0.utf8).hashValue } ?? 0
    if let row = rows[token] {
      guard row.values != values else { return nil }
      let isOther = row.user != user
      let detail =
        "Line \(row.line) has this token "
        + (isOther ? "for another user" : "with other values")
        + (draft.hasTime ? ": the newer one counts." : ", and counts.")
      let fault: ForeignFault = isOther ? .tokenOfTwoUsers : .tokenTwice
      return (fault.problem(at: "/credentials/apns/token", detail), !draft.hasTime)
    }
    guard rows.count < CommandLimits.tableRows else { return nil }
    rows[token] = Row(line: line, user: user, values: values)
    guard user != 0, !users.insert(user).inserted else { return nil }
    let detail = "An earlier line has another token of this user, who has two devices then."
    return (ForeignFault.userOfTwoTokens.problem(at: "/user/id", detail), false)
  }
}
