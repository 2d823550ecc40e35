/* SPDX-License-Identifier: MIT */
/* A library that the program `plugins` loads. It does not fit into the gaps between other libraries. */
#include <stddef.h>

static const char large[8 << 20] = {1, 2, 3};

void twice(void *argument, void *result);
void twice(void *argument, void *result)
{
    const long *n = argument;
    *(long *)result = *n * 2 + large[((size_t)*n & 1) + 10];
}
