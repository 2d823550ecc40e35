/* SPDX-License-Identifier: MIT */
/* Description: a worker refuses rank 0's identity unless ABI, settings and loaded objects equal its own. */
#include <stdlib.h>
#include <string.h>

#include "runtime/job/identity.h"
#include "runtime/rooms.h"
#include "runtime/segment/segment.h"

struct uat_segment uat_segment; /* defined here, because segment.c needs most of the runtime */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct uat_identity own;
    static size_t equal; /* number of settings that workers compare */
    struct uat_identity zero;
    size_t bytes = size > 0 && data[0] % 4 == 0 ? size : sizeof(zero);
    char *blob;

    if (own.magic == 0) {
        char error[200];
        if (uat_settings_read(uat_settings, (char *[]){NULL}, error, sizeof(error)))
            abort();
        uat_identity_take(&own, uat_settings);
        for (char name[UAT_SETTING_TEXT_MAX]; uat_settings_equal(uat_settings, (int)equal, &own.setting[equal], name);)
            equal++;
    }
    zero = own;
    for (size_t i = 1; i < size && i <= sizeof(zero); i++)
        ((uint8_t *)&zero)[i - 1] ^= data[i];
    blob = malloc(bytes);
    memset(blob, 0, bytes);
    memcpy(blob, &zero, bytes < sizeof(zero) ? bytes : sizeof(zero));
    if (uat_identity_compare(&own, blob, bytes, uat_settings, NULL) == 0 &&
        (zero.abi != own.abi || memcmp(zero.setting, own.setting, equal * sizeof(own.setting[0])) != 0 ||
         zero.objects != own.objects || memcmp(zero.object, own.object, own.objects * sizeof(own.object[0])) != 0))
        abort();
    free(blob);
    return 0;
}
