#include "serve.h"

#include <math.h>

#include "replay.h"
#include "units.h"

bool load_is_predicted(const struct core *core)
{
    return core->memory.fits && !isnan(core->decode.expected_us) &&
           !isnan(core->prefill.expected_us);
}

struct served load_serve(const struct prepared *prep, const struct core *core, enum serve_way way)
{
    const struct workload *load = &prep->problem->load;
    const struct cycle *cycle = &core->cycle;
    struct served served = {cycle->ttft_us,     cycle->tpot_us,         cycle->e2e_us,
                            cycle->requests_us, load_mean_output(load), false};
    if (way == SERVE_CYCLE || cycle->saturated || !load_is_predicted(core))
        return served;
    if (prep->problem->dep.disaggregated) {
        double wait = replay_client_wait(prep, core->decode.time_us);
        served.ttft_us += wait;
        served.e2e_us += wait;
        return served;
    }
    double rate = isnan(load->request_rate)
                      ? (double)NAN
                      : load->request_rate / load_replicas(prep->problem) / US_PER_S;
    struct replay run;
    replay_run(prep, core, rate, way == SERVE_BRIEF, &run);
    if (!run.done)
        return served;
    served = (struct served){run.ttft_us,     run.tpot_us,       run.e2e_us,
                             run.requests_us, run.output_tokens, true};
    if (!isnan(rate))
        served.requests_us = cycle->requests_us;
    return served;
}
