-- The reference of registrations: half are new, half bring a new token and version to one of
-- :first to :last. Each is one transaction that writes what the service writes for the same report:
-- the installation, its tokens in the ledger (the new one taken, the old one given up), and the
-- events of both in the history.

\set new random(0, 1)
\if :new
\set n random(1099511627776, 70368744177664)
\set scatter random(0, 4294967295)
\else
\set n random(:first, :last)
\set scatter (:n * 2654435761) % 4294967296
\endif
\set token_scatter random(0, 4294967295)
\set token_tail random(1099511627776, 70368744177664)
\set version random(1, 1000000)
-- Points and signs stand for the colons and the app's number: pgbench takes a word behind a colon
-- for a variable, even within quotes.
BEGIN;
\if :new
INSERT INTO installation (
  app_id, installation_id, revision, platform, environment,
  apns_token, apns_status, apns_registered_at, apns_presented_at, languages, facets, locale,
  time_zone, app_version, app_version_order, app_build, app_build_order, os_version,
  os_version_order, device_model, localization, capabilities, "authorization", user_id, tags,
  attributes, reported_at, created_at, updated_at, last_seen_at)
VALUES (:app,
  (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
  1, 'ios', 'production',
  decode(lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0'), 'hex'),
  'active', now(), now(),
  (ARRAY['{en-US}', '{de-DE,en-DE}', '{fr-CA,en-CA}', '{zh-Hant-HK,en-GB}', '{es-MX,en-US}',
    '{ja-JP}', '{pt-BR,en-US}', '{en-GB,fr-FR}'])[:n::bigint % 8 + 1]::text[],
  replace(translate('{#.platform.ios,#.environment.production,#.authorization.authorized,'
    '#.localization.auto,#.credential.apns,#.apns.active,#.status.active,#.tag.beta,#.has.plan,'
    '#.attribute.4.plan=pro,#.time_zone.Asia/Hong_Kong,#.capability.loc-key,'
    '#.capability.mutable-content,#.switches.0.ttf-,#.switches.1.-ft-,', '.', ':')
    || translate((ARRAY['#.language.en-us,#.language.en}',
      '#.language.de-de,#.language.de,#.language.en-de,#.language.en}',
      '#.language.fr-ca,#.language.fr,#.language.en-ca,#.language.en}',
      '#.language.zh-hant-hk,#.language.zh-hant,#.language.zh,#.language.en-gb,#.language.en}',
      '#.language.es-mx,#.language.es,#.language.en-us,#.language.en}',
      '#.language.ja-jp,#.language.ja}',
      '#.language.pt-br,#.language.pt,#.language.en-us,#.language.en}',
      '#.language.en-gb,#.language.en,#.language.fr-fr,#.language.fr}'])[:n::bigint % 8 + 1],
      '.', ':'), '#', :app)::text[],
  'en_HK', 'Asia/Hong_Kong', '3.2.0', '{3,2}', '412', '{412}', '17.4.1', '{17,4,1}', 'iPhone15,2',
  'auto', '{loc-key,mutable-content}',
  replace('{"alert": true,"badge": true,"critical_alert": false,"sound": false,'
    '"status": "authorized","time_sensitive": true}', ' ', ''),
  'u' || lpad((:n::bigint % 100000000)::text, 8, '0'), '{beta}', '{"plan":"pro"}',
  '2025-05-02T19:32:41Z', now(), now(), now())
ON CONFLICT (app_id, installation_id) DO NOTHING;
INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)
VALUES (:app, 'production', 'apns',
  decode(lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0'), 'hex'),
  (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
  now())
ON CONFLICT (app_id, environment, kind, token) DO UPDATE SET
  installation_id = excluded.installation_id, registered_at = excluded.registered_at;
INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event, source)
VALUES (:app,
  (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
  now(), 'production', 'apns',
  decode(lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0'), 'hex'),
  'registered', 'backend');
\else
-- The token before it: a subquery sees the row as it was when the statement began.
UPDATE installation AS i SET
  revision = revision + 1, platform = 'ios', environment = 'production',
  apns_token = decode(lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0'), 'hex'),
  apns_status = 'active', apns_registered_at = now(), apns_presented_at = now(),
  languages = (ARRAY['{en-US}', '{de-DE,en-DE}', '{fr-CA,en-CA}', '{zh-Hant-HK,en-GB}',
    '{es-MX,en-US}', '{ja-JP}', '{pt-BR,en-US}', '{en-GB,fr-FR}'])[:n::bigint % 8 + 1]::text[],
  facets = replace(translate('{#.platform.ios,#.environment.production,#.authorization.authorized,'
    '#.localization.auto,#.credential.apns,#.apns.active,#.status.active,#.tag.beta,#.has.plan,'
    '#.attribute.4.plan=pro,#.time_zone.Asia/Hong_Kong,#.capability.loc-key,'
    '#.capability.mutable-content,#.switches.0.ttf-,#.switches.1.-ft-,', '.', ':')
    || translate((ARRAY['#.language.en-us,#.language.en}',
      '#.language.de-de,#.language.de,#.language.en-de,#.language.en}',
      '#.language.fr-ca,#.language.fr,#.language.en-ca,#.language.en}',
      '#.language.zh-hant-hk,#.language.zh-hant,#.language.zh,#.language.en-gb,#.language.en}',
      '#.language.es-mx,#.language.es,#.language.en-us,#.language.en}',
      '#.language.ja-jp,#.language.ja}',
      '#.language.pt-br,#.language.pt,#.language.en-us,#.language.en}',
      '#.language.en-gb,#.language.en,#.language.fr-fr,#.language.fr}'])[:n::bigint % 8 + 1],
      '.', ':'), '#', :app)::text[],
  locale = 'en_HK', time_zone = 'Asia/Hong_Kong', app_version = '3.2.' || :version::bigint,
  app_version_order = ARRAY[3, 2, :version::bigint], app_build = '412', app_build_order = '{412}',
  os_version = '17.4.1', os_version_order = '{17,4,1}', device_model = 'iPhone15,2',
  localization = 'auto',
  capabilities = '{loc-key,mutable-content}',
  "authorization" = replace('{"alert": true,"badge": true,"critical_alert": false,'
    '"sound": false,"status": "authorized","time_sensitive": true}', ' ', ''),
  user_id = 'u' || lpad(:n::bigint::text, 8, '0'), tags = '{beta}', attributes = '{"plan":"pro"}',
  reported_at = '2025-05-02T19:32:41Z', updated_at = now(), last_seen_at = now()
WHERE app_id = :app
  AND installation_id = (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid
RETURNING (
  SELECT encode(apns_token, 'hex') FROM installation
  WHERE app_id = i.app_id AND installation_id = i.installation_id) AS old_token \gset
INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at,
  moved_from)
VALUES
  (:app, 'production', 'apns',
    decode(lpad(to_hex(:token_scatter::bigint), 8, '0')
      || lpad(to_hex(:token_tail::bigint), 56, '0'), 'hex'),
    (lpad(to_hex(:scatter::bigint), 8, '0')
      || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
    now(), NULL),
  (:app, 'production', 'apns', decode(:old_token, 'hex'), NULL, now(),
    (lpad(to_hex(:scatter::bigint), 8, '0')
      || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid)
ON CONFLICT (app_id, environment, kind, token) DO UPDATE SET
  installation_id = excluded.installation_id, registered_at = excluded.registered_at,
  moved_from = excluded.moved_from;
INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event, source)
SELECT :app,
  (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
  now(), 'production', 'apns', token, event, 'backend'
FROM (VALUES (decode(:old_token, 'hex'), 'replaced'),
  (decode(lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0'), 'hex'), 'rotated')) AS x (token, event);
\endif
COMMIT;
