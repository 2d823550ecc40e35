/* SPDX-License-Identifier: MIT */
/* A pipeline: items pass through five stages over channels, and each stage works on each item. The answer depends on
 * the order of the items. */
#include <stdint.h>

#include "perf/bench.h"
#include "uat/channel.h"
#include "uat/sync.h"

enum { STAGES = 5, STEP_NS = 2 /* virtual time of a step */ };

static int64_t items = 1000, work = 20000, capacity = 16;

UAT_CHANNEL(uint64_t, items);

/* A stage's work on an item: a chain of multiplications that the compiler cannot shorten. */
static uint64_t treat(uint64_t item, uint64_t stage)
{
    for (int64_t i = 0; i < work; i++) {
        item = item * 6364136223846793005u + stage + 1442695040888963407u;
        uat_bench_opaque();
    }
    return item;
}

/* Add an item to a checksum that depends on the order of the items. */
static uint64_t fold(uint64_t sum, uint64_t item)
{
    return sum * 31 + item;
}

UAT_TASK(int, stage, items_channel, in, items_channel, out, uint64_t, number)
{
    uint64_t item;
    while (items_receive(in, &item) == 0) {
        item = treat(item, number);
        uat_sim_work((uint64_t)work * STEP_NS);
        if (items_send(out, item))
            return 1;
    }
    items_close(out);
    return 0;
}

UAT_TASK(int, source, items_channel, out, uint64_t, n)
{
    for (uint64_t i = 0; i < n; i++)
        if (items_send(out, i))
            return 1;
    items_close(out);
    return 0;
}

UAT_TASK(uint64_t, pipeline, uint64_t, n, uint64_t, room)
{
    items_channel c[STAGES + 1];
    stage_task stages[STAGES];
    source_task feeder;
    uint64_t sum = 0, item;
    int errors = 0;
    for (int i = 0; i <= STAGES; i++)
        c[i] = items_create(room);
    source_spawn(&feeder, c[0], n);
    for (int i = 0; i < STAGES; i++)
        stage_spawn(&stages[i], c[i], c[i + 1], (uint64_t)i);
    while (items_receive(c[STAGES], &item) == 0)
        sum = fold(sum, item);
    for (int i = STAGES; i-- > 0;)
        errors += stage_join(&stages[i]);
    errors += source_join(&feeder);
    for (int i = 0; i <= STAGES; i++)
        items_destroy(c[i]);
    return errors ? 0 : sum;
}

static int run(uint64_t *answer)
{
    return pipeline_run(answer, (uint64_t)items, (uint64_t)capacity);
}

static int sequential(uint64_t *answer)
{
    *answer = 0;
    for (uint64_t i = 0; i < (uint64_t)items; i++) {
        uint64_t item = i;
        for (uint64_t s = 0; s < STAGES; s++)
            item = treat(item, s);
        *answer = fold(*answer, item);
    }
    return 0;
}

static const struct uat_bench_option options[] = {
    {"--items", "N", "items", &items, NULL, 1, 1 << 30},
    {"--work", "N", "steps of a stage for an item", &work, NULL, 0, 1 << 30},
    {"--capacity", "N", "of the channels; 0: rendezvous", &capacity, NULL, 0, 1 << 20},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-pipeline",
    .purpose = "Five stages over channels; each works on each item.",
    .options = options,
    .results = {"answer"},
    .run = run,
    .sequential = sequential,
};
