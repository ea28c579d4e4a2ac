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

  /// What a column may be, beside `attributes.NAME`, and its place in a native record.
  static let parts: KeyValuePairs = [
    "token": "/credentials/apns/token", "user": "/user/id", "languages": "/languages",
    "locale": "/locale", "time_zone": "/time_zone", "platform": "/platform",
    "environment": "/environment", "bundle_id": "/bundle_id", "app_version": "/app_version",
    "app_build": "/app_build",
    "os_version": "/os_version", "device_model": "/device_model", "tags": "/tags",
    "attributes.NAME": "/attributes", "installation_id": "/installation_id",
    "created_at": "/created_at", "updated_at": "/updated_at", "last_seen_at": "/last_seen_at",
  ]
  private static let attributes = "attributes."

  /// - Parameters:
  ///   - columns: What `--map` says: parts of a record and their columns.
  ///   - defaults: What `--default` says.
  /// - Throws: ``Exit`` when something is no part of a record, or no column is the token.
  init(columns: [String: String], defaults: [String: String]) throws(Exit) {
    for (option, part) in columns.keys.map({ ("map", $0) }) + defaults.keys.map({ ("default", $0) })
    where Self.place(of: part) == nil {
      let parts = Self.parts.map(\.key).joined(separator: ", ")
      throw Exit(
        ExitCode.usage, "--\(option) \(part)=…: a column of a table can be \(parts).")
    }
    guard columns["token"] != nil else {
      throw Exit(ExitCode.usage, "A table needs --map token=COLUMN, the column of the token.")
    }
    self.columns = columns.mapValues(Self.name)
    self.defaults = defaults
  }

  /// The place of a part in a native record; `nil` when there is no such part.
  private static func place(of part: String) -> String? {
    if part.hasPrefix(attributes) {
      return part == attributes ? nil : "/attributes/\(part.dropFirst(attributes.count))"
    }
    return parts.first { $0.key == part }?.value
  }

  /// The table as a format of another service.
  var format: ForeignFormat {
    let fields = columns.sorted { $0.key < $1.key }.map { part, column in
      let isAttribute = part.hasPrefix(Self.attributes)
      return ForeignFormat.Field(
        column, isAttribute ? "/attributes" : Self.place(of: part) ?? "")
    }
    return ForeignFormat(
      name: "table", header: columns.values.sorted(), envelope: nil, fields: fields,
      keepsUnknownFields: false
    ) { record, draft throws(InputFailure) in try convert(record, &draft) }
  }

  private func convert(
    _ record: FlatRecord, _ draft: inout ForeignDraft
  ) throws(InputFailure) {
    func text(_ part: String) -> String? {
      let cell = columns[part].flatMap(record.text).map(Self.trimmed)
      guard let cell, Self.nulls.contains(cell.lowercased()) else {
        return cell.flatMap { $0.isEmpty ? nil : $0 } ?? defaults[part]
      }
      draft.leaveOut(
        ForeignFault.nullText.problem(
          at: Self.place(of: part) ?? "", "The cell says \(cell): it is taken as empty."))
      return defaults[part]
    }
    draft.vendorID = text("installation_id")
    draft.token = text("token")
    if draft.token == nil, let cell = columns["token"].flatMap(record.text) {
      throw InputFailure(
        .missingToken, at: "/\(columns["token"] ?? "")",
        "The cell says \(cell.shortened(to: 32)): there is nothing to send to.")
    }
    if let system = text("platform") {
      guard let platform = Platform(foreign: system) else {
        throw InputFailure(
          .unsupportedPlatform, at: "/\(columns["platform"] ?? "platform")",
          "Only devices with a system of Apple's have tokens.")
      }
      draft.platform = platform
    }
    if let word = text("environment") {
      guard let environment = Self.environments[word.lowercased()] else {
        throw InputFailure(
          [
            InputFault.unknownValue.problem(
              at: "/\(columns["environment"] ?? "environment")",
              "The environment is production or sandbox.")
          ])
      }
      draft.environment = environment
    }
    draft.bundleID = text("bundle_id")
    draft.userID = text("user")
    draft.languages = Self.words(text("languages"), " ,;|").map { $0.replacing("_", with: "-") }
    draft.locale = text("locale").map { $0.replacing("-", with: "_") }
    draft.tags = Self.words(text("tags"), ",;|")
    for name in ["time_zone", "app_version", "app_build", "os_version", "device_model"] {
      draft.texts[name] = text(name)
    }
    for name in ["created_at", "updated_at", "last_seen_at"] { draft.date(name, text(name)) }
    for part in Set(columns.keys).union(defaults.keys).sorted()
    where part.hasPrefix(Self.attributes) {
      guard let text = text(part) else { continue }
      draft.attributes[String(part.dropFirst(Self.attributes.count))] = Self.value(text)
    }
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

  /// The words of a cell, which may be a list of PostgreSQL (`{fr,en}`) or JSON (`["fr"]`).
  private static func words(_ text: String?, _ separators: String) -> [String] {
    let marks: Set<Character> = ["{", "}", "[", "]", "\""]
    return (text ?? "").filter { !marks.contains($0) }.split { separators.contains($0) }
      .map { trimmed(String($0)) }.filter { !$0.isEmpty }
  }

  /// Numbers and booleans as such; a number that begins with 0, such as a code, is a text.
  private static func value(_ text: String) -> JSONValue {
    switch JSONValue(parsing: Array(text.utf8)) {
    case .some(let value) where value == .bool(true) || value == .bool(false): value
    case .integer(let number)?: .integer(number)
    case .double(let number)?: .double(number)
    default: .string(text)
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
