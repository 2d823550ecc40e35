/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/copy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "runtime/checkpoint/settings.h"
#include "runtime/checkpoint/state.h"
#include "runtime/global/content.h"
#include "runtime/job/collective.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/sched/rest.h"
#include "runtime/sched/stop.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "runtime/task/sanitize.h"
#include "runtime/torture/settings.h"
#include "runtime/torture/torture.h"

/* Sections in memory. */
struct stream {
    char *bytes;
    size_t size;
};

static struct {
    struct stream state, contents; /* the copy: what the files rank-R and memory-R would have. NULL: there is none */
    struct uat_random random;      /* rank 0's */
    uint64_t taken, used;          /* numbers of copies, and of ways back */
    bool (*hindered)(void);        /* are there functions of uat_checkpoint_register()? */
    bool said;                     /* that there is no copy for this reason */
} copy;

static void no_memory(void)
{
    uat_fatal("no memory for the copy that UAT_TORTURE=rollback keeps");
}

/* The stream's bytes and size are set by close_stream(). */
static void open_stream(struct uat_sections_out *out, struct stream *stream)
{
    out->sections = 0;
    out->output.file = open_memstream(&stream->bytes, &stream->size);
    if (!out->output.file)
        no_memory();
}

static void close_stream(struct uat_sections_out *out)
{
    uat_sections_add(out, UAT_SECTION_END, out->sections, "", 0);
    bool failed = ferror(out->output.file);
    if (fclose(out->output.file) || failed)
        no_memory();
}

static struct uat_sections_in sections_of(const struct stream *stream)
{
    return (struct uat_sections_in){.data = stream->bytes, .size = stream->size, .name = "the copy in memory"};
}

static int add_piece(void *arg, const void *at, size_t bytes)
{
    uat_sections_add(arg, UAT_SECTION_PIECE, (uintptr_t)at, at, bytes);
    return 0;
}

/* Replace the copy by one of the present state. */
static void take(const struct uat_chain *chain)
{
    struct uat_sections_out out;
    uat_copy_free();
    open_stream(&out, &copy.state);
    uat_state_save(&out, chain);
    UAT_EACH_ROOM(room, save)
    (*room)->save(&out, uat_self.rank);
    close_stream(&out);
    open_stream(&out, &copy.contents);
    int rc = uat_content_each(add_piece, &out);
    close_stream(&out);
    if (uat_collective_agree(rc)) /* K10 */
        uat_fatal_reported();
}

/* Put the contents of this worker's global memory back. Returns 0, or a negative errno that has been reported. */
static int restore_contents(void)
{
    struct uat_sections_in in = sections_of(&copy.contents);
    const struct uat_section *section;
    int rc = uat_content_clear(uat_self.size);
    while (!rc && (section = uat_sections_next(&in)))
        uat_section_put(section, (char *)(uintptr_t)section->address);
    return rc;
}

/* Forget what this worker has done since the copy. */
static void reset_rooms(void)
{
    uat_rest_is_over(); /* the crew's words stay: the others must not believe that this worker still rests */
    uat_stall_over();
    UAT_EACH_ROOM(room, reset)
    if (!(*room)->stays)
        (*room)->reset();
}

/* Go back to the copy. *chain becomes what this worker had then. The caller has passed the first barrier of K11. */
static void go_back(struct uat_chain *chain)
{
    struct uat_sections_in in = sections_of(&copy.state);
    uat_self.epoch++;
    reset_rooms();
    uat_sanitize_unpoison(uat_segment.low, uat_segment.high); /* red zones of the stacks that are dropped */
    int rc = uat_state_put(&in, chain);
    if (!rc)
        rc = restore_contents();
    if (uat_collective_agree(rc)) /* K11 */
        uat_fatal_reported();
    uat_state_add_names();
    if (chain->sp)
        uat_notice_begin(uat_stall_notice()); /* K8 */
    if (uat_collective_agree(0))              /* K7 */
        uat_fatal_reported();
}

/* For struct uat_stop_user. */
static bool stopped(struct uat_chain *chain, bool end)
{
    uint64_t begin = uat_clock_ns(), word = uat_stop_ns() << 1;
    (void)end;
    if (copy.hindered()) { /* restore() may rely on the memory of a new process */
        if (uat_self.rank == 0 && !copy.said)
            uat_warn("UAT_TORTURE=rollback does nothing, because the program calls uat_checkpoint_register()");
        copy.said = true;
        return false;
    }
    if (uat_self.rank == 0 && copy.state.bytes)
        word |= uat_random_next(&copy.random) >> 32 & 1;
    bool can = uat_state_obstacle(&word) == 0, goes_back = can && (word & 1); /* K11: a barrier */
    copy.taken += can && !goes_back;
    copy.used += goes_back;
    if (goes_back)
        go_back(chain);
    else if (can)
        take(chain);
    uat_torture_stood((word >> 1) + uat_clock_ns() - begin);
    return goes_back;
}

int uat_copy_open(bool (*hindered)(void))
{
    static const struct uat_stop_user user = {.stopped = stopped};
    if (uat_torture_settings.torture != UAT_TORTURE_ROLLBACK)
        return 0;
    if (uat_checkpoint_settings.folder[0]) {
        uat_error("UAT_TORTURE=rollback cannot be combined with UAT_CHECKPOINT, whose files it does not know");
        return -EINVAL;
    }
    copy.hindered = hindered;
    copy.random = uat_random_seed(uat_torture_seed(), 0);
    return uat_stop_open(&user);
}

void uat_copy_free(void)
{
    free(copy.state.bytes);
    free(copy.contents.bytes);
    copy.state = copy.contents = (struct stream){0};
}

void uat_copy_close(void)
{
    if (copy.taken > 0 && uat_self.rank == 0)
        uat_info("UAT_TORTURE=rollback: %" PRIu64 " copies, %" PRIu64 " ways back", copy.taken, copy.used);
    uat_copy_free();
    copy.taken = copy.used = 0;
    copy.hindered = NULL;
    copy.said = false;
}
