/* SPDX-License-Identifier: MIT */
/*
 * Description: an adapter executes one atomic after the other if their addresses agree in the low 12 bits. So for any
 * two of up to 64 workers of a host, words of the same kind must differ in these bits. This includes words of global
 * memory (transport/colour.h). All workers must be on one host.
 */
#include <stdio.h>
#include <stdlib.h>

#include "inspect/inspect.h"
#include "uat.h"
#include "uat/global.h"
#include "uat/object.h"

enum { LOW = 0xfff };

/* Returns the number of pairs of workers whose two words of this kind agree in the low 12 bits of their addresses. */
static int clashes(const uint64_t *word, uint64_t *addresses)
{
    int n = 0;
    if (uat_inspect_gather((uintptr_t)word, addresses))
        return 1;
    for (int i = 0; i < uat_size(); i++)
        for (int k = 0; k < i; k++)
            if (((addresses[i] ^ addresses[k]) & LOW) == 0) {
                fprintf(stderr, "colours: ranks %d and %d have a word at 0x%llx and 0x%llx\n", k, i,
                        (unsigned long long)addresses[k], (unsigned long long)addresses[i]);
                n++;
            }
    return n;
}

int main(void)
{
    const uint64_t *words[UAT_INSPECT_ATOMICS];
    int failures = 0;
    if (uat_init() || uat_global_open())
        return 1;
    uint64_t *addresses = calloc((size_t)uat_size(), sizeof(*addresses));
    failures += uat_inspect_atomics(words) != UAT_INSPECT_ATOMICS;
    for (int i = 0; i < UAT_INSPECT_ATOMICS && addresses; i++) {
        failures += clashes(words[i], addresses);
        failures += (uintptr_t)words[i] % 8 != 0;
    }
    uint64_t *object =
        uat_global_object_alloc(sizeof(*object)); /* each worker's first object, which may hold a word for atomics */
    failures += !addresses || !object || clashes(object, addresses);
    uat_global_object_free(object);
    free(addresses);
    return uat_finalize() || failures;
}
