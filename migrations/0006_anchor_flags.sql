-- What a comparison with a measurement needs to know and no other table holds: why it is disputed as
-- one word, the tool that made its load, the formats of its GEMMs, its day.

ALTER TABLE anchors ADD COLUMN flag TEXT;
ALTER TABLE anchors ADD COLUMN load_generator TEXT;
ALTER TABLE anchors ADD COLUMN gemm_quant TEXT;
ALTER TABLE anchors ADD COLUMN moe_quant TEXT;
ALTER TABLE anchors ADD COLUMN measured_on TEXT;
