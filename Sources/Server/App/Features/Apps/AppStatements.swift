internal import Crypto
internal import Postgres
internal import Registry

extension Command where Self == Query<AppRecord> {
  static func app(named slug: AppSlug) -> Self {
    Query(
      """
      SELECT \(constant: AppRecord.columns) FROM app
      WHERE slug = \(slug.text) AND deleted_at IS NULL
      """)
  }

  /// Reads an app and locks its row, so that changes of the app wait for each other.
  static func lockAppBySlug(slug: AppSlug) -> Self {
    Query(
      """
      SELECT \(constant: AppRecord.columns) FROM app WHERE slug = \(slug.text)
        AND deleted_at IS NULL
      FOR NO KEY UPDATE
      """)
  }

  /// Creates or changes an app. There is no row if another call created the app meanwhile.
  static func upsertApp(app: AppRecord) -> Self {
    Query(
      """
      INSERT INTO app (slug, bundle_id, name, development_language, identity_verification,
        identity_secrets, identity_keys, identity_lifetime_days, local_notification_key,
        message_type_key, stale_after_days, created_at, updated_at, bundle_ids,
        activity_types)
      VALUES (\(app.slug.text), \(app.bundleID.text), \(app.name), \(app.developmentLanguage),
        \(app.identityVerification.rawValue), \(app.identitySecrets),
        \(app.identityKeys.map(\.pem)), \(app.identityLifetimeDays),
        \(app.localNotificationKey), \(app.messageTypeKey), \(app.staleAfterDays),
        \(app.createdAt), \(app.updatedAt), \(app.bundleIDs.map(\.text)),
        \(app.activityTypes.stored))
      ON CONFLICT (slug) WHERE deleted_at IS NULL DO UPDATE
      SET bundle_id = excluded.bundle_id, name = excluded.name,
        development_language = excluded.development_language,
        identity_verification = excluded.identity_verification,
        identity_secrets = excluded.identity_secrets, identity_keys = excluded.identity_keys,
        identity_lifetime_days = excluded.identity_lifetime_days,
        local_notification_key = excluded.local_notification_key,
        message_type_key = excluded.message_type_key,
        stale_after_days = excluded.stale_after_days, updated_at = excluded.updated_at,
        bundle_ids = excluded.bundle_ids, activity_types = excluded.activity_types,
          tag = excluded.tag
      WHERE app.id = \(app.id)
      RETURNING \(constant: AppRecord.columns)
      """)
  }
}

extension Command where Self == Query<Void> {
  /// Deletes an app for everyone: it and its keys are gone and its name is free. Its other rows go
  /// in portions afterwards.
  static func deleteApp(id: Int32, now: Timestamp) -> Self {
    Query(
      """
      WITH gone AS (
        UPDATE app SET deleted_at = \(now), identity_secrets = '{}', moving = NULL
        WHERE id = \(id) AND deleted_at IS NULL RETURNING id
      ), keys AS (DELETE FROM api_key WHERE app_id = \(id) AND EXISTS (SELECT FROM gone))
      DELETE FROM webhook WHERE app_id = \(id) AND EXISTS (SELECT FROM gone)
      """)
  }
}
