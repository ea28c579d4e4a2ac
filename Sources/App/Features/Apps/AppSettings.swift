internal import Crypto
internal import JSON
internal import Postgres
internal import Registry

/// The body of `PUT /v1/apps/{app}`: a field left out keeps its value, or gets its default in a new
/// app.
struct AppSettings: RequestBody {
  static var policy: FieldPolicy { .strict }

  var bundleID = Change<BundleID>.keep
  var name = Change<String>.keep
  var developmentLanguage = Change<String>.keep
  var identityVerification = Change<IdentityVerification>.keep
  var identitySecrets = Change<[String]>.keep
  var identityKeys = Change<[PublicKey]>.keep
  var localNotificationKey = Change<String>.keep
  var messageTypeKey = Change<String>.keep
  var staleAfterDays = Change<Int32>.keep

  init?(reading fields: FieldReader) {
    bundleID = fields.bundleID("bundle_id")
    name = fields.text("name", maximum: Limits.labelBytes, minimum: 1)
    developmentLanguage = fields.language("development_language")
    identityVerification = fields.word("identity_verification")
    identitySecrets = fields.texts(
      "identity_secrets", maximumCount: Limits.identitySecrets,
      maximum: Limits.identitySecretMaximumBytes,
      fault: TextBounds(
        minimum: Limits.identitySecretMinimumBytes, maximum: Limits.identitySecretMaximumBytes
      ).fault(of:))
    identityKeys = fields.publicKeys("identity_keys")
    localNotificationKey = fields.text(
      "local_notification_key", maximum: Limits.labelBytes, minimum: 1)
    messageTypeKey = fields.text("message_type_key", maximum: Limits.labelBytes, minimum: 1)
    staleAfterDays = fields.integer("stale_after_days", in: 1...Limits.staleAfterDays)
    for name in ["local_notification_key", "message_type_key"] {
      let change = name == "message_type_key" ? messageTypeKey : localNotificationKey
      if let value = change.value, Self.takenNames.contains(value) {
        fields.refuse(
          .unknownValue, at: name,
          "A payload has other things under \(Self.takenNames.joined(separator: ", ")).")
      }
    }
  }

  /// Members of payloads that have their meaning: Apple's, and those of local notifications and
  /// calls.
  private static let takenNames = ["aps", "call", "id", "trigger"]

  /// The app after these settings.
  /// - Throws: ``InputFailure`` when a new app lacks its bundle id, or two settings contradict.
  func applied(
    to stored: AppRecord?, slug: AppSlug, now: Timestamp
  ) throws(InputFailure) -> AppRecord {
    guard let bundleID = bundleID.applied(to: stored?.bundleID) ?? stored?.bundleID else {
      throw InputFailure([
        InputFault.missingField.problem(at: "/bundle_id", "A new app needs its bundle_id.")
      ])
    }
    let app = AppRecord(
      id: stored?.id ?? 0, slug: slug, bundleID: bundleID,
      name: name.applied(to: stored?.name) ?? slug.text,
      developmentLanguage: developmentLanguage.applied(to: stored?.developmentLanguage) ?? "en",
      // Whoever has the client key, which is in every copy of the app, names no one without a
      // proof, unless somebody says so.
      identityVerification: identityVerification.applied(to: stored?.identityVerification)
        ?? .required,
      identitySecrets: identitySecrets.applied(to: stored?.identitySecrets) ?? [],
      identityKeys: identityKeys.applied(to: stored?.identityKeys) ?? [],
      localNotificationKey: localNotificationKey.applied(to: stored?.localNotificationKey)
        ?? "payload",
      messageTypeKey: messageTypeKey.applied(
        to: stored.map(\.messageTypeKey) ?? AppRecord.messageTypeKeyDefault),
      staleAfterDays: staleAfterDays.applied(to: stored?.staleAfterDays),
      createdAt: stored?.createdAt ?? now, updatedAt: now)
    guard app.messageTypeKey != app.localNotificationKey else {
      throw InputFailure([
        InputFault.unknownValue.problem(
          at: "/message_type_key", "The local_notification_key has this name.")
      ])
    }
    return app
  }
}

extension AppRecord {
  /// The member by which routers in apps find a handler, unless they are told another one.
  static let messageTypeKeyDefault: String? = "messageType"
}

extension FieldReader {
  fileprivate func bundleID(_ name: String) -> Change<BundleID> {
    let change = text(name, maximum: 155)
    guard case .set(let text) = change, BundleID(text) == nil else {
      return change.compactMap { BundleID($0) }
    }
    refuse(
      .unknownValue, at: name, "A bundle id has letters, digits, hyphens and dots: com.example.app."
    )
    return .keep
  }
}

/// An app as answers show it: of its secrets only how many there are, of its keys the public part.
struct AppView: ListItem {
  let app: AppRecord

  private var identityKeys: [PublicKeyView] { app.identityKeys.map(PublicKeyView.init) }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("app", app.slug.text)
      writer.member("bundle_id", app.bundleID.text)
      writer.member("created_at", app.createdAt.rfc3339)
      writer.member("development_language", app.developmentLanguage)
      writer.member("identity_keys", identityKeys)
      writer.member("identity_secret_count", app.identitySecrets.count)
      writer.member("identity_verification", app.identityVerification.rawValue)
      writer.member("local_notification_key", app.localNotificationKey)
      writer.member("message_type_key", app.messageTypeKey)
      writer.member("name", app.name)
      writer.member("stale_after_days", app.staleAfterDays)
      writer.member("updated_at", app.updatedAt.rfc3339)
      writer.member("warnings", app.warnings)
    }
  }

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("app") { $0.app.slug.text },
    CSVColumn("bundle_id") { $0.app.bundleID.text },
    CSVColumn("name") { $0.app.name },
    CSVColumn("development_language") { $0.app.developmentLanguage },
    CSVColumn("identity_verification") { $0.app.identityVerification.rawValue },
    CSVColumn("identity_secret_count") { String($0.app.identitySecrets.count) },
    CSVColumn("identity_keys") { $0.identityKeys.jsonText },
    CSVColumn("local_notification_key") { $0.app.localNotificationKey },
    CSVColumn("message_type_key") { $0.app.messageTypeKey },
    CSVColumn("stale_after_days") { $0.app.staleAfterDays.map { String($0) } },
    CSVColumn("created_at") { $0.app.createdAt.rfc3339 },
    CSVColumn("updated_at") { $0.app.updatedAt.rfc3339 },
    CSVColumn("warnings") { $0.app.warnings.map(\.rawValue).joined(separator: " ") },
  ]
}

/// One app, and its changes wait for each other.
struct LockApp: Statement {
  static let sql = """
    SELECT \(AppRecord.columns) FROM app WHERE slug = $1 AND deleted_at IS NULL
    FOR NO KEY UPDATE
    """
  let slug: AppSlug

  func bind(to parameters: inout Parameters) { parameters.append(slug.text) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppRecord {
    try AppRecord(row: &row)
  }
}

/// Creates or changes an app; no row when a new one was created by someone else meanwhile.
struct UpsertApp: Statement {
  static let sql = """
    INSERT INTO app (slug, bundle_id, name, development_language, identity_verification,
      identity_secrets, identity_keys, local_notification_key, message_type_key,
      stale_after_days, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    ON CONFLICT (slug) WHERE deleted_at IS NULL DO UPDATE
    SET bundle_id = excluded.bundle_id, name = excluded.name,
      development_language = excluded.development_language,
      identity_verification = excluded.identity_verification,
      identity_secrets = excluded.identity_secrets, identity_keys = excluded.identity_keys,
      local_notification_key = excluded.local_notification_key,
      message_type_key = excluded.message_type_key,
      stale_after_days = excluded.stale_after_days, updated_at = excluded.updated_at,
      tag = excluded.tag
    WHERE app.id = $13
    RETURNING \(AppRecord.columns)
    """
  let app: AppRecord

  func bind(to parameters: inout Parameters) {
    parameters.append(app.slug.text)
    parameters.append(app.bundleID.text)
    parameters.append(app.name)
    parameters.append(app.developmentLanguage)
    parameters.append(app.identityVerification.rawValue)
    parameters.append(app.identitySecrets)
    parameters.append(app.identityKeys.map(\.pem))
    parameters.append(app.localNotificationKey)
    parameters.append(app.messageTypeKey)
    parameters.append(app.staleAfterDays)
    parameters.append(app.createdAt)
    parameters.append(app.updatedAt)
    parameters.append(app.id)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppRecord {
    try AppRecord(row: &row)
  }
}

/// Deletes an app for everyone: it and its keys are gone and its name is free. Its other rows go in
/// portions afterwards.
struct DeleteApp: Statement {
  static let sql = """
    WITH keys AS (DELETE FROM api_key WHERE app_id = $1)
    UPDATE app SET deleted_at = $2, identity_secrets = '{}' WHERE id = $1 AND deleted_at IS NULL
    """
  let id: Int32
  let now: Timestamp

  func bind(to parameters: inout Parameters) {
    parameters.append(id)
    parameters.append(now)
  }
}
