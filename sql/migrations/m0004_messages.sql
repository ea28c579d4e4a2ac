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
