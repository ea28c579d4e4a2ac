-- Where a key comes from: another POSTILION_ROOT_KEY retires those that did not come by a call.
ALTER TABLE api_key ADD origin text NOT NULL DEFAULT 'call'
  CHECK (origin IN ('call', 'environment', 'first'));

UPDATE api_key SET origin = CASE label WHEN 'first' THEN 'first' ELSE 'environment' END
WHERE kind = 'root';
