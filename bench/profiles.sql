-- What the service has stored of one installation of each profile becomes a table, and the
-- installations go: so all that it derives of a report is in the seeded rows as it stores it.

\set ON_ERROR_STOP on

CREATE TABLE bench_profile AS
SELECT substr(user_id, 2)::integer AS number, platform, environment, apns_token, apns_status,
  voip_token, voip_status, languages, facets, locale, time_zone, app_version, app_version_order,
  app_build, app_build_order, os_version, os_version_order, device_model, localization,
  capabilities, "authorization", tags, attributes, reported_at
FROM installation WHERE app_id = :app;
ALTER TABLE bench_profile ADD PRIMARY KEY (number);

DELETE FROM token_history WHERE app_id = :app;
DELETE FROM app_history WHERE app_id = :app;
DELETE FROM token_owner WHERE app_id = :app;
DELETE FROM installation WHERE app_id = :app;
VACUUM ANALYZE bench_profile;
