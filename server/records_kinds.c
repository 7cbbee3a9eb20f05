#include "records_kinds.h"

#include <string.h>

#include "claims.h"
#include "gaps_route.h"
#include "records_extra.h"

/* A list is one statement: the columns, then this. `FROM` joins the kind's table as x; SORT is the
 * key that orders and pages the list. */
#define COLUMNS(SORT) "SELECT " SORT " AS sort, r.kind, r.id, r.doc, r.revision "
#define MATCHES                                                                                    \
    "(?2 IS NULL OR (r.kind, r.id) IN (SELECT kind, record_id FROM search WHERE search MATCH "     \
    "?2)) "
#define PAGE(SORT) "AND (?1 IS NULL OR " SORT " > ?1) ORDER BY sort LIMIT ?3"
#define EQUALS(COLUMN, AT) "AND (" AT " IS NULL OR " COLUMN " = " AT ") "
#define VALUES(COLUMN, TABLE)                                                                      \
    "SELECT DISTINCT " COLUMN " FROM " TABLE " WHERE " COLUMN " IS NOT NULL"
#define STATEMENTS(SORT, FROM, WHERE, CSV)                                                         \
    .list_sql = COLUMNS(SORT) FROM "WHERE " MATCHES WHERE PAGE(SORT),                              \
    .count_sql = "SELECT count(*) " FROM "WHERE ?1 IS ?1 AND ?3 IS ?3 AND " MATCHES WHERE,         \
    .csv_sql = "SELECT " SORT " AS sort, " CSV " " FROM "WHERE " MATCHES WHERE PAGE(SORT)

/* Launches that speak of a name: those that list it, and those without such a list. */
#define SUBJECT(WHAT, AT)                                                                          \
    "AND (" AT " IS NULL OR " AT " IN (SELECT name FROM launch_subjects WHERE launch_id = x.id "   \
    "AND what = '" WHAT "') OR NOT EXISTS (SELECT 1 FROM launch_subjects WHERE launch_id = x.id "  \
    "AND what = '" WHAT "')) "
#define NAMES(WHAT)                                                                                \
    "(SELECT group_concat(name, ' ') FROM launch_subjects WHERE launch_id = x.id AND what = "      \
    "'" WHAT "') AS " WHAT

#define OWN_TABLE(KIND, TABLE)                                                                     \
    "FROM records r JOIN " TABLE " x ON x.id = r.id AND r.kind = '" KIND "' "
#define BY_POSITION "printf('%05d', x.position)"

static const char *const MODEL[] = {"model", NULL};
static const char *const HARDWARE[] = {"hardware", NULL};
static const char *const FORMATS[] = {"weight_format", "kv_format", NULL};
static const char *const ENGINE[] = {"engine", NULL};
static const char *const LAUNCH[] = {"launch", NULL};
static const char *const CAPACITY[] = {"capacity", NULL};
static const char *const PRICE[] = {"price", NULL};
static const char *const MEMORY_RULE[] = {"memory_rule", NULL};
static const char *const CLASS[] = {"class", NULL};
static const char *const REGIME[] = {"regime", NULL};
static const char *const CURE[] = {"cure", NULL};
static const char *const CALIBRATION[] = {"calibration", NULL};
static const char *const SOURCE[] = {"source", NULL};
static const char *const CLAIM[] = {"claim", NULL};
static const char *const GAP[] = {"gap", NULL};

/* Sources, disputes and aliases are shown as rows of their own. */
static const char *const HIDDEN[] = {"sources", "disputes", "aliases", NULL};
static const char *const HIDDEN_MODEL[] = {"sources", "disputes",      "aliases", "hidden",
                                           "vocab",   "max_positions", "groups",  NULL};
static const char *const HIDDEN_CALIBRATION[] = {"sources", "disputes", "aliases",  "engine",
                                                 "id",      "anchor",   "hardware", NULL};

static const char *const HIDDEN_CLAIM[] = {"sources", "disputes", "aliases",
                                           "records", "live",     NULL};
static const char *const HIDDEN_GAP[] = {"sources", "disputes", "aliases", "subjects", NULL};

static const struct record_kind KINDS[] = {
    {
        .segment = "models",
        .noun = "model",
        .kinds = MODEL,
        STATEMENTS("r.id", OWN_TABLE("model", "models"),
                   EQUALS("x.family", "?4") EQUALS("x.native_format", "?5"),
                   "x.id, x.name, x.family, x.hf_repo, x.release, x.native_format, x.hidden AS "
                   "hidden_size, x.n_layers, x.vocab AS vocab_size, x.max_positions AS "
                   "max_position_embeddings, x.params_total, x.params_checkpoint, x.params_active, "
                   "x.kv_bytes_per_token, x.kv_bytes_per_token_beyond_window, "
                   "x.state_bytes_per_sequence, x.has_moe, x.has_mla, x.has_state, x.has_window"),
        .filters = {{"family", FILTER_TEXT, VALUES("family", "models")},
                    {"native_format", FILTER_TEXT, VALUES("native_format", "models")}},
        .hidden = HIDDEN_MODEL,
        .extra = record_model_extra,
    },
    {
        .segment = "hardware",
        .noun = "part",
        .kinds = HARDWARE,
        STATEMENTS("r.id", OWN_TABLE("hardware", "hardware"),
                   EQUALS("x.vendor", "?4") EQUALS("x.class", "?5") EQUALS("x.arch", "?6"),
                   "x.id, x.name, x.vendor, x.class, x.arch, x.release, x.memory_bytes, "
                   "x.mem_bw_gbps, (SELECT tflops FROM hardware_peaks p WHERE p.hardware_id = x.id "
                   "AND dtype = 'bf16') AS bf16_tflops, (SELECT tflops FROM hardware_peaks p WHERE "
                   "p.hardware_id = x.id AND dtype = 'fp16') AS fp16_tflops, (SELECT tflops FROM "
                   "hardware_peaks p WHERE p.hardware_id = x.id AND dtype = 'fp8') AS fp8_tflops, "
                   "(SELECT tflops FROM hardware_peaks p WHERE p.hardware_id = x.id AND dtype = "
                   "'fp4') AS fp4_tflops, x.link_kind, x.link_gbps_one_way, x.link_domain, "
                   "x.host_gbps_one_way, x.tdp_w"),
        .filters = {{"vendor", FILTER_TEXT, VALUES("vendor", "hardware")},
                    {"class", FILTER_TEXT, VALUES("class", "hardware")},
                    {"arch", FILTER_TEXT, VALUES("arch", "hardware")}},
        .hidden = HIDDEN,
        .extra = record_hardware_extra,
    },
    {
        .segment = "formats",
        .noun = "format",
        .kinds = FORMATS,
        STATEMENTS(
            "printf('%d%05d', r.kind = 'kv_format', coalesce(w.position, k.position))",
            "FROM records r LEFT JOIN weight_formats w ON w.id = r.id AND r.kind = 'weight_format' "
            "LEFT JOIN kv_formats k ON k.id = r.id AND r.kind = 'kv_format' ",
            "AND r.kind IN ('weight_format', 'kv_format') "
            "AND (?4 IS NULL OR iif(r.kind = 'kv_format', 'kv_cache', 'weights') = ?4) "
            "AND (?5 IS NULL OR iif(r.kind = 'kv_format', 'kv', w.family) = ?5) ",
            "r.id, iif(r.kind = 'kv_format', 'kv_cache', 'weights') AS use, r.title, w.family, "
            "w.block_elems, w.block_bytes, w.bits_per_weight, (SELECT bytes_per_weight FROM "
            "weight_format_roles f WHERE f.format_id = w.id AND role = 'dense_ffn') AS "
            "bytes_per_linear_weight, k.bytes_per_element AS bytes_per_kv_element, "
            "coalesce(w.multiply, k.compute) AS multiply"),
        .filters = {{"use", FILTER_TEXT, "SELECT 'weights' UNION SELECT 'kv_cache'"},
                    {"family", FILTER_TEXT,
                     "SELECT DISTINCT family FROM weight_formats UNION SELECT 'kv'"}},
        .hidden = HIDDEN,
    },
    {
        .segment = "engines",
        .noun = "engine",
        .kinds = ENGINE,
        STATEMENTS(BY_POSITION, OWN_TABLE("engine", "engines"), "",
                   "x.id, x.title, x.memory_rule, x.latest, x.python_control_plane, "
                   "x.static_slots"),
        .hidden = HIDDEN,
    },
    {
        .segment = "launches",
        .noun = "launch",
        .kinds = LAUNCH,
        STATEMENTS(
            BY_POSITION, OWN_TABLE("launch", "launches"),
            EQUALS("x.load_generator", "?4") EQUALS("x.engine_id", "?5") SUBJECT("models", "?6")
                SUBJECT("hardware", "?7") SUBJECT("weights", "?8"),
            "x.id, r.title, x.load_generator, x.engine_id AS engine, x.version_min, "
            "x.version_max, x.engine_build, " NAMES("models") ", " NAMES("hardware") ", " NAMES(
                "archs") ", " NAMES("weights") ", (SELECT "
                                               "group_concat(flag || '=' || coalesce(rule, text, "
                                               "number), ' ') FROM "
                                               "launch_flags WHERE launch_id = x.id) AS flags"),
        .filters = {{"load_generator", FILTER_TEXT, VALUES("load_generator", "launches")},
                    {"engine", FILTER_ENGINE, NULL},
                    {"model", FILTER_MODEL, NULL},
                    {"hardware", FILTER_HARDWARE, NULL},
                    {"weights", FILTER_TEXT,
                     "SELECT DISTINCT name FROM launch_subjects WHERE what = 'weights'"}},
        .hidden = HIDDEN,
    },
    {
        .segment = "capacity",
        .noun = "memory log",
        .kinds = CAPACITY,
        STATEMENTS(
            "r.id", OWN_TABLE("capacity", "capacity"),
            EQUALS("x.engine_id", "?4") EQUALS("x.model_id", "?5") EQUALS("x.hardware_id", "?6")
                EQUALS("x.status", "?7") "AND (?8 IS NULL OR iif(x.oom, 'true', 'false') = ?8) ",
            "x.id, r.title, x.engine_id AS engine, json_extract(r.doc, '$.engine_version') "
            "AS engine_version, x.model_id AS model, x.hardware_id AS hardware, "
            "json_extract(r.doc, '$.devices') AS devices, x.status, iif(x.oom, 'true', "
            "'false') AS oom, json_extract(r.doc, '$.observed.weights_gib') AS weights_gib, "
            "json_extract(r.doc, '$.observed.kv_gib') AS kv_gib, json_extract(r.doc, "
            "'$.observed.kv_tokens') AS kv_tokens, json_extract(r.doc, "
            "'$.observed.max_concurrency') AS max_concurrency"),
        .filters = {{"engine", FILTER_ENGINE, NULL},
                    {"model", FILTER_MODEL, NULL},
                    {"hardware", FILTER_HARDWARE, NULL},
                    {"status", FILTER_TEXT, VALUES("status", "capacity")},
                    {"oom", FILTER_TEXT, "SELECT 'true' UNION SELECT 'false'"}},
        .hidden = HIDDEN,
    },
    {
        .segment = "prices",
        .noun = "price",
        .kinds = PRICE,
        STATEMENTS("r.id", OWN_TABLE("price", "prices"),
                   EQUALS("x.hardware_id", "?4") EQUALS("x.provider", "?5") EQUALS("x.offer", "?6")
                       EQUALS("x.standing", "?7"),
                   "x.id, x.hardware_id AS hardware, x.provider, x.offer AS kind, "
                   "x.usd_per_device_hour, x.usd_low, x.usd_high, x.devices_min, x.date, "
                   "x.standing, (SELECT s.url FROM provenance p JOIN sources s ON s.id = "
                   "p.source_id WHERE p.kind = 'price' AND p.record_id = x.id) AS source"),
        .filters = {{"hardware", FILTER_HARDWARE, NULL},
                    {"provider", FILTER_TEXT, VALUES("provider", "prices")},
                    {"kind", FILTER_TEXT, VALUES("offer", "prices")},
                    {"standing", FILTER_TEXT, "SELECT 'listed' UNION SELECT 'weak'"}},
        .hidden = HIDDEN,
    },
    {
        .segment = "memory-rules",
        .noun = "memory rule",
        .kinds = MEMORY_RULE,
        STATEMENTS(BY_POSITION, OWN_TABLE("memory_rule", "memory_rules"),
                   EQUALS("x.memory_rule", "?4") EQUALS("x.constant", "?5") EQUALS("x.arch", "?6"),
                   "x.id, r.title, x.memory_rule, x.constant, x.version_min, x.version_max, "
                   "x.arch, x.class, x.fabric, x.tp_min, x.tp_max, x.pp_min, x.pp_max, x.value, "
                   "x.low, x.high, x.unit, x.basis, x.formula"),
        .filters = {{"memory_rule", FILTER_TEXT, VALUES("memory_rule", "memory_rules")},
                    {"constant", FILTER_TEXT, VALUES("constant", "memory_rules")},
                    {"arch", FILTER_TEXT, VALUES("arch", "memory_rules")}},
        .hidden = HIDDEN,
    },
    {
        .segment = "classes",
        .noun = "class",
        .kinds = CLASS,
        STATEMENTS(BY_POSITION, OWN_TABLE("class", "classes"),
                   EQUALS("x.pass", "?4") EQUALS("x.bound", "?5"),
                   "x.id, r.title, x.pass, x.bound"),
        .filters = {{"pass", FILTER_TEXT, VALUES("pass", "classes")},
                    {"bound", FILTER_TEXT, VALUES("bound", "classes")}},
        .hidden = HIDDEN,
    },
    {
        .segment = "regimes",
        .noun = "regime",
        .kinds = REGIME,
        STATEMENTS(BY_POSITION, OWN_TABLE("regime", "regimes"), EQUALS("x.seed_letter", "?4"),
                   "x.id, r.title, x.seed_letter AS seed_regime"),
        .filters = {{"seed_regime", FILTER_TEXT, VALUES("seed_letter", "regimes")}},
        .hidden = HIDDEN,
    },
    {
        .segment = "cures",
        .noun = "cure",
        .kinds = CURE,
        STATEMENTS(BY_POSITION, OWN_TABLE("cure", "cures"),
                   "AND (?4 IS NULL OR iif(x.control, 'true', 'false') = ?4) "
                   "AND (?5 IS NULL OR ?5 IN (SELECT anchor_id FROM cure_evidence WHERE cure_id = "
                   "x.id)) ",
                   "x.id, r.title, x.pointer, x.control, (SELECT group_concat(anchor_id, ' ') FROM "
                   "cure_evidence WHERE cure_id = x.id) AS evidence"),
        .filters = {{"control", FILTER_TEXT, "SELECT 'true' UNION SELECT 'false'"},
                    {"anchor", FILTER_TEXT, VALUES("anchor_id", "cure_evidence")}},
        .hidden = HIDDEN,
    },
    {
        .segment = "calibrations",
        .noun = "calibration",
        .kinds = CALIBRATION,
        STATEMENTS(
            "r.id",
            OWN_TABLE("calibration", "calibrations") "LEFT JOIN host_costs h ON h.calibration_id = "
                                                     "x.id LEFT JOIN local_fits l ON "
                                                     "l.calibration_id = x.id ",
            EQUALS("x.type", "?4") EQUALS("x.hardware_id", "?5") EQUALS("x.engine_id", "?6")
                EQUALS("x.engine_version", "?7") EQUALS("x.op", "?8") EQUALS("x.dtype", "?9")
                    EQUALS("x.status", "?10"),
            "x.id, x.type, x.hardware_id AS hardware, x.engine_id AS engine, "
            "x.engine_version, x.op, x.dtype, x.status, x.reason, (SELECT e_m FROM op_fits "
            "WHERE calibration_id = x.id) AS e_m, (SELECT e_c FROM op_fits WHERE "
            "calibration_id = x.id) AS e_c, coalesce((SELECT t0_us FROM op_fits WHERE "
            "calibration_id = x.id), (SELECT t0_us FROM collective_fits WHERE "
            "calibration_id = x.id)) AS t0_us, (SELECT bus_gbps FROM collective_fits WHERE "
            "calibration_id = x.id) AS bus_gbps, (SELECT devices FROM collective_fits WHERE "
            "calibration_id = x.id) AS devices, coalesce((SELECT median_abs_err FROM op_fits "
            "WHERE calibration_id = x.id), (SELECT median_abs_err FROM collective_fits WHERE "
            "calibration_id = x.id), l.median_abs_err) AS median_abs_err, coalesce(h.value, "
            "l.value) AS value, coalesce(h.unit, l.unit) AS unit, l.backend, l.family, l.n"),
        .filters = {{"type", FILTER_TEXT, VALUES("type", "calibrations")},
                    {"hardware", FILTER_HARDWARE, NULL},
                    {"engine", FILTER_ENGINE, NULL},
                    {"engine_version", FILTER_TEXT, VALUES("engine_version", "calibrations")},
                    {"op", FILTER_TEXT, VALUES("op", "calibrations")},
                    {"dtype", FILTER_TEXT, VALUES("dtype", "calibrations")},
                    {"status", FILTER_TEXT,
                     "SELECT 'used' UNION SELECT 'fallback' UNION SELECT 'rejected'"}},
        .hidden = HIDDEN_CALIBRATION,
        .extra = record_calibration_extra,
    },
    {
        .segment = "sources",
        .noun = "source",
        .kinds = SOURCE,
        STATEMENTS("r.id", OWN_TABLE("source", "sources"), EQUALS("x.source_kind", "?4"),
                   "x.id, x.title, x.source_kind AS kind, x.url, x.date, x.license"),
        .filters = {{"kind", FILTER_TEXT, VALUES("source_kind", "sources")}},
        .hidden = HIDDEN,
        .extra = record_source_extra,
    },
    {
        .segment = "claims",
        .noun = "claim",
        .kinds = CLAIM,
        STATEMENTS(BY_POSITION, OWN_TABLE("claim", "claims"),
                   EQUALS("x.verdict", "?4") EQUALS(
                       "x.section", "?5") "AND (?6 IS NULL OR iif(x.live, 'true', 'false') = ?6) "
                                          "AND (?7 IS NULL OR x.id IN (SELECT claim_id FROM "
                                          "claim_records WHERE record_id "
                                          "= ?7)) ",
                   "x.id, x.section, r.title AS claim, json_extract(r.doc, '$.claimed') AS "
                   "claimed, x.verdict, json_extract(r.doc, '$.recomputed') AS recomputed, "
                   "json_extract(r.doc, '$.recomputed_value') AS recomputed_value, "
                   "json_extract(r.doc, '$.unit') AS unit, json_extract(r.doc, '$.derivation') AS "
                   "derivation, (SELECT group_concat(record_id, ' ') FROM claim_records WHERE "
                   "claim_id = x.id) AS records"),
        .filters = {{"verdict", FILTER_TEXT, VALUES("verdict", "claims")},
                    {"section", FILTER_TEXT, VALUES("section", "claims")},
                    {"live", FILTER_TEXT, "SELECT 'true' UNION SELECT 'false'"},
                    {"record", FILTER_TEXT, VALUES("record_id", "claim_records")}},
        .hidden = HIDDEN_CLAIM,
        .extra = record_claim_extra,
    },
    {
        /* Those that are stated; gaps_route.c adds those that were asked. */
        .segment = "gaps",
        .noun = "gap",
        .kinds = GAP,
        STATEMENTS("r.id", OWN_TABLE("gap", "gaps"), EQUALS("x.status", "?4"),
                   "x.id, x.status, x.question, x.opened_on"),
        .filters = {{"status", FILTER_TEXT, "SELECT 'no record' UNION SELECT 'answered'"},
                    {"kind", FILTER_TEXT, "SELECT 'stated' UNION SELECT 'asked'"},
                    {"model", FILTER_MODEL, NULL},
                    {"hardware", FILTER_HARDWARE, NULL},
                    {"engine", FILTER_ENGINE, NULL},
                    {"metric", FILTER_TEXT,
                     "VALUES ('ttft_ms'), ('tpot_ms'), ('itl_ms'), ('e2e_ms'), ('output_tok_s'), "
                     "('total_tok_s'), ('requests_s')"}},
        .hidden = HIDDEN_GAP,
        .extra = record_gap_extra,
    },
};

const struct record_kind *record_kind_of(const char *segment, size_t length)
{
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
        if (strlen(KINDS[i].segment) == length && strncmp(KINDS[i].segment, segment, length) == 0) {
            return &KINDS[i];
        }
    }
    return NULL;
}

const struct record_kind *record_kind_listing(const char *kind)
{
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
        for (const char *const *of = KINDS[i].kinds; *of; of++) {
            if (strcmp(*of, kind) == 0) {
                return &KINDS[i];
            }
        }
    }
    return NULL;
}
