-- What a catalog holds of each language: keys, texts that vary, states of translation.
ALTER TABLE catalog ADD COLUMN localizations jsonb NOT NULL DEFAULT '[]';
