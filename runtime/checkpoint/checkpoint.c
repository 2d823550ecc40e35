/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/log.h"
#include "include/uat/checkpoint.h"
#include "runtime/checkpoint/arrays.h"
#include "runtime/checkpoint/copy.h"
#include "runtime/checkpoint/folder.h"
#include "runtime/checkpoint/kept.h"
#include "runtime/checkpoint/manifest.h"
#include "runtime/checkpoint/request.h"
#include "runtime/checkpoint/settings.h"
#include "runtime/checkpoint/state.h"
#include "runtime/checkpoint/survive.h"
#include "runtime/job/collective.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/sched/chains.h"
#include "runtime/sched/park.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/stop.h"
#include "runtime/segment/ghost.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "runtime/sync/waitobj.h"
#include "runtime/torture/settings.h"

static struct {
    struct uat_checkpoint_config config;
    struct uat_manifest from; /* the checkpoint that this job continues from; number 0: the job began anew */
    uint64_t canary;
    uint64_t runs;    /* runs that have begun in this job */
    uint64_t said[2]; /* rank 0: a bit for each obstacle reported; said[1]: for requests to end the job */
} checkpoint;
static uint64_t highest; /* rank 0: the highest number of a checkpoint in the folder */

static bool is_on(void)
{
    return uat_checkpoint_settings.folder[0] != 0;
}

int uat_checkpoint_choose(int *colour, uint64_t *id)
{
    struct uat_manifest *from = &checkpoint.from;
    uint64_t number;
    *id = 0;
    if (!is_on())
        return 0;
    int rc = uat_choice_make(&number);
    if (uat_self.rank == 0)
        highest = uat_folder_highest();
    if (rc || number == 0)
        return rc;
    rc = uat_manifest_read(from, number);
    if (rc && uat_self.rank == 0)
        uat_choice_name_older(number);
    if (rc)
        return rc;
    if (from->workers > uat_self.size)
        uat_segment_add_ghosts(uat_self.size, from->workers, from->colours, from->used);
    if (uat_self.rank < from->workers)
        *colour = from->colours[uat_self.rank];
    uat_self.restarts = uat_self.epoch = from->restarts + 1;
    *id = from->id;
    return 0;
}

/* Compare the identity in the section with this worker's. */
static int compare_identity(const struct uat_section *section)
{
    static struct uat_identity theirs;
    const struct uat_identity *own = checkpoint.config.identity;
    char whose[UAT_SECTIONS_NAME + 32];
    if (section->whole > sizeof(theirs))
        return -EBADMSG;
    memcpy(&theirs, uat_section_bytes(section), section->bytes);
    checkpoint.canary = theirs.canary;
    /* The state does not depend on the checkpoint's id. */
    theirs.checkpoint = own->checkpoint;
    snprintf(whose, sizeof(whose), "checkpoint %" PRIu64 " in %s", checkpoint.from.number,
             uat_checkpoint_settings.folder);
    return uat_identity_compare(own, &theirs, section->whole, checkpoint.config.settings, whose);
}

int uat_checkpoint_compare(const struct uat_checkpoint_config *config, uint64_t *canary)
{
    struct uat_sections_in in;
    const struct uat_section *section;
    checkpoint.config = *config;
    if (is_on())
        uat_arrays_open();
    if (checkpoint.from.number == 0)
        return 0;
    int rc = uat_manifest_compare_command(&checkpoint.from);
    if (!rc)
        rc = uat_manifest_file(&checkpoint.from, &in, UAT_MANIFEST_JOB);
    if (rc)
        return rc;
    while (!rc && (section = uat_sections_next(&in))) {
        if (section->kind == UAT_SECTION_IDENTITY)
            rc = compare_identity(section);
        else if (!(section->kind == UAT_SECTION_RUN && uat_runs_restore(section)) &&
                 !(section->kind == UAT_SECTION_ARRAYS && uat_arrays_take_table(section)))
            rc = uat_sections_refuse(&in, "a section is unknown or damaged");
    }
    if (!rc && uat_runs_count() != checkpoint.from.run)
        rc = uat_sections_refuse(&in, "the results of earlier runs are missing");
    uat_sections_free(&in);
    *canary = checkpoint.canary;
    return rc;
}

/* Write the file of `rank` in checkpoint head->number. rank: this worker, or a ghost that this worker keeps. */
static int write_rank(struct uat_sections_head *head, int rank, const struct uat_chain *chain)
{
    char name[UAT_SECTIONS_NAME], file[32];
    struct uat_sections_out out;
    snprintf(file, sizeof(file), "rank-%d", rank);
    head->rank = (uint64_t)rank;
    int rc = uat_sections_create(&out, uat_folder_name(name, sizeof(name), head->number, file), head);
    if (rc)
        return rc;
    if (rank == uat_self.rank)
        uat_state_save(&out, chain);
    else
        uat_kept_save(&out, rank);
    UAT_EACH_ROOM(room, save)
    (*room)->save(&out, rank);
    return uat_sections_close(&out);
}

static int write_ranks(struct uat_sections_head *head, const struct uat_chain *chain)
{
    int rc = 0;
    for (int rank = uat_self.rank; rank < uat_park_names() && !rc; rank += uat_self.size)
        rc = write_rank(head, rank, chain);
    head->rank = (uint64_t)uat_self.rank;
    return rc ? rc : uat_arrays_write(head);
}

/* Set *bytes to the maximum over all workers, rounded up to whole units. Workers can agree only on their lowest status,
 * so a value is sent as a status below all errnos. A value of 32 GiB or more becomes UINT64_MAX. Returns 0, or a
 * negative errno that has been reported. */
static int agree_on_most(uint64_t *bytes)
{
    enum { UNIT = 4096, ALL = 1 << 23, BELOW = -4096 /* Linux has no errno beyond 4095 */ };
    static_assert(BELOW - ALL >= UAT_STATUS_MIN, "workers refuse lower statuses");
    uint64_t units = *bytes / UNIT + (*bytes % UNIT != 0);
    int status = uat_collective_agree(BELOW - (units < ALL ? (int)units : ALL));
    if (status > BELOW)
        return status;
    *bytes = status == BELOW - ALL ? UINT64_MAX : (uint64_t)(BELOW - status) * UNIT;
    return 0;
}

/* Set *used to the most that any rank uses. Returns 0, or a negative errno that has been reported. */
static int agree_on_used(struct uat_used *used)
{
    uat_state_used(used);
    uat_kept_used(used);
    int rc = agree_on_most(&used->records);
    return rc ? rc : agree_on_most(&used->heap);
}

/* Rank 0: write the data that concern all workers, and let `latest` name the checkpoint. */
static int write_job(struct uat_sections_head *head, const struct uat_used *used)
{
    char name[UAT_SECTIONS_NAME];
    struct uat_sections_out out;
    struct uat_identity identity = *checkpoint.config.identity;
    struct uat_manifest manifest = {.id = head->id,
                                    .number = head->number,
                                    .run = checkpoint.runs - 1,
                                    .restarts = uat_self.restarts,
                                    .workers = uat_park_names(),
                                    .used = *used,
                                    .colours = uat_ghosts.size > 0 ? checkpoint.from.colours : uat_segment.colours};
    head->rank = 0;
    int rc = uat_sections_create(&out, uat_folder_name(name, sizeof(name), head->number, "job"), head);
    if (rc)
        return rc;
    if (checkpoint.from.number > 0)
        identity.canary = checkpoint.canary;
    uat_sections_add(&out, UAT_SECTION_IDENTITY, 0, &identity, uat_identity_published(&identity, 0));
    uat_runs_save(&out);
    uat_arrays_save_table(&out);
    rc = uat_sections_close(&out);
    uat_manifest_command(&manifest);
    if (!rc)
        rc = uat_manifest_write(&manifest, uat_folder_name(name, sizeof(name), head->number, "manifest"));
    return rc ? rc : uat_folder_complete(head->number);
}

/* Agree on whether all workers can be saved. If not, rank 0 reports each reason once, and a request to end the job is
 * made again later. */
static bool can_save(bool end)
{
    uint64_t unused = 0;
    int worst = uat_state_obstacle(&unused);
    if (worst == 0)
        return true;
    bool again = uat_request_refused(end) && end;
    if (uat_self.rank == 0 && !(checkpoint.said[end] >> worst & 1))
        uat_warn("no checkpoint was written: %s; the run goes on%s", uat_rooms[worst - 1]->busy_reason,
                 again ? ", and the request is made again each second"
                 : end ? " instead of ending"
                       : "");
    checkpoint.said[end] |= UINT64_C(1) << worst;
    return false;
}

/* Rank 0 begins the checkpoint, and all workers learn its number and id. */
static int begin(struct uat_sections_head *head)
{
    int rc = 0;
    *head = (struct uat_sections_head){.magic = UAT_SECTIONS_MAGIC, .workers = (uint64_t)uat_park_names()};
    if (uat_self.rank == 0) {
        head->number = highest + 1;
        if (getrandom(&head->id, sizeof(head->id), 0) != sizeof(head->id) || head->id == 0)
            head->id = uat_clock_ns();
        rc = uat_folder_begin(head->number);
        highest += rc == 0 || rc == -EEXIST;
    }
    rc = uat_collective_agree_on(rc, &head->number);
    return rc ? rc : uat_collective_agree_on(0, &head->id);
}

/* Write the checkpoint; all workers have stopped. Returns, on all workers alike, whether it is complete. */
static bool write_all(const struct uat_chain *chain)
{
    struct uat_sections_head head;
    struct uat_used used;
    fflush(NULL); /* otherwise the buffered text would be lost if the job is lost */
    int rc = begin(&head);
    if (rc)
        return false;
    rc = uat_collective_agree(write_ranks(&head, chain));
    if (!rc)
        rc = agree_on_used(&used);
    if (!rc)
        rc = uat_collective_agree(uat_self.rank == 0 ? write_job(&head, &used) : 0);
    if (rc && uat_self.rank == 0)
        uat_folder_remove(head.number);
    return rc == 0;
}

static bool stopped(struct uat_chain *chain, bool end)
{
    uint64_t begin_ns = uat_clock_ns();
    if ((uat_survive_on && !uat_survive_stopped(chain)) || !is_on() || !can_save(end))
        return false;
    bool complete = write_all(chain);
    double ms = (double)(uat_clock_ns() - begin_ns) * 1e-6, stop_ms = (double)uat_stop_ns() * 1e-6;
    if (uat_self.rank == 0 && complete) {
        uat_info("checkpoint %" PRIu64 " in %s: all stopped after %.2f ms, complete after %.1f ms more", highest,
                 uat_checkpoint_settings.folder, stop_ms, ms);
        uat_folder_clean(uat_checkpoint_settings.keep); /* K9 */
    }
    if (uat_self.rank == 0 && !complete)
        uat_warn("the checkpoint is dropped, and the run goes on%s", end ? " instead of ending" : "");
    if (end && complete && uat_survive_on)
        uat_survive_end();
    if (end && complete)
        checkpoint.config.leave(uat_request_leaves() ? 0 : UAT_CHECKPOINT_STATUS);
    uat_request_done(end);
    return false;
}

int uat_checkpoint_open(void)
{
    static const struct uat_stop_user user = {.stopped = stopped};
    int rc = uat_survive_open(uat_request_is_caught(), uat_blobs_any);
    if (rc)
        return rc;
    if (!uat_survive_on && (!is_on() || uat_torture_settings.torture == UAT_TORTURE_ROLLBACK))
        return uat_copy_open(uat_blobs_any);
    if (checkpoint.from.number > 0 && uat_self.rank == 0)
        uat_info("goes on from checkpoint %" PRIu64 " in %s, of %d workers", checkpoint.from.number,
                 uat_checkpoint_settings.folder, checkpoint.from.workers);
    rc = uat_stop_open(&user);
    return rc || !is_on() ? rc : uat_request_open();
}

void uat_checkpoint_close(void)
{
    uat_request_close();
    uat_stop_close();
    uat_survive_close();
    uat_copy_close();
    uat_arrays_close();
    uat_folder_unlock();
    uat_runs_cut(0);
    uat_chains_set(NULL, NULL);
    uat_kept_free();
    uat_blobs_free();
    free(checkpoint.from.colours);
    memset(&checkpoint, 0, sizeof(checkpoint));
}

void uat_checkpoint_reset(void)
{
    uat_request_done(true);
    uat_copy_forget();
    uat_runs_cut(checkpoint.from.run);
    uat_chains_set(NULL, NULL);
    uat_kept_free();
    uat_blobs_free();
    checkpoint.runs = 0;
    memset(checkpoint.said, 0, sizeof(checkpoint.said));
}

const struct uat_run_record *uat_checkpoint_run_begins(void)
{
    uint64_t run = checkpoint.runs++;
    uat_copy_forget(); /* K12 */
    return checkpoint.from.number > 0 && run < checkpoint.from.run ? uat_runs_get(run) : NULL;
}

bool uat_checkpoint_is_interrupted(void)
{
    return checkpoint.from.number > 0 && checkpoint.runs == checkpoint.from.run + 1;
}

/* Restore the state of `rank`, which is this worker or a ghost that this worker keeps. */
static int restore_rank(int rank, struct uat_chain *chain)
{
    struct uat_sections_in in = {.data = NULL};
    int rc = uat_manifest_file(&checkpoint.from, &in, rank);
    if (!rc)
        rc = rank == uat_self.rank ? uat_state_restore(&in, chain) : uat_kept_restore(rank, &in);
    uat_sections_free(&in);
    return rc;
}

void uat_checkpoint_go_on(void)
{
    struct uat_chain chain = {.sp = 0};
    const struct uat_sections_head head = {.magic = UAT_SECTIONS_MAGIC,
                                           .id = checkpoint.from.id,
                                           .number = checkpoint.from.number,
                                           .workers = (uint64_t)checkpoint.from.workers};
    uat_sync_forget_names();
    int rc = uat_arrays_check();
    for (int rank = uat_self.rank; rank < checkpoint.from.workers && !rc; rank += uat_self.size)
        rc = restore_rank(rank, &chain);
    rc = uat_arrays_restore(&head, rc);
    if (uat_collective_agree(rc) == 0) { /* now all lists of names are empty, and all blocks with names are in place */
        uat_state_add_names();
        uat_kept_add_names();
    }
    if (!rc)
        uat_blobs_give();
    uat_chains_set(uat_kept_next, uat_kept_any);
    if (chain.sp || uat_kept_any())
        uat_notice_begin(uat_stall_notice()); /* K8 */
    rc = uat_collective_agree(rc);            /* K7 */
    if (rc && uat_self.rank == 0)
        uat_choice_name_older(checkpoint.from.number);
    if (rc)
        uat_fatal_reported();
    if (chain.sp)
        uat_schedule_chain(&chain);
    free(chain.entries);
}

void uat_checkpoint_run_ended(const void *bytes, size_t size, bool failed)
{
    if (is_on() && uat_self.rank == 0 && uat_runs_count() < checkpoint.runs && uat_runs_add(bytes, size, failed))
        uat_fatal("no memory for the result of a run, which a checkpoint would need");
}

void uat_checkpoint_keep_packed(const void *bytes, size_t size)
{
    if (is_on() && uat_self.rank == 0 && uat_runs_count() == checkpoint.runs && uat_runs_add_packed(bytes, size))
        uat_fatal("no memory for the result of a run, which a checkpoint would need");
}

const void *uat_checkpoint_kept_packed(size_t *size)
{
    if (checkpoint.from.number == 0 || checkpoint.runs == 0 || checkpoint.runs > checkpoint.from.run)
        return NULL;
    const struct uat_run_record *record = uat_runs_get(checkpoint.runs - 1);
    *size = record->packed;
    return record->bytes + record->size;
}
