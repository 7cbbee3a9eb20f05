/*
 * command_parts.h - the engines' flag tables and what their readers share; for command*.c only.
 *
 * Purpose: a flag is a row: how it is written, how many words it takes, and the reader that turns
 *          its value into a leaf, a number kept for later, or a remark. A flag without a reader
 *          changes nothing of a plan. A new flag is a row in its engine's table, which is sorted by
 *          strcmp(); a new engine is a table and a row of COMMAND_ENGINES.
 * Ownership: tables are constant; a reading lives as long as one call of command_apply().
 */
#ifndef REGIME_COMMAND_PARTS_H
#define REGIME_COMMAND_PARTS_H

#include <stdbool.h>

#include "command_line.h"
#include "command_words.h"
#include "described.h"

/* The words of a flag besides its name; `=value` always gives one. */
enum flag_arity {
    ARITY_NONE,   /* a switch */
    ARITY_SWITCH, /* a switch with a --no- form; true or false may follow */
    ARITY_ONE,
    ARITY_MAYBE, /* one, unless a flag follows */
    ARITY_MANY,  /* all up to the next flag */
    ARITY_TWO
};

/* Numbers that several flags make a leaf of, kept until all are read; NAN = not said. */
enum flag_slot {
    SLOT_NONE,
    SLOT_TP,
    SLOT_DP,
    SLOT_EP,
    SLOT_EXPERT_PARALLEL, /* experts on all ranks */
    SLOT_DP_ATTENTION,
    SLOT_KV_BLOCKS,
    SLOT_BLOCK_SIZE,
    SLOT_CONTEXT,
    SLOT_SLOTS,
    SLOT_BATCH,
    SLOT_MICRO_BATCH,
    SLOT_CHUNK,
    SLOT_CHUNKED, /* 0: prompts are not cut */
    SLOT_LORA,
    SLOT_LORAS,
    SLOT_LORA_RANK,
    SLOT_SPEC_TOKENS,
    SLOT_DRAFT_TOKENS, /* of a tree, its root included */
    SLOT_CPU_MOE,
    SLOT_SHARDED,
    SLOT_VISION,  /* an encoder is loaded */
    SLOT_SPLITS,  /* devices that a split names */
    SLOT_UNIFIED, /* slots share one context */
    SLOT_CONSERVATIVENESS,
    SLOT_COUNT
};

/* Texts that are looked at together. */
enum flag_text {
    TEXT_NONE,
    TEXT_MODEL,
    TEXT_MODEL_FILE, /* a file of the model's repository, for its weight format */
    TEXT_NAMES,      /* other names that tell the model: what it is served as, its tokenizer */
    TEXT_QUANTIZATION,
    TEXT_DTYPE,
    TEXT_LOAD_FORMAT,
    TEXT_SPEC_METHOD,
    TEXT_SPEC_MODEL,
    TEXT_CACHE_K,
    TEXT_CACHE_V,
    TEXT_SPLIT_MODE,
    TEXT_SPLIT, /* shares of the devices */
    TEXT_COUNT
};

struct reading;
struct flag;

/* Takes a flag's value: "true" or "false" for a switch, words of ARITY_MANY with blanks between. */
typedef void flag_read_fn(struct reading *reading, const struct flag *flag, const char *value);

struct flag {
    const char *name; /* "--max-model-len"; without a dash it is an environment variable */
    enum flag_arity arity;
    flag_read_fn *read;  /* NULL = changes nothing of a plan */
    const char *pointer; /* the leaf it sets, or mainly makes */
    int slot;            /* enum flag_slot, or enum flag_text for read_kept_text */
};

/* An engine's word for a value and ours; NULL = the checkpoint's own, whatever that is. */
struct flag_name {
    const char *theirs, *ours;
    bool offline; /* such a checkpoint is needed: no flag makes it so */
};

struct command_engine {
    const char *id;    /* of the engine's record */
    const char *label; /* as people write it */
    const struct flag *flags;
    int n_flags;
    bool folds_underscores; /* --max_model_len is --max-model-len */
    bool folds_dashes;      /* --max-seq-len is --max_seq_len */
    bool abbreviates;       /* a beginning that means one flag only is enough */
    bool joins_values;      /* --flag=value is understood */
    void (*positional)(struct reading *reading, int n, const char *word); /* the n-th, from 0 */
    void (*finish)(struct reading *reading); /* leaves of several flags; the model is settled */
    const struct flag_name *kv_names, *weight_names; /* an empty row ends each */
};

extern const struct command_engine COMMAND_VLLM, COMMAND_SGLANG, COMMAND_LLAMA, COMMAND_LLAMA_BENCH,
    COMMAND_TRTLLM, COMMAND_TGI, COMMAND_MLX, COMMAND_OLLAMA;

/* All of them, NULL at the end. */
extern const struct command_engine *const COMMAND_ENGINES[];

/* What an engine is started with, once everything before it is taken off. */
struct command_found {
    const struct command_engine *engine;
    const char *program; /* as written */
    const char *const *args;
    int n_args;
    const struct command_env *env;
    int n_env;
    const char *image;
    bool others;              /* the text starts another server behind this one */
    int n_devices;            /* that the command hands to the engine; 0 = not said */
    const char *refused;      /* why this is no server, NULL when it is one */
    const struct shell *text; /* of the shell text it stood in, or NULL */
};

/* Looks through wrappers, containers and inner shells. False when no engine is started. */
bool command_find(const struct intake *intake, const struct command_line *line,
                  struct command_found *ret_found);

/* A program or a Python module, by the verb behind it where it has several. */
struct command_starter {
    const char *name;
    const char *verb; /* NULL = any */
    const struct command_engine *engine;
    bool drops_verb;     /* the verb is no word of the flags */
    const char *refused; /* why it is no server; NULL = it is one */
};

/* The row that words[i] and what follows are; NULL when none. */
const struct command_starter *command_starter(const char *const *words, int n, int i);

/* Whether a program starts what stands behind it; whether it is a shell. */
bool command_wraps(const char *word);
bool command_is_shell(const char *word);

/* A word without its directories; whether a list has it. */
const char *command_base_name(const char *path);
bool command_listed(const char *word, const char *const *list, size_t n);

/* The engine of an image, and where its version stands in the tag ("v0.10.1"); NULL when the image
 * is of none. */
const struct command_engine *command_image_engine(const char *image);
const char *command_image_version(struct arena *arena, const char *image);

/* A reading under way. */
struct reading {
    const struct intake *intake;
    const char *origin;
    const struct command_found *found;
    const struct command_engine *engine;
    struct plan_request *request, *scratch;
    struct described *described;
    struct faults *leaf_faults;
    const char *spelled; /* the flag under way, as written */
    bool before[FIELD_ID_COUNT];
    double slots[SLOT_COUNT];
    const char *slot_flags[SLOT_COUNT];
    const char *texts[TEXT_COUNT];
    const char *text_flags[TEXT_COUNT];
    const char *not_modelled; /* names of such flags with commas between, or NULL */
    int n_positional;
};

/* Readers of rows ------------------------------------------------------------------------------ */

flag_read_fn read_leaf;         /* the value as it is, a number or a name */
flag_read_fn read_human;        /* 16k, 1M, 1.5g: small letters are powers of 1000 */
flag_read_fn read_gib;          /* GiB into bytes */
flag_read_fn read_mib;          /* MiB into bytes */
flag_read_fn read_on, read_off; /* a switch that makes the leaf true, false */
flag_read_fn read_largest;      /* the largest number of a list */
flag_read_fn read_kv_name;      /* by the engine's kv_names */
flag_read_fn read_kept;         /* a number kept in a slot */
flag_read_fn read_kept_human;   /* the same, 16k and 1M understood */
flag_read_fn read_kept_text;    /* a text kept */
flag_read_fn read_kept_on;      /* a switch kept as 1 or 0 */
flag_read_fn read_ep_backend;   /* an engine's name of its all-to-all */
flag_read_fn read_not_modelled; /* may change memory or speed, but no plan knows how */
flag_read_fn read_config_file;  /* a file that is not here */
flag_read_fn read_host_tier;    /* evicted KV goes to host memory */
flag_read_fn read_draft_model;  /* a draft model's name, beside read_kept_text */
flag_read_fn read_name_hint;    /* other names that may tell the model */
/* JSON values of vLLM, some of which others take over. */
flag_read_fn read_hf_overrides, read_mm_limits, read_compilation, read_speculative,
    read_kv_transfer;

/* What readers and finishers use --------------------------------------------------------------- */

/* Sets a leaf as `flag` says; a fault when it does not suit, a note when the leaf was given beside
 * the command and differs. */
bool leaf_text(struct reading *reading, const char *flag, const char *pointer, const char *text);
bool leaf_number(struct reading *reading, const char *flag, const char *pointer, double number);
bool leaf_bool(struct reading *reading, const char *flag, const char *pointer, bool on);

/* Whether the leaf has a value by now. */
bool leaf_is_given(const struct reading *reading, const char *pointer);

/* A fault that names the flag under way. */
void reading_fault(struct reading *reading, const char *flag, const char *suggestion,
                   const char *format, ...) PRINTF_LIKE(4, 5);
void reading_note(struct reading *reading, const char *id, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* A fault where the value holds what only a running shell knows; whether it does. */
bool refuse_unknown_value(struct reading *reading, const char *flag, const char *value);

/* A decimal number and nothing else. */
bool command_number(const char *text, double *ret_number);
/* The same with k, m, g, t (powers of 1000), K, M, G, T, Ki, KiB ... (powers of 1024) behind it. */
bool command_human(const char *text, double *ret_number);
bool command_truth(const char *text, bool *ret_on);

/* The kept number of a slot, `otherwise` when there is none. */
double slot_or(const struct reading *reading, enum flag_slot slot, double otherwise);
bool slot_said(const struct reading *reading, enum flag_slot slot);
/* Sets a leaf to a slot's number when it was said. */
void slot_to_leaf(struct reading *reading, enum flag_slot slot, const char *pointer);

/* JSON of a flag: NULL, with a fault, when it is none. */
struct cJSON *command_json(struct reading *reading, const char *value);

/* A flag by its spelling, a dotted tail (--compilation-config.mode) given back; NULL with none. */
const struct flag *command_flag_find(const struct command_engine *engine, const char *name);

/* A row of names by the engine's word; NULL when there is none. */
const struct flag_name *flag_name_find(const struct flag_name *names, const char *theirs);

/* Steps of finish that engines share ----------------------------------------------------------- */

/* The model by TEXT_MODEL and what else tells it. */
void command_settle_model(struct reading *reading);
/* Weights by --quantization, --dtype and --load-format. */
void command_settle_weights(struct reading *reading);
/* Speculation by TEXT_SPEC_METHOD, TEXT_SPEC_MODEL and SLOT_SPEC_TOKENS. */
void command_settle_drafts(struct reading *reading);
/* LoRA buffers: `loras` and `rank` where a switch alone was given. */
void command_settle_loras(struct reading *reading, double loras, double rank);

#define FLAG_COMMON(NAME, ARITY, READ) .name = (NAME), .arity = (ARITY), .read = (READ)
/* Rows: a leaf by a reader; kept in a slot or a text; without an effect; not modelled. */
#define FLAG_LEAF(NAME, ARITY, READ, LEAF)                                                         \
    {                                                                                              \
        FLAG_COMMON(NAME, ARITY, READ), .pointer = (LEAF)                                          \
    }
#define FLAG_KEPT(NAME, ARITY, READ, SLOT, LEAF)                                                   \
    {                                                                                              \
        FLAG_COMMON(NAME, ARITY, READ), .slot = (SLOT), .pointer = (LEAF)                          \
    }
#define FLAG_NOTHING(NAME, ARITY)                                                                  \
    {                                                                                              \
        FLAG_COMMON(NAME, ARITY, NULL)                                                             \
    }
#define FLAG_UNKNOWN_EFFECT(NAME, ARITY)                                                           \
    {                                                                                              \
        FLAG_COMMON(NAME, ARITY, read_not_modelled)                                                \
    }

#endif
