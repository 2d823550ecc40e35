/* SPDX-License-Identifier: MIT */
/* The state as a process sees it: mapping, counting, and making calls fail. */
#include "tests/fakeverbs/fake.h"

#include "base/meeting.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define FAKE_CALL_TEXT(name, text) text,
const char *const fake_call_names[FAKE_CALLS] = {FAKE_CALL_LIST(FAKE_CALL_TEXT)};

struct fake_state *fake_state;
static int rank = -1;
static uint64_t calls[FAKE_CALLS]; /* of this process */
static int making_pairs;           /* threads of this process that are in a call for a queue pair */

__attribute__((constructor)) static void open_state(void)
{
    const char *path = getenv(FAKE_VARIABLE), *number = getenv("PMIX_RANK");
    if (!path)
        return;
    if (!number)
        number = getenv(UAT_MEETING_RANK);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *map = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*fake_state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        perror("fakeverbs: the state cannot be mapped: " FAKE_VARIABLE);
        _exit(125);
    }
    close(fd);
    madvise(map, sizeof(*fake_state), MADV_DONTDUMP);
    fake_state = map;
    rank = number ? atoi(number) : -1;
    if (fake_state->hosts > 1 && getenv(UAT_MEETING_RANK)) {
        fprintf(stderr, "fakeverbs: uatrun's workers are on one host; start them by tests/pmix/uatrun-pmix\n");
        _exit(125);
    }
}

int fake_rank(void)
{
    return rank;
}

int fake_host(void)
{
    return rank < 0 ? 0 : rank % fake_state->hosts;
}

void fake_add(enum fake_call sum, uint64_t amount)
{
    /* Relaxed: nothing else depends on the counts. `fakeverbs` reads them after the processes have ended. */
    __atomic_fetch_add(&fake_state->count[rank < 0 ? 0 : rank % FAKE_RANKS][sum], amount, __ATOMIC_RELAXED);
}

int fake_enter(enum fake_call call)
{
    uint64_t k = __atomic_add_fetch(&calls[call], 1, __ATOMIC_RELAXED); /* Relaxed: only the number matters. */
    fake_add(call, 1);
    for (int i = 0; i < fake_state->failures; i++) {
        const struct fake_failure *f = &fake_state->failure[i];
        if (f->call == call && (f->rank < 0 || f->rank == rank) && (!f->at || f->at == k))
            return f->error;
    }
    return 0;
}

uint32_t fake_number(uint32_t *last, uint32_t size, const char *what)
{
    /* Relaxed: only the number matters. Peers get the number through the job's exchange, which also makes the object
     * visible to them. */
    uint32_t number = __atomic_add_fetch(last, 1, __ATOMIC_RELAXED);
    if (number < size)
        return number;
    fprintf(stderr, "fakeverbs: more than %u %s\n", size - 1, what);
    abort();
}

void fake_pair_call(const struct fake_device *d)
{
    uint64_t *most = &fake_state->count[rank < 0 ? 0 : rank % FAKE_RANKS][FAKE_PAIRS_AT_ONCE];
    /* Relaxed: as in fake_add(). */
    uint64_t now = (uint64_t)__atomic_add_fetch(&making_pairs, 1, __ATOMIC_RELAXED);
    uint64_t known = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (known < now && !__atomic_compare_exchange_n(most, &known, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    if (d->pair_us)
        usleep((useconds_t)d->pair_us);
    __atomic_sub_fetch(&making_pairs, 1, __ATOMIC_RELAXED);
}
