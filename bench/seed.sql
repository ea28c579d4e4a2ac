-- Installations 1 to :count of app :app with their tokens and history: number n is what the service
-- stores when installation.lua reports number n, of which bench_profile has all but key, tokens and
-- user.

\set ON_ERROR_STOP on

BEGIN;

INSERT INTO installation (
  app_id, installation_id, revision, platform, environment, apns_token, apns_status,
  apns_registered_at, apns_presented_at, voip_token, voip_status, voip_registered_at,
  voip_presented_at, languages, facets, locale, time_zone, app_version, app_version_order,
  app_build, app_build_order, os_version, os_version_order, device_model, localization,
  capabilities, "authorization", user_id, tags, attributes, reported_at, created_at, updated_at,
  last_seen_at)
SELECT :app,
  (lpad(to_hex((n * 2654435761) % 4294967296), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
  1, platform, environment,
  CASE WHEN apns_token IS NOT NULL THEN decode(digits, 'hex') END, apns_status,
  CASE WHEN apns_token IS NOT NULL THEN created_at END,
  CASE WHEN apns_token IS NOT NULL THEN now END,
  CASE WHEN voip_token IS NOT NULL THEN decode(reverse(digits), 'hex') END, voip_status,
  CASE WHEN voip_token IS NOT NULL THEN created_at END,
  CASE WHEN voip_token IS NOT NULL THEN now END,
  languages, facets, locale, time_zone, app_version, app_version_order, app_build, app_build_order,
  os_version, os_version_order, device_model, localization, capabilities, "authorization",
  'u' || lpad(n::text, 8, '0'), tags, attributes, reported_at, created_at, created_at, now
FROM generate_series(1::bigint, :count) AS n
JOIN bench_profile ON number = n % (SELECT count(*) FROM bench_profile)
CROSS JOIN date_trunc('milliseconds', now()) AS now
CROSS JOIN LATERAL (
  SELECT lpad(to_hex((n * 2246822519) % 4294967296), 8, '0') || lpad(to_hex(n), 56, '0') AS digits,
    -- Scattered over ninety days, in an order that is not that of the keys.
    now - make_interval(secs => (n * 40503) % 7776000) AS created_at) AS spelled;

INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)
SELECT app_id, environment, kind, token, installation_id, registered_at
FROM installation
CROSS JOIN LATERAL (VALUES
  ('apns', apns_token, apns_registered_at), ('voip', voip_token, voip_registered_at)
) AS credential (kind, token, registered_at)
WHERE app_id = :app AND token IS NOT NULL;

INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event, source)
SELECT app_id, installation_id, registered_at, environment, kind, token, 'registered', 'backend'
FROM token_owner WHERE app_id = :app ORDER BY registered_at;

COMMIT;

VACUUM ANALYZE installation;
VACUUM ANALYZE token_owner;
VACUUM ANALYZE token_history;
CHECKPOINT;
