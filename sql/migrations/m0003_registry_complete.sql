-- Identity, history, feedback, queries and retention.

-- Deleting an app hides it at once; its rows go in portions afterwards, and its name is free.
ALTER TABLE app
  DROP CONSTRAINT app_slug_key,
  ADD COLUMN identity_secrets text[] NOT NULL DEFAULT '{}',
  ADD COLUMN stale_after_days integer CHECK (stale_after_days > 0),
  ADD COLUMN deleted_at timestamptz;
CREATE UNIQUE INDEX app_slug ON app (slug) WHERE deleted_at IS NULL;

-- A language that the backend chose for a person: of all devices, also of later ones.
CREATE TABLE user_language (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  user_id text NOT NULL,
  language text NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, user_id)
);

-- When the app last brought the token, to a day: what a late 410 is compared with.
ALTER TABLE installation
  ADD COLUMN apns_presented_at timestamptz,
  ADD COLUMN voip_presented_at timestamptz,
  ADD COLUMN facets text[],
  ADD COLUMN app_version_order bigint[],
  ADD COLUMN os_version_order bigint[];

-- Times are kept in the milliseconds in which they are shown, so that an export reads back as it
-- was.
UPDATE installation SET
  apns_presented_at = date_trunc('milliseconds', apns_registered_at),
  voip_presented_at = date_trunc('milliseconds', voip_registered_at),
  apns_registered_at = date_trunc('milliseconds', apns_registered_at),
  voip_registered_at = date_trunc('milliseconds', voip_registered_at),
  reported_at = date_trunc('milliseconds', reported_at),
  created_at = date_trunc('milliseconds', created_at),
  updated_at = date_trunc('milliseconds', updated_at),
  last_seen_at = date_trunc('milliseconds', last_seen_at),
  app_version_order = string_to_array(regexp_replace(app_version, '(\.0+)+$', ''), '.')::bigint[],
  os_version_order = string_to_array(regexp_replace(os_version, '(\.0+)+$', ''), '.')::bigint[],
  facets = (
    SELECT array_agg(app_id || ':' || facet) FROM (
      VALUES ('platform:' || platform), ('environment:' || environment),
        ('localization:' || localization),
        (CASE WHEN apns_token IS NOT NULL THEN 'credential:apns' END), ('apns:' || apns_status),
        (CASE WHEN voip_token IS NOT NULL THEN 'credential:voip' END), ('voip:' || voip_status),
        ('status:' || apns_status),
        (CASE WHEN voip_status IS DISTINCT FROM apns_status THEN 'status:' || voip_status END)
      UNION ALL SELECT 'tag:' || tag FROM unnest(tags) AS tag
      UNION ALL SELECT 'language:' || range FROM unnest(language_ranges) AS range
    ) AS facets (facet) WHERE facet IS NOT NULL
  );

DROP INDEX installation_language;
ALTER TABLE installation
  DROP COLUMN language_ranges,
  ALTER COLUMN facets SET NOT NULL,
  ALTER COLUMN facets SET STATISTICS 300;

CREATE INDEX installation_facets ON installation USING gin (facets);
CREATE INDEX installation_seen ON installation (app_id, last_seen_at, installation_id);
-- Those that never had a token stand at 1970, so that the order has a place for them.
CREATE INDEX installation_registered ON installation (
  app_id, coalesce(greatest(apns_registered_at, voip_registered_at), 'epoch'), installation_id);
CREATE INDEX installation_app_version ON installation (app_id, app_version_order)
  WHERE app_version_order IS NOT NULL;
CREATE INDEX installation_os_version ON installation (app_id, os_version_order)
  WHERE os_version_order IS NOT NULL;

-- A token that was given up keeps its row, without an owner, for a while. Takeovers: how often it
-- changed hands within a day, as nobody may collect other people's tokens.
ALTER TABLE token_owner
  ALTER COLUMN installation_id DROP NOT NULL,
  ADD COLUMN takeovers smallint,
  ADD COLUMN takeovers_since timestamptz;

-- By which those that were given up long ago are found.
CREATE INDEX token_owner_given_up ON token_owner (registered_at) WHERE installation_id IS NULL;

-- What happened to tokens. The number is given while the token's rows are locked, so within a
-- token and within an installation it is the order in which it happened.
CREATE TABLE token_history (
  id bigint GENERATED ALWAYS AS IDENTITY,
  app_id integer NOT NULL,
  installation_id uuid NOT NULL,
  at timestamptz NOT NULL,
  environment text NOT NULL,
  kind text NOT NULL,
  token bytea NOT NULL,
  event text NOT NULL CHECK (event IN ('registered', 'rotated', 'replaced', 'moved', 'revived',
    'invalidated', 'quarantined', 'restored', 'removed')),
  source text NOT NULL
    CHECK (source IN ('app', 'backend', 'import', 'feedback', 'maintenance')),
  reason text,
  from_installation_id uuid
) PARTITION BY RANGE (at);
-- Months have partitions of their own, made ahead; what falls between is caught here.
CREATE TABLE token_history_default PARTITION OF token_history DEFAULT;
CREATE INDEX token_history_installation ON token_history (app_id, installation_id, id);
CREATE INDEX token_history_token ON token_history (app_id, token, id);
CREATE INDEX token_history_from ON token_history (app_id, from_installation_id, id)
  WHERE from_installation_id IS NOT NULL;

INSERT INTO token_history (app_id, installation_id, at, environment, kind, token, event, source)
SELECT app_id, installation_id, date_trunc('milliseconds', registered_at), environment, kind,
  token, 'registered', 'app'
FROM token_owner ORDER BY registered_at;

ALTER TABLE registration_failure RENAME TO registration_failure_before;
ALTER TABLE registration_failure_before
  DROP CONSTRAINT registration_failure_kind_check,
  DROP CONSTRAINT registration_failure_environment_check,
  DROP CONSTRAINT registration_failure_platform_check;
DROP INDEX registration_failure_occurred, registration_failure_installation;
CREATE TABLE registration_failure (
  app_id integer NOT NULL,
  id uuid NOT NULL,
  installation_id uuid,
  kind text NOT NULL CHECK (kind IN ('apns', 'voip', 'authorization')),
  domain text NOT NULL,
  code bigint NOT NULL,
  message text,
  environment text CHECK (environment IN ('production', 'sandbox')),
  platform text CHECK (platform IN ('ios', 'ipados', 'macos', 'tvos', 'watchos', 'visionos')),
  app_version text,
  os_version text,
  device_model text,
  occurred_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL
) PARTITION BY RANGE (received_at);
CREATE TABLE registration_failure_default PARTITION OF registration_failure DEFAULT;
INSERT INTO registration_failure SELECT * FROM registration_failure_before;
DROP TABLE registration_failure_before;
CREATE INDEX registration_failure_occurred
  ON registration_failure (app_id, occurred_at DESC, id DESC);
CREATE INDEX registration_failure_installation
  ON registration_failure (app_id, installation_id) WHERE installation_id IS NOT NULL;

-- What admin and root keys did. It outlives the app, whose name at the time it keeps.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL,
  app_id integer,
  app text,
  key_id uuid NOT NULL,
  key_kind text NOT NULL,
  key_label text NOT NULL,
  operation text NOT NULL,
  target text,
  status smallint NOT NULL,
  request_id text NOT NULL
) PARTITION BY RANGE (at);
CREATE TABLE audit_log_default PARTITION OF audit_log DEFAULT;
CREATE INDEX audit_log_app ON audit_log (app_id, id);
CREATE INDEX audit_log_id ON audit_log (id);
CREATE INDEX audit_log_name ON audit_log (app, id);

-- Bursts of refused tokens, which mean that the sender mistook the environment. refused are those
-- of the last minute, each with its time; accepted are the pushes that were taken since then, and
-- accepted_before those of the minute before.
CREATE TABLE feedback_breaker (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  environment text NOT NULL CHECK (environment IN ('production', 'sandbox')),
  refused bytea[] NOT NULL,
  refused_at timestamptz[] NOT NULL,
  accepted bigint NOT NULL,
  accepted_before bigint NOT NULL,
  accepted_since timestamptz NOT NULL,
  opened_at timestamptz,
  last_refused_at timestamptz,
  trusted_until timestamptz,
  PRIMARY KEY (app_id, environment)
);
