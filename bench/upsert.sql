-- The reference of registrations: half are new, half bring a new token and version to one of
-- :first to :last. Each is one transaction that writes what the service writes for the same report:
-- the installation, its tokens in the ledger (the new ones taken, the old ones given up), and the
-- events of both in the history. What a profile has is in bench_profile.

\set new random(0, 1)
\if :new
\set n random(1099511627776, 70368744177664)
\set scatter random(0, 4294967295)
\else
\set n random(:first, :last)
\set scatter (:n * 2654435761) % 4294967296
\endif
\set profile :n % :profiles
\set token_scatter random(0, 4294967295)
\set token_tail random(1099511627776, 70368744177664)
\set version random(1, 1000000)
BEGIN;
\if :new
INSERT INTO installation (
  app_id, installation_id, revision, platform, environment, apns_token, apns_status,
  apns_registered_at, apns_presented_at, voip_token, voip_status, voip_registered_at,
  voip_presented_at, languages, facets, locale, time_zone, app_version, app_version_order,
  app_build, app_build_order, os_version, os_version_order, device_model, localization,
  capabilities, "authorization", user_id, tags, attributes, reported_at, created_at, updated_at,
  last_seen_at)
SELECT :app,
  (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
  1, platform, environment,
  CASE WHEN apns_token IS NOT NULL THEN decode(digits, 'hex') END, apns_status,
  CASE WHEN apns_token IS NOT NULL THEN now() END,
  CASE WHEN apns_token IS NOT NULL THEN now() END,
  CASE WHEN voip_token IS NOT NULL THEN decode(reverse(digits), 'hex') END, voip_status,
  CASE WHEN voip_token IS NOT NULL THEN now() END,
  CASE WHEN voip_token IS NOT NULL THEN now() END,
  languages, facets, locale, time_zone, '3.2.0', '{3,2}', app_build, app_build_order, os_version,
  os_version_order, device_model, localization, capabilities, "authorization",
  'u' || lpad((:n::bigint % 100000000)::text, 8, '0'), tags, attributes, reported_at, now(), now(),
  now()
FROM bench_profile,
  (SELECT lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0')) AS spelled (digits)
WHERE number = :profile
ON CONFLICT (app_id, installation_id) DO NOTHING;
INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)
SELECT :app, 'production', kind, decode(digits, 'hex'),
  (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
  now()
FROM bench_profile,
  (SELECT lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0')) AS spelled (token),
  LATERAL (VALUES ('apns', token, apns_token), ('voip', reverse(token), voip_token))
    AS credential (kind, digits, had)
WHERE number = :profile AND had IS NOT NULL
ON CONFLICT (app_id, environment, kind, token) DO UPDATE SET
  installation_id = excluded.installation_id, registered_at = excluded.registered_at;
INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event, source)
SELECT :app,
  (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
  now(), 'production', kind, decode(digits, 'hex'), 'registered', 'backend'
FROM bench_profile,
  (SELECT lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0')) AS spelled (token),
  LATERAL (VALUES ('apns', token, apns_token), ('voip', reverse(token), voip_token))
    AS credential (kind, digits, had)
WHERE number = :profile AND had IS NOT NULL;
\else
-- The tokens before it: a subquery sees the row as it was when the statement began.
UPDATE installation AS i SET
  revision = revision + 1, platform = p.platform, environment = p.environment,
  apns_token = CASE WHEN p.apns_token IS NOT NULL THEN decode(digits, 'hex') END,
  apns_status = p.apns_status,
  apns_registered_at = CASE WHEN p.apns_token IS NOT NULL THEN now() END,
  apns_presented_at = CASE WHEN p.apns_token IS NOT NULL THEN now() END,
  voip_token = CASE WHEN p.voip_token IS NOT NULL THEN decode(reverse(digits), 'hex') END,
  voip_status = p.voip_status,
  voip_registered_at = CASE WHEN p.voip_token IS NOT NULL THEN now() END,
  voip_presented_at = CASE WHEN p.voip_token IS NOT NULL THEN now() END,
  languages = p.languages, facets = p.facets, locale = p.locale, time_zone = p.time_zone,
  app_version = '3.2.' || :version::bigint, app_version_order = ARRAY[3, 2, :version::bigint],
  app_build = p.app_build, app_build_order = p.app_build_order, os_version = p.os_version,
  os_version_order = p.os_version_order, device_model = p.device_model,
  localization = p.localization, capabilities = p.capabilities,
  "authorization" = p."authorization", user_id = 'u' || lpad(:n::bigint::text, 8, '0'),
  tags = p.tags, attributes = p.attributes, reported_at = p.reported_at, updated_at = now(),
  last_seen_at = now()
FROM bench_profile AS p,
  (SELECT lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0')) AS spelled (digits)
WHERE p.number = :profile AND app_id = :app
  AND installation_id = (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid
RETURNING (
  SELECT coalesce(encode(apns_token, 'hex'), '') || '-' || coalesce(encode(voip_token, 'hex'), '')
  FROM installation
  WHERE app_id = i.app_id AND installation_id = i.installation_id) AS old_tokens \gset
INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at,
  moved_from)
SELECT :app, 'production', kind, decode(digits, 'hex'), owner, now(), former
FROM bench_profile,
  (SELECT lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0'),
    (lpad(to_hex(:scatter::bigint), 8, '0')
      || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
    split_part(:old_tokens, '-', 1), split_part(:old_tokens, '-', 2)
  ) AS spelled (token, id, old_apns, old_voip),
  LATERAL (VALUES ('apns', token, id, NULL, apns_token), ('apns', old_apns, NULL, id, apns_token),
    ('voip', reverse(token), id, NULL, voip_token), ('voip', old_voip, NULL, id, voip_token))
    AS credential (kind, digits, owner, former, had)
WHERE number = :profile AND had IS NOT NULL AND digits <> ''
ON CONFLICT (app_id, environment, kind, token) DO UPDATE SET
  installation_id = excluded.installation_id, registered_at = excluded.registered_at,
  moved_from = excluded.moved_from;
INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event, source)
SELECT :app,
  (lpad(to_hex(:scatter::bigint), 8, '0')
    || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid,
  now(), 'production', kind, decode(digits, 'hex'), event, 'backend'
FROM bench_profile,
  (SELECT lpad(to_hex(:token_scatter::bigint), 8, '0')
    || lpad(to_hex(:token_tail::bigint), 56, '0'),
    split_part(:old_tokens, '-', 1), split_part(:old_tokens, '-', 2)
  ) AS spelled (token, old_apns, old_voip),
  LATERAL (VALUES ('apns', old_apns, 'replaced', apns_token),
    ('apns', token, 'rotated', apns_token), ('voip', old_voip, 'replaced', voip_token),
    ('voip', reverse(token), 'rotated', voip_token)) AS credential (kind, digits, event, had)
WHERE number = :profile AND had IS NOT NULL AND digits <> '';
\endif
COMMIT;
