-- How much the answers would narrow: the sum, over the questions counted, of ln(high/low) of what each
-- question would fix, in millionths; and how many questions were counted before that was kept.
ALTER TABLE gap_counters ADD COLUMN width_micro INTEGER NOT NULL DEFAULT 0 CHECK (width_micro >= 0);
ALTER TABLE gap_counters ADD COLUMN unweighed INTEGER NOT NULL DEFAULT 0 CHECK (unweighed >= 0);
UPDATE gap_counters SET unweighed = asked;
