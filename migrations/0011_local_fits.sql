-- Constants of the speed model of local engines.
-- calibrations.op is the constant, engine_id and hardware_id the scope beside these; NULL = any.
CREATE TABLE local_fits (
    calibration_id TEXT PRIMARY KEY REFERENCES calibrations (id),
    backend TEXT NOT NULL,
    family TEXT,
    format TEXT,
    value REAL NOT NULL,
    unit TEXT NOT NULL,
    n INTEGER NOT NULL CHECK (n >= 0),
    median_abs_err REAL,
    p90_abs_err REAL
) STRICT;
