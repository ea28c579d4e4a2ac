-- Installations 1 to :count of app :app with their tokens and history, as installation.lua reports
-- them and the service stores them.

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

-- What it is found by, in the order in which the service lists it.
CREATE TEMPORARY TABLE facet_list AS
SELECT number, languages, ARRAY(
  SELECT :app || ':' || facet
  FROM unnest('{platform:ios,environment:production,authorization:authorized,localization:auto,'
    'credential:apns,apns:active,status:active,tag:beta,has:plan,attribute:4:plan=pro}'::text[]
    || ARRAY(SELECT 'language:' || range FROM unnest(ranges) AS range)
    || '{time_zone:Asia/Hong_Kong,capability:loc-key,capability:mutable-content,switches:0:ttf-,'
      'switches:1:-ft-}') AS facet) AS facets
FROM language_list;

BEGIN;

INSERT INTO installation (
  app_id, installation_id, revision, platform, environment,
  apns_token, apns_status, apns_registered_at, apns_presented_at, languages, facets, locale,
  time_zone, app_version, app_version_order, app_build, app_build_order, os_version,
  os_version_order, device_model, localization, capabilities, "authorization", user_id, tags,
  attributes, reported_at, created_at, updated_at, last_seen_at)
SELECT :app,
  (lpad(to_hex((n * 2654435761) % 4294967296), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
  1, 'ios', 'production',
  decode(lpad(to_hex((n * 2246822519) % 4294967296), 8, '0') || lpad(to_hex(n), 56, '0'), 'hex'),
  'active', created_at, now, languages, facets, 'en_HK', 'Asia/Hong_Kong',
  '3.2.0', '{3,2}', '412', '{412}', '17.4.1', '{17,4,1}', 'iPhone15,2', 'auto',
  '{loc-key,mutable-content}',
  -- As the service writes it: names sorted, no spaces.
  '{"alert":true,"badge":true,"critical_alert":false,"sound":false,'
    '"status":"authorized","time_sensitive":true}',
  'u' || lpad(n::text, 8, '0'), '{beta}', '{"plan":"pro"}', '2025-05-02T19:32:41Z',
  created_at, created_at, now
FROM generate_series(1::bigint, :count) AS n
JOIN facet_list ON number = n % 8
CROSS JOIN date_trunc('milliseconds', now()) AS now
-- Scattered over ninety days, in an order that is not that of the keys.
CROSS JOIN LATERAL (
  SELECT now - make_interval(secs => (n * 40503) % 7776000) AS created_at) AS time;

INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)
SELECT app_id, environment, 'apns', apns_token, installation_id, apns_registered_at
FROM installation WHERE app_id = :app;

INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event, source)
SELECT app_id, installation_id, apns_registered_at, environment, 'apns', apns_token, 'registered',
  'backend'
FROM installation WHERE app_id = :app ORDER BY apns_registered_at;

COMMIT;

VACUUM ANALYZE installation;
VACUUM ANALYZE token_owner;
VACUUM ANALYZE token_history;
CHECKPOINT;
