-- Tokens that allow reading a closed service and writing to an open one.

-- The key of the hash, random and of this file alone.
CREATE TABLE token_key (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    key BLOB NOT NULL CHECK (length(key) = 32)
) STRICT;

-- `hash` is the HMAC-SHA-256 of the token, which is kept nowhere. Scopes are words, a blank between.
-- Seconds since 1970; last_used_s is exact to a minute.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    scopes TEXT NOT NULL,
    created_s INTEGER NOT NULL,
    expires_s INTEGER,
    last_used_s INTEGER,
    revoked_s INTEGER
) STRICT;

CREATE UNIQUE INDEX tokens_in_use ON tokens (name) WHERE revoked_s IS NULL;
