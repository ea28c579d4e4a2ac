-- What registrations bring besides.

-- Whether the system wakes the app for silent notifications.
ALTER TABLE installation ADD COLUMN background_refresh text
  CHECK (background_refresh IN ('available', 'denied', 'restricted'));
