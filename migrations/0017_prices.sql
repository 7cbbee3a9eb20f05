-- What a device costs per hour, and where. Beside `kind`, which names the kind of record, `offer` is the kind of price.

CREATE TABLE prices (
    kind TEXT NOT NULL DEFAULT 'price' CHECK (kind = 'price'),
    id TEXT PRIMARY KEY,
    hardware_id TEXT NOT NULL REFERENCES hardware (id),
    provider TEXT NOT NULL,
    offer TEXT NOT NULL CHECK (offer IN ('on_demand', 'spot', 'reserved', 'marketplace')),
    standing TEXT NOT NULL CHECK (standing IN ('listed', 'weak')),
    usd_per_device_hour REAL NOT NULL CHECK (usd_per_device_hour > 0),
    usd_low REAL,
    usd_high REAL,
    devices_min INTEGER,
    date TEXT,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

CREATE INDEX prices_by_part ON prices (hardware_id, usd_per_device_hour, id);
