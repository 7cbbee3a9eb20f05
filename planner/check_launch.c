/* Launches that an engine refuses by its own rules. */
#include "check_launch.h"

#include <ctype.h>

bool check_positions(const struct plan *plan, const struct check_asked *asked, struct check *check)
{
    const struct deployment *dep = &plan->problem.dep;
    double most = plan->problem.model->max_positions;
    enum memory_rule rule = dep->engine->memory_rule;
    if (!dep->longest_is_stated || !(most > 0.0) || (rule != MEMORY_VLLM && rule != MEMORY_SGLANG))
        return false;
    check->limit = most;
    check->predicted = dep->max_model_len;
    check->figure[0] = dep->max_model_len;
    check->figure[1] = most;
    check->name[0] = rule == MEMORY_VLLM ? "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1"
                                         : "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1";
    check->verdict = CHECK_PASS;
    check->detail = "max_model_len is {wA}, and the model takes {wB} tokens";
    if (dep->max_model_len <= most)
        return true;
    check->verdict = asked->is_launch ? CHECK_FAIL : CHECK_UNKNOWN;
    check->detail = "max_model_len is {wA}, but the model takes {wB} tokens: the engine refuses to "
                    "start unless positions are scaled or {ss} is set";
    if (!asked->may_exceed_positions)
        return true;
    check->verdict = CHECK_PASS;
    check->detail = "max_model_len is {wA}, past the model's own {wB} tokens, as its flags allow";
    return true;
}

bool check_step_holds(const struct problem *problem, struct check *check)
{
    const struct deployment *dep = &problem->dep;
    if (dep->engine->memory_rule != MEMORY_VLLM || !dep->slots_are_stated ||
        !(dep->chunked_prefill_tokens > 0.0))
        return false;
    check->limit = dep->chunked_prefill_tokens;
    check->predicted = dep->max_num_seqs;
    check->figure[0] = dep->chunked_prefill_tokens;
    check->figure[1] = dep->max_num_seqs;
    check->verdict = check->predicted <= check->limit ? CHECK_PASS : CHECK_FAIL;
    check->detail = check->verdict == CHECK_PASS
                        ? "a step of {wA} tokens holds one of each of {wB} sequences"
                        : "a step of {wA} tokens is less than one of each of {wB} sequences: the "
                          "engine refuses to start";
    return true;
}

/* Methods of quantisation that exclude each other. */
static const char *const METHODS[] = {"awq", "gptq", "fp8"};

const char *check_method(const char *format)
{
    for (size_t i = 0; format != NULL && i < ARRAY_LEN(METHODS); i++) {
        size_t n = 0;
        while (METHODS[i][n] != '\0' && tolower((unsigned char)format[n]) == METHODS[i][n])
            n++;
        if (METHODS[i][n] == '\0')
            return METHODS[i];
    }
    return NULL;
}

bool check_checkpoint(const struct plan *plan, const struct check_asked *asked, struct check *check)
{
    enum memory_rule rule = plan->problem.dep.engine->memory_rule;
    const char *has = check_method(asked->checkpoint), *told = check_method(asked->quantization);
    if (has == NULL || told == NULL || (rule != MEMORY_VLLM && rule != MEMORY_SGLANG))
        return false;
    check->name[0] = told;
    check->name[1] = has;
    check->verdict = has == told ? CHECK_PASS : CHECK_FAIL;
    check->detail = has == told ? "the checkpoint is quantised by {st}, as the engine is told"
                                : "the engine is told {ss}, but the checkpoint is quantised by "
                                  "{st}: it refuses to start";
    return true;
}
