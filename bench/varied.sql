-- Installations 1 to :count of app :app with their tokens, as different from each other as those of
-- a large app: what filters are measured on. Rows lie in no order of any key.

\set ON_ERROR_STOP on

-- The indexes are built at the end: an hour of inserts becomes a minute.
SET maintenance_work_mem = '512MB';
CREATE TEMPORARY TABLE built AS
SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
FROM pg_index WHERE indrelid = 'installation'::regclass AND NOT indisprimary;
SELECT format('DROP INDEX %s', name) FROM built \gexec

-- The nodes of a number from an octave down to its 4096th, and its place in the order of numbers
-- (Sources/Server/Registry/Search/AttributeNumber.swift), for numbers from 2^-16 to 2^63, and 0.
CREATE FUNCTION pg_temp.number_words(name text, number float8) RETURNS text[]
LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY[head || ':a' || (place >> 12), head || ':b' || (place >> 6),
    head || ':c' || place, head || '=' || lpad(to_hex(bits # (-9223372036854775808)), 16, '0')]
  FROM (SELECT 'number:' || length(name) || ':' || name,
    ('x' || encode(float8send(number), 'hex'))::bit(64)::bigint) AS float (head, bits)
  CROSS JOIN LATERAL (SELECT CASE number WHEN 0 THEN 0 ELSE
    ((((bits >> 52) & 2047) - 1006) << 12) | ((bits >> 40) & 4095) END) AS node (place)
$$;

CREATE TEMPORARY TABLE language_list (number integer, languages text[], ranges text[]);
INSERT INTO language_list VALUES
  (0, '{en-US}', '{en-us,en}'),
  (1, '{de-DE,en-DE}', '{de-de,de,en-de,en}'),
  (2, '{fr-CA,en-CA}', '{fr-ca,fr,en-ca,en}'),
  (3, '{zh-Hant-HK,en-GB}', '{zh-hant-hk,zh-hant,zh,en-gb,en}'),
  (4, '{es-MX,en-US}', '{es-mx,es,en-us,en}'),
  (5, '{ja-JP}', '{ja-jp,ja}'),
  (6, '{pt-BR,en-US}', '{pt-br,pt,en-us,en}'),
  (7, '{en-GB,fr-FR}', '{en-gb,en,fr-fr,fr}'),
  (8, '{is-IS,da-DK}', '{is-is,is,da-dk,da}');

-- What apps would report.
SELECT setseed(0.25);
CREATE TEMPORARY TABLE report AS
SELECT n, md5('installation ' || n)::uuid AS installation_id,
  sha256(convert_to('token ' || n, 'UTF8')) AS token,
  CASE WHEN r[1] < 0.72 THEN 'ios' WHEN r[1] < 0.94 THEN 'ipados' WHEN r[1] < 0.98 THEN 'macos'
    WHEN r[1] < 0.99 THEN 'tvos' WHEN r[1] < 0.997 THEN 'watchos' ELSE 'visionos' END AS platform,
  CASE WHEN r[2] < 0.002 THEN 'sandbox' ELSE 'production' END AS environment,
  CASE WHEN r[3] < 0.93 THEN 'active' WHEN r[3] < 0.9992 THEN 'invalid' ELSE 'quarantined' END
    AS status,
  CASE WHEN r[4] < 0.004 THEN 'active' END AS voip_status,
  CASE WHEN r[5] < 0.15 THEN 'denied' WHEN r[5] < 0.152 THEN 'ephemeral'
    WHEN r[5] < 0.18 THEN 'provisional' WHEN r[5] < 0.2 THEN 'not_determined'
    ELSE 'authorized' END AS "authorization",
  r[5] > 0.2 AND r[6] < 0.93 AS alert, r[7] < 0.0008 AS critical_alert,
  CASE WHEN r[8] < 0.9 THEN 'available' WHEN r[8] < 0.998 THEN 'denied' ELSE 'restricted' END
    AS background_refresh,
  CASE WHEN r[9] < 0.97 THEN 'auto' WHEN r[9] < 0.999 THEN 'client' ELSE 'server' END
    AS localization,
  ARRAY['loc-key'] || CASE WHEN r[10] < 0.6 THEN '{mutable-content}'::text[] ELSE '{}' END
    || CASE WHEN r[11] < 0.001 THEN '{live-activity}'::text[] ELSE '{}' END AS capabilities,
  CASE WHEN r[12] < 0.0008 THEN 'Pacific/Auckland' WHEN r[12] < 0.0024 THEN 'Atlantic/Reykjavik'
    WHEN r[12] < 0.32 THEN 'Asia/Hong_Kong' WHEN r[12] < 0.6 THEN 'America/Toronto'
    WHEN r[12] < 0.9 THEN 'Europe/Berlin' ELSE 'Asia/Tokyo' END AS time_zone,
  -- A vip gets no news.
  CASE WHEN r[13] < 0.41 THEN '{news}'::text[] WHEN r[13] > 0.9 AND r[13] < 0.901 THEN '{vip}'
    ELSE '{}' END || CASE WHEN r[14] < 0.0195 THEN '{beta}'::text[] ELSE '{}' END
    || CASE WHEN r[15] < 0.0005 THEN '{canary}'::text[] ELSE '{}' END AS tags,
  CASE WHEN r[16] < 0.03 THEN 'pro' WHEN r[16] < 0.2 THEN 'plus' WHEN r[16] < 0.7 THEN 'free' END
    AS plan,
  CASE WHEN r[17] < 0.002 THEN true END AS tester,
  -- Many come a few times, few come often.
  floor(exp(9 * r[18]))::integer AS visits,
  CASE WHEN r[19] < 0.5 THEN timestamptz '2025-11-28Z' + make_interval(
    secs => floor(r[19] * 2 * 720 * 86400)) END AS expires,
  CASE WHEN r[20] < 0.017 THEN 400 + floor(r[21] * 2)::integer
    WHEN r[20] < 0.59 THEN 402 + floor(r[21] * 48)::integer
    ELSE 450 + floor(r[21] * 13.5)::integer END AS build,
  CASE WHEN r[22] < 0.7 THEN 17 WHEN r[22] < 0.988 THEN 16 WHEN r[22] < 0.998 THEN 15 ELSE 14 END
    AS system,
  CASE WHEN r[23] < 0.002 THEN 8 ELSE floor(r[24] * 8)::integer END AS language,
  CASE WHEN r[25] < 0.8 THEN 'u' || lpad(floor(r[26] * 600000)::integer::text, 8, '0') END
    AS user_id,
  now - make_interval(secs => 120 * 86400 * r[27] ^ 1.2) AS updated_at,
  r[28] AS age, r[29] AS rest, now
FROM (
  SELECT n, ARRAY[random(), random(), random(), random(), random(), random(), random(), random(),
    random(), random(), random(), random(), random(), random(), random(), random(), random(),
    random(), random(), random(), random(), random(), random(), random(), random(), random(),
    random(), random(), random()] AS r
  FROM generate_series(1::bigint, :count) AS n OFFSET 0
) AS lot
CROSS JOIN date_trunc('milliseconds', now()) AS now;

INSERT INTO installation (
  app_id, installation_id, revision, platform, environment, apns_token, apns_status,
  apns_registered_at, apns_presented_at, voip_token, voip_status, voip_registered_at, languages,
  facets, locale, time_zone, app_version, app_version_order, app_build, app_build_order, os_version,
  os_version_order, device_model, localization, capabilities, "authorization", background_refresh,
  user_id, tags, attributes, reported_at, created_at, updated_at, last_seen_at)
SELECT :app, installation_id, 1, platform, environment, token, status, registered_at, last_seen_at,
  CASE WHEN voip_status IS NOT NULL THEN token END, voip_status,
  CASE WHEN voip_status IS NOT NULL THEN registered_at END, languages,
  ARRAY(
    SELECT :app || ':' || facet
    FROM unnest(ARRAY['platform:' || platform, 'environment:' || environment,
      'authorization:' || "authorization", 'localization:' || localization,
      'background_refresh:' || background_refresh, 'credential:apns', 'apns:' || status,
      'credential:' || CASE WHEN voip_status IS NOT NULL THEN 'voip' END, 'voip:' || voip_status,
      'status:' || status, 'status:' || CASE WHEN voip_status <> status THEN voip_status END]
      || ARRAY(SELECT 'tag:' || tag FROM unnest(tags) AS tag)
      || CASE WHEN expires IS NOT NULL THEN
        ARRAY['has:expires', 'attribute:7:expires=' || expires_text]
        || pg_temp.number_words('expires', date_part('epoch', expires)) ELSE '{}' END
      || CASE WHEN plan IS NOT NULL
        THEN ARRAY['has:plan', 'attribute:4:plan=' || plan] ELSE '{}' END
      || CASE WHEN tester THEN '{has:tester,attribute:6:tester=true}'::text[] ELSE '{}' END
      || ARRAY['has:visits', 'attribute:6:visits=' || visits]
      || pg_temp.number_words('visits', visits)
      || ARRAY(SELECT 'language:' || range FROM unnest(ranges) AS range)
      || ('time_zone:' || time_zone)
      || ARRAY(SELECT 'capability:' || capability FROM unnest(capabilities) AS capability)
      || ARRAY['switches:0:' || alert_letter || 'tt-', 'switches:1:-' || critical_letter || 't-']
    ) AS facet WHERE facet IS NOT NULL),
  'en_HK', time_zone, version,
  -- Without zeros behind.
  string_to_array(regexp_replace(version, '\.0$', ''), '.')::bigint[], build::text, ARRAY[build],
  system || '.4.1', ARRAY[system, 4, 1], 'iPhone15,2', localization, capabilities,
  -- As the service writes it: names sorted, no spaces.
  format('{"alert":%s,"badge":true,"critical_alert":%s,"sound":true,"status":"%s",'
    '"time_sensitive":true}', alert::text, critical_alert::text, "authorization"),
  background_refresh, user_id, tags,
  '{' || concat_ws(',', '"expires":"' || expires_text || '"', '"plan":"' || plan || '"',
    '"tester":' || tester, '"visits":' || visits) || '}',
  '2025-05-02T19:32:41Z', created_at, changed_at, last_seen_at
FROM report
JOIN language_list ON number = language
CROSS JOIN LATERAL (
  SELECT to_char(expires AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    CASE WHEN alert THEN 't' ELSE 'f' END, CASE WHEN critical_alert THEN 't' ELSE 'f' END,
    '3.' || (build - 400) / 4,
    date_trunc('milliseconds', updated_at - make_interval(secs => 600 * 86400 * age)),
    date_trunc('milliseconds', updated_at - make_interval(secs => 100 * 86400 * age * rest)),
    date_trunc('milliseconds', updated_at + rest * (now - updated_at)),
    date_trunc('milliseconds', updated_at)
  ) AS derived (expires_text, alert_letter, critical_letter, version, created_at, registered_at,
    last_seen_at, changed_at);

INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)
SELECT app_id, environment, 'apns', apns_token, installation_id, apns_registered_at
FROM installation WHERE app_id = :app;

SELECT definition FROM built \gexec

VACUUM ANALYZE installation;
VACUUM ANALYZE token_owner;
CHECKPOINT;
