/* SPDX-License-Identifier: MIT */
/*
 * Description: the transport over shared memory attaches a segment only if it has the size and the nonce of the good
 * attach info. The input is XORed onto this good attach info, so that the result passes some checks. The attach info
 * always names this process.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "transport/attach_info.h"

enum { SEGMENT = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct uat_attach_info own;

static void make_own(void)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    char *segment =
        ftruncate(fd, SEGMENT) ? MAP_FAILED : mmap(NULL, SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    struct uat_transport_config config = {
        .size = 1, .host = "here", .segment = segment, .segment_size = SEGMENT, .segment_fd = fd, .scratch = segment};

    if (segment == MAP_FAILED || uat_attach_info_make(&own, &config, "shm"))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct uat_attach_info info;
    const struct uat_attach_user user = {.host = "here", .transport = "shm", .instead = "UAT_TRANSPORT=ibv"};
    char *blob, *map = NULL;
    size_t bytes = size > 0 && data[0] % 4 == 0 ? size : sizeof(info); /* one input in four has another length */

    if (own.magic == 0)
        make_own();
    info = own;
    for (size_t i = 1; i < size && i <= sizeof(info); i++)
        ((uint8_t *)&info)[i - 1] ^= data[i];
    info.pid = getpid();
    blob = malloc(bytes); /* the exact size, so that a read beyond the end is detected */
    memset(blob, 0, bytes);
    memcpy(blob, &info, bytes < sizeof(info) ? bytes : sizeof(info));
    struct uat_endpoint endpoint = {.data = blob, .size = bytes, .host = "there"};
    if (uat_attach_segment(&own, &user, 1, &endpoint, &map) == 0) {
        if (info.segment_size != own.segment_size || info.nonce != own.nonce || !map)
            abort();
        munmap(map, own.segment_size);
    }
    free(blob);
    return 0;
}
