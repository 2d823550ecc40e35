/* SPDX-License-Identifier: MIT */
/* A library to be preloaded. It turns address-space randomisation on again, as some security modules do. */
#include <sys/personality.h>

__attribute__((constructor)) static void randomise(void)
{
    int persona = personality(0xffffffffUL);
    if (persona >= 0)
        personality((unsigned long)persona & ~(unsigned long)ADDR_NO_RANDOMIZE);
}
