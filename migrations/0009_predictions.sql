-- What a calibration found besides constants: how far runs that had no part in a fit lie from their
-- predictions, and the predictions themselves, in milliseconds, beside the measured runs.

-- What a calibration is of is no longer a closed list of the schema: the importer knows its kinds.

CREATE TABLE calibrations_open (
    kind TEXT NOT NULL DEFAULT 'calibration' CHECK (kind = 'calibration'),
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    hardware_id TEXT REFERENCES hardware (id),
    engine_id TEXT REFERENCES engines (id),
    engine_version TEXT,
    op TEXT NOT NULL,
    dtype TEXT,
    status TEXT NOT NULL CHECK (status IN ('used', 'fallback', 'rejected')),
    reason TEXT,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

INSERT INTO calibrations_open SELECT * FROM calibrations;
DROP TABLE calibrations;
ALTER TABLE calibrations_open RENAME TO calibrations;

CREATE TABLE intervals (
    calibration_id TEXT PRIMARY KEY REFERENCES calibrations (id),
    metric TEXT NOT NULL,
    tier TEXT NOT NULL,
    low REAL NOT NULL CHECK (low > 0),
    high REAL NOT NULL CHECK (high >= low),
    n REAL NOT NULL
) STRICT;

CREATE TABLE predictions (
    anchor_id TEXT PRIMARY KEY REFERENCES anchors (id),
    tpot_ms REAL,
    tpot_ms_cell_out REAL,
    tpot_ms_model_out REAL,
    ttft_ms REAL,
    ttft_ms_cell_out REAL,
    ttft_ms_model_out REAL
) STRICT;
