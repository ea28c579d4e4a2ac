-- What the ETags of apps, messages and catalogs are made of: numbers that no two states share, also
-- not those of things that are deleted and made anew.
CREATE SEQUENCE entity_tag;
ALTER TABLE app ADD COLUMN tag bigint NOT NULL DEFAULT nextval('entity_tag');
ALTER TABLE message ADD COLUMN tag bigint NOT NULL DEFAULT nextval('entity_tag');
ALTER TABLE catalog ADD COLUMN tag bigint NOT NULL DEFAULT nextval('entity_tag');
