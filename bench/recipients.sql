-- A line for each installation of app :app, each with words of its own, in no order that an index or
-- the table has.

COPY (
  SELECT '{"to":{"installation":"' || installation_id || '"},"arguments":{"name":"Ana '
    || substr(user_id, 4) || '","order":"A' || right(installation_id::text, 6) || '"},"badge":'
    || (('x' || right(installation_id::text, 2))::bit(8)::int) || '}'
  FROM installation WHERE app_id = :app ORDER BY md5(user_id)
) TO STDOUT
