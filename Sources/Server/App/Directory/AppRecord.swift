internal import ASCII
internal import Crypto
internal import DeviceProfile
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// An app as the registry knows it.
struct AppRecord: Sendable, Equatable {
  var id: Int32
  var slug: AppSlug
  var bundleID: BundleID
  /// The bundle ids of the app's other targets: a watch app of its own, a Mac Catalyst app.
  var bundleIDs: [BundleID] = []
  var name: String
  /// The language of `Base.lproj` and the last resort of a lookup.
  var developmentLanguage: String
  var identityVerification: IdentityVerification
  /// The secrets with which the app's backend signs users: two while one takes the place of the
  /// other.
  var identitySecrets: [String]
  /// The public keys of the issuers that sign users.
  var identityKeys: [PublicKey] = []
  /// For how many days from now, and from its `iat`, a proof of a user may be valid.
  var identityLifetimeDays = Limits.identityLifetimeDaysDefault
  /// Where the local-notification envelope stands in a payload.
  var localNotificationKey: String
  /// Where a payload carries the message's name; `nil` leaves it out.
  var messageTypeKey: String?
  /// Days without a call after which maintenance deletes an installation; `nil` means never.
  var staleAfterDays: Int32?
  var activityTypes = ActivityTypes()
  var createdAt: Timestamp
  var updatedAt: Timestamp
  /// A new number with every change of any app, message or catalog; 0 until the app is stored.
  var tag: Int64 = 0
  /// How far the app is on its way from one Postilion to another; `nil` if it does not move.
  var moving: AppMoving?
}

/// How far an app is on its way from one Postilion to another; the raw value is stored.
enum AppMoving: String, PostgresValue {
  /// The app is read, and not written.
  case leaving
  /// The app is at the other Postilion.
  case left
  /// The app is not complete yet.
  case arriving
}

extension AppRecord: RowDecodable {
  /// Whether a client key may name any user.
  var takesUnprovenUsers: Bool { identityVerification == .off }

  /// Refuses a report with a bundle id that is none of the app's: the tokens would be of another
  /// topic, and APNs would refuse every push to them.
  func checkBundleID(of report: RegistrationReport) throws(InputFailure) {
    guard let id = report.bundleID.value, id != bundleID.text,
      !bundleIDs.contains(where: { $0.text == id })
    else { return }
    throw InputFailure(
      .unknownValue, at: "/bundle_id",
      "The app has no such bundle id. Add it to the `bundle_ids` of the app, or leave it out.")
  }

  /// The remark for an installation about its topic. A watch app has a bundle id of its own, and
  /// without it APNs would refuse every push to its tokens (`DeviceTokenNotForTopic`).
  func topicRemark(on installation: Installation) -> InputProblem? {
    guard installation.platform == .watchos, installation.bundleID == nil,
      !bundleID.text.utf8.reversed().starts(with: ".watchkitapp".utf8.reversed())
    else { return nil }
    return InputProblem(
      pointer: "/bundle_id", code: "topic_assumed",
      detail: "Without bundle_id the topic of this watch is \(bundleID.text). If the watch app has "
        + "a bundle id of its own, add it to the `bundle_ids` of the app, and report it.")
  }

  /// The list of a `SELECT` or `RETURNING`.
  static let columns = """
    id, slug, bundle_id, bundle_ids, name, development_language, identity_verification,
    identity_secrets, identity_keys, identity_lifetime_days, local_notification_key,
    message_type_key, stale_after_days, activity_types, created_at, updated_at, tag, moving
    """

  /// Reads a row of ``columns``.
  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    guard let slug = AppSlug(try row.next()), let bundleID = BundleID(try row.next()) else {
      throw PostgresError(.decoding, "a stored app has a malformed name")
    }
    self.slug = slug
    self.bundleID = bundleID
    bundleIDs = try row.next([String].self).compactMap { BundleID($0) }
    name = try row.next()
    developmentLanguage = try row.next()
    identityVerification = try row.next()
    identitySecrets = try row.next()
    identityKeys = try row.next([String].self).compactMap(PublicKey.init(pem:))
    identityLifetimeDays = try row.next()
    localNotificationKey = try row.next()
    messageTypeKey = try row.next()
    staleAfterDays = try row.next()
    activityTypes = ActivityTypes(stored: try row.next())
    createdAt = try row.next()
    updatedAt = try row.next()
    tag = try row.next()
    moving = try row.next()
  }
}

/// The name of an app in paths: 1 to 64 of `a`–`z`, `0`–`9` and `-`, beginning with a letter or
/// digit.
struct AppSlug: Hashable, Sendable {
  /// The name as it stands in a path.
  let text: String

  /// Takes a slug; `nil` when it is not one.
  init?(_ text: String) {
    let bytes = text.utf8
    guard (1...64).contains(bytes.count), bytes.first != UInt8(ascii: "-"),
      bytes.allSatisfy({ $0.isASCIILowercaseLetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") })
    else { return nil }
    self.text = text
  }
}

/// An app's bundle identifier, which is its APNs topic (Apple, CFBundleIdentifier): letters,
/// digits, `-` and `.`, at most 155 bytes, no empty part.
struct BundleID: Hashable, Sendable {
  static let maximumBytes = 155
  /// The form of a bundle id, in a sentence.
  static let rule = "A bundle id has letters, digits, hyphens and dots: com.example.app."
  /// The identifier in its own spelling.
  let text: String

  /// Takes an identifier; `nil` when it is not one.
  init?(_ text: String) {
    let bytes = text.utf8
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isWellFormed = parts.allSatisfy { part in
      !part.isEmpty
        && part.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }
    guard bytes.count <= Self.maximumBytes, isWellFormed else { return nil }
    self.text = text
  }
}

/// Whether an app's users must be proven by a signed token.
enum IdentityVerification: String, PostgresValue, CaseIterable {
  case off
  case required
}
