-- The reference of registrations: half are new, half bring a new token and version to one of
-- :first to :last. One row each in both tables, in one transaction.

\set new random(0, 1)
\if :new
\set n random(1000000, 2000000000)
\else
\set n random(:first, :last)
\endif
\set scatter (:n * 2654435761) % 4294967296
\set token_scatter random(0, 4294967295)
\set token_tail random(1099511627776, 70368744177664)
\set version random(0, 1000000)
BEGIN;
INSERT INTO installation (
  app_id, installation_id, revision, platform, environment,
  apns_token, apns_status, apns_registered_at, languages, language_ranges, locale, time_zone,
  app_version, app_build, os_version, device_model, localization, capabilities, "authorization",
  user_id, tags, attributes, reported_at, created_at, updated_at, last_seen_at)
VALUES (:app,
  (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
  1, 'ios', 'production',
  decode(lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0'), 'hex'),
  'active', now(), '{zh-Hant-HK,en-GB}', '{zh-hant-hk,zh-hant,zh,en-gb,en}', 'en_HK',
  'Asia/Hong_Kong', '3.2.' || :version::bigint, '412', '17.4.1', 'iPhone15,2', 'auto',
  '{loc-key,mutable-content}',
  '{"status": "authorized", "alert": true, "badge": true, "sound": false, "critical_alert": false, "time_sensitive": true}',
  'u' || lpad(:n::bigint::text, 8, '0'), '{beta}', '{"plan": "pro"}', '2025-05-02T19:32:41Z',
  now(), now(), now())
ON CONFLICT (app_id, installation_id) DO UPDATE SET
  revision = installation.revision + 1, platform = excluded.platform,
  environment = excluded.environment, apns_token = excluded.apns_token,
  apns_status = excluded.apns_status, apns_registered_at = excluded.apns_registered_at,
  languages = excluded.languages, language_ranges = excluded.language_ranges,
  locale = excluded.locale, time_zone = excluded.time_zone, app_version = excluded.app_version,
  app_build = excluded.app_build, os_version = excluded.os_version,
  device_model = excluded.device_model, localization = excluded.localization,
  capabilities = excluded.capabilities, "authorization" = excluded."authorization",
  user_id = excluded.user_id, tags = excluded.tags, attributes = excluded.attributes,
  reported_at = excluded.reported_at, updated_at = excluded.updated_at,
  last_seen_at = excluded.last_seen_at;
INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)
VALUES (:app, 'production', 'apns',
  decode(lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0'), 'hex'),
  (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
  now())
ON CONFLICT (app_id, environment, kind, token) DO UPDATE SET
  installation_id = excluded.installation_id, registered_at = excluded.registered_at;
COMMIT;
