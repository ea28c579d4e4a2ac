import AppTesting

extension ScratchDatabase {
  /// Adds two apps, `a` and `b`, with half of the installations each.
  func seedInstallations(_ count: Int) async throws {
    try await query(
      """
      INSERT INTO app (slug, bundle_id, name, development_language, created_at, updated_at)
      VALUES ('a', 'a', 'a', 'en', 'epoch', 'epoch'), ('b', 'b', 'b', 'en', 'epoch', 'epoch');
      INSERT INTO installation (app_id, installation_id, revision, platform, environment,
        apns_token, apns_status, apns_registered_at, apns_presented_at, languages, facets,
        app_version_order, os_version_order, app_build_order, localization, capabilities, user_id,
        tags, created_at, updated_at, last_seen_at)
      SELECT app.id, gen_random_uuid(), 1, 'ios', 'production', decode(repeat('00', 32), 'hex'),
        'active', time, time, '{}',
        ARRAY[app.id || ':tag:' || n % 100], ARRAY[n % 100], ARRAY[n % 100], ARRAY[n % 100],
        'auto', '{}', 'u' || n, '{}', time, time, time
      FROM generate_series(1, \(count)) AS n
        JOIN app ON slug = CASE WHEN n % 2 = 0 THEN 'a' ELSE 'b' END,
        LATERAL (SELECT timestamptz 'epoch' + make_interval(hours => n * 7919 % 6000)) AS t (time)
      """)
  }
}
