-- Fits of forms beside the plain roofline (experts with a padded width, delta-net states and scans),
-- and the memory of a part: a kernel measured on one part stands for others of the same generation
-- and kind of memory alone.

ALTER TABLE op_fits ADD COLUMN form TEXT NOT NULL DEFAULT 'roofline';
ALTER TABLE op_fits ADD COLUMN pad_columns REAL NOT NULL DEFAULT 0;
ALTER TABLE op_fits ADD COLUMN ep_gamma REAL NOT NULL DEFAULT 0;
ALTER TABLE op_fits ADD COLUMN us_per_token_of_longest REAL NOT NULL DEFAULT 0;
ALTER TABLE op_fits ADD COLUMN us_per_token_head REAL NOT NULL DEFAULT 0;

ALTER TABLE hardware ADD COLUMN memory_type TEXT;
