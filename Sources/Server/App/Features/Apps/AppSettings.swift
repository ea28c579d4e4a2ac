internal import ASCII
internal import Crypto
internal import JSON
internal import Postgres
internal import Registry

/// The body of `PUT /v1/apps/{app}`: a field left out keeps its value, or gets its default in a new
/// app.
struct AppSettings: RequestBody {
  static var policy: FieldPolicy { .strict }

  var bundleID = Change<BundleID>.keep
  /// The bundle ids of the app's other targets.
  var bundleIDs = Change<[BundleID]>.keep
  var name = Change<String>.keep
  var developmentLanguage = Change<String>.keep
  var identityVerification = Change<IdentityVerification>.keep
  var identitySecrets = Change<[String]>.keep
  var identityKeys = Change<[PublicKey]>.keep
  var identityLifetimeDays = Change<Int32>.keep
  var localNotificationKey = Change<String>.keep
  var messageTypeKey = Change<String>.keep
  var staleAfterDays = Change<Int32>.keep
  var activityTypes = Change<ActivityTypes>.keep

  init?(reading fields: FieldReader) {
    bundleID = fields.bundleID("bundle_id")
    bundleIDs = fields.texts(
      "bundle_ids", maximumCount: Limits.bundleIDs, maximum: BundleID.maximumBytes
    ) { BundleID($0) == nil ? (.unknownValue, BundleID.rule) : nil }
    .compactMap { $0.compactMap { BundleID($0) } }
    name = fields.text("name", maximum: Limits.labelBytes, minimum: 1)
    developmentLanguage = fields.language("development_language")
    identityVerification = fields.word("identity_verification")
    let secretBounds = TextBounds(
      minimum: Limits.identitySecretMinimumBytes, maximum: Limits.identitySecretMaximumBytes)
    identitySecrets = fields.texts(
      "identity_secrets", maximumCount: Limits.identitySecrets,
      maximum: Limits.identitySecretMaximumBytes
    ) { secretBounds.fault(of: $0) }
    identityKeys = fields.publicKeys("identity_keys")
    identityLifetimeDays = fields.integer(
      "identity_lifetime_days", in: 1...Limits.identityLifetimeDays)
    localNotificationKey = fields.text(
      "local_notification_key", maximum: Limits.labelBytes, minimum: 1)
    messageTypeKey = fields.text("message_type_key", maximum: Limits.labelBytes, minimum: 1)
    staleAfterDays = fields.integer("stale_after_days", in: 1...Limits.staleAfterDays)
    activityTypes = ActivityTypes.read(fields)
    for name in ["local_notification_key", "message_type_key"] {
      let change = name == "message_type_key" ? messageTypeKey : localNotificationKey
      if let value = change.value, Self.takenNames.containsSpelling(value) {
        fields.refuse(
          .unknownValue, at: name,
          "A payload has other things under \(Self.takenNames.joined(separator: ", ")).")
      }
    }
  }

  /// Names of payload members that already have a meaning: for Apple, for local notifications or
  /// for calls.
  private static let takenNames = ["aps", "call", "id", "trigger"]

  /// The app after these settings.
  /// - Throws: ``InputFailure`` when a new app lacks its bundle id, or two settings contradict.
  func applied(
    to stored: AppRecord?, slug: AppSlug, now: Timestamp
  ) throws(InputFailure) -> AppRecord {
    guard let bundleID = bundleID.applied(to: stored?.bundleID) ?? stored?.bundleID else {
      throw InputFailure(.missingField, at: "/bundle_id", "A new app needs its bundle_id.")
    }
    let app = AppRecord(
      id: stored?.id ?? 0, slug: slug, bundleID: bundleID,
      bundleIDs: bundleIDs.applied(to: stored?.bundleIDs) ?? [],
      name: name.applied(to: stored?.name) ?? slug.text,
      developmentLanguage: developmentLanguage.applied(to: stored?.developmentLanguage) ?? "en",
      // Every copy of the app contains the client key. So a client needs a proof to name a user,
      // unless the settings say otherwise.
      identityVerification: identityVerification.applied(to: stored?.identityVerification)
        ?? .required,
      identitySecrets: identitySecrets.applied(to: stored?.identitySecrets) ?? [],
      identityKeys: identityKeys.applied(to: stored?.identityKeys) ?? [],
      identityLifetimeDays: identityLifetimeDays.applied(to: stored?.identityLifetimeDays)
        ?? Limits.identityLifetimeDaysDefault,
      localNotificationKey: localNotificationKey.applied(to: stored?.localNotificationKey)
        ?? "payload",
      messageTypeKey: messageTypeKey.applied(
        to: stored.map(\.messageTypeKey) ?? AppRecord.messageTypeKeyDefault),
      staleAfterDays: staleAfterDays.applied(to: stored?.staleAfterDays),
      activityTypes: activityTypes.applied(to: stored?.activityTypes) ?? ActivityTypes(),
      createdAt: stored?.createdAt ?? now, updatedAt: now)
    guard !app.messageTypeKey.isSpelled(like: app.localNotificationKey) else {
      throw InputFailure(
        .unknownValue, at: "/message_type_key", "The local_notification_key has this name.")
    }
    return app
  }
}

extension AppRecord {
  /// The payload member by which an app's router finds a handler, unless the router is told another
  /// one.
  static let messageTypeKeyDefault: String? = "messageType"
}

extension FieldReader {
  fileprivate func bundleID(_ name: String) -> Change<BundleID> {
    let change = text(name, maximum: BundleID.maximumBytes)
    guard case .set(let text) = change, BundleID(text) == nil else {
      return change.compactMap { BundleID($0) }
    }
    refuse(.unknownValue, at: name, BundleID.rule)
    return .keep
  }
}
