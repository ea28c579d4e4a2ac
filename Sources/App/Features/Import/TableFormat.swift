import ASCII
import DeviceProfile
import JSON
import Postgres
import Registry

/// A table of one's own: which column is what, and what counts where a row has nothing.
///
///     map      {"token": "device_token", "user": "user_id", "languages": "lang"}
///     default  {"platform": "ios"}
struct TableFormat: Sendable {
  /// The column of each part of a record.
  var columns: [String: String]
  /// The text that counts where a row has none.
  var defaults: [String: String]

  /// What a column may be, beside `attributes.NAME`, and its place in a native record.
  static let targets: [String: String] = [
    "token": "/credentials/apns/token", "user": "/user/id", "languages": "/languages",
    "locale": "/locale", "time_zone": "/time_zone", "platform": "/platform",
    "environment": "/environment", "app_version": "/app_version", "app_build": "/app_build",
    "os_version": "/os_version", "device_model": "/device_model", "tags": "/tags",
    "installation_id": "/installation_id", "created_at": "/created_at",
    "updated_at": "/updated_at", "last_seen_at": "/last_seen_at",
  ]
  private static let attributes = "attributes."

  /// Whether something can be a part of a record.
  static func isTarget(_ name: String) -> Bool {
    targets[name] != nil || name.hasPrefix(attributes) && name.utf8.count > attributes.utf8.count
  }

  /// The table as a format of another service.
  var foreign: ForeignFormat {
    let fields = columns.sorted { $0.key < $1.key }.map { target, column in
      ForeignFormat.Field(column, Self.targets[target] ?? "/attributes")
    }
    return ForeignFormat(
      name: "table", header: columns.values.sorted(), envelope: nil, fields: fields,
      keepsUnknownFields: false
    ) { record, draft throws(InputFailure) in try convert(record, &draft) }
  }

  private func convert(
    _ record: FlatRecord, _ draft: inout ForeignDraft
  ) throws(InputFailure) {
    func text(_ target: String) -> String? {
      let place = Self.targets[target] ?? "/attributes/\(target.dropFirst(Self.attributes.count))"
      let cell = columns[target].flatMap(record.text).map(Self.trimmed)
      guard let cell, Self.nulls.contains(cell.lowercased()) else {
        return cell.flatMap { $0.isEmpty ? nil : $0 } ?? defaults[target]
      }
      draft.leaveOut(ImportFault.nullText, place, "The cell says \(cell): it is taken as empty.")
      return defaults[target]
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
    draft.userID = text("user")
    draft.languages = Self.words(text("languages"), " ,;|").map { $0.replacing("_", with: "-") }
    draft.locale = text("locale").map { $0.replacing("-", with: "_") }
    draft.tags = Self.words(text("tags"), ",;|")
    for name in ["time_zone", "app_version", "app_build", "os_version", "device_model"] {
      draft.texts[name] = text(name)
    }
    for name in ["created_at", "updated_at", "last_seen_at"] { draft.date(name, text(name)) }
    for target in Set(columns.keys).union(defaults.keys).sorted()
    where target.hasPrefix(Self.attributes) {
      guard let text = text(target) else { continue }
      draft.attributes[String(target.dropFirst(Self.attributes.count))] = Self.value(text)
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

extension TableFormat {
  /// Where the rows of a table begin, and what stands between their cells.
  struct Head: Equatable {
    /// Bytes and lines before the line with the names of the columns.
    var offset, lines: Int
    var separator: UInt8
  }

  /// Finds the line with the names of the columns; programs write titles in front of it. `nil`
  /// when more bytes are needed.
  /// - Parameter isWhole: Whether no more bytes come.
  func head(_ bytes: [UInt8], isWhole: Bool) throws(Problem) -> Head? {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw Problem(.invalidInput, "The table is in UTF-16: save it as CSV in UTF-8.")
    }
    if bytes.starts(with: Array("PK".utf8)) {
      throw Problem(.invalidInput, "This is a workbook or a zip archive: save the table as CSV.")
    }
    let wanted = Set(columns.values.map(Self.name))
    var first: [String]?
    var offset = 0
    for line in 0..<Limits.tableHeadLines {
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
    guard isWhole || bytes.count >= Limits.tableHeadBytes else { return nil }
    let missing = wanted.subtracting(first ?? []).sorted().joined(separator: ", ")
    throw Problem(
      .invalidInput,
      "None of the first \(Limits.tableHeadLines) lines names the columns \(missing). The table "
        + "has: \((first ?? []).joined(separator: ", ").shortened(to: 256)).")
  }

  /// A name of a column as it is compared: in small letters, without what programs put around it.
  static func name(_ cell: String) -> String {
    let text = cell.unicodeScalars.filter { $0 != "\u{FEFF}" && $0 != "\"" }
    return trimmed(String(String.UnicodeScalarView(text))).lowercased()
  }
}
