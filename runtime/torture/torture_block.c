/* SPDX-License-Identifier: MIT */
#include "runtime/torture/torture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/job/self.h"

/* The process of each rank of this machine; 0: another machine, or another PID namespace. A handler on another thread
 * may read the list until the process ends, so it is not freed. */
static pid_t *process;

int uat_torture_block_open(const struct uat_roster *roster)
{
    const struct uat_identity *own = roster->identity[uat_self.rank];
    process = calloc((size_t)roster->size, sizeof(*process));
    if (!process) {
        uat_error("no memory for the list of this machine's workers");
        return -ENOMEM;
    }
    for (int rank = 0; rank < roster->size; rank++) {
        const struct uat_identity *other = roster->identity[rank];
        if (own->pid_space && other->pid_space == own->pid_space && other->binding.machine == own->binding.machine)
            process[rank] = other->pid;
    }
    return 0;
}

/* The process's first mapping that has an address from `first` to `last`. Reads /proc without memory from malloc(). */
static bool find_mapping(pid_t pid, uintptr_t first, uintptr_t last, uintptr_t *low, uintptr_t *high)
{
    char text[4096];
    size_t kept = 0;
    ssize_t got;
    bool found = false;
    snprintf(text, sizeof(text), "/proc/%ld/maps", (long)pid);
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    while (!found && fd >= 0 && (got = read(fd, text + kept, sizeof(text) - 1 - kept)) > 0) {
        char *line = text, *end;
        text[kept + (size_t)got] = 0;
        for (; !found && (end = strchr(line, '\n')) != NULL; line = end + 1)
            found = sscanf(line, "%zx-%zx", low, high) == 2 && *low <= last && first < *high;
        kept = strlen(line) % (sizeof(text) - 1); /* a line that fills the buffer is dropped */
        memmove(text, line, kept);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

/* glibc's memory consists of chunks, one after the other. At its start a chunk has the size of the chunk before it, and
 * its own size with three flags. The second word of the next chunk belongs to the block, too. */
enum {
    CHUNK_BEFORE_IS_USED = 1,
    CHUNK_IS_MAPPED = 2,
    CHUNK_FLAGS = 7,
    CHUNK_HEAD = 16,
    CHUNK_STEP = 16,
    CHUNK_LEAST = 32,
    PAGE = 4096
};

static bool read_head(pid_t pid, uintptr_t at, uint64_t *size)
{
    static char window[64 << 10]; /* a system call for each chunk would be slow */
    static uintptr_t window_at;
    static size_t window_bytes;
    if (at < window_at || at + CHUNK_HEAD > window_at + window_bytes) {
        struct iovec here = {window, sizeof(window)}, there = {(void *)at, sizeof(window)};
        ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
        window_at = at;
        window_bytes = got < 0 ? 0 : (size_t)got;
    }
    if (at < window_at || at + CHUNK_HEAD > window_at + window_bytes)
        return false;
    memcpy(size, window + (at - window_at) + sizeof(*size), sizeof(*size));
    return true;
}

/* Find the chunk that holds the address, from the start of the mapping. Returns false where the chunks do not make
 * sense: not all memory in the windows of torture_heap.c is malloc()'s. */
static bool find_chunk(pid_t pid, uintptr_t address, uintptr_t low, uintptr_t high, uintptr_t *chunk, uint64_t *size)
{
    for (*chunk = low; *chunk <= address; *chunk += *size & ~(uint64_t)CHUNK_FLAGS) {
        if (!read_head(pid, *chunk, size))
            return false;
        uint64_t bytes = *size & ~(uint64_t)CHUNK_FLAGS;
        if (bytes < CHUNK_STEP || bytes % CHUNK_STEP != 0 || bytes > high - *chunk)
            return false;
        if (address < *chunk + bytes)
            return address >= *chunk + CHUNK_HEAD;
    }
    return false;
}

bool uat_torture_is_mapped(uintptr_t low, uintptr_t high)
{
    uintptr_t from, to;
    return find_mapping(getpid(), low, high - 1, &from, &to);
}

const char *uat_torture_block(int rank, uintptr_t address, char *text, size_t room)
{
    uintptr_t low, high, chunk;
    uint64_t size, next;
    pid_t pid = process && rank < uat_self.size ? process[rank] : 0; /* windows of a larger job have more ranks */
    text[0] = 0;
    if (pid == 0 || !find_mapping(pid, address, address, &low, &high) ||
        !find_chunk(pid, address, low, high, &chunk, &size))
        return text;
    uint64_t bytes = size & ~(uint64_t)CHUNK_FLAGS;
    size_t offset = address - chunk - CHUNK_HEAD;
    if (size & CHUNK_IS_MAPPED)
        snprintf(text, room, " (byte %zu of a block of up to %zu bytes)", offset, (size_t)bytes - CHUNK_HEAD);
    else if ((chunk + bytes) % PAGE == 0 || !read_head(pid, chunk + bytes, &next))
        return text; /* perhaps the rest that no call of malloc() has taken, at the end of a piece */
    else if (next & CHUNK_BEFORE_IS_USED)
        snprintf(text, room, " (byte %zu of a block of %zu to %zu bytes)", offset,
                 bytes == CHUNK_LEAST ? 0 : (size_t)bytes - 24 + 1, (size_t)bytes - 8);
    else
        snprintf(text, room, " (and which was freed there)");
    return text;
}
