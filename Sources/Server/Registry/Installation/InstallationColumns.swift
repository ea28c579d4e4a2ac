package import DeviceProfile
internal import FoundationEssentials
package import Postgres

extension CredentialKind {
  /// The kinds of which nearly every installation has a token. A row of `installation`, of
  /// `sighting`, and of a table of installations has columns for them. All other kinds are JSON in
  /// one column.
  package static let withColumns: [Self] = [.apns, .voip]

  package var hasColumns: Bool { Self.withColumns.contains(self) }
}

/// The columns of `installation`: their names, how a row is written, and how it is read.
struct InstallationColumn: Sendable {
  /// As in SQL, quoted where it is a reserved word.
  let name: String
  /// Whether an update writes it.
  let isUpdated: Bool
  /// Appends its value to a row.
  let write: @Sendable (Installation, inout RowWriter) -> Void

  init<Value: PostgresValue>(
    _ name: String, isUpdated: Bool = true,
    _ value: @escaping @Sendable (Installation) -> Value?
  ) {
    self.name = name
    self.isUpdated = isUpdated
    write = { installation, row in row.append(value(installation)) }
  }

  /// All of them, in the order that ``Installation/init(row:)`` reads.
  static let all: [InstallationColumn] =
    [
      Self("app_id", isUpdated: false) { $0.appID },
      Self("installation_id", isUpdated: false) { $0.id.uuid },
      Self("revision") { $0.revision },
      Self("secret_hash") { $0.secretHash.map { Bytea($0) } },
      Self("platform") { $0.platform.rawValue },
      Self("environment") { $0.environment.rawValue },
    ] + CredentialKind.withColumns.flatMap(credential) + ProfileField.all.map(\.column) + [
      Self("other_credentials") { $0.credentials.otherText },
      Self("language_override") { $0.languageOverride },
      Self("reported_at") { $0.reportedAt },
      Self("created_at", isUpdated: false) { $0.createdAt },
      Self("updated_at") { $0.updatedAt },
      Self("last_seen_at") { $0.lastSeenAt },
    ]

  /// Columns that are written with the rest and never read back: searches go by them.
  static let derived: [InstallationColumn] = [
    Self("facets") { $0.facets.map(\.text) },
    Self("app_version_order") { versionOrder($0.appVersion) },
    Self("os_version_order") { versionOrder($0.osVersion) },
    Self("app_build_order") { versionOrder($0.appBuild) },
  ]

  /// The columns of both lists, in the order of ``InstallationBatch/rowType``.
  static let written = all + derived

  /// The numbers of a version.
  private static func versionOrder(_ text: String?) -> [Int64]? {
    text.flatMap { Version($0) }.map { $0.order.map(Int64.init) }
  }

  /// The list of a `SELECT`.
  static let selection = all.map(\.name).joined(separator: ", ")

  private static func credential(_ kind: CredentialKind) -> [InstallationColumn] {
    let name = kind.rawValue
    return [
      Self("\(name)_token") { $0.credentials[kind].map { Bytea($0.token.bytes) } },
      Self("\(name)_status") { $0.credentials[kind]?.status.rawValue },
      Self("\(name)_registered_at") { $0.credentials[kind]?.registeredAt },
      Self("\(name)_presented_at") { $0.credentials[kind]?.presentedAt },
      Self("\(name)_invalidated_at") { $0.credentials[kind]?.invalidatedAt },
      Self("\(name)_reason") { $0.credentials[kind]?.reason },
    ]
  }
}

/// The tokens of a row of `installation` as SQL, a word for each: `apns:active widgets:invalid`. As
/// in ``Installation/tokenKeys``, a token that two controls have is one token. If a row has only
/// kinds with columns, no JSON is read.
package let tokenWords: String = {
  let words = CredentialKind.withColumns.map { "'\($0.rawValue):' || \($0.rawValue)_status" }
  return """
    concat_ws(' ', \(words.joined(separator: ", ")),
      CASE WHEN other_credentials IS NOT NULL THEN (
        SELECT string_agg(kind || ':' || status, ' ') FROM (
          SELECT DISTINCT kind, environment, token, status
          FROM json_to_recordset(other_credentials::json)
            AS c (kind text, environment text, token text, status text)) AS token) END)
    """
}()

extension Installation: RowDecodable {
  /// Reads a row of ``InstallationColumn/selection``.
  package init(row: inout RowReader) throws(PostgresError) {
    appID = try row.next()
    id = try row.next()
    revision = try row.next()
    secretHash = try row.next(Bytea?.self)?.bytes
    platform = try row.next()
    environment = try row.next()
    (createdAt, updatedAt, lastSeenAt) = (
      TimeCursor.start.time, TimeCursor.start.time, TimeCursor.start.time
    )
    for kind in CredentialKind.withColumns {
      credentials[kind] = try Credential(row: &row, environment)
    }
    try ProfileField.forEach { field throws(PostgresError) in try field.load(&self, &row) }
    credentials.add(otherText: try row.next())
    languageOverride = try row.next()
    reportedAt = try row.next()
    createdAt = try row.next()
    updatedAt = try row.next()
    lastSeenAt = try row.next()
  }
}

extension Credential {
  /// Reads the six columns of one kind; `nil` when there is no token.
  fileprivate init?(
    row: inout RowReader, _ environment: Environment
  ) throws(PostgresError) {
    let token = try row.next(Bytea?.self)
    let status = try row.next(String?.self)
    let registeredAt = try row.next(Timestamp?.self)
    let presentedAt = try row.next(Timestamp?.self)
    let invalidatedAt = try row.next(Timestamp?.self)
    let reason = try row.next(String?.self)
    guard let token else { return nil }
    guard let token = DeviceToken(bytes: token.bytes),
      let status = status.flatMap(CredentialStatus.init), let registeredAt
    else { throw PostgresError(.decoding, "a credential's columns contradict each other") }
    self.init(
      token: token, environment: environment, status: status, registeredAt: registeredAt,
      presentedAt: presentedAt ?? registeredAt, invalidatedAt: invalidatedAt, reason: reason)
  }
}
