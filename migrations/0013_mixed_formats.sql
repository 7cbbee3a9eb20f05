-- Formats that keep the matrices beside routed experts finer than in dense models; constants of local
-- engines that hold for every back end.

ALTER TABLE weight_formats ADD COLUMN moe_rest_bytes REAL CHECK (moe_rest_bytes > 0);

CREATE TABLE local_fits_next (
    calibration_id TEXT PRIMARY KEY REFERENCES calibrations (id),
    backend TEXT,
    family TEXT,
    format TEXT,
    value REAL NOT NULL,
    unit TEXT NOT NULL,
    n INTEGER NOT NULL CHECK (n >= 0),
    median_abs_err REAL,
    p90_abs_err REAL
) STRICT;

INSERT INTO local_fits_next SELECT * FROM local_fits;
DROP TABLE local_fits;
ALTER TABLE local_fits_next RENAME TO local_fits;
