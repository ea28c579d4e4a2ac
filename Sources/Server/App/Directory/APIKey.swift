internal import ASCII
internal import FoundationEssentials
internal import Postgres

/// The kind of a key: it says what the key may do.
enum APIKeyKind: String, PostgresValue, CaseIterable {
  /// Ships inside the app: may create an installation and change it with its secret.
  case client
  /// The backend: render and feedback.
  case sender
  /// Everything of one app.
  case admin
  /// Everything.
  case root
}

/// A bearer key, `pst_<kind>_<random>`; only its SHA-256 is ever stored.
struct APIKey: Hashable, Sendable {
  /// The kind that the text claims; the stored row decides.
  let kind: APIKeyKind
  /// The whole text, which is hashed.
  let text: String

  /// The fewest characters of the random part. Keys that the service makes have 32 (192 bits); 16
  /// of base64url carry 96 bits, the least that an operator's own root key may have.
  static let randomMinimum = 16

  /// Whether the key is the example of the documents, which people should replace: everybody knows
  /// it.
  var isPlaceholder: Bool {
    text.utf8.elementsEqual("pst_root_put-your-own-random-text-here".utf8)
  }

  init(kind: APIKeyKind, random: String) {
    self.kind = kind
    text = "pst_\(kind.rawValue)_\(random)"
  }

  /// Takes a key's text; `nil` when it is not of the form, or longer than 256 bytes.
  init?(_ text: String) {
    guard text.utf8.count <= 256 else { return nil }
    let parts = text.split(separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "pst",
      let kind = APIKeyKind(spelled: String(parts[1])),
      parts[2].utf8.count >= Self.randomMinimum,
      parts[2].utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x5F })
    else { return nil }
    self.kind = kind
    self.text = text
  }
}

/// A key as the registry knows it; the secret itself is nowhere.
struct KeyRecord: Sendable, Equatable {
  var id: UUID
  /// The app it belongs to; `nil` for a root key.
  var appID: Int32?
  var kind: APIKeyKind
  var label: String
  var createdAt: Timestamp
  var revokedAt: Timestamp?
  /// The last use, or a time before it: at most an hour, and the seconds that a write takes.
  var lastUsedAt: Timestamp?

  /// Whether it may see an app at all.
  func sees(_ app: AppRecord) -> Bool { appID == nil || appID == app.id }
}

extension KeyRecord: RowDecodable {
  /// The list of a `SELECT`, in the order of the properties.
  static let columns = "id, app_id, kind, label, created_at, revoked_at, last_used_at"

  init(row: inout RowReader) throws(PostgresError) { self = try row.next(into: Self.init) }
}
