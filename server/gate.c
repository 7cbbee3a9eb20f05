#include "gate.h"

#include <math.h>
#include <string.h>

#include "field.h"
#include "query_switch.h"

#define TOLERANCE_MAX 10.0

enum { UNKNOWN_FAILS, UNKNOWN_PASSES };

static const char *const UNKNOWN_WORDS[] = {[UNKNOWN_FAILS] = "fail", [UNKNOWN_PASSES] = "pass"};

/* "0.05", "5", ".5": digits and at most one point. */
static bool read_share(const char *text, double *ret_share)
{
    double value = 0, unit = 1;
    bool digits = false, after = false;

    if (strlen(text) > 12)
        return false;
    for (; *text; text++) {
        if (*text == '.' && !after) {
            after = true;
            continue;
        }
        if (*text < '0' || *text > '9')
            return false;
        digits = true;
        if (after)
            unit /= 10;
        value = after ? value + (*text - '0') * unit : value * 10 + (*text - '0');
    }
    *ret_share = value;
    return digits && value <= TOLERANCE_MAX;
}

static void read_tolerance(const struct request *request, struct faults *faults, struct gate *gate)
{
    const char *text = query_text(request, faults, "tolerance");

    if (text && !read_share(text, &gate->tolerance)) {
        gate->tolerance = GATE_TOLERANCE;
        fault_add(faults, "?tolerance", NULL,
                  "expected a share from 0 to 10 (0.05 is five percent), got \"%s\"",
                  field_quote(request->arena, text));
    }
}

/* A pipeline's variable that is not set must not open the gate unseen. */
static void refuse_empty(const struct request *request, struct faults *faults)
{
    static const char *const NAMES[][2] = {{"gate", "?gate"}, {"unknown", "?unknown"}};

    for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
        const char *value = request_argument(request, NAMES[i][0]);
        if (value && !value[0])
            fault_add(faults, NAMES[i][1], NULL, "is empty: give it a value, or leave it out");
    }
}

void gate_read(const struct request *request, struct faults *faults, bool compares,
               struct gate *ret_gate)
{
    refuse_empty(request, faults);
    *ret_gate = (struct gate){.tolerance = GATE_TOLERANCE};
    ret_gate->on = query_switch(request, faults, "gate");
    ret_gate->unknown_fails = query_word(request, faults, "unknown", UNKNOWN_WORDS,
                                         (int)ARRAY_LEN(UNKNOWN_WORDS)) == UNKNOWN_FAILS;
    ret_gate->file = query_text(request, faults, "file");
    if (ret_gate->file && strlen(ret_gate->file) > GATE_FILE_MAX)
        fault_add(faults, "?file", NULL, "a path has at most %d bytes here", GATE_FILE_MAX);
    if (compares)
        read_tolerance(request, faults, ret_gate);
}

int gate_status(const struct gate *gate, enum check_verdict verdict)
{
    bool open = verdict == CHECK_PASS || (verdict == CHECK_UNKNOWN && !gate->unknown_fails);

    return !gate->on || open ? 200 : 409;
}
