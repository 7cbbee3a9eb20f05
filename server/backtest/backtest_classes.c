#include "backtest_classes.h"

#include <math.h>
#include <stddef.h>

#include "compiler.h"

/* A class ends at its greatest number, both ends included. */
struct class_of_load {
    double greatest;
    const char *name;
};

static const struct class_of_load CONCURRENCY[] = {
    {8, "1-8"}, {32, "9-32"}, {128, "33-128"}, {HUGE_VAL, "129-"}, {HUGE_VAL, "open loop"}};

static const struct class_of_load INPUT[] = {
    {512, "1-512"}, {2048, "513-2048"}, {8192, "2049-8192"}, {HUGE_VAL, "8193-"}};

static int class_at(const struct class_of_load *classes, double value)
{
    int i = 0;
    while (value > classes[i].greatest)
        i++;
    return i;
}

int concurrency_class(const struct workload *load)
{
    return isnan(load->request_rate) ? class_at(CONCURRENCY, load->concurrency)
                                     : (int)ARRAY_LEN(CONCURRENCY) - 1;
}

int input_class(const struct workload *load)
{
    return class_at(INPUT, load->input_tokens);
}

const char *concurrency_class_name(int class)
{
    return class < (int)ARRAY_LEN(CONCURRENCY) ? CONCURRENCY[class].name : NULL;
}

const char *input_class_name(int class)
{
    return class < (int)ARRAY_LEN(INPUT) ? INPUT[class].name : NULL;
}
