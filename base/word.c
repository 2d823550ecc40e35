/* SPDX-License-Identifier: MIT */
#include "base/word.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/kernel.h"
#include "base/log.h"

static void (*end_job)(void);

int uat_word_report(int rank, const char *name, uint64_t value)
{
    char where[24] = " here";
    if (rank >= 0)
        snprintf(where, sizeof(where), " of rank %d", rank);
    uat_error("%s%s is 0x%" PRIx64 ", which no worker writes there; memory is corrupt, for example by a stray pointer",
              name, where, value);
    return -EPROTO;
}

void uat_word_refuse(int rank, const char *name, uint64_t value)
{
    uat_word_report(rank, name, value);
    if (end_job)
        end_job();
    abort();
}
__attribute__((cold)) _Noreturn UAT_KERNEL(uat_word_refuse);

void uat_word_set_end(void (*end)(void))
{
    end_job = end;
}
