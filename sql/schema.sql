-- The registry. Rules that keep it distributable (Citus): every unique key of a large table
-- contains its distribution column, times and random values are bound by the service, foreign
-- keys point only to the small tables. Text carries CHECKs instead of enum types, so that a new
-- word is one ALTER and a dump reads by itself.

CREATE TABLE app (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  bundle_id text NOT NULL,
  name text NOT NULL,
  development_language text NOT NULL,
  identity_verification text NOT NULL DEFAULT 'off'
    CHECK (identity_verification IN ('off', 'required')),
  local_notification_key text NOT NULL DEFAULT 'payload',
  message_type_key text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

-- Only the SHA-256 of a key is kept. A revoked key stays, so that the list can show it.
CREATE TABLE api_key (
  id uuid PRIMARY KEY,
  app_id integer REFERENCES app ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('client', 'sender', 'admin', 'root')),
  label text NOT NULL,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  created_at timestamptz NOT NULL,
  revoked_at timestamptz,
  CHECK ((kind = 'root') = (app_id IS NULL))
);

CREATE INDEX api_key_app ON api_key (app_id);

-- One app on one device: the whole profile and its tokens, so that a render, a query or an export
-- reads this table alone. Tokens are not indexed here (token_owner leads to them), which leaves
-- the usual changes (token, version, last_seen_at) free of index writes; the fill factor leaves
-- them room on their page (HOT updates). The revision grows by one with each change and settles
-- races between writers.
CREATE TABLE installation (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  installation_id uuid NOT NULL,
  revision bigint NOT NULL,
  secret_hash bytea CHECK (octet_length(secret_hash) = 32),
  platform text NOT NULL
    CHECK (platform IN ('ios', 'ipados', 'macos', 'tvos', 'watchos', 'visionos')),
  environment text NOT NULL CHECK (environment IN ('production', 'sandbox')),
  apns_token bytea,
  apns_status text CHECK (apns_status IN ('active', 'quarantined', 'invalid')),
  apns_registered_at timestamptz,
  apns_invalidated_at timestamptz,
  apns_reason text,
  voip_token bytea,
  voip_status text CHECK (voip_status IN ('active', 'quarantined', 'invalid')),
  voip_registered_at timestamptz,
  voip_invalidated_at timestamptz,
  voip_reason text,
  languages text[] NOT NULL,
  -- Every range that matches one of the languages (RFC 4647 basic filtering), lower case with
  -- hyphens: zh-Hant-HK is found by zh-hant-hk, zh-hant and zh. Derived from languages.
  language_ranges text[] NOT NULL,
  locale text,
  time_zone text,
  app_version text,
  app_build text,
  os_version text,
  device_model text,
  localization text NOT NULL CHECK (localization IN ('auto', 'client', 'server')),
  capabilities text[] NOT NULL,
  "authorization" text,
  user_id text,
  tags text[] NOT NULL,
  attributes text,
  language_override text,
  reported_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, installation_id),
  CHECK ((apns_token IS NULL) = (apns_status IS NULL)
    AND (apns_token IS NULL) = (apns_registered_at IS NULL)),
  CHECK ((voip_token IS NULL) = (voip_status IS NULL)
    AND (voip_token IS NULL) = (voip_registered_at IS NULL))
) WITH (fillfactor = 85);

-- With the usual 100 the planner takes a language of a few devices for one of thousands and walks
-- the whole app by created_at: 350 ms at 300,000 installations, 0.1 ms by the index.
ALTER TABLE installation ALTER COLUMN language_ranges SET STATISTICS 300;

CREATE INDEX installation_user ON installation (app_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX installation_created ON installation (app_id, created_at, installation_id);
CREATE INDEX installation_language ON installation USING gin (language_ranges);

-- The ledger that makes a token belong to one installation, and the way from a token to it.
-- moved_from is the owner it was taken from by the latest claim; the claim is refused when it was
-- someone else by then.
CREATE TABLE token_owner (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  environment text NOT NULL,
  kind text NOT NULL,
  token bytea NOT NULL CHECK (octet_length(token) BETWEEN 16 AND 512),
  installation_id uuid NOT NULL,
  registered_at timestamptz NOT NULL,
  moved_from uuid,
  PRIMARY KEY (app_id, environment, kind, token)
);

-- What the app heard when a registration or the permission prompt failed; kept verbatim.
CREATE TABLE registration_failure (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
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
  received_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, id)
);

CREATE INDEX registration_failure_occurred
  ON registration_failure (app_id, occurred_at DESC, id DESC);
CREATE INDEX registration_failure_installation
  ON registration_failure (app_id, installation_id) WHERE installation_id IS NOT NULL;

CREATE TABLE catalog (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  version text NOT NULL,
  development_language text NOT NULL,
  languages text[] NOT NULL,
  key_count integer NOT NULL,
  diagnostics jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  localizations jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (app_id, version)
);

CREATE TABLE catalog_file (
  app_id integer NOT NULL,
  version text NOT NULL,
  path text NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (app_id, version, path),
  FOREIGN KEY (app_id, version) REFERENCES catalog ON DELETE CASCADE
);
