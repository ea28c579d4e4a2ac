internal import Crypto
internal import FoundationEssentials
internal import Postgres

/// An app as the registry knows it.
struct AppRecord: Sendable, Equatable {
  var id: Int32
  var slug: AppSlug
  var bundleID: BundleID
  var name: String
  /// The language of `Base.lproj` and the last resort of a lookup.
  var developmentLanguage: String
  var identityVerification: IdentityVerification
  /// What its backend signs users with: two while one takes the place of the other.
  var identitySecrets: [String]
  /// The public keys of those who sign users.
  var identityKeys: [PublicKey] = []
  /// Where the local-notification envelope stands in a payload.
  var localNotificationKey: String
  /// Where a payload carries the message's name; `nil` leaves it out.
  var messageTypeKey: String?
  /// Days without a call after which maintenance deletes an installation; `nil` means never.
  var staleAfterDays: Int32?
  var createdAt: Timestamp
  var updatedAt: Timestamp
  /// Another one with every change, of any app, message or catalog; 0 until it is stored.
  var tag: Int64 = 0

  /// What tells the state from others.
  var entityTag: EntityTag { EntityTag(tag) }
}

/// Whether an app's users must be proven by a signed token.
enum IdentityVerification: String, Sendable, CaseIterable, Codable {
  case off
  case required
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

  /// Whether it may see an app at all.
  func sees(_ app: AppRecord) -> Bool { appID == nil || appID == app.id }
}
