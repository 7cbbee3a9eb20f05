-- Anchors by their conditions: one row per measurement, one column per numeric condition, so that a
-- snapshot is read in one pass; metrics with their statistic; shares of attributed steps.

DROP TABLE anchor_metrics;
DROP TABLE anchor_conditions;
DROP TABLE anchors;

-- `number` is the row of the full-text index: the first 40 bits of the SHA-256 of the id, so that it
-- stays when records come and go. `kind` is that of the record, `anchor_kind` says what was measured.
-- `disputed` is why nothing uses it, NULL = it stands. Texts, as found and as conditions, are in the
-- record's doc.
CREATE TABLE anchors (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL DEFAULT 'anchor' CHECK (kind = 'anchor'),
    number INTEGER NOT NULL UNIQUE,
    anchor_kind TEXT NOT NULL,
    source_id TEXT NOT NULL REFERENCES sources (id),
    model_id TEXT REFERENCES models (id),
    hardware_id TEXT REFERENCES hardware (id),
    engine_id TEXT REFERENCES engines (id),
    engine_version TEXT,
    backend TEXT,
    load_profile TEXT,
    weights_id TEXT REFERENCES weight_formats (id),
    kv_cache_id TEXT REFERENCES kv_formats (id),
    disputed TEXT,
    speculative INTEGER NOT NULL CHECK (speculative IN (0, 1)),
    prefix_cached INTEGER NOT NULL CHECK (prefix_cached IN (0, 1)),
    n_devices REAL CHECK (n_devices >= 0),
    tp REAL CHECK (tp >= 0),
    pp REAL CHECK (pp >= 0),
    dp REAL CHECK (dp >= 0),
    ep REAL CHECK (ep >= 0),
    expert_tp REAL CHECK (expert_tp >= 0),
    input_tokens REAL CHECK (input_tokens >= 0),
    output_tokens REAL CHECK (output_tokens >= 0),
    cached_prefix_tokens REAL CHECK (cached_prefix_tokens >= 0),
    concurrency REAL CHECK (concurrency >= 0),
    batch REAL CHECK (batch >= 0),
    depth REAL CHECK (depth >= 0),
    request_rate REAL CHECK (request_rate >= 0),
    requests REAL CHECK (requests >= 0),
    length_range_ratio REAL CHECK (length_range_ratio >= 0),
    max_num_seqs REAL CHECK (max_num_seqs >= 0),
    max_model_len REAL CHECK (max_model_len >= 0),
    chunked_prefill_tokens REAL CHECK (chunked_prefill_tokens >= 0),
    memory_utilization REAL CHECK (memory_utilization >= 0),
    block_size REAL CHECK (block_size >= 0),
    speculative_tokens REAL CHECK (speculative_tokens >= 0),
    stream_interval REAL CHECK (stream_interval >= 0),
    logprobs REAL CHECK (logprobs >= 0),
    threads REAL CHECK (threads >= 0),
    micro_batch REAL CHECK (micro_batch >= 0),
    power_limit_w REAL CHECK (power_limit_w >= 0),
    model_file_bytes REAL CHECK (model_file_bytes >= 0),
    device_memory_bytes REAL CHECK (device_memory_bytes >= 0),
    prefill_workers REAL CHECK (prefill_workers >= 0),
    prefill_tp REAL CHECK (prefill_tp >= 0),
    prefill_pp REAL CHECK (prefill_pp >= 0),
    prefill_dp REAL CHECK (prefill_dp >= 0),
    prefill_ep REAL CHECK (prefill_ep >= 0),
    prefill_expert_tp REAL CHECK (prefill_expert_tp >= 0),
    prefill_batch REAL CHECK (prefill_batch >= 0),
    decode_workers REAL CHECK (decode_workers >= 0),
    decode_batch REAL CHECK (decode_batch >= 0),
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX anchors_by_source ON anchors (source_id, number);

CREATE TABLE anchor_metrics (
    anchor_id TEXT NOT NULL REFERENCES anchors (id),
    metric TEXT NOT NULL,
    statistic TEXT NOT NULL CHECK (statistic IN ('mean', 'p50', 'p90', 'p95', 'p99', 'min', 'max',
        'stddev', 'unstated')),
    value REAL NOT NULL,
    PRIMARY KEY (anchor_id, metric, statistic)
) STRICT, WITHOUT ROWID;

-- `classes` names the cost classes that a part of the step is made of, joined by '+'; '' = none.
CREATE TABLE anchor_shares (
    anchor_id TEXT NOT NULL REFERENCES anchors (id),
    position INTEGER NOT NULL,
    label TEXT NOT NULL,
    classes TEXT NOT NULL,
    share REAL NOT NULL CHECK (share BETWEEN 0 AND 1),
    PRIMARY KEY (anchor_id, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW anchor_texts AS
    SELECT a.number, r.title, r.notes, s.title AS source_title,
        s.url AS source_url
    FROM anchors a JOIN records r ON r.kind = 'anchor' AND r.id = a.id
        JOIN sources s ON s.id = a.source_id;

-- Full text of anchors for ?q=; the texts themselves are read through the view.
CREATE VIRTUAL TABLE anchor_search USING fts5(
    title, notes, source_title, source_url,
    content = 'anchor_texts', content_rowid = 'number', columnsize = 0, tokenize = 'unicode61'
);
