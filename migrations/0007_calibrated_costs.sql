-- Constants of an engine may be fitted to measured runs: their basis is then 'calibrated'.

CREATE TABLE host_costs_next (
    calibration_id TEXT PRIMARY KEY REFERENCES calibrations (id),
    value REAL NOT NULL,
    unit TEXT NOT NULL,
    basis TEXT NOT NULL CHECK (basis IN ('measured', 'calibrated', 'derived', 'assumed', 'no record')),
    anchor_id TEXT
) STRICT;

INSERT INTO host_costs_next SELECT * FROM host_costs;

DROP TABLE host_costs;

ALTER TABLE host_costs_next RENAME TO host_costs;
