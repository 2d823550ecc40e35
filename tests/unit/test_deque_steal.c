/* SPDX-License-Identifier: MIT */
/*
 * Description: the deque's owner against thief processes, under all protocols, with and without delays. Each of
 * millions of entries is taken exactly once and with its own stack. Every rare branch of owner and thief is taken at
 * least once. Chance decides which branches a run takes, so the runs are repeated until every rare branch was taken.
 */
#include "papers/thief_paper.h"
#include "tests/test.h"
#include "tests/unit/deque_stress.h"

#ifdef __SANITIZE_ADDRESS__
enum { SHARE = 4 }; /* the sanitizer's build searches for wrong addresses; the usual build runs all entries */
#else
enum { SHARE = 1 };
#endif

enum { ENTRIES = 300000 / PEERS_SHARE / SHARE, ENTRIES_TORTURE = 60000 / PEERS_SHARE / SHARE, REPEATS = 6 * SHARE };

/* Whether all rare branches of a protocol were taken. */
typedef bool taken_fn(const struct deque_stress_counts *sum);

static void add(struct deque_stress_counts *sum, const struct deque_stress_counts *one)
{
    const uint64_t *from = (const uint64_t *)one;
    uint64_t *to = (uint64_t *)sum;
    for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
        to[i] += from[i];
}

/* Run with flat, shallow and deep nesting, each with 1 to 3 thieves (1 and 3 on an emulated device), and each with and
 * without torture. */
static void run_once(uat_steal_fn *steal, bool blind, uint64_t seed, struct deque_stress_counts *sum)
{
    static const unsigned depths[] = {1, 4, 40};
    for (int torture = 0; torture < 2; torture++)
        for (int thieves = 1; thieves <= 3; thieves += PEERS_SHARE > 1 ? 2 : 1)
            for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
                struct peers_spec spec = {
                    .transport = &PEERS_TRANSPORT, .workers = 1 + thieves, .shuffle = torture, .seed = seed};
                struct deque_stress stress = {.steal = steal,
                                              .pushes = torture ? ENTRIES_TORTURE : ENTRIES,
                                              .depth = depths[i],
                                              .delays = torture,
                                              .blind = blind,
                                              .seed = seed++};
                struct deque_stress_counts counts;
                assert_int_equal(deque_stress_run(&spec, &stress, &counts), 0);
                assert_int_equal(counts.taken_by_owner + counts.taken_by_thieves, stress.pushes);
                assert_int_equal(counts.thieves.done, counts.taken_by_thieves);
                add(sum, &counts);
            }
}

static void run_all(uat_steal_fn *steal, bool blind, taken_fn *taken, struct deque_stress_counts *sum)
{
    for (uint64_t i = 0; i < REPEATS && !taken(sum); i++)
        run_once(steal, blind, 1 + 100 * i, sum);
}

static bool rare_taken(const struct deque_stress_counts *sum)
{
    if (PEERS_SHARE > 1) /* too few entries for the other branches to be certain */
        return sum->thieves.done > 0;
    return sum->thieves.done > 0 && sum->thieves.empty > 0 && sum->thieves.lost > 0 && sum->thieves.aborted > 0 &&
           sum->thieves.second_looks > 0 && sum->owner.taken_back > 0 && sum->owner.owner_waits > 0 &&
           sum->owner.entries_aborted > 0;
}

/* As rare_taken(); and the owner has withheld a publication. Under the lock protocol the owner withholds none: each
 * claim is acknowledged before the next one, so no acknowledgement is missing when its slot is used again. */
static bool claim_taken(const struct deque_stress_counts *sum)
{
    return rare_taken(sum) && (PEERS_SHARE > 1 || sum->owner.withheld > 0);
}

static bool paper_message_taken(const struct deque_stress_counts *sum)
{
    return rare_taken(sum) && (PEERS_SHARE > 1 || (sum->thieves.withdrawn > 0 && sum->mail.dropped > 0));
}

static bool message_taken(const struct deque_stress_counts *sum)
{
    if (PEERS_SHARE > 1)
        return sum->thieves.done > 0;
    return sum->thieves.done > 0 && sum->thieves.withdrawn > 0 && sum->mail.dropped > 0 &&
           sum->thieves.lost > sum->thieves.withdrawn;
}

static void print(const char *name, const struct deque_stress_counts *s)
{
    print_message("%s: owner %llu, thieves %llu, lost %llu, aborted %llu, second looks %llu, waits %llu, back %llu, "
                  "withheld %llu\n",
                  name, (unsigned long long)s->taken_by_owner, (unsigned long long)s->taken_by_thieves,
                  (unsigned long long)s->thieves.lost, (unsigned long long)s->thieves.aborted,
                  (unsigned long long)s->thieves.second_looks, (unsigned long long)s->owner.owner_waits,
                  (unsigned long long)s->owner.entries_aborted, (unsigned long long)s->owner.withheld);
}

TEST(lock)
{
    struct deque_stress_counts sum = {0};
    run_all(uat_lock_steal, false, rare_taken, &sum);
    print("lock", &sum);
    assert_true(rare_taken(&sum));
}

TEST(claim)
{
    struct deque_stress_counts sum = {0};
    run_all(uat_claim_steal, false, claim_taken, &sum);
    print("claim", &sum);
    assert_true(claim_taken(&sum));
}

TEST(paper)
{
    struct deque_stress_counts sum = {0};
    run_all(uat_paper_steal, true, rare_taken, &sum); /* without the empty check, more thieves compete for the lock */
    print("paper, no peeks", &sum);
    assert_true(rare_taken(&sum));
}

TEST(paper_message)
{
    struct deque_stress_counts sum = {0};
    run_all(uat_paper_message_steal, true, paper_message_taken, &sum);
    print("paper-message, no peeks", &sum);
    print_message("granted %llu, refused %llu, withdrawn %llu\n", (unsigned long long)sum.mail.granted,
                  (unsigned long long)sum.mail.refused, (unsigned long long)sum.thieves.withdrawn);
    assert_int_equal(sum.mail.granted, sum.thieves.done + sum.thieves.aborted); /* P5 */
    assert_int_equal(sum.mail.refused, sum.thieves.refused);
    assert_true(paper_message_taken(&sum));
}

static void check_messages(const char *name, bool blind)
{
    struct deque_stress_counts s = {0};
    run_all(uat_message_steal, blind, message_taken, &s);
    print_message("%s: owner %llu, thieves %llu, refused %llu, withdrawn %llu of which looked at %llu, lost %llu\n",
                  name, (unsigned long long)s.taken_by_owner, (unsigned long long)s.taken_by_thieves,
                  (unsigned long long)s.thieves.refused, (unsigned long long)s.thieves.withdrawn,
                  (unsigned long long)s.mail.dropped, (unsigned long long)s.thieves.lost);
    assert_int_equal(s.owner.given, s.thieves.done);
    assert_int_equal(s.mail.refused, s.thieves.refused);
    assert_int_equal(s.owner.published, 0);
    assert_true(message_taken(&s));
}

TEST(message)
{
    check_messages("message", false);
}

TEST(message_without_peeks)
{
    check_messages("message, no peeks", true);
}

/*
 * Indices exceed 31 bits, the size of the index in a slot's state. The deque starts MARGIN indices before index 2^31.
 * Thieves get a random number of entries, and few on an emulated device. So the run is repeated, each time with twice
 * as many entries, until the thieves have got enough.
 */
static void past_31_bits(uat_steal_fn *steal)
{
    enum { MARGIN = 20, DOUBLINGS = 7 };
    struct deque_stress_counts counts = {0};
    uint64_t pushes = PEERS_SHARE > 1 ? 3 * ENTRIES : ENTRIES / 10;
    for (int i = 0; i <= DOUBLINGS && counts.taken_by_thieves <= MARGIN; i++, pushes *= 2) {
        struct peers_spec spec = {.transport = &PEERS_TRANSPORT, .workers = 3, .seed = 77};
        struct deque_stress stress = {
            .steal = steal, .pushes = pushes, .depth = 40, .seed = 77, .start = (UINT64_C(1) << 31) - MARGIN};
        assert_int_equal(deque_stress_run(&spec, &stress, &counts), 0);
        assert_int_equal(counts.taken_by_owner + counts.taken_by_thieves, pushes);
    }
    assert_true(counts.taken_by_thieves > MARGIN);
}

TEST(past_31_bits)
{
    past_31_bits(uat_lock_steal);
    past_31_bits(uat_claim_steal);
    past_31_bits(uat_paper_steal);
    past_31_bits(uat_paper_message_steal);
}

int main(void)
{
    if (!peers_ready(&PEERS_TRANSPORT))
        return 77;
    return tests_run();
}
