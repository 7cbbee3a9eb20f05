-- Constants of the engines' memory accounting, by version and part; NULL = any.
CREATE TABLE memory_rules (
    kind TEXT NOT NULL DEFAULT 'memory_rule' CHECK (kind = 'memory_rule'),
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    memory_rule TEXT NOT NULL,
    constant TEXT NOT NULL,
    version_min TEXT,
    version_max TEXT,
    arch TEXT,
    class TEXT,
    fabric INTEGER CHECK (fabric IN (0, 1)),
    tp_min REAL,
    tp_max REAL,
    pp_min REAL,
    pp_max REAL,
    value REAL NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL CHECK (low <= value AND value <= high),
    unit TEXT NOT NULL,
    basis TEXT NOT NULL,
    formula TEXT,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

-- Bytes of scale that a head has per token, for keys and for values each, whatever its width.
ALTER TABLE kv_formats ADD COLUMN head_scale_bytes REAL NOT NULL DEFAULT 0
CHECK (head_scale_bytes >= 0);
