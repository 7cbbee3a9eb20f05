-- What engines printed about memory when they started, with the deployment that they were started as.

CREATE TABLE capacity (
    kind TEXT NOT NULL DEFAULT 'capacity' CHECK (kind = 'capacity'),
    id TEXT PRIMARY KEY,
    engine_id TEXT REFERENCES engines (id),
    model_id TEXT REFERENCES models (id),
    hardware_id TEXT REFERENCES hardware (id),
    status TEXT NOT NULL,
    oom INTEGER NOT NULL CHECK (oom IN (0, 1)),
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;
