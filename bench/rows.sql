-- The rows of installations :first to :last of app :app with other keys, as a file for COPY.

\set ON_ERROR_STOP on

CREATE TEMPORARY TABLE bench_row AS
SELECT * FROM installation
WHERE app_id = :app AND user_id BETWEEN 'u' || :first AND 'u' || :last;
UPDATE bench_row
SET installation_id = replace(installation_id::text, '-4000-8000-', '-4001-8000-')::uuid;
COPY bench_row TO STDOUT \g :file
