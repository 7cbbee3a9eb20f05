-- Flags that runs are started with, and under which conditions. What a record is of is no longer a
-- closed list of the schema: the importer knows its kinds.

DROP VIEW anchor_texts;

CREATE TABLE records_open (
    kind TEXT NOT NULL,
    id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
    title TEXT NOT NULL,
    bundled INTEGER NOT NULL CHECK (bundled IN (0, 1)),
    revision INTEGER NOT NULL CHECK (revision >= 1),
    digest TEXT NOT NULL,
    notes TEXT NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT;

INSERT INTO records_open SELECT * FROM records;

DROP TABLE records;

ALTER TABLE records_open RENAME TO records;

CREATE VIEW anchor_texts AS
    SELECT a.number, r.title, r.notes, s.title AS source_title,
        s.url AS source_url
    FROM anchors a JOIN records r ON r.kind = 'anchor' AND r.id = a.id
        JOIN sources s ON s.id = a.source_id;

-- NULL = any. engine_build is the engine's version as a whole, where its numbers do not tell.
CREATE TABLE launches (
    kind TEXT NOT NULL DEFAULT 'launch' CHECK (kind = 'launch'),
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    load_generator TEXT,
    engine_id TEXT REFERENCES engines (id),
    version_min TEXT,
    version_max TEXT,
    engine_build TEXT,
    speculative INTEGER CHECK (speculative IN (0, 1)),
    tp_min REAL,
    tp_max REAL,
    dp_min REAL,
    dp_max REAL,
    input_tokens_min REAL,
    input_tokens_max REAL,
    output_tokens_min REAL,
    output_tokens_max REAL,
    concurrency_min REAL,
    concurrency_max REAL,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

-- Which models, parts, architectures and weight formats a launch is limited to.
CREATE TABLE launch_subjects (
    launch_id TEXT NOT NULL REFERENCES launches (id),
    what TEXT NOT NULL CHECK (what IN ('models', 'hardware', 'archs', 'weights')),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (launch_id, what, position)
) STRICT;

-- A flag is a number, a text, or follows from the load by a rule.
CREATE TABLE launch_flags (
    launch_id TEXT NOT NULL REFERENCES launches (id),
    flag TEXT NOT NULL,
    number REAL,
    rule TEXT,
    text TEXT,
    PRIMARY KEY (launch_id, flag)
) STRICT;
