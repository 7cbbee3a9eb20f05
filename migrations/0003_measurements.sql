-- Measurements with their conditions, the claims they bear on, and what nobody measured yet.

CREATE TABLE anchors (
    kind TEXT NOT NULL DEFAULT 'anchor' CHECK (kind = 'anchor'),
    id TEXT PRIMARY KEY,
    model_id TEXT REFERENCES models (id),
    hardware_id TEXT REFERENCES hardware (id),
    n_devices INTEGER CHECK (n_devices >= 1),
    engine_id TEXT REFERENCES engines (id),
    engine_version TEXT,
    weights TEXT,
    kv_cache TEXT,
    measured_on TEXT,
    suspicious INTEGER NOT NULL DEFAULT 0 CHECK (suspicious IN (0, 1)),
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

CREATE INDEX anchors_by_subject ON anchors (model_id, hardware_id, engine_id);

-- A condition is a number or a text: input_tokens, concurrency, tp, flags.
CREATE TABLE anchor_conditions (
    anchor_id TEXT NOT NULL REFERENCES anchors (id),
    name TEXT NOT NULL,
    number REAL,
    text TEXT,
    PRIMARY KEY (anchor_id, name),
    CHECK ((number IS NULL) <> (text IS NULL))
) STRICT;

-- Means, unless the name ends in _p50, _p90 or _p99; the unit stands in the name.
CREATE TABLE anchor_metrics (
    anchor_id TEXT NOT NULL REFERENCES anchors (id),
    name TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (anchor_id, name)
) STRICT;

CREATE INDEX anchor_metrics_by_name ON anchor_metrics (name);

CREATE TABLE claims (
    kind TEXT NOT NULL DEFAULT 'claim' CHECK (kind = 'claim'),
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    statement TEXT NOT NULL,
    claimed TEXT NOT NULL,
    recomputed TEXT,
    verdict TEXT NOT NULL,
    derivation TEXT NOT NULL,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

CREATE TABLE claim_records (
    claim_id TEXT NOT NULL REFERENCES claims (id),
    kind TEXT NOT NULL,
    record_id TEXT NOT NULL,
    PRIMARY KEY (claim_id, kind, record_id),
    FOREIGN KEY (kind, record_id) REFERENCES records (kind, id)
) STRICT;

CREATE TABLE gaps (
    kind TEXT NOT NULL DEFAULT 'gap' CHECK (kind = 'gap'),
    id TEXT PRIMARY KEY,
    question TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('no record', 'answered')),
    opened_on TEXT NOT NULL,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

-- Counted apart, so that asking a question does not revise a record.
CREATE TABLE gap_counters (
    gap_id TEXT PRIMARY KEY REFERENCES gaps (id),
    asked INTEGER NOT NULL DEFAULT 0 CHECK (asked >= 0),
    last_asked_on TEXT
) STRICT;
