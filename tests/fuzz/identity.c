/* SPDX-License-Identifier: MIT */
/* Description: whatever rank 0 publishes of itself, it is refused unless it is equal in all that must be equal. */
#include <stdlib.h>
#include <string.h>

#include "runtime/start/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct uat_identity own;
    struct uat_identity zero;
    size_t bytes = size > 0 && data[0] % 4 == 0 ? size : sizeof(zero);
    char *blob;

    if (own.magic == 0) {
        struct uat_options options = {.stack_size = 1 << 20, .records = 16, .result_max = 1024};
        uat_identity_take(&own, &options);
    }
    zero = own;
    for (size_t i = 1; i < size && i <= sizeof(zero); i++)
        ((uint8_t *)&zero)[i - 1] ^= data[i];
    blob = malloc(bytes);
    memset(blob, 0, bytes);
    memcpy(blob, &zero, bytes < sizeof(zero) ? bytes : sizeof(zero));
    if (uat_identity_compare(&own, blob, bytes) == 0 &&
        (zero.abi != own.abi || zero.segment_address != own.segment_address || zero.stack_size != own.stack_size ||
         zero.objects != own.objects || memcmp(zero.object, own.object, own.objects * sizeof(own.object[0])) != 0))
        abort();
    free(blob);
    return 0;
}
