-- Gives each app a server of a Citus cluster: its rows are together on one worker.
--
--     psql "$ADMIN_URL" -v ON_ERROR_STOP=1 -f sql/citus.sql
--
-- In the coordinator's database, behind `postilion migrate` and while no instance serves. The
-- extension is there and the workers are known by then; docs/citus.md has the whole way. As a
-- superuser, or as an account that owns the database and the tables. On tables that are spread it
-- changes nothing and fails; on tables that came back from a dump it spreads them anew. The number
-- of shards is the setting citus.shard_count.

BEGIN;

-- Citus advises to remove what it has copied, which is done at the end.
SET LOCAL client_min_messages = warning;

-- Rounds of registrations lock rows in one order. That of several servers is the same for all only
-- when one is asked after the other, over one connection to each. The locks by which Citus prevents
-- what the order prevents already are of whole shards, and a round that has two statements on a
-- table takes them in two orders: they cause the deadlocks.
DO $$
BEGIN
  EXECUTE format(
    'ALTER DATABASE %I SET citus.multi_shard_modify_mode = sequential', current_database());
  EXECUTE format(
    'ALTER DATABASE %I SET citus.max_adaptive_executor_pool_size = 1', current_database());
  EXECUTE format(
    'ALTER DATABASE %I SET citus.enable_deadlock_prevention = off', current_database());
END
$$;

-- Servers know of a type that was made before they were there only when it is made anew. It stays
-- with its owner, who applies later migrations.
DO $$
DECLARE
  name text;
  attributes text;
  owner regrole := (SELECT relowner FROM pg_class WHERE oid = 'installation'::regclass);
BEGIN
  FOREACH name IN ARRAY ARRAY['installation_row', 'installation_row_2'] LOOP
    SELECT string_agg(
        format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum)
      INTO attributes
      FROM pg_attribute WHERE attrelid = name::regclass AND attnum > 0;
    EXECUTE format('DROP TYPE %I', name);
    EXECUTE format('CREATE TYPE %I AS (%s)', name, attributes);
    EXECUTE format('ALTER TYPE %I OWNER TO %s', name, owner);
  END LOOP;
END
$$;

-- The service brings in the list of a table that is here, and none of a shard.
ALTER INDEX installation_facets RESET (gin_pending_list_limit);

-- The ledger is changed on a worker, where nothing looks into other tables: what a program of an
-- older release left behind is not looked for.
CREATE OR REPLACE FUNCTION is_gone(app integer, installation uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT AS 'SELECT false';

-- These are called on the workers, too.
SELECT create_distributed_function('is_gone(integer, uuid)');
SELECT create_distributed_function('another_writer_was_faster(bigint)');

-- The oldest transaction that is not over on each server. It is on the coordinator first, where it
-- holds the lock of its number until the last server has committed. Locks have the lower half of
-- the number, which is completed by the next one of all.
CREATE OR REPLACE FUNCTION oldest_under_way() RETURNS xid8 LANGUAGE sql STABLE AS $$
  SELECT least(pg_snapshot_xmin(pg_current_snapshot()), min(
    CASE WHEN number > newest + 2147483648 THEN number - 4294967296 ELSE number END::text::xid8))
  FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS newest) AS snapshot
  CROSS JOIN LATERAL (
    SELECT (newest >> 32 << 32) + transactionid::text::bigint AS number FROM pg_locks
    WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted
  ) AS lock
$$;

-- Not spread, as they have few rows, and every instance reads those of all apps: app, api_key,
-- message, channel, catalog, catalog_file, webhook, webhook_delivery, feedback_breaker,
-- user_language, claim_code. Not spread, as they are only added to, in one order of all apps or by
-- partitions of months: token_history, app_history, registration_failure, audit_log, moved_change.
SELECT create_distributed_table('installation', 'app_id');
SELECT create_distributed_table('token_owner', 'app_id', colocate_with => 'installation');
SELECT create_distributed_table('sighting', 'app_id', colocate_with => 'installation');

-- The workers have copies of the rows, and those here go with the same commit.
SELECT truncate_local_data_after_distributing_table('installation');
SELECT truncate_local_data_after_distributing_table('token_owner');
SELECT truncate_local_data_after_distributing_table('sighting');

COMMIT;
