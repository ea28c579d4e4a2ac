internal import Crypto
internal import Postgres
internal import Registry

/// One app, and its changes wait for each other.
struct LockAppBySlug: Statement {
  typealias Row = AppRecord
  static let sql = """
    SELECT \(AppRecord.columns) FROM app WHERE slug = $1 AND deleted_at IS NULL
    FOR NO KEY UPDATE
    """
  let slug: AppSlug

  func bind(to parameters: inout Parameters) { parameters.append(slug.text) }
}

/// Creates or changes an app; no row when a new one was created by someone else meanwhile.
struct UpsertApp: Statement {
  typealias Row = AppRecord
  static let sql = """
    INSERT INTO app (slug, bundle_id, name, development_language, identity_verification,
      identity_secrets, identity_keys, identity_lifetime_days, local_notification_key,
      message_type_key, stale_after_days, created_at, updated_at, bundle_ids,
      activity_types)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $15, $16)
    ON CONFLICT (slug) WHERE deleted_at IS NULL DO UPDATE
    SET bundle_id = excluded.bundle_id, name = excluded.name,
      development_language = excluded.development_language,
      identity_verification = excluded.identity_verification,
      identity_secrets = excluded.identity_secrets, identity_keys = excluded.identity_keys,
      identity_lifetime_days = excluded.identity_lifetime_days,
      local_notification_key = excluded.local_notification_key,
      message_type_key = excluded.message_type_key,
      stale_after_days = excluded.stale_after_days, updated_at = excluded.updated_at,
      bundle_ids = excluded.bundle_ids, activity_types = excluded.activity_types, tag = excluded.tag
    WHERE app.id = $14
    RETURNING \(AppRecord.columns)
    """
  let app: AppRecord

  func bind(to parameters: inout Parameters) {
    parameters.append(
      app.slug.text, app.bundleID.text, app.name, app.developmentLanguage,
      app.identityVerification.rawValue, app.identitySecrets, app.identityKeys.map(\.pem),
      app.identityLifetimeDays, app.localNotificationKey, app.messageTypeKey, app.staleAfterDays,
      app.createdAt, app.updatedAt, app.id, app.bundleIDs.map(\.text),
      app.activityTypes.stored)
  }
}

/// Deletes an app for everyone: it and its keys are gone and its name is free. Its other rows go in
/// portions afterwards.
struct DeleteApp: Statement {
  static let sql = """
    WITH keys AS (DELETE FROM api_key WHERE app_id = $1),
      webhooks AS (DELETE FROM webhook WHERE app_id = $1)
    UPDATE app SET deleted_at = $2, identity_secrets = '{}' WHERE id = $1 AND deleted_at IS NULL
    """
  let id: Int32
  let now: Timestamp

  func bind(to parameters: inout Parameters) { parameters.append(id, now) }
}
