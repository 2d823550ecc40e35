/* SPDX-License-Identifier: MIT */
#include "tests/unit/weak.h"

#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#undef memcpy

enum { PROCESSORS = 2, WORDS = 96, VALUES = 48, STACK = 1 << 18 };

/* What a processor knows: for each word, the number of the oldest value that it may still load. */
struct knowledge {
    uint8_t oldest[WORDS];
};

struct value {
    uint64_t value;
    struct knowledge comes_with; /* the knowledge that a processor gains by acquiring this value */
};

struct processor {
    ucontext_t context; /* where it begins */
    jmp_buf place;      /* where it continues. Unlike swapcontext(), a jump is no system call. */
    char stack[STACK];
    struct knowledge now, loaded, released; /* loaded: an acquire fence adds this to `now`; released: `now` at the last
                                               release fence */
    void (*run)(void);
    bool begun, over;
};

static struct {
    struct processor processor[PROCESSORS];
    jmp_buf caller;
    int running;
    uint64_t random;
    const char *from, *to;
    int words;
    const void *address[WORDS];
    int count[WORDS];
    struct value value[WORDS][VALUES];
    struct knowledge full; /* the knowledge of all full fences so far */
} memory;

static unsigned draw(unsigned n)
{
    memory.random ^= memory.random << 13;
    memory.random ^= memory.random >> 7;
    memory.random ^= memory.random << 17;
    return (unsigned)((memory.random >> 16) % n);
}

static void learn(struct knowledge *all, const struct knowledge *more)
{
    for (int i = 0; i < memory.words; i++)
        if (more->oldest[i] > all->oldest[i])
            all->oldest[i] = more->oldest[i];
}

static struct processor *me(void)
{
    return &memory.processor[memory.running];
}

/* Continue on the processor `memory.running`. */
static _Noreturn void resume(void)
{
    if (me()->begun)
        _longjmp(me()->place, 1);
    me()->begun = true;
    setcontext(&me()->context);
    abort();
}

/* Called before each access and each fence: the other processor may run first. */
static void take_turns(void)
{
    int other = !memory.running;
    if (memory.processor[other].over || draw(3) > 0)
        return;
    if (_setjmp(me()->place))
        return;
    memory.running = other;
    resume();
}

static bool is_shared(const void *word)
{
    return memory.from && (const char *)word >= memory.from && (const char *)word < memory.to;
}

/* The number of a word. The word's first value is the content of memory. */
static int find(const void *word)
{
    for (int i = 0; i < memory.words; i++)
        if (memory.address[i] == word)
            return i;
    assert(memory.words < WORDS);
    memory.address[memory.words] = word;
    memory.count[memory.words] = 1;
    memory.value[memory.words][0] = (struct value){.value = *(const uint64_t *)word};
    return memory.words++;
}

static uint64_t get(int word, int number, bool acquire)
{
    const struct value *value = &memory.value[word][number];
    me()->now.oldest[word] = (uint8_t)number;
    learn(acquire ? &me()->now : &me()->loaded, &value->comes_with);
    return value->value;
}

static void put(int word, uint64_t new, const struct knowledge *comes_with)
{
    assert(memory.count[word] < VALUES);
    int number = memory.count[word]++;
    struct value *value = &memory.value[word][number];
    *value = (struct value){new, *comes_with};
    me()->now.oldest[word] = value->comes_with.oldest[word] = (uint8_t)number;
    *(uint64_t *)(uintptr_t)memory.address[word] = new;
}

static bool acquires(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

/* The store of an atomic is at most a release, because a pair of exclusives is not a full fence. The store also hands
 * on the knowledge that came with the value that it replaces. */
static void replace(int word, uint64_t new, int order)
{
    bool releases = order != __ATOMIC_RELAXED && order != __ATOMIC_ACQUIRE;
    struct knowledge comes_with = releases ? me()->now : me()->released;
    learn(&comes_with, &memory.value[word][memory.count[word] - 1].comes_with);
    put(word, new, &comes_with);
}

/* One of the values that a load may return. Half of the time it is the newest one, so that loops end. */
static int choose(int word)
{
    int oldest = me()->now.oldest[word], newest = memory.count[word] - 1;
    return draw(2) ? newest : oldest + (int)draw((unsigned)(newest - oldest + 1));
}

uint64_t weak_load(const void *word, size_t size, int order)
{
    if (!is_shared(word)) {
        uint64_t value = 0;
        memcpy(&value, word, size);
        return value;
    }
    take_turns();
    int at = find(word);
    return get(at, choose(at), acquires(order));
}

void weak_store(void *word, size_t size, uint64_t value, int order)
{
    if (!is_shared(word)) {
        memcpy(word, &value, size);
        return;
    }
    take_turns();
    put(find(word), value, order == __ATOMIC_RELAXED ? &me()->released : &me()->now);
}

uint64_t weak_fetch_add(void *word, uint64_t value, int order)
{
    if (!is_shared(word))
        return (*(uint64_t *)word += value) - value;
    take_turns();
    int at = find(word);
    uint64_t old = get(at, memory.count[at] - 1, acquires(order));
    replace(at, old + value, order);
    return old;
}

bool weak_compare_exchange(void *word, uint64_t *expected, uint64_t value, int order)
{
    take_turns();
    int at = find(word), newest = memory.count[at] - 1, number = choose(at);
    if (memory.value[at][number].value == *expected)
        number = newest;
    uint64_t old = get(at, number, acquires(order));
    bool equal = old == *expected;
    *expected = old;
    if (equal)
        replace(at, value, order);
    return equal;
}

void weak_fence(enum weak_fence kinds)
{
    if (!memory.from)
        return;
    take_turns();
    if (kinds & WEAK_ACQUIRE)
        learn(&me()->now, &me()->loaded);
    if (kinds == WEAK_FULL) {
        learn(&me()->now, &memory.full);
        learn(&memory.full, &me()->now);
    }
    if (kinds & WEAK_RELEASE)
        me()->released = me()->now;
}

void weak_copy(void *to, const void *from, size_t size)
{
    if (!is_shared(to) && !is_shared(from)) {
        memcpy(to, from, size);
        return;
    }
    for (size_t i = 0; i < size; i += 8)
        weak_store((char *)to + i, 8, weak_load((const char *)from + i, 8, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

static void start(void)
{
    me()->run();
    me()->over = true;
    int other = !memory.running;
    if (memory.processor[other].over)
        _longjmp(memory.caller, 1);
    memory.running = other;
    resume();
}

/* gcc treats getcontext() as a setjmp(). This function is not inlined, so that no variable of the caller is live where
 * getcontext() returns. */
static __attribute__((noinline)) void prepare(struct processor *p, void (*run)(void))
{
    memset(&p->now, 0, sizeof(p->now));
    p->loaded = p->released = p->now;
    p->begun = p->over = false;
    p->run = run;
    getcontext(&p->context);
    p->context.uc_stack.ss_sp = p->stack;
    p->context.uc_stack.ss_size = STACK;
    makecontext(&p->context, start, 0);
}

void weak_run(uint64_t seed, const void *from, const void *to, void (*first)(void), void (*second)(void))
{
    memory.random = seed * 0x9e3779b97f4a7c15 + 1;
    memory.from = from;
    memory.to = to;
    memory.words = 0;
    memset(&memory.full, 0, sizeof(memory.full));
    prepare(&memory.processor[0], first);
    prepare(&memory.processor[1], second);
    memory.running = (int)draw(2);
    if (!_setjmp(memory.caller))
        resume();
    memory.from = NULL;
}
