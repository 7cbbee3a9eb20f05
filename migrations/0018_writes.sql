-- What is posted: why a record came to be, which anchor answers a stated gap, and requests that are
-- sent again.

ALTER TABLE revisions ADD COLUMN why TEXT;

-- The anchor that closed a stated gap; NULL of one that is open or was closed by its record.
ALTER TABLE gaps ADD COLUMN answered_by TEXT;

-- What a request with an Idempotency-Key led to; `request` is the SHA-256 of its path and body.
-- Seconds since 1970.
CREATE TABLE idempotency (
    token_id TEXT NOT NULL,
    key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    request TEXT NOT NULL CHECK (length(request) = 64),
    kind TEXT NOT NULL,
    record_id TEXT NOT NULL,
    expires_s INTEGER NOT NULL,
    PRIMARY KEY (token_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_end ON idempotency (expires_s);
