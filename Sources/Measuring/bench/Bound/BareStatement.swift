/// A statement of a bound. `$1` are the keys of a batch, `$2` the tokens, `$3` the versions; `$app`
/// is the number of the app, `$profiles` how many profiles there are.
struct BareStatement {
  let sql: String
  /// How many of the arrays it takes.
  let values: Int32

  /// What a registration or a rendering reads: the columns of `bench/select.sql`.
  static let select = BareStatement(
    sql: """
      SELECT i.app_id, i.installation_id, revision, secret_hash, platform, environment,
        apns_token, apns_status, apns_registered_at, apns_presented_at, apns_invalidated_at,
        apns_reason, voip_token, voip_status, voip_registered_at, voip_presented_at,
        voip_invalidated_at, voip_reason, languages, locale, time_zone, app_version, app_build,
        os_version, device_model, localization, capabilities, "authorization", background_refresh,
        user_id, tags, attributes, bundle_id, frequent_pushes, live_activities_allowed,
        other_credentials, language_override, reported_at, created_at, updated_at, last_seen_at
      FROM unnest($1::uuid[]) AS x (id)
      JOIN installation AS i ON i.app_id = $app AND i.installation_id = x.id
      """, values: 1)

  /// What a registration writes, the same rows and columns as `bench/upsert.sql`: the ledger and
  /// the history first, so that the tokens from before are still in the table.
  static let upsert = [ledger, history, installation]

  /// Tokens and those that they replace.
  private static let tokens = """
    (
      SELECT x.id, t.kind, t.token, t.old
      FROM unnest($1::uuid[], $2::text[]) AS x (id, digits)
      LEFT JOIN installation AS i ON i.app_id = $app AND i.installation_id = x.id
      JOIN bench_profile AS p ON p.number = \(number) % $profiles
      CROSS JOIN LATERAL (VALUES
        ('apns', decode(x.digits, 'hex'), i.apns_token, true),
        ('voip', decode(reverse(x.digits), 'hex'), i.voip_token, p.voip_token IS NOT NULL)
      ) AS t (kind, token, old, is_there)
      WHERE x.digits IS NOT NULL AND t.is_there
    ) AS t
    """

  /// The number of an installation is the end of its key.
  private static let number = "('x' || right(x.id::text, 12))::bit(48)::bigint"

  private static let ledger = BareStatement(
    sql: """
      INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at,
        moved_from)
      SELECT $app, 'production', t.kind, w.token, w.owner, now(), w.former
      FROM \(tokens)
      CROSS JOIN LATERAL (VALUES (t.token, t.id, NULL), (t.old, NULL, t.id))
        AS w (token, owner, former)
      WHERE w.token IS NOT NULL
      ON CONFLICT (app_id, environment, kind, token) DO UPDATE SET
        installation_id = excluded.installation_id, registered_at = excluded.registered_at,
        moved_from = excluded.moved_from
      """, values: 2)

  private static let history = BareStatement(
    sql: """
      INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event,
        source)
      SELECT $app, t.id, now(), 'production', t.kind, w.token, w.event, 'backend'
      FROM \(tokens)
      CROSS JOIN LATERAL (VALUES (t.old, 'replaced'),
          (t.token, CASE WHEN t.old IS NULL THEN 'registered' ELSE 'rotated' END))
        AS w (token, event)
      WHERE w.token IS NOT NULL
      """, values: 2)

  private static let columns = [
    "platform", "environment", "apns_token", "apns_status", "apns_registered_at",
    "apns_presented_at", "voip_token", "voip_status", "voip_registered_at", "voip_presented_at",
    "languages", "facets", "locale", "time_zone", "app_version", "app_version_order", "app_build",
    "app_build_order", "os_version", "os_version_order", "device_model", "localization",
    "capabilities", "\"authorization\"", "user_id", "tags", "attributes", "reported_at",
    "updated_at", "last_seen_at",
  ]

  private static let installation = BareStatement(
    sql: """
      INSERT INTO installation AS i (app_id, installation_id, revision, created_at,
        \(columns.joined(separator: ", ")))
      SELECT $app, x.id, 1, now(), p.platform, p.environment,
        decode(x.digits, 'hex'), p.apns_status,
        CASE WHEN p.apns_status IS NOT NULL THEN now() END,
        CASE WHEN p.apns_status IS NOT NULL THEN now() END,
        CASE WHEN p.voip_status IS NOT NULL THEN decode(reverse(x.digits), 'hex') END,
        p.voip_status,
        CASE WHEN p.voip_status IS NOT NULL THEN now() END,
        CASE WHEN p.voip_status IS NOT NULL THEN now() END,
        p.languages, p.facets, p.locale, p.time_zone, x.version,
        CASE WHEN x.version = '3.2.0' THEN '{3,2}'
          ELSE string_to_array(x.version, '.')::bigint[] END,
        p.app_build, p.app_build_order, p.os_version, p.os_version_order, p.device_model,
        p.localization, p.capabilities, p."authorization",
        'u' || lpad((\(number) % 100000000)::text, 8, '0'), p.tags, p.attributes, p.reported_at,
        now(), now()
      FROM unnest($1::uuid[], $2::text[], $3::text[]) AS x (id, digits, version)
      JOIN bench_profile AS p ON p.number = \(number) % $profiles
      ON CONFLICT (app_id, installation_id) DO UPDATE SET revision = i.revision + 1,
        \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      """, values: 3)
}
