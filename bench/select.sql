-- The reference of a render: one of :first to :last by its key, the columns that the service reads.

\set n random(:first, :last)
\set scatter (:n * 2654435761) % 4294967296
SELECT app_id, installation_id, revision, secret_hash, platform, environment,
  apns_token, apns_status, apns_registered_at, apns_presented_at, apns_invalidated_at, apns_reason,
  voip_token, voip_status, voip_registered_at, voip_presented_at, voip_invalidated_at, voip_reason,
  languages, locale, time_zone, app_version, app_build, os_version, device_model, localization,
  capabilities, "authorization", background_refresh, user_id, tags, attributes,
  bundle_id, frequent_pushes, live_activities_allowed, other_credentials,
  language_override, reported_at, created_at, updated_at, last_seen_at
FROM installation
WHERE app_id = :app AND installation_id = (lpad(to_hex(:scatter::bigint), 8, '0')
  || '-0000-4000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid;
