/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/copy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
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

static struct {
    struct uat_copy places[2]; /* copy n is in place n mod 2, so that it never overwrites the copy before it (Z1) */
    struct uat_random random;  /* rank 0's */
    bool any;                  /* this run has a copy */
    uint64_t taken, used;      /* numbers of copies, and of ways back */
    bool (*hindered)(void);    /* are there functions of uat_checkpoint_register()? */
    bool said;                 /* that there is no copy for this reason */
} copy = {.places = {UAT_COPY_NONE, UAT_COPY_NONE}};

int uat_copy_make(struct uat_copy *one)
{
    one->state_fd = uat_memfd("uat-copy", 0);
    one->contents_fd = uat_memfd("uat-copy", 0);
    if (one->state_fd >= 0 && one->contents_fd >= 0)
        return 0;
    int rc = -errno;
    uat_error("no memory object for copies of the run: %s", strerror(errno));
    uat_copy_free(one);
    return rc;
}

/* Begin sections in a memory object, which loses what it had. */
static void open_stream(struct uat_sections_out *out, int fd)
{
    int other = dup(fd);
    out->sections = 0;
    out->output.file = NULL;
    if (other >= 0 && ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0)
        out->output.file = fdopen(other, "w");
    if (!out->output.file)
        uat_fatal("no memory object for a copy of the run: %s", strerror(errno));
}

/* End the sections. Returns their bytes. */
static uint64_t close_stream(struct uat_sections_out *out)
{
    uat_sections_add(out, UAT_SECTION_END, out->sections, "", 0);
    long size = ftell(out->output.file);
    bool failed = ferror(out->output.file) || size < 0;
    if (fclose(out->output.file) || failed)
        uat_fatal("no memory for a copy of the run: %s", strerror(errno));
    return (uint64_t)size;
}

/* Map the sections for reading. */
static struct uat_sections_in map_stream(int fd, uint64_t size)
{
    struct uat_sections_in in = {.size = size, .name = "the copy in memory"};
    in.data = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (in.data == MAP_FAILED)
        uat_fatal("the copy of the run in memory cannot be mapped: %s", strerror(errno));
    return in;
}

static int add_piece(void *arg, const void *at, size_t bytes)
{
    uat_sections_add(arg, UAT_SECTION_PIECE, (uintptr_t)at, at, bytes);
    return 0;
}

void uat_copy_take(struct uat_copy *to, const struct uat_chain *chain)
{
    struct uat_sections_out out;
    open_stream(&out, to->state_fd);
    uat_state_save(&out, chain);
    UAT_EACH_ROOM(room, save)
    (*room)->save(&out, uat_self.rank);
    to->state_size = close_stream(&out);
    open_stream(&out, to->contents_fd);
    int rc = uat_content_each(add_piece, &out);
    to->contents_size = close_stream(&out);
    if (uat_collective_agree(rc)) /* K10 */
        uat_fatal_reported();
}

/* Put the contents of this worker's global memory back. Returns 0, or a negative errno that has been reported. */
static int restore_contents(const struct uat_copy *from)
{
    struct uat_sections_in in = map_stream(from->contents_fd, from->contents_size);
    const struct uat_section *section;
    int rc = uat_content_clear(uat_self.size);
    while (!rc && (section = uat_sections_next(&in)))
        uat_section_put(section, (char *)(uintptr_t)section->address);
    munmap(in.data, in.size);
    return rc;
}

int uat_copy_put(const struct uat_copy *from, struct uat_chain *chain)
{
    struct uat_sections_in in = map_stream(from->state_fd, from->state_size);
    uat_sanitize_unpoison(uat_segment.low, uat_segment.high); /* red zones of the stacks that are dropped */
    int rc = uat_state_put(&in, chain);
    munmap(in.data, in.size);
    return rc ? rc : restore_contents(from);
}

void uat_copy_reset_rooms(void)
{
    uat_stall_over();
    UAT_EACH_ROOM(room, reset)
    if (!(*room)->stays)
        (*room)->reset();
}

/* Go back to the copy. *chain becomes what this worker had then. The caller has passed the first barrier of K11. */
static void go_back(struct uat_chain *chain)
{
    uat_self.epoch++;
    uat_rest_is_over(); /* the crew's words stay: the others must not believe that this worker still rests */
    uat_copy_reset_rooms();
    int rc = uat_copy_put(&copy.places[copy.taken % 2], chain);
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
    if (uat_self.rank == 0 && copy.any)
        word |= uat_random_next(&copy.random) >> 32 & 1;
    bool can = uat_state_obstacle(&word) == 0, goes_back = can && (word & 1); /* K11: a barrier */
    copy.taken += can && !goes_back;
    copy.used += goes_back;
    copy.any |= can;
    if (goes_back)
        go_back(chain);
    else if (can)
        uat_copy_take(&copy.places[copy.taken % 2], chain);
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
    int rc = uat_copy_make(&copy.places[0]);
    if (!rc)
        rc = uat_copy_make(&copy.places[1]);
    return rc ? rc : uat_stop_open(&user);
}

void uat_copy_forget(void)
{
    copy.any = false;
}

void uat_copy_free(struct uat_copy *one)
{
    if (one->state_fd >= 0)
        close(one->state_fd);
    if (one->contents_fd >= 0)
        close(one->contents_fd);
    *one = (struct uat_copy)UAT_COPY_NONE;
}

void uat_copy_close(void)
{
    if (copy.taken > 0 && uat_self.rank == 0)
        uat_info("UAT_TORTURE=rollback: %" PRIu64 " copies, %" PRIu64 " ways back", copy.taken, copy.used);
    uat_copy_free(&copy.places[0]);
    uat_copy_free(&copy.places[1]);
    copy.any = copy.said = false;
    copy.taken = copy.used = 0;
    copy.hindered = NULL;
}
