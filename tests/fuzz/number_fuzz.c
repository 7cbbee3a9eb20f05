/*
 * number_fuzz - any double to text and back.
 *
 * Properties: the text fits and reads back, whole numbers below 2^53 exactly, others to 9
 * significant digits (half a unit in the ninth: 5e-9 relative); what is not finite is null.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

#define WHOLE_MAX 9007199254740992.0
#define NINE_DIGITS 5.000001e-9

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[NUMBER_TEXT_MAX + 1], *end;
    double value;

    if (size < sizeof value)
        return 0;
    memcpy(&value, data, sizeof value);
    size_t length = number_write(value, text);
    require(length > 0 && length <= NUMBER_TEXT_MAX);
    text[length] = '\0';
    if (!isfinite(value)) {
        require(strcmp(text, "null") == 0);
        return 0;
    }
    double back = strtod(text, &end);
    require(*end == '\0');
    if (fabs(value) < WHOLE_MAX && floor(value) == value)
        require(back == value);
    else
        require(fabs(back - value) <= NINE_DIGITS * fabs(value) || fabs(value) < 1e-300);
    return 0;
}
