-- The steps of the schema, each below its name. They run once each, in this order, each in a
-- transaction of its own; `schema.sql` is what they make. A new step goes to the end; one that was
-- released is never edited.

-- migration: m0001_registry

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

-- migration: m0002_catalog_localizations

-- What a catalog holds of each language: keys, texts that vary, states of translation.
ALTER TABLE catalog ADD COLUMN localizations jsonb NOT NULL DEFAULT '[]';

-- migration: m0003_registry_complete

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

-- migration: m0004_messages

-- Notifications that the backend names. The body is the JSON that came; the version grows by one
-- with each change.
CREATE TABLE message (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  name text NOT NULL,
  version bigint NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, name)
);

-- migration: m0005_registration

-- What registrations bring besides.

-- Whether the system wakes the app for silent notifications.
ALTER TABLE installation ADD COLUMN background_refresh text
  CHECK (background_refresh IN ('available', 'denied', 'restricted'));

-- The public keys of those who sign users, as PEM.
ALTER TABLE app ADD COLUMN identity_keys text[] NOT NULL DEFAULT '{}';

-- By which a failure that is sent again is found.
CREATE INDEX registration_failure_id ON registration_failure (app_id, id);

-- migration: m0006_keys

-- Where a key comes from: another POSTILION_ROOT_KEY retires those that did not come by a call.
ALTER TABLE api_key ADD origin text NOT NULL DEFAULT 'call'
  CHECK (origin IN ('call', 'environment', 'first'));

UPDATE api_key SET origin = CASE label WHEN 'first' THEN 'first' ELSE 'environment' END
WHERE kind = 'root';

-- migration: m0007_entity_tags

-- What the ETags of apps, messages and catalogs are made of: numbers that no two states share, also
-- not those of things that are deleted and made anew.
CREATE SEQUENCE entity_tag;
ALTER TABLE app ADD COLUMN tag bigint NOT NULL DEFAULT nextval('entity_tag');
ALTER TABLE message ADD COLUMN tag bigint NOT NULL DEFAULT nextval('entity_tag');
ALTER TABLE catalog ADD COLUMN tag bigint NOT NULL DEFAULT nextval('entity_tag');

-- migration: m0008_attribute_facets

-- Installations are found by their attributes, through the index of the other words.
UPDATE installation SET facets = installation.facets || found.facets
FROM (
  SELECT app_id, installation_id,
    array_agg(app_id || ':attribute:' || octet_length(key) || ':' || key || '=' || value) AS facets
  FROM installation, jsonb_each_text(attributes::jsonb)
  WHERE attributes IS NOT NULL AND value IS NOT NULL AND octet_length(key || value) <= 256
  GROUP BY app_id, installation_id
) AS found
WHERE installation.app_id = found.app_id
  AND installation.installation_id = found.installation_id;

-- migration: m0009_trust

-- The installations that a token was taken from and that may come back for it, the first owner
-- first, and when it was taken from each.
ALTER TABLE token_owner
  ADD COLUMN former_owners uuid[],
  ADD COLUMN former_until timestamptz[];

-- By which an app makes an installation its own that a backend made: SHA-256 of a code that is good
-- for a day.
CREATE TABLE claim_code (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  installation_id uuid NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  made_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, installation_id)
);

-- By which the old ones are found.
CREATE INDEX claim_code_made ON claim_code (made_at);

-- Apps that are there keep what they have.
ALTER TABLE app ALTER COLUMN identity_verification SET DEFAULT 'required';

-- migration: m0010_audience_order

-- By which installations are found by their build and by the time of their latest change. Together
-- the indexes cost a change of an installation 8 microseconds of the server's processor, where it
-- took 65 (PostgreSQL 15, 200,000 rows, 256 in a statement), and 0.2 kB of log, where it took 1.9.
-- They serve app_build and updated_since, which read all rows of the app without them.
ALTER TABLE installation ADD COLUMN app_build_order bigint[];
CREATE INDEX installation_app_build ON installation (app_id, app_build_order)
  WHERE app_build_order IS NOT NULL;
CREATE INDEX installation_updated ON installation (app_id, updated_at, installation_id);

-- migration: m0011_audience_facets

-- Installations are found by more of what they reported, through the index of the other words. A
-- migration of its own, so that the table is not locked while it reads all rows.
--
-- What the words cost a change, measured as above: time zone, two capabilities, status and switches
-- of the authorization 12 microseconds, the names of the attributes too little to be seen, and each
-- attribute that is a number or a time 12, for four words. Who reports none of these pays nothing.
-- The filters that they serve read all rows of the app without them.

-- The Unix seconds of a time or date of RFC 3339; null for any other text.
CREATE FUNCTION pg_temp.unix_seconds(value text) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  part text[] := regexp_match(value, '^([0-9]{4})-([0-9]{2})-([0-9]{2})'
    '(?:[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?'
    '(?:[Zz]|([+-])([0-9]{2}):([0-9]{2})))?$');
  year integer := part[1]::integer;
  month integer := part[2]::integer;
  day integer := part[3]::integer;
  past integer := coalesce(part[9]::integer * 60 + part[10]::integer, 0)
    * CASE part[8] WHEN '-' THEN -1 ELSE 1 END;
  days integer;
  microseconds numeric;
BEGIN
  IF part IS NULL OR month NOT BETWEEN 1 AND 12 OR day < 1 OR day > (CASE
      WHEN month IN (4, 6, 9, 11) THEN 30
      WHEN month <> 2 THEN 31
      WHEN year % 4 = 0 AND (year % 100 <> 0 OR year % 400 = 0) THEN 29
      ELSE 28 END)
    OR part[4]::integer > 23 OR part[5]::integer > 59 OR part[6]::integer > 60
    OR part[9]::integer > 23 OR part[10]::integer > 59
  THEN
    RETURN NULL;
  END IF;
  -- Days since 1 January 1970. The year begins in March, so that the leap day is its last.
  year := CASE WHEN month <= 2 THEN year - 1 ELSE year END;
  days := year * 365 + floor(year / 4.0) - floor(year / 100.0) + floor(year / 400.0)
    + (153 * ((month + 9) % 12) + 2) / 5 + day - 719469;
  microseconds := days * 86400000000.0
    + coalesce((part[4]::integer * 60 + part[5]::integer - past) * 60 + part[6]::integer, 0)
      * 1000000.0
    + coalesce(rpad(left(part[7], 6), 6, '0')::integer, 0);
  IF microseconds NOT BETWEEN -62167219200000000 AND 253402300799999999 THEN RETURN NULL; END IF;
  RETURN microseconds::bigint::double precision / 1000000;
END $$;

-- The nodes of a number, from an octave down to its 4096th, and its place in the order of numbers.
CREATE FUNCTION pg_temp.number_facets(number double precision) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  -- The other zero becomes this one.
  bits bigint := ('x' || encode(float8send(number + 0), 'hex'))::bit(64)::bigint;
  place bigint := CASE
    WHEN abs(number) < 2 ^ -16 THEN 0
    WHEN abs(number) >= 2 ^ 63 THEN 80 << 12
    ELSE ((((bits >> 52) & 2047) - 1006) << 12) | ((bits >> 40) & 4095) END
    * CASE WHEN number < 0 THEN -1 ELSE 1 END;
BEGIN
  RETURN ARRAY[':a' || (place >> 12), ':b' || (place >> 6), ':c' || place, '=' || lpad(to_hex(
    CASE WHEN bits < 0 THEN ~bits ELSE bits # (-9223372036854775808)::bigint END), 16, '0')];
END $$;

UPDATE installation SET
  -- Other builds have no order: they are compared with none.
  app_build_order = CASE WHEN app_build ~ '^[0-9]{1,18}(\.[0-9]{1,18}){0,3}$'
    THEN string_to_array(regexp_replace(app_build, '(\.0+)+$', ''), '.')::bigint[] END,
  facets = facets || ARRAY(
    SELECT app_id || ':' || facet FROM (
      SELECT 'time_zone:' || time_zone
      UNION ALL SELECT 'capability:' || capability FROM unnest(capabilities) AS capability
      UNION ALL SELECT 'authorization:' || ("authorization"::jsonb ->> 'status')
      UNION ALL
      SELECT 'switches:' || place || ':' || letters FROM (
        SELECT place, string_agg(CASE "authorization"::jsonb -> name
          WHEN 'true' THEN 't' WHEN 'false' THEN 'f' ELSE '-' END, '' ORDER BY number)
        FROM (VALUES (0, '{alert,badge,sound,lock_screen}'::text[]),
            (1, '{notification_center,critical_alert,time_sensitive,scheduled_delivery}'),
            (2, '{announcement,car_play,direct_messages,provides_app_notification_settings}')
          ) AS list (place, names)
          CROSS JOIN unnest(names) WITH ORDINALITY AS switch (name, number)
        GROUP BY place
      ) AS word (place, letters) WHERE letters <> '----'
      UNION ALL
      SELECT unnest(ARRAY['has:' || key] || ARRAY(
        SELECT 'number:' || octet_length(key) || ':' || key || ending
        FROM unnest(pg_temp.number_facets(number)) AS ending WHERE number IS NOT NULL))
      FROM jsonb_each(attributes::jsonb) AS attribute (key, value)
        CROSS JOIN LATERAL (SELECT CASE jsonb_typeof(value)
          WHEN 'number' THEN (value #>> '{}')::double precision
          WHEN 'string' THEN pg_temp.unix_seconds(value #>> '{}') END) AS measure (number)
      WHERE jsonb_typeof(value) IN ('string', 'number', 'boolean')
    ) AS found (facet) WHERE facet IS NOT NULL);

-- migration: m0012_changes

-- What changed, in one order in which nothing comes late: by the transaction that wrote it, read up
-- to the oldest one that is still under way. Rows that are there have no transaction and are in no
-- feed. The index leaves out the tokens that were replaced, as the one behind tells of both.
ALTER TABLE token_history ADD COLUMN transaction_id xid8;
ALTER TABLE token_history ALTER COLUMN transaction_id SET DEFAULT pg_current_xact_id();
CREATE INDEX token_history_transaction ON token_history (app_id, transaction_id)
  WHERE transaction_id IS NOT NULL AND event <> 'replaced';

-- What else happened: to installations beside their tokens, and to apps. It has its numbers from
-- the same sequence as the history of tokens, so that both are one order.
CREATE TABLE app_history (
  id bigint NOT NULL DEFAULT nextval('token_history_id_seq'),
  app_id integer NOT NULL,
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  at timestamptz NOT NULL,
  installation_id uuid,
  event text NOT NULL CHECK (event IN ('created', 'updated', 'deleted', 'erased',
    'failure_burst', 'breaker_opened', 'breaker_closed', 'build_without_catalog')),
  source text NOT NULL
    CHECK (source IN ('app', 'backend', 'import', 'feedback', 'maintenance')),
  reason text,
  environment text,
  kind text,
  app_build text
) PARTITION BY RANGE (at);
CREATE TABLE app_history_default PARTITION OF app_history DEFAULT;
CREATE INDEX app_history_transaction ON app_history (app_id, transaction_id);
CREATE INDEX app_history_installation ON app_history (app_id, installation_id)
  WHERE installation_id IS NOT NULL;
CREATE INDEX app_history_app ON app_history (app_id, event, at) WHERE installation_id IS NULL;

-- The lives of this database: what was dumped and restored, or went on from a standby, may count
-- its transactions anew. The origin names server, timeline, database and table; positions in the
-- feed are of one epoch, which has a random number, and has the rows behind first_id. Rows from
-- before kept_since may be gone.
CREATE TABLE change_epoch (
  origin text PRIMARY KEY,
  epoch bigint NOT NULL,
  first_id bigint NOT NULL,
  kept_since timestamptz NOT NULL
);

-- migration: m0013_webhooks

-- Where the feed of changes is delivered, signed with a secret as it is here, since the other end
-- has the same. The place in the feed is that of the last change that became a delivery; the
-- version is another one with every call that concerns deliveries.
CREATE TABLE webhook (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  webhook_id uuid NOT NULL,
  url text NOT NULL,
  description text NOT NULL,
  -- Null for all.
  events text[],
  is_enabled boolean NOT NULL,
  disabled_reason text CHECK (disabled_reason IN ('gone', 'failing')),
  secret bytea NOT NULL CHECK (octet_length(secret) BETWEEN 24 AND 64),
  -- Signs, too, until its time is over.
  previous_secret bytea,
  previous_until timestamptz,
  epoch bigint NOT NULL,
  transaction_id xid8 NOT NULL,
  change_id bigint NOT NULL,
  read_at timestamptz NOT NULL,
  -- When the first attempt began that failed behind the last one that did not.
  failing_since timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT nextval('entity_tag'),
  PRIMARY KEY (app_id, webhook_id)
);

-- A change on its way to a receiver, and what became of the latest ones. Rows have the order in
-- which changes were read.
CREATE TABLE webhook_delivery (
  app_id integer NOT NULL,
  webhook_id uuid NOT NULL,
  delivery_id text NOT NULL,
  number bigint GENERATED BY DEFAULT AS IDENTITY,
  event text NOT NULL,
  installation_id uuid,
  from_installation_id uuid,
  body text NOT NULL,
  happened_at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts smallint NOT NULL DEFAULT 0,
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  -- Of one that is pending.
  next_attempt_at timestamptz,
  -- Of the last attempt: the answer's status, or why there was none.
  status smallint,
  failure text,
  duration_ms integer,
  PRIMARY KEY (app_id, webhook_id, delivery_id),
  FOREIGN KEY (app_id, webhook_id) REFERENCES webhook ON DELETE CASCADE
);
CREATE INDEX webhook_delivery_state ON webhook_delivery (app_id, webhook_id, state, number);
CREATE INDEX webhook_delivery_number ON webhook_delivery (app_id, webhook_id, number);

-- migration: m0014_catalog_compression

-- 8.5 MB of strings take 310 ms of a processor by pglz and 65 by lz4, for the same size on disk
-- (PostgreSQL 15), while registrations wait for the processor. A server without lz4 goes on as it
-- did; what is there already stays as it is.
DO $$
BEGIN
  IF EXISTS (
    SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)
  ) THEN
    ALTER TABLE catalog_file ALTER COLUMN content SET COMPRESSION lz4;
  END IF;
END
$$;

-- migration: m0015_times_in_indexes

-- A list in one order of what another time bounds passed each row that the bound leaves out, or
-- read all that it lets through: of a million, those changed within 30 days took 940 ms by the time
-- of creation, and now 3. A registration writes 72 bytes more into indexes that it writes anyway.
-- In a block, as Citus makes an index only by a command that is alone in its text.
DO $$
BEGIN
  DROP INDEX installation_created;
  DROP INDEX installation_seen;
  DROP INDEX installation_updated;
  DROP INDEX installation_registered;
  CREATE INDEX installation_created ON installation (
    app_id, created_at, installation_id, updated_at, last_seen_at,
    coalesce(greatest(apns_registered_at, voip_registered_at), 'epoch'));
  CREATE INDEX installation_seen ON installation (
    app_id, last_seen_at, installation_id, updated_at,
    coalesce(greatest(apns_registered_at, voip_registered_at), 'epoch'));
  CREATE INDEX installation_updated ON installation (
    app_id, updated_at, installation_id, last_seen_at,
    coalesce(greatest(apns_registered_at, voip_registered_at), 'epoch'));
  CREATE INDEX installation_registered ON installation (
    app_id, coalesce(greatest(apns_registered_at, voip_registered_at), 'epoch'), installation_id,
    updated_at, last_seen_at);
END
$$;
-- The statistics of an expression are those of its index.
ANALYZE installation;

-- migration: m0016_registered_is_changed

-- What is registered since a time has changed since, so that a list by the last change begins
-- there. Imports could restore a registration that was later than the change; they do no more.
UPDATE installation SET updated_at = greatest(apns_registered_at, voip_registered_at)
WHERE updated_at < greatest(apns_registered_at, voip_registered_at);

-- migration: m0017_filter_index_list

-- PostgreSQL collects what registrations add to the index of the filters in a list, and the
-- registration that fills it brings all of it into the index: one in three thousand took 50 to 250
-- ms, and those behind it waited. The service brings it in five times a second by itself, so that
-- no registration has to; the longer list is for when it does not.
CREATE FUNCTION clean_filter_index() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
AS $$ SELECT gin_clean_pending_list('installation_facets') $$;

-- On Citus the lists are those of the shards, which nobody brings in but PostgreSQL.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    ALTER INDEX installation_facets SET (gin_pending_list_limit = 16384);
  END IF;
END
$$;

-- migration: m0018_installation_row

-- A row of a batch on its way into installation. To unpack one row from an array of them takes 6
-- microseconds, and from an array for each column 93; 16 rows take 16 and 217. Programs of two
-- releases may write side by side, so the type never changes: a release that writes other columns
-- has one of another name.
CREATE TYPE installation_row AS (
  app_id integer,
  installation_id uuid,
  revision bigint,
  secret_hash bytea,
  platform text,
  environment text,
  apns_token bytea,
  apns_status text,
  apns_registered_at timestamptz,
  apns_presented_at timestamptz,
  apns_invalidated_at timestamptz,
  apns_reason text,
  voip_token bytea,
  voip_status text,
  voip_registered_at timestamptz,
  voip_presented_at timestamptz,
  voip_invalidated_at timestamptz,
  voip_reason text,
  languages text[],
  locale text,
  time_zone text,
  app_version text,
  app_build text,
  os_version text,
  device_model text,
  localization text,
  capabilities text[],
  "authorization" text,
  background_refresh text,
  user_id text,
  tags text[],
  attributes text,
  language_override text,
  reported_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  last_seen_at timestamptz,
  facets text[],
  app_version_order bigint[],
  os_version_order bigint[],
  app_build_order bigint[]
);

-- migration: m0019_identity_lifetime

-- How far ahead the proof of a user may end. A program of the release before takes ten years.
ALTER TABLE app
  ADD COLUMN identity_lifetime_days integer NOT NULL DEFAULT 30
    CHECK (identity_lifetime_days > 0);

-- migration: m0020_audit_client

-- The address that a call came from; null when it came through no connection, and of entries from
-- before.
ALTER TABLE audit_log ADD COLUMN client text;

-- migration: m0021_catalog_entries_left_out

-- How many entries of a catalog cannot be read. A catalog from before has none: one refused it.
ALTER TABLE catalog ADD COLUMN entries_left_out integer NOT NULL DEFAULT 0;

-- migration: m0022_lives

-- A life for each start of the server, with the end of the earlier ones: a copy of files cannot go
-- on unnoticed.
ALTER TABLE change_epoch
  ADD COLUMN ended_transaction xid8,
  ADD COLUMN was_renewed boolean NOT NULL DEFAULT false;

-- A restored database would count the same numbers again.
ALTER TABLE app ALTER COLUMN tag
  SET DEFAULT ('x' || left(replace(gen_random_uuid()::text, '-', ''), 15))::bit(60)::bigint;
ALTER TABLE message ALTER COLUMN tag
  SET DEFAULT ('x' || left(replace(gen_random_uuid()::text, '-', ''), 15))::bit(60)::bigint;
ALTER TABLE catalog ALTER COLUMN tag
  SET DEFAULT ('x' || left(replace(gen_random_uuid()::text, '-', ''), 15))::bit(60)::bigint;

-- migration: m0023_least_program

-- The step that a program must know to serve; one that is older says that it is not ready. A step
-- that takes away what programs before it use puts its own name here:
-- UPDATE least_program SET step = 'm0030_word'.
CREATE TABLE least_program (
  step text NOT NULL
);
INSERT INTO least_program (step) VALUES ('m0001_registry');

-- migration: m0024_lease

-- Work that one of all instances does: who has the lease extends it every few seconds, and whoever
-- finds it at its end takes it, and gives it the next number. A lock of a session would stay with
-- an instance that is frozen. An instance of the release before knows of no lease: while both run,
-- each may deliver, and a delivery may come twice, with the same id.
CREATE TABLE lease (
  name text PRIMARY KEY,
  number bigint NOT NULL DEFAULT 0,
  until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO lease (name) VALUES ('maintenance'), ('webhooks');

-- migration: m0025_no_renewed_lives

-- A reader that was told more than the database has is refused, and nobody else learns of it: its
-- cursor may be made up.
ALTER TABLE change_epoch DROP COLUMN was_renewed;

-- migration: m0026_sighting

-- What reports that changed nothing leave behind, for all instances: until now each knew of its
-- own. An instance of the release before neither writes nor reads it.
CREATE TABLE sighting (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  installation_id uuid NOT NULL,
  revision bigint NOT NULL,
  report_revision bigint,
  reported_at timestamptz,
  apns_presented_at timestamptz,
  apns_dead_since timestamptz,
  voip_presented_at timestamptz,
  voip_dead_since timestamptz,
  PRIMARY KEY (app_id, installation_id)
) WITH (fillfactor = 70);

-- migration: m0027_another_writer_was_faster

-- Ends a round of registrations of which another instance has changed a row meanwhile: its COMMIT
-- is under way already. Programs of the release before have the transaction fail in another way.
CREATE FUNCTION another_writer_was_faster(missing bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'another writer was faster: % rows are not written', missing
    USING ERRCODE = 'LOST1';
END
$$;

-- migration: m0028_sightings_beside_apps

-- A sighting that is written while its app or its installation goes stays until maintenance finds
-- it, so that nothing else has to wait for it.
ALTER TABLE sighting DROP CONSTRAINT sighting_app_id_fkey;

-- migration: m0029_other_credentials

-- Tokens of all kinds beside those for alerts and calls, and the targets of an app, which have
-- bundle ids of their own. An instance of the release before neither writes nor reads them; what
-- it writes leaves them as they are.
ALTER TABLE app ADD COLUMN bundle_ids text[] NOT NULL DEFAULT '{}';
ALTER TABLE installation
  ADD COLUMN bundle_id text,
  ADD COLUMN frequent_pushes boolean,
  ADD COLUMN live_activities_allowed boolean,
  ADD COLUMN other_credentials text;
CREATE TYPE installation_row_2 AS (
  app_id integer,
  installation_id uuid,
  revision bigint,
  secret_hash bytea,
  platform text,
  environment text,
  apns_token bytea,
  apns_status text,
  apns_registered_at timestamptz,
  apns_presented_at timestamptz,
  apns_invalidated_at timestamptz,
  apns_reason text,
  voip_token bytea,
  voip_status text,
  voip_registered_at timestamptz,
  voip_presented_at timestamptz,
  voip_invalidated_at timestamptz,
  voip_reason text,
  languages text[],
  locale text,
  time_zone text,
  app_version text,
  app_build text,
  os_version text,
  device_model text,
  localization text,
  capabilities text[],
  "authorization" text,
  background_refresh text,
  user_id text,
  tags text[],
  attributes text,
  bundle_id text,
  frequent_pushes boolean,
  live_activities_allowed boolean,
  other_credentials text,
  language_override text,
  reported_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  last_seen_at timestamptz,
  facets text[],
  app_version_order bigint[],
  os_version_order bigint[],
  app_build_order bigint[]
);

-- migration: m0030_channel

-- Channels of APNs, to which Live Activities subscribe. An instance of the release before knows
-- none.
CREATE TABLE channel (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  name text NOT NULL,
  environment text NOT NULL CHECK (environment IN ('production', 'sandbox')),
  storage_policy smallint NOT NULL CHECK (storage_policy IN (0, 1)),
  type text NOT NULL,
  language text,
  channel_id text,
  gone_reason text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  tag bigint NOT NULL
    DEFAULT ('x' || left(replace(gen_random_uuid()::text, '-', ''), 15))::bit(60)::bigint,
  PRIMARY KEY (app_id, name)
);

-- migration: m0031_activity_types

-- What apps say of the types of their Live Activities, as JSON.
ALTER TABLE app ADD COLUMN activity_types text NOT NULL DEFAULT '{}';

-- migration: m0032_is_gone

-- Whether an installation is not there. An instance of the release before deletes one without its
-- tokens of kinds that it does not know: they are free for whoever brings them. It is volatile, so
-- that it sees what is committed when it is called: the row of the token is locked by then.
CREATE FUNCTION is_gone(app integer, installation uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT AS $$
BEGIN
  RETURN NOT EXISTS (
    SELECT FROM installation AS i WHERE i.app_id = app AND i.installation_id = installation);
END
$$;

-- migration: m0033_key_use

-- When a key was used last. An instance of the release before leaves it as it is.
ALTER TABLE api_key ADD COLUMN last_used_at timestamptz;

-- migration: m0034_apps_on_servers

-- Apps may be spread over several servers (sql/citus.sql): their rows have no foreign key to those
-- of the coordinator. Rounds of registrations hold the apps instead, once for all of their rows.
-- While an instance of the release before runs, what it writes in the moment in which its app is
-- deleted may stay: nobody sees it.
ALTER TABLE installation DROP CONSTRAINT IF EXISTS installation_app_id_fkey;
ALTER TABLE token_owner DROP CONSTRAINT IF EXISTS token_owner_app_id_fkey;
CREATE OR REPLACE FUNCTION lock_apps(ids integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF cardinality(ids) > (
    SELECT count(*) FROM (
      SELECT FROM app WHERE id = ANY (ids) ORDER BY id FOR KEY SHARE
    ) AS held
  ) THEN
    RAISE foreign_key_violation
      USING MESSAGE = 'the app is gone', CONSTRAINT = 'installation_app_id_fkey';
  END IF;
END
$$;

-- All transactions with a lower number have ended. On several servers it has another text.
CREATE FUNCTION oldest_under_way() RETURNS xid8 LANGUAGE sql STABLE AS $$
  SELECT pg_snapshot_xmin(pg_current_snapshot())
$$;

-- migration: m0035_app_move

-- An app may be on its way from one Postilion to another (`postilion app move`): 'leaving' is read
-- and not written, 'left' is at the other one, 'arriving' is not complete yet. An instance of the
-- release before knows nothing of it: end all of them before you move an app.
ALTER TABLE app ADD COLUMN moving text CHECK (moving IN ('leaving', 'left', 'arriving'));

INSERT INTO lease (name) VALUES ('moves');

-- Who writes for an app holds it in place, and is refused while it moves. Whoever has the lock has
-- a number, and looks behind it: so what did not see that an app moves is known to be under way.
CREATE OR REPLACE FUNCTION lock_apps(ids integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  found record;
BEGIN
  PERFORM FROM app WHERE id = ANY (ids) ORDER BY id FOR KEY SHARE;
  SELECT count(*) AS apps, count(moving) AS moving INTO found
  FROM app WHERE id = ANY (ids) AND deleted_at IS NULL;
  IF found.apps < cardinality(ids) THEN
    RAISE foreign_key_violation
      USING MESSAGE = 'the app is gone', CONSTRAINT = 'installation_app_id_fkey';
  END IF;
  IF found.moving > 0 THEN
    RAISE restrict_violation USING MESSAGE = 'the app is being moved', CONSTRAINT = 'app_moving';
  END IF;
END
$$;

-- Tables that are written seldom, and by many statements, ask by themselves. What moves an app sets
-- postilion.moves.
CREATE FUNCTION refuse_while_moving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM app WHERE id = coalesce(NEW.app_id, OLD.app_id) FOR KEY SHARE;
  IF current_setting('postilion.moves', true) IS DISTINCT FROM 'on' AND EXISTS (
    SELECT FROM app WHERE id = coalesce(NEW.app_id, OLD.app_id) AND moving IS NOT NULL
  ) THEN
    RAISE restrict_violation USING MESSAGE = 'the app is being moved', CONSTRAINT = 'app_moving';
  END IF;
  RETURN coalesce(NEW, OLD);
END
$$;
CREATE TRIGGER user_language_moving BEFORE INSERT OR UPDATE OR DELETE ON user_language
  FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER message_moving BEFORE INSERT OR UPDATE OR DELETE ON message
  FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER channel_moving BEFORE INSERT OR UPDATE OR DELETE ON channel
  FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER catalog_moving BEFORE INSERT OR UPDATE OR DELETE ON catalog
  FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
-- Not when old codes go, a key is used, or a webhook goes on in the feed.
CREATE TRIGGER claim_code_moving BEFORE INSERT OR UPDATE ON claim_code
  FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER api_key_moving BEFORE INSERT OR UPDATE OF revoked_at ON api_key
  FOR EACH ROW WHEN (NEW.app_id IS NOT NULL) EXECUTE FUNCTION refuse_while_moving();
CREATE TRIGGER webhook_moving BEFORE INSERT OR UPDATE OF url OR DELETE ON webhook
  FOR EACH ROW EXECUTE FUNCTION refuse_while_moving();

-- Where changes that came with an app are in the feed of this database, so that a cursor of the
-- database that they came from goes on here. Maintenance deletes them after a while.
CREATE TABLE moved_change (
  app_id integer NOT NULL,
  epoch bigint NOT NULL,
  transaction_id xid8 NOT NULL,
  change_id bigint NOT NULL,
  new_epoch bigint NOT NULL,
  new_transaction_id xid8 NOT NULL,
  new_change_id bigint NOT NULL,
  moved_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, epoch, transaction_id, change_id)
);

-- migration: m0036_first_statistics

-- Without statistics PostgreSQL takes any index that has app_id and installation_id in it for as
-- good as the primary key, also one with a time between them, and then reads the whole app for each
-- installation that it looks up: the first import of 50,000 devices took 40 seconds and not 6,
-- until autovacuum came by. A table that was filled from a dump has none, too.
CREATE OR REPLACE FUNCTION clean_filter_index() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF pg_relation_size('installation') > 1000000 AND NOT EXISTS (
    SELECT FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'installation')
  THEN
    ANALYZE (SKIP_LOCKED) installation;
  END IF;
  RETURN gin_clean_pending_list('installation_facets');
END
$$;
