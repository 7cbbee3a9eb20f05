-- Claims by section and verdict; questions that were asked and ended in "no record".

DROP TABLE claim_records;
DROP TABLE claims;

CREATE TABLE claims (
    kind TEXT NOT NULL DEFAULT 'claim' CHECK (kind = 'claim'),
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL UNIQUE,
    section TEXT NOT NULL,
    verdict TEXT NOT NULL,
    live INTEGER NOT NULL CHECK (live IN (0, 1)),
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

-- What backs or refutes a claim. An anchor whose source is a table is a record per row: such a
-- reference names what the ids of its rows begin with.
CREATE TABLE claim_records (
    claim_id TEXT NOT NULL REFERENCES claims (id),
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    record_id TEXT NOT NULL,
    PRIMARY KEY (claim_id, position)
) STRICT;

CREATE INDEX claim_records_by_record ON claim_records (kind, record_id);

DROP TABLE gap_counters;

-- A row per stated gap or asked key. It refers to no record: what was asked needs none, and what is
-- counted for a record that is retired stays known. Seconds since 1970.
CREATE TABLE gap_counters (
    gap_id TEXT PRIMARY KEY CHECK (length(gap_id) BETWEEN 1 AND 191),
    asked INTEGER NOT NULL CHECK (asked >= 1),
    first_asked_s INTEGER NOT NULL,
    last_asked_s INTEGER NOT NULL
) STRICT;
