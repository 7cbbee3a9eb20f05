-- Records of every kind, where each field is from, what is disputed, and how it came to be as it is.

CREATE TABLE schema_migrations (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64)
) STRICT;

-- records_digest, records_serial, records_text: which bundle of records the file was filled from.
CREATE TABLE store_info (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- One row per record; `doc` is the record as it was written, the tables of a kind hold what is computed with.
CREATE TABLE records (
    kind TEXT NOT NULL CHECK (kind IN ('source', 'model', 'hardware', 'weight_format', 'kv_format',
        'engine', 'class', 'regime', 'cure', 'calibration', 'anchor', 'claim', 'gap')),
    id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
    title TEXT NOT NULL,
    bundled INTEGER NOT NULL CHECK (bundled IN (0, 1)),
    revision INTEGER NOT NULL CHECK (revision >= 1),
    digest TEXT NOT NULL,
    notes TEXT NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT;

-- Names a record goes by; `key` is the name lower-cased, with '-' for every separator. One key of two
-- records is an ambiguous name.
CREATE TABLE aliases (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    record_id TEXT NOT NULL,
    alias TEXT NOT NULL,
    PRIMARY KEY (kind, key, record_id),
    FOREIGN KEY (kind, record_id) REFERENCES records (kind, id)
) STRICT;

CREATE TABLE sources (
    kind TEXT NOT NULL DEFAULT 'source' CHECK (kind = 'source'),
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    source_kind TEXT NOT NULL,
    url TEXT,
    date TEXT,
    license TEXT,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

-- Where a field is from. A field may have several sources; basis is 'assumed' for what was recalled.
CREATE TABLE provenance (
    kind TEXT NOT NULL,
    record_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    field TEXT NOT NULL,
    source_id TEXT NOT NULL REFERENCES sources (id),
    basis TEXT NOT NULL CHECK (basis IN ('published', 'measured', 'derived', 'assumed')),
    PRIMARY KEY (kind, record_id, position),
    FOREIGN KEY (kind, record_id) REFERENCES records (kind, id)
) STRICT;

CREATE INDEX provenance_by_source ON provenance (source_id);

CREATE TABLE disputes (
    kind TEXT NOT NULL,
    record_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    field TEXT NOT NULL,
    value_a TEXT NOT NULL,
    source_a TEXT NOT NULL,
    value_b TEXT NOT NULL,
    source_b TEXT NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (kind, record_id, position),
    FOREIGN KEY (kind, record_id) REFERENCES records (kind, id)
) STRICT;

-- What changed, when and by whom. Append-only: previous_doc is what the record said before.
CREATE TABLE revisions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    record_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('import', 'refresh', 'retire', 'add', 'edit')),
    at TEXT NOT NULL,
    author TEXT NOT NULL,
    digest TEXT NOT NULL,
    previous_doc TEXT
) STRICT;

CREATE INDEX revisions_by_record ON revisions (kind, record_id);

CREATE TRIGGER revisions_keep_rows BEFORE DELETE ON revisions
BEGIN
    SELECT RAISE(ABORT, 'revisions are append-only');
END;

CREATE TRIGGER revisions_keep_values BEFORE UPDATE ON revisions
BEGIN
    SELECT RAISE(ABORT, 'revisions are append-only');
END;

-- Full text for ?q=: titles, notes, source titles and urls.
CREATE VIRTUAL TABLE search USING fts5(
    kind UNINDEXED, record_id UNINDEXED, title, notes, source_titles, source_urls,
    tokenize = 'unicode61'
);
