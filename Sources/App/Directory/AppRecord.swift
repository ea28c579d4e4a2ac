internal import Crypto
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
  /// For how many days from now, and from its `iat`, a proof of a user may be valid.
  var identityLifetimeDays = Limits.identityLifetimeDaysDefault
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
}

extension AppRecord {
  /// Whether a client key may name any user.
  var takesUnprovenUsers: Bool { identityVerification == .off }

  /// The list of a `SELECT` or `RETURNING`.
  static let columns = """
    id, slug, bundle_id, name, development_language, identity_verification, identity_secrets,
    identity_keys, identity_lifetime_days, local_notification_key, message_type_key,
    stale_after_days, created_at, updated_at, tag
    """

  /// Reads a row of ``columns``.
  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    guard let slug = AppSlug(try row.next()), let bundleID = BundleID(try row.next()) else {
      throw PostgresError(.decoding, "a stored app has a malformed name")
    }
    self.slug = slug
    self.bundleID = bundleID
    name = try row.next()
    developmentLanguage = try row.next()
    identityVerification = try row.nextWord()
    identitySecrets = try row.next()
    identityKeys = try row.next([String].self).compactMap(PublicKey.init(pem:))
    identityLifetimeDays = try row.next()
    localNotificationKey = try row.next()
    messageTypeKey = try row.nextOptional()
    staleAfterDays = try row.nextOptional()
    createdAt = try row.next()
    updatedAt = try row.next()
    tag = try row.next()
  }
}
