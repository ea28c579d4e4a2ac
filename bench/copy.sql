-- The reference of a rendering for all devices: the columns that the service reads, as rows of text.

COPY (
  SELECT installation_id, apns_token, environment = 'sandbox', apns_status, platform, languages,
    language_override, app_build, app_version, os_version, localization, capabilities,
    background_refresh, "authorization"
  FROM installation WHERE app_id = :app
) TO STDOUT
