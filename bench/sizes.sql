-- Bytes of each large table and of its indexes, partitions included, in all and for each
-- installation: psql -f bench/sizes.sql

WITH part AS (
  SELECT root.relname AS name, coalesce(tree.relid, root.oid) AS part
  FROM pg_class AS root LEFT JOIN LATERAL pg_partition_tree(root.oid) AS tree ON true
  WHERE root.relnamespace = 'public'::regnamespace AND root.relname IN ('installation',
    'token_owner', 'token_history', 'app_history', 'registration_failure', 'audit_log')
), size AS (
  -- An index of a partition counts for the columns that it has.
  SELECT name, 'rows' AS what, pg_table_size(part) AS bytes FROM part
  UNION ALL
  SELECT name, replace(substring(pg_get_indexdef(indexrelid), 'USING (.*)'), 'btree ', ''),
    pg_relation_size(indexrelid)
  FROM part JOIN pg_index ON indrelid = part
)
SELECT coalesce(name, 'all') AS name, coalesce(what, 'all') AS what, sum(bytes) AS bytes,
  round(sum(bytes) / (SELECT count(*) FROM installation), 1) AS of_each
FROM size GROUP BY GROUPING SETS ((name, what), (name), ())
ORDER BY size.name, size.what = 'rows' DESC, 3 DESC;
