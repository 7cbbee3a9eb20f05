-- What the planner computes with: models, parts, formats, engines, calibrations; and what it explains with.

CREATE TABLE models (
    kind TEXT NOT NULL DEFAULT 'model' CHECK (kind = 'model'),
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    family TEXT NOT NULL,
    hf_repo TEXT,
    release TEXT,
    native_format TEXT NOT NULL,
    hidden INTEGER NOT NULL,
    vocab INTEGER NOT NULL,
    n_layers INTEGER NOT NULL,
    max_positions INTEGER,
    params_total INTEGER NOT NULL,
    params_checkpoint INTEGER,
    params_active INTEGER NOT NULL,
    kv_bytes_per_token REAL NOT NULL,
    kv_bytes_per_token_beyond_window REAL NOT NULL,
    state_bytes_per_sequence REAL NOT NULL,
    has_moe INTEGER NOT NULL CHECK (has_moe IN (0, 1)),
    has_mla INTEGER NOT NULL CHECK (has_mla IN (0, 1)),
    has_state INTEGER NOT NULL CHECK (has_state IN (0, 1)),
    has_window INTEGER NOT NULL CHECK (has_window IN (0, 1)),
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

-- Layers of one shape; `doc` holds the group with the figures of one layer.
CREATE TABLE model_layer_groups (
    model_id TEXT NOT NULL REFERENCES models (id),
    position INTEGER NOT NULL,
    label TEXT NOT NULL,
    layers INTEGER NOT NULL,
    invocations INTEGER NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (model_id, position)
) STRICT;

CREATE TABLE model_extras (
    model_id TEXT NOT NULL REFERENCES models (id),
    position INTEGER NOT NULL,
    what TEXT NOT NULL,
    params INTEGER NOT NULL,
    read_per_step INTEGER NOT NULL CHECK (read_per_step IN (0, 1)),
    PRIMARY KEY (model_id, position)
) STRICT;

CREATE TABLE hardware (
    kind TEXT NOT NULL DEFAULT 'hardware' CHECK (kind = 'hardware'),
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    vendor TEXT NOT NULL,
    class TEXT NOT NULL,
    arch TEXT NOT NULL,
    release TEXT,
    memory_bytes REAL NOT NULL,
    memory_is_nominal INTEGER NOT NULL CHECK (memory_is_nominal IN (0, 1)),
    mem_bw_gbps REAL NOT NULL,
    link_kind TEXT NOT NULL,
    link_is_fabric INTEGER NOT NULL CHECK (link_is_fabric IN (0, 1)),
    link_gbps_one_way REAL,
    link_domain INTEGER NOT NULL,
    host_gbps_one_way REAL NOT NULL,
    host_is_assumed INTEGER NOT NULL CHECK (host_is_assumed IN (0, 1)),
    tdp_w REAL,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

CREATE TABLE hardware_peaks (
    hardware_id TEXT NOT NULL REFERENCES hardware (id),
    dtype TEXT NOT NULL,
    tflops REAL NOT NULL CHECK (tflops > 0),
    PRIMARY KEY (hardware_id, dtype)
) STRICT;

CREATE TABLE weight_formats (
    kind TEXT NOT NULL DEFAULT 'weight_format' CHECK (kind = 'weight_format'),
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    title TEXT NOT NULL,
    family TEXT NOT NULL,
    deployable INTEGER NOT NULL CHECK (deployable IN (0, 1)),
    block_elems INTEGER,
    block_bytes REAL,
    bits_per_weight REAL,
    multiply TEXT NOT NULL,
    weight_only INTEGER NOT NULL CHECK (weight_only IN (0, 1)),
    activation_bytes REAL NOT NULL,
    quantized INTEGER NOT NULL CHECK (quantized IN (0, 1)),
    gguf INTEGER NOT NULL CHECK (gguf IN (0, 1)),
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

-- Bytes of one weight by tensor role, scales and zero points included.
CREATE TABLE weight_format_roles (
    format_id TEXT NOT NULL REFERENCES weight_formats (id),
    role TEXT NOT NULL,
    bytes_per_weight REAL NOT NULL CHECK (bytes_per_weight > 0),
    PRIMARY KEY (format_id, role)
) STRICT;

-- Which block type a recipe gives a tensor, and in how many layers of a 32-layer model.
CREATE TABLE weight_format_recipes (
    format_id TEXT NOT NULL REFERENCES weight_formats (id),
    tensor TEXT NOT NULL,
    block_type TEXT NOT NULL,
    layers INTEGER NOT NULL,
    PRIMARY KEY (format_id, tensor, block_type)
) STRICT;

-- Types of measured kernels that stand for a format, best first; use is 'gemm', 'moe' or 'kv'.
CREATE TABLE format_fits (
    kind TEXT NOT NULL CHECK (kind IN ('weight_format', 'kv_format')),
    format_id TEXT NOT NULL,
    use TEXT NOT NULL CHECK (use IN ('gemm', 'moe', 'kv')),
    position INTEGER NOT NULL,
    dtype TEXT NOT NULL,
    PRIMARY KEY (kind, format_id, use, position),
    FOREIGN KEY (kind, format_id) REFERENCES records (kind, id)
) STRICT;

CREATE TABLE kv_formats (
    kind TEXT NOT NULL DEFAULT 'kv_format' CHECK (kind = 'kv_format'),
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    title TEXT NOT NULL,
    bytes_per_element REAL NOT NULL CHECK (bytes_per_element > 0),
    compute TEXT NOT NULL,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

CREATE TABLE engines (
    kind TEXT NOT NULL DEFAULT 'engine' CHECK (kind = 'engine'),
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    title TEXT NOT NULL,
    memory_rule TEXT NOT NULL,
    latest TEXT NOT NULL,
    python_control_plane INTEGER NOT NULL CHECK (python_control_plane IN (0, 1)),
    static_slots INTEGER NOT NULL CHECK (static_slots IN (0, 1)),
    moe_fit_balanced INTEGER NOT NULL CHECK (moe_fit_balanced IN (0, 1)),
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

-- Defaults by range of versions and memory of the part; the first row that matches holds.
CREATE TABLE engine_defaults (
    engine_id TEXT NOT NULL REFERENCES engines (id),
    position INTEGER NOT NULL,
    version_min TEXT,
    version_max TEXT,
    min_memory_bytes REAL NOT NULL,
    excluded_arch TEXT,
    chunked_prefill_tokens REAL NOT NULL,
    max_num_seqs REAL NOT NULL,
    memory_utilization REAL NOT NULL,
    block_size REAL NOT NULL,
    stream_interval REAL NOT NULL,
    reserve_output_share REAL NOT NULL,
    async_scheduling INTEGER NOT NULL CHECK (async_scheduling IN (0, 1)),
    cuda_graphs INTEGER NOT NULL CHECK (cuda_graphs IN (0, 1)),
    prefix_caching INTEGER NOT NULL CHECK (prefix_caching IN (0, 1)),
    sampler_on_host INTEGER NOT NULL CHECK (sampler_on_host IN (0, 1)),
    prefill_priority INTEGER NOT NULL CHECK (prefill_priority IN (0, 1)),
    PRIMARY KEY (engine_id, position)
) STRICT;

-- Everything fitted or derived from measurements, with its verdict.
CREATE TABLE calibrations (
    kind TEXT NOT NULL DEFAULT 'calibration' CHECK (kind = 'calibration'),
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL CHECK (type IN ('op_fit', 'collective_fit', 'host_cost')),
    hardware_id TEXT REFERENCES hardware (id),
    engine_id TEXT REFERENCES engines (id),
    engine_version TEXT,
    op TEXT NOT NULL,
    dtype TEXT,
    status TEXT NOT NULL CHECK (status IN ('used', 'fallback', 'rejected')),
    reason TEXT,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

-- t = ((bytes / (e_m BW))^q + (flops / (e_c peak))^q)^(1/q) + t0; BW and peak as fitted with.
CREATE TABLE op_fits (
    calibration_id TEXT PRIMARY KEY REFERENCES calibrations (id),
    e_m REAL NOT NULL,
    e_c REAL NOT NULL,
    t0_us REAL NOT NULL,
    q REAL NOT NULL,
    n INTEGER NOT NULL,
    median_abs_err REAL NOT NULL,
    p90_abs_err REAL NOT NULL,
    fit_bw_gbps REAL NOT NULL,
    fit_peak_bf16_tflops REAL NOT NULL
) STRICT;

-- t = ((f bytes / bus)^q + t0^q)^(1/q), f = 2 (n - 1) / n for an all-reduce of n devices.
CREATE TABLE collective_fits (
    calibration_id TEXT PRIMARY KEY REFERENCES calibrations (id),
    devices INTEGER NOT NULL,
    variant TEXT NOT NULL,
    graph INTEGER NOT NULL CHECK (graph IN (0, 1)),
    vendor_library INTEGER NOT NULL CHECK (vendor_library IN (0, 1)),
    bus_gbps REAL NOT NULL,
    t0_us REAL NOT NULL,
    q REAL NOT NULL,
    n INTEGER NOT NULL,
    median_abs_err REAL NOT NULL,
    max_bytes REAL NOT NULL
) STRICT;

-- Host and launch constants of an engine; anchor names the measurement a value rests on.
CREATE TABLE host_costs (
    calibration_id TEXT PRIMARY KEY REFERENCES calibrations (id),
    value REAL NOT NULL,
    unit TEXT NOT NULL,
    basis TEXT NOT NULL CHECK (basis IN ('measured', 'derived', 'assumed', 'no record')),
    anchor_id TEXT
) STRICT;

CREATE TABLE classes (
    kind TEXT NOT NULL DEFAULT 'class' CHECK (kind = 'class'),
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    pass TEXT NOT NULL,
    bound TEXT NOT NULL,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

CREATE TABLE regimes (
    kind TEXT NOT NULL DEFAULT 'regime' CHECK (kind = 'regime'),
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    seed_letter TEXT,
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

-- What one would see on the machine in a regime; none is sufficient alone.
CREATE TABLE regime_signs (
    regime_id TEXT NOT NULL REFERENCES regimes (id),
    position INTEGER NOT NULL,
    sign TEXT NOT NULL,
    PRIMARY KEY (regime_id, position)
) STRICT;

CREATE TABLE cures (
    kind TEXT NOT NULL DEFAULT 'cure' CHECK (kind = 'cure'),
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    pointer TEXT NOT NULL,
    control INTEGER NOT NULL CHECK (control IN (0, 1)),
    FOREIGN KEY (kind, id) REFERENCES records (kind, id)
) STRICT;

CREATE TABLE cure_evidence (
    cure_id TEXT NOT NULL REFERENCES cures (id),
    position INTEGER NOT NULL,
    anchor_id TEXT NOT NULL,
    PRIMARY KEY (cure_id, position)
) STRICT;
