-- Two roles for a database of your own, so that the service can do what serving needs and nothing
-- else. postilion_service reads and writes rows; postilion_owner owns the tables: it applies
-- migrations, and makes and drops the partitions of months.
--
--     psql "$ADMIN_URL" -v ON_ERROR_STOP=1 -f sql/roles.sql
--
-- As a superuser, or as an account that may make roles and owns the database and what is in it, in
-- the database of the service, before the first migration or after it; again does no harm.
-- Passwords, certificates and pg_hba.conf are yours. docs/operations.md has the rest.

-- A table that is in use gets its owner at another try: calls would wait behind this one.
SET lock_timeout = '300ms';
-- What is there already is no news.
SET client_min_messages = warning;

DO $$
DECLARE
  is_16 boolean := current_setting('server_version_num')::integer >= 160000;
  thing text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'postilion_owner') THEN
    CREATE ROLE postilion_owner LOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'postilion_service') THEN
    CREATE ROLE postilion_service LOGIN;
  END IF;
  -- Who is no superuser gives things only to roles that it may become. Since PostgreSQL 16 that
  -- does not come with making a role, or with its rights.
  IF NOT pg_has_role('postilion_owner', 'USAGE')
    OR NOT pg_has_role('postilion_owner', CASE WHEN is_16 THEN 'SET' ELSE 'MEMBER' END)
  THEN
    EXECUTE format(
      'GRANT postilion_owner TO %I %s', current_user,
      CASE WHEN is_16 THEN 'WITH INHERIT TRUE, SET TRUE' END);
  END IF;
  -- Only who may make tables in a schema can be given one of it.
  GRANT USAGE, CREATE ON SCHEMA public TO postilion_owner;
  EXECUTE format(
    'GRANT CONNECT ON DATABASE %I TO postilion_owner, postilion_service',
    current_database());
  -- What is there already gets its owner; sequences of columns go with their tables, and what an
  -- extension made stays with it.
  FOR thing IN
    SELECT CASE relkind WHEN 'c' THEN 'TYPE ' ELSE 'TABLE ' END || oid::regclass FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S', 'c')
      AND relowner <> 'postilion_owner'::regrole
      AND NOT EXISTS (
        SELECT FROM pg_depend
        WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid
          AND (deptype = 'e' OR relkind = 'S' AND deptype IN ('a', 'i')))
    UNION ALL
    SELECT 'ROUTINE ' || oid::regprocedure FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND proowner <> 'postilion_owner'::regrole
      AND NOT EXISTS (
        SELECT FROM pg_depend
        WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
  LOOP
    EXECUTE format('ALTER %s OWNER TO postilion_owner', thing);
  END LOOP;
END
$$;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO postilion_service;

-- Rows of all tables, those that later migrations make included.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO postilion_service;
-- SELECT of a sequence is for pg_dump.
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO postilion_service;
ALTER DEFAULT PRIVILEGES FOR ROLE postilion_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO postilion_service;
ALTER DEFAULT PRIVILEGES FOR ROLE postilion_owner IN SCHEMA public
  GRANT USAGE, SELECT ON SEQUENCES TO postilion_service;

-- The list of migrations is the owner's: the service reads it, and readiness locks a row of it,
-- which takes the right to change a column. It is made here as the first migration would make it.
CREATE TABLE IF NOT EXISTS schema_migration (
  name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
ALTER TABLE schema_migration OWNER TO postilion_owner;
REVOKE ALL ON schema_migration FROM postilion_service;
GRANT SELECT, UPDATE (applied_at) ON schema_migration TO postilion_service;
