/*
 * smi_fuzz - the output of nvidia-smi, rocm-smi and amd-smi out of any text.
 *
 * Properties: observed_check.h.
 */
#include "observed_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_reader(observe_smi, data, size);
}
