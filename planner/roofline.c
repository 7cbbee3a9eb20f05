#include "roofline.h"

#include <math.h>

/* Below this the smaller term moves the sum by less than one part in ten million. */
#define NEGLIGIBLE_TERM 1e-7
#define HARD_CORNER_Q 8.0

double smooth_max(double a, double b, double q)
{
    double high = a > b ? a : b;
    double low = a > b ? b : a;
    if (low <= 0.0)
        return high;
    if (q == 1.0)
        return high + low;
    if (q >= HARD_CORNER_Q)
        return high;
    double term = pow(low / high, q);
    if (term < NEGLIGIBLE_TERM)
        return high;
    if (term < 1e-3)
        return high * (1.0 + term / q);
    return high * pow(1.0 + term, 1.0 / q);
}

struct roof roof_assumed(double bw_bytes_us, double peak_flops_us)
{
    struct roof roof = {.q = HARD_CORNER_Q, .match = FIT_NONE};
    roof.us_per_byte = bw_bytes_us > 0.0 ? 1.0 / bw_bytes_us : 0.0;
    roof.us_per_flop = peak_flops_us > 0.0 ? 1.0 / peak_flops_us : 0.0;
    roof.fit_us_per_byte = roof.us_per_byte / ASSUMED_EFFICIENCY;
    roof.fit_us_per_flop = roof.us_per_flop / ASSUMED_EFFICIENCY;
    return roof;
}

struct roof roof_from_fit(double bw_bytes_us, double peak_flops_us, const struct op_fit *fit,
                          enum fit_match match)
{
    struct roof roof = roof_assumed(bw_bytes_us, peak_flops_us);
    if (fit == NULL || match == FIT_NONE)
        return roof;
    roof.fit_us_per_byte = roof.us_per_byte / fit->e_m;
    roof.fit_us_per_flop = roof.us_per_flop / fit->e_c;
    roof.q = fit->q;
    roof.t0_us = fit->t0_us;
    roof.fit = fit;
    roof.match = match;
    return roof;
}

struct roof_time roof_eval(const struct roof *roof, double floor_bytes, double bytes, double flops)
{
    struct roof_time time;
    double memory_floor = floor_bytes * roof->us_per_byte;
    double compute_floor = flops * roof->us_per_flop;
    time.floor_us = memory_floor > compute_floor ? memory_floor : compute_floor;
    time.memory_us = bytes * roof->fit_us_per_byte;
    time.compute_us = flops * roof->fit_us_per_flop;
    time.time_us = smooth_max(time.memory_us, time.compute_us, roof->q);
    return time;
}
