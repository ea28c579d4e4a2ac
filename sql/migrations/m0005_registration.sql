-- What registrations bring besides.

-- Whether the system wakes the app for silent notifications.
ALTER TABLE installation ADD COLUMN background_refresh text
  CHECK (background_refresh IN ('available', 'denied', 'restricted'));

-- The public keys of those who sign users, as PEM.
ALTER TABLE app ADD COLUMN identity_keys text[] NOT NULL DEFAULT '{}';

-- By which a failure that is sent again is found.
CREATE INDEX registration_failure_id ON registration_failure (app_id, id);
