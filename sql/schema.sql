-- The registry. Rules that keep its apps on servers of their own (Citus): every unique key of a
-- large table contains app_id, times and random values are bound by the service, and such a table
-- has no foreign keys. Text carries CHECKs instead of enum types, so that a new
-- word is one ALTER and a dump reads by itself.

-- The step that a program must know to serve, in the only row: a step that takes away what programs
-- before it use puts its own name here.
CREATE TABLE least_program (
  step text NOT NULL
);

-- Tells the states of a webhook apart. The tags of apps, messages and catalogs, which are their
-- ETags, are random instead: a restored database would count the same numbers again.
CREATE SEQUENCE entity_tag;

CREATE TABLE app (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  bundle_id text NOT NULL,
  name text NOT NULL,
  development_language text NOT NULL,
  identity_verification text NOT NULL DEFAULT 'required'
    CHECK (identity_verification IN ('off', 'required')),
  local_notification_key text NOT NULL DEFAULT 'payload',
  message_type_key text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  identity_secrets text[] NOT NULL DEFAULT '{}',
  -- Public keys as PEM.
  identity_keys text[] NOT NULL DEFAULT '{}',
  stale_after_days integer CHECK (stale_after_days > 0),
  deleted_at timestamptz,
  tag bigint NOT NULL
    DEFAULT ('x' || left(replace(gen_random_uuid()::text, '-', ''), 15))::bit(60)::bigint,
  identity_lifetime_days integer NOT NULL DEFAULT 30 CHECK (identity_lifetime_days > 0),
  -- Of its other targets: a watch app of its own, a Mac Catalyst app.
  bundle_ids text[] NOT NULL DEFAULT '{}',
  activity_types text NOT NULL DEFAULT '{}',
  -- On its way from one Postilion to another: it is read and not written, is at the other one, or
  -- is not complete yet.
  moving text CHECK (moving IN ('leaving', 'left', 'arriving'))
);

-- Deleting an app hides it at once; its rows go in portions afterwards, and its name is free.
CREATE UNIQUE INDEX app_slug ON app (slug) WHERE deleted_at IS NULL;

-- A language that the backend chose for a person: of all devices, also of later ones.
CREATE TABLE user_language (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  user_id text NOT NULL,
  language text NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, user_id)
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
  -- 'call': made, or revoked for good, by a call. Another POSTILION_ROOT_KEY retires the others.
  origin text NOT NULL DEFAULT 'call' CHECK (origin IN ('call', 'environment', 'first')),
  last_used_at timestamptz,
  CHECK ((kind = 'root') = (app_id IS NULL))
);

CREATE INDEX api_key_app ON api_key (app_id);

-- One app on one device: the whole profile and its tokens, so that a render, a query or an export
-- reads this table alone. Tokens are not indexed here: token_owner leads to them. The revision
-- grows by one with each change, from a random one, and settles races between writers. The fill
-- factor leaves a change room on its page. All times are whole milliseconds, as they are shown.
CREATE TABLE installation (
  app_id integer NOT NULL,
  installation_id uuid NOT NULL,
  revision bigint NOT NULL,
  secret_hash bytea CHECK (octet_length(secret_hash) = 32),
  platform text NOT NULL
    CHECK (platform IN ('ios', 'ipados', 'macos', 'tvos', 'watchos', 'visionos')),
  environment text NOT NULL CHECK (environment IN ('production', 'sandbox')),
  apns_token bytea,
  apns_status text CHECK (apns_status IN ('active', 'quarantined', 'invalid')),
  apns_registered_at timestamptz,
  -- When the app last brought the token. It may be a day old here; the table sighting makes it
  -- exact. A late 410 is compared with it.
  apns_presented_at timestamptz,
  apns_invalidated_at timestamptz,
  apns_reason text,
  voip_token bytea,
  voip_status text CHECK (voip_status IN ('active', 'quarantined', 'invalid')),
  voip_registered_at timestamptz,
  voip_presented_at timestamptz,
  voip_invalidated_at timestamptz,
  voip_reason text,
  languages text[] NOT NULL,
  -- What is searched for, each with the app's id in front: 7:platform:ios, 7:credential:voip,
  -- 7:voip:invalid, 7:status:invalid, 7:tag:beta, and of each language every range that matches it
  -- (RFC 4647 basic filtering): 7:language:zh-hant-hk, 7:language:zh-hant, 7:language:zh. Of an
  -- attribute that is there 7:has:plan and 7:attribute:4:plan=pro, of a number or time also the
  -- ranges that it lies in, ever finer, and its place in the order of numbers: 7:number:3:age:a19
  -- and 7:number:3:age=c01c000000000000. Of the authorization 7:authorization:denied, and how its
  -- switches stand, four in a word: 7:switches:0:ttf-. Derived.
  facets text[] NOT NULL,
  locale text,
  time_zone text,
  app_version text,
  -- The numbers of the version without zeros behind, which compare as versions do. Derived.
  app_version_order bigint[],
  app_build text,
  app_build_order bigint[],
  os_version text,
  os_version_order bigint[],
  device_model text,
  localization text NOT NULL CHECK (localization IN ('auto', 'client', 'server')),
  capabilities text[] NOT NULL,
  "authorization" text,
  background_refresh text CHECK (background_refresh IN ('available', 'denied', 'restricted')),
  user_id text,
  tags text[] NOT NULL,
  attributes text,
  language_override text,
  reported_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  -- That of the target that the app was built as; null is the app's.
  bundle_id text,
  frequent_pushes boolean,
  live_activities_allowed boolean,
  -- The tokens of all other kinds as a JSON array of objects. Few devices have any.
  other_credentials text,
  PRIMARY KEY (app_id, installation_id),
  CHECK ((apns_token IS NULL) = (apns_status IS NULL)
    AND (apns_token IS NULL) = (apns_registered_at IS NULL)),
  CHECK ((voip_token IS NULL) = (voip_status IS NULL)
    AND (voip_token IS NULL) = (voip_registered_at IS NULL))
) WITH (fillfactor = 85);

-- A row of a batch on its way into the table above. Programs of two releases may write side by
-- side, so the type never changes: a release that writes other columns has one of another name.
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

-- That of the release before, for as long as one of its instances may run.
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

-- With the usual 100 the planner takes a language of a few devices for one of thousands and walks
-- the whole app by created_at: 350 ms at 300,000 installations, 0.1 ms by the index.
ALTER TABLE installation ALTER COLUMN facets SET STATISTICS 300;

CREATE INDEX installation_user ON installation (app_id, user_id) WHERE user_id IS NOT NULL;
-- What is added waits in a list, which clean_filter_index() brings in before a registration must.
CREATE INDEX installation_facets ON installation USING gin (facets)
  WITH (gin_pending_list_limit = 16384);
-- It also makes the first statistics of a table that has grown fast: without them PostgreSQL takes
-- any index that has app_id and installation_id in it for as good as the primary key.
CREATE FUNCTION clean_filter_index() RETURNS bigint
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
-- Ends a round of registrations of which another instance has changed a row meanwhile.
CREATE FUNCTION another_writer_was_faster(missing bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'another writer was faster: % rows are not written', missing
    USING ERRCODE = 'LOST1';
END
$$;
-- Whether an installation is gone: an older program leaves tokens of kinds that it does not know.
CREATE FUNCTION is_gone(app integer, installation uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT AS $$
BEGIN
  RETURN NOT EXISTS (
    SELECT FROM installation AS i WHERE i.app_id = app AND i.installation_id = installation);
END
$$;
-- Holds apps in place until the end of a transaction that writes for them, as foreign keys would,
-- and refuses while one of them moves. Whoever has the lock has a number, and looks behind it: so
-- what did not see that an app moves is known to be under way.
CREATE FUNCTION lock_apps(ids integer[]) RETURNS void LANGUAGE plpgsql AS $$
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
CREATE INDEX installation_app_version ON installation (app_id, app_version_order)
  WHERE app_version_order IS NOT NULL;
CREATE INDEX installation_os_version ON installation (app_id, os_version_order)
  WHERE os_version_order IS NOT NULL;
CREATE INDEX installation_app_build ON installation (app_id, app_build_order)
  WHERE app_build_order IS NOT NULL;
-- The orders of lists. Each index has the other times behind its key, so that what is left out by
-- them is left out in the index: 20 nanoseconds a row, and not a microsecond for its page.
-- Those that never had a token stand at 1970, so that the order has a place for them.
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

-- What is known of an installation beside its row, so that most launches write this and not that:
-- the newest report and when its tokens were last brought, also by reports that changed nothing,
-- and since when APNs says that a token is dead that it took out of use. The revision is the
-- newest of the row that is known here. Programs before this one also write report_revision. No
-- column but the key is indexed, and each page has room, so that rows change in their
-- place. Maintenance deletes those of installations that are gone.
CREATE TABLE sighting (
  app_id integer NOT NULL,
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

-- The ledger that makes a token belong to one installation, and the way from a token to it. A token
-- that was given up keeps its row, without an owner, for a while: so taking and giving up are one
-- statement, which locks its rows in one order. moved_from is the owner it was taken from by the
-- latest takeover; a takeover is refused when it was someone else by then.
CREATE TABLE token_owner (
  app_id integer NOT NULL,
  environment text NOT NULL,
  kind text NOT NULL,
  token bytea NOT NULL CHECK (octet_length(token) BETWEEN 16 AND 512),
  installation_id uuid,
  registered_at timestamptz NOT NULL,
  moved_from uuid,
  -- How often the token changed hands within a day: nobody may collect other people's tokens.
  takeovers smallint,
  takeovers_since timestamptz,
  -- The installations that it was taken from and that may come back for it, the first owner first,
  -- and when it was taken from each.
  former_owners uuid[],
  former_until timestamptz[],
  PRIMARY KEY (app_id, environment, kind, token)
);

-- By which those that were given up long ago are found.
CREATE INDEX token_owner_given_up ON token_owner (registered_at) WHERE installation_id IS NULL;

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
  from_installation_id uuid,
  -- Null in rows that are older than this column.
  transaction_id xid8 DEFAULT pg_current_xact_id()
) PARTITION BY RANGE (at);
-- Months have partitions of their own, made ahead; what falls between is caught here.
CREATE TABLE token_history_default PARTITION OF token_history DEFAULT;
CREATE INDEX token_history_installation ON token_history (app_id, installation_id, id);
CREATE INDEX token_history_token ON token_history (app_id, token, id);
CREATE INDEX token_history_from ON token_history (app_id, from_installation_id, id)
  WHERE from_installation_id IS NOT NULL;
-- The feed of changes, in one order in which nothing comes late: by the transaction that wrote a
-- row, read up to the oldest one that is still under way. A token that was replaced is left out, as
-- the one behind tells of both.
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
-- By which a person's traces are erased.
CREATE INDEX app_history_installation ON app_history (app_id, installation_id)
  WHERE installation_id IS NOT NULL;
-- By which what was told already is found.
CREATE INDEX app_history_app ON app_history (app_id, event, at) WHERE installation_id IS NULL;

-- All transactions with a lower number have ended. On several servers it has another text.
CREATE FUNCTION oldest_under_way() RETURNS xid8 LANGUAGE sql STABLE AS $$
  SELECT pg_snapshot_xmin(pg_current_snapshot())
$$;

-- The lives of this database: one for each start of its server, since what is started may be an
-- older copy. The origin names server, timeline, database, table, start and files. Positions in the
-- feed are of one epoch, which has a random number and the rows behind first_id. Rows from before
-- kept_since may be gone. An earlier life went as far as to transactions before ended_transaction
-- in this database; 0 says that nobody goes on from it.
CREATE TABLE change_epoch (
  origin text PRIMARY KEY,
  epoch bigint NOT NULL,
  first_id bigint NOT NULL,
  kept_since timestamptz NOT NULL,
  ended_transaction xid8
);

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

-- Work that one of all instances does: who has the lease extends it every few seconds, and whoever
-- finds it at its end takes it, and gives it the next number.
CREATE TABLE lease (
  name text PRIMARY KEY,
  number bigint NOT NULL DEFAULT 0,
  until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO lease (name) VALUES ('maintenance'), ('webhooks'), ('moves');

-- What the app heard when a registration or the permission prompt failed; kept verbatim.
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
CREATE INDEX registration_failure_occurred
  ON registration_failure (app_id, occurred_at DESC, id DESC);
CREATE INDEX registration_failure_id ON registration_failure (app_id, id);
CREATE INDEX registration_failure_installation
  ON registration_failure (app_id, installation_id) WHERE installation_id IS NOT NULL;

-- What admin and root keys did, and which exports and deletions other keys made. It outlives the
-- app, whose name at the time it keeps.
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
  request_id text NOT NULL,
  client text
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

-- A notification that the backend names. The body is the JSON that came; the version grows by one
-- with each change.
CREATE TABLE message (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  name text NOT NULL,
  version bigint NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  tag bigint NOT NULL
    DEFAULT ('x' || left(replace(gen_random_uuid()::text, '-', ''), 15))::bit(60)::bigint,
  PRIMARY KEY (app_id, name)
);

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

CREATE TABLE catalog (
  app_id integer NOT NULL REFERENCES app ON DELETE CASCADE,
  version text NOT NULL,
  development_language text NOT NULL,
  languages text[] NOT NULL,
  key_count integer NOT NULL,
  diagnostics jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  localizations jsonb NOT NULL DEFAULT '[]',
  tag bigint NOT NULL
    DEFAULT ('x' || left(replace(gen_random_uuid()::text, '-', ''), 15))::bit(60)::bigint,
  entries_left_out integer NOT NULL DEFAULT 0,
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

-- By lz4 the compression of a large upload takes a fifth of the processor's time that pglz takes;
-- some servers are built without it.
DO $$
BEGIN
  IF EXISTS (
    SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)
  ) THEN
    ALTER TABLE catalog_file ALTER COLUMN content SET COMPRESSION lz4;
  END IF;
END
$$;

-- Tables that are written seldom, and by many statements, refuse by themselves while an app moves.
-- What moves it sets postilion.moves.
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
