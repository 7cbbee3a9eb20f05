-- Why a measured figure is so far from its prediction, one by one: what is known of it, inferred
-- from other runs, or that the cause is not known.

CREATE TABLE residual_notes (
    anchor_id TEXT NOT NULL REFERENCES anchors (id),
    metric TEXT NOT NULL,
    cause TEXT NOT NULL CHECK (cause IN ('known', 'inferred', 'unknown')),
    why TEXT NOT NULL,
    source_title TEXT,
    source_url TEXT,
    PRIMARY KEY (anchor_id, metric)
) STRICT, WITHOUT ROWID;
