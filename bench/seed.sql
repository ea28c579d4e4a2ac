-- Installations 1 to :count of app :app with their tokens, as installation.lua reports them.

\set ON_ERROR_STOP on

CREATE TEMPORARY TABLE language_list (number integer, languages text[], ranges text[]);
INSERT INTO language_list VALUES
  (0, '{en-US}', '{en-us,en}'),
  (1, '{de-DE,en-DE}', '{de-de,de,en-de,en}'),
  (2, '{fr-CA,en-CA}', '{fr-ca,fr,en-ca,en}'),
  (3, '{zh-Hant-HK,en-GB}', '{zh-hant-hk,zh-hant,zh,en-gb,en}'),
  (4, '{es-MX,en-US}', '{es-mx,es,en-us,en}'),
  (5, '{ja-JP}', '{ja-jp,ja}'),
  (6, '{pt-BR,en-US}', '{pt-br,pt,en-us,en}'),
  (7, '{en-GB,fr-FR}', '{en-gb,en,fr-fr,fr}');

BEGIN;

INSERT INTO installation (
  app_id, installation_id, revision, platform, environment,
  apns_token, apns_status, apns_registered_at, languages, language_ranges, locale, time_zone,
  app_version, app_build, os_version, device_model, localization, capabilities, "authorization",
  user_id, tags, attributes, reported_at, created_at, updated_at, last_seen_at)
SELECT :app,
  (lpad(to_hex((n * 2654435761) % 4294967296), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
  1, 'ios', 'production',
  decode(lpad(to_hex((n * 2246822519) % 4294967296), 8, '0') || lpad(to_hex(n), 56, '0'), 'hex'),
  'active', created_at, languages, ranges, 'en_HK', 'Asia/Hong_Kong',
  '3.2.0', '412', '17.4.1', 'iPhone15,2', 'auto', '{loc-key,mutable-content}',
  -- As the service writes it: names sorted, no spaces.
  '{"alert":true,"badge":true,"critical_alert":false,"sound":false,'
    '"status":"authorized","time_sensitive":true}',
  'u' || lpad(n::text, 8, '0'), '{beta}', '{"plan":"pro"}', '2025-05-02T19:32:41Z',
  created_at, created_at, now()
FROM generate_series(1::bigint, :count) AS n
JOIN language_list ON number = n % 8
-- Scattered over ninety days, in an order that is not that of the keys.
CROSS JOIN LATERAL (
  SELECT now() - make_interval(secs => (n * 40503) % 7776000) AS created_at) AS time;

INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)
SELECT app_id, environment, 'apns', apns_token, installation_id, apns_registered_at
FROM installation WHERE app_id = :app;

COMMIT;

VACUUM ANALYZE installation;
VACUUM ANALYZE token_owner;
CHECKPOINT;
