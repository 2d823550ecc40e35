/* SPDX-License-Identifier: MIT */
/*
 * Release and acquire, and the hooks of runtime/global/global.h that call them. tests/model/coherence.pml is the model.
 * tests/mutants/global.toml leaves out one rule at a time, and tests/global must then find a wrong byte.
 *
 * The claim to prove: a read r on worker W sees a write w on W' if w happens before r. If W is W', the value is in W's
 * slot, or the READ is ordered after W's WRITE. Otherwise the path from w to r ends with a crossing edge into W. When
 * the edge left its source worker, every earlier write of that worker was at home. By induction, every write that
 * happened before was at home, too. W acquired at the edge's target, so everything that is valid at r was fetched after
 * this acquire.
 */
#include "base/virtual.h"
#include "base/kernel.h"
#include "runtime/global/cache.h"
#include "runtime/global/record.h"
#include "runtime/global/link.h"
#include "runtime/trace/trace.h"
#include "runtime/job/collective.h"
#include "runtime/job/fatal.h"

enum {
    BUDGET = 10,     /* publications may take at most 1/BUDGET of the time */
    WINDOW = 1 << 28 /* ticks of the counter, 0.1 to 0.3 s at 1 to 3 GHz; after each window half of the past is
                      * dropped */
};

static struct {
    uint64_t spent, since; /* ticks that publications have spent on releases; ticks of the counter at the start */
} budget;

/* Statistics. */
static uint64_t releases, releases_waited, publications_unreleased;

static __attribute__((noinline)) void release(void)
{
    uint64_t since = uat_trace_begin();
    uat_cache_post_all();
    releases++;
    releases_waited += uat_links_flush();
    uat_trace_end(UAT_TRACE_RELEASE, since, 0, -1);
}

void uat_global_release(void)
{
    if (uat_links_are_unclean())
        release();
}

/*
 * Raise the epoch: parts that became valid in another epoch are no longer valid. Frozen arrays have a separate epoch.
 */
static void acquire(void)
{
    uat_cache_age();
    uat_far.epoch += UINT64_C(1) << UAT_FAR_EPOCH_SHIFT;
    if (uat_far.epoch == 0) /* the number wrapped, so runs of old epochs might count as valid again */
        uat_cache_hide();
}

/*
 * May a publication spend time on a release now? A flat loop whose children write far bytes would release at every
 * publication, and each release costs a round trip. So publications are put off while their releases have taken more
 * than 1/BUDGET of the time. The deque asks again at the next spawn.
 */
static bool may_spend(uint64_t now)
{
    if (now - budget.since > WINDOW) {
        budget.since = now - WINDOW / 2;
        budget.spent /= 2;
    }
    return budget.spent * BUDGET <= now - budget.since;
}

bool uat_global_before_publication(void)
{
    if (!uat_links_are_unclean())
        return true;
    uint64_t begin = uat_counter();
    if (!uat_registry.strict && !may_spend(begin)) {
        publications_unreleased++;
        return false;
    }
    release();
    budget.spent += uat_counter() - begin;
    return true;
}

void uat_release_open(void)
{
    budget.since = uat_counter();
}

void uat_release_close(void)
{
    budget.spent = budget.since = 0;
    releases = releases_waited = publications_unreleased = 0;
}

void uat_release_count(uat_stats_detail_t *stats)
{
    stats->global_releases = releases;
    stats->global_releases_waited = releases_waited;
    stats->publications_unreleased = publications_unreleased;
}

void uat_global_before_end(void)
{
    if (uat_links_are_unclean())
        release();
}

void uat_global_before_wait(void)
{
    if (uat_links_are_unclean())
        release();
}
UAT_KERNEL(uat_global_before_wait);

void uat_global_after_steal(void)
{
    acquire();
}
UAT_KERNEL(uat_global_after_steal);

void uat_global_after_join(void)
{
    acquire();
}

void uat_global_after_resume(void)
{
    acquire();
}
UAT_KERNEL(uat_global_after_resume);

static void bring_home(const char *where)
{
    uat_global_refuse_open(where);
    if (uat_links_are_unclean())
        release();
    uat_links_drain(); /* also of prefetches, because their home may unmap the memory after the barrier */
}

void uat_global_before_barrier(void)
{
    bring_home("at a barrier, or the start or end of a run");
}

void uat_global_before_stop(void)
{
    bring_home("at a checkpoint");
}

void uat_global_after_barrier(void)
{
    acquire();
}

int uat_global_run_begins(void)
{
    int rc = 0;
    if (uat_global_is_open()) { /* make what other ranks wrote outside of runs visible to the root */
        uat_global_before_barrier();
        rc = uat_collective_barrier();
        uat_global_after_barrier();
    }
    return rc;
}

void uat_global_run_ends(void)
{
    uat_global_before_barrier();
}

void uat_global_refuse_opened(const char *where)
{
    const struct uat_open *o = uat_far.last;
    if (o != uat_opens)
        uat_fatal("%zu bytes of global memory at %p are checked out %s; check them in before", uat_open_bytes(o),
                  (void *)o->at, where);
    uat_fatal("%llu ranges of global memory are checked out, or transfers in flight, %s; end them before",
              (unsigned long long)(uat_transfers_open + uat_near.begun - uat_near.ended), where);
}
