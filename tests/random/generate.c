/* SPDX-License-Identifier: MIT */
/* Makes a program: its tasks, their rights, and the order of their operations. */
#include <string.h>

#include "tests/random/maker.h"

struct program program;
struct maker maker;

enum { DEPTH = 7, NEAR = 4096 };

uint64_t draw(uint64_t below)
{
    maker.state += UINT64_C(0x9e3779b97f4a7c15);
    return below ? mix(maker.state) % below : 0;
}

uint32_t draw_size(uint32_t most)
{
    unsigned bits = 0;
    while (bits < 31 && UINT32_C(1) << (bits + 1) <= most)
        bits++;
    uint32_t size = 1 + (uint32_t)draw(UINT64_C(1) << draw(bits + 2));
    return size < most ? size : most;
}

uint64_t name_of(uint64_t name)
{
    return mix(mix(maker.limits->seed + maker.step) ^ mix(name + 1));
}

bool has_room(int operations)
{
    return program.ops + operations < OPS - 512; /* leave room for the operations that close and destroy everything */
}

struct op *emit(enum kind kind, int task)
{
    if (program.ops == OPS)
        __builtin_trap();
    int index = program.ops++;
    struct op *o = &program.op[index];
    struct maker_task *t = &maker.task[task];
    *o = (struct op){
        .kind = (uint8_t)kind, .task = t->number, .next = -1, .step = maker.step, .link = -1, .thing = -1, .word = -1};
    o->stamp = mix(maker.limits->seed + (uint64_t)maker.step * OPS) + (uint64_t)index;
    o->value = o->stamp ^ UINT64_C(0x5555);
    if (t->last >= 0)
        program.op[t->last].next = index;
    else
        t->first = index;
    t->last = index;
    return o;
}

/* --- tasks and things */

static int free_task(void)
{
    for (int i = 0; i < TASKS; i++)
        if (!maker.task[i].lives)
            return i;
    return -1;
}

static void begin_task(int place, int parent, int number)
{
    maker.task[place] = (struct maker_task){.lives = true,
                                            .number = number,
                                            .parent = parent,
                                            .depth = parent < 0 ? 0 : maker.task[parent].depth + 1,
                                            .first = -1,
                                            .last = -1};
}

static void make_spawn(void)
{
    int place = free_task(),
        slot = draw(3) ? __builtin_ctz(~maker.task[maker.at].children) : CHILDREN + (int)draw(GROUPS);
    if (place < 0 || maker.task[maker.at].depth >= DEPTH)
        return;
    close_all(maker.at);
    write_before(maker.at);
    struct op *o = emit(OP_SPAWN, maker.at);
    o->slot = (uint8_t)slot;
    o->way = (uint8_t)draw(256);
    o->count = draw(4) ? 0 : 1 + draw(1 << 20); /* where the child starts; 0: on this worker */
    maker.task[maker.at].children |= slot < CHILDREN ? 1u << slot : 0;
    begin_task(place, maker.at, (int)maker.step);
    maker.task[place].slot = slot;
    maker.task[place].way = program.op[program.ops - 1].way;
    /* The child's first operation is a moment of work, because its spawner must name a first operation. */
    struct op *first = emit(OP_WORK, place);
    first->count = draw(4) ? draw(300) : draw(20000);
    o->link = maker.task[place].first;
    give_some(maker.at, place, -1);
    read_after(place, maker.near[place]);
}

static bool has_living_children(int task)
{
    for (int i = 0; i < TASKS; i++)
        if (maker.task[i].lives && !maker.task[i].ended && maker.task[i].parent == task)
            return true;
    return false;
}

/* Whether `other` is joined together with `child`. All children of a group are joined together. */
static bool is_joined_with(int child, int other)
{
    const struct maker_task *t = &maker.task[child], *o = &maker.task[other];
    return child == other || (o->lives && o->parent == t->parent && o->slot == t->slot && t->slot >= CHILDREN);
}

static void join(int child)
{
    int task = maker.task[child].parent;
    struct range near[TASKS] = {{0}};
    for (int i = 0; i < TASKS; i++)
        if (is_joined_with(child, i))
            read_beside(task, near[i] = maker.near[i]);
    struct op *o = emit(OP_JOIN, task);
    o->slot = (uint8_t)maker.task[child].slot;
    o->value = (uint64_t)maker.task[child].number;
    o->way = maker.task[child].way;
    maker.task[task].children &= ~(1u << maker.task[child].slot);
    uint32_t joined = 0;
    for (int i = 0; i < TASKS; i++)
        joined |= (uint32_t)is_joined_with(child, i) << i;
    for (int i = 0; i < TASKS; i++)
        if (joined >> i & 1) {
            maker.task[i].lives = false;
            give_all(i, task);
            read_after(task, near[i]);
        }
}

/* Whether all children that are joined together with this one have ended. */
static bool may_join(int child)
{
    for (int i = 0; i < TASKS; i++)
        if (is_joined_with(child, i) && !maker.task[i].ended)
            return false;
    return true;
}

/* A child that can be joined, chosen by this step's random number; -1: there is none. */
static int ended_child(int task)
{
    int best = -1;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TASKS; i++) {
        const struct maker_task *t = &maker.task[i];
        if (t->lives && t->parent == task && may_join(i) && name_of((uint64_t)t->number) < least) {
            least = name_of((uint64_t)t->number);
            best = i;
        }
    }
    return best;
}

static void make_join(void)
{
    int child = ended_child(maker.at);
    if (child < 0)
        return;
    close_all(maker.at);
    join(child);
}

static void end(int task)
{
    close_all(task);
    for (int child = ended_child(task); child >= 0; child = ended_child(task))
        join(child);
    if (has_room(64))
        write_before(task);
    emit(OP_END, task);
    maker.task[task].ended = true;
}

static void make_end(void)
{
    if (maker.task[maker.at].parent >= 0 && !has_living_children(maker.at))
        end(maker.at);
}

static void make_work(void)
{
    static const uint8_t kinds[] = {OP_WORK, OP_WORK, OP_RELEASE, OP_YIELD, OP_MIGRATE};
    enum kind kind = (enum kind)kinds[draw(5)];
    if (kind == OP_YIELD || kind == OP_MIGRATE)
        close_all(maker.at);
    struct op *o = emit(kind, maker.at);
    o->count = draw(4) ? draw(300) : draw(20000);
    o->way = (uint8_t)draw(4);
}

static bool is_open(const struct right *r, int task)
{
    for (int i = 0; i < OPENS && task < TASKS; i++) {
        const struct open *o = &maker.task[task].open[i];
        if (o->used && r->kind == BYTES && r->range.area == o->range.area &&
            r->range.from < o->range.from + o->range.bytes && o->range.from < r->range.from + r->range.bytes)
            return true;
    }
    return false;
}

void give_all(int from, int to)
{
    rights_move(from, to);
    maker.near[to] = maker.near[from];
}

/* Whether the right is near the range that the place used last. */
static bool is_near(const struct right *r, int place)
{
    const struct range *n = &maker.near[place];
    return r->kind == BYTES && n->bytes && r->range.area == n->area && r->range.from < n->from + n->bytes + NEAR &&
           n->from < r->range.from + r->range.bytes + NEAR;
}

void give_some(int from, int to, int carrier)
{
    uint64_t shift = draw(6), keep = 1 + draw(3), salt = draw(1 << 30);
    for (int i = 0; i < rights; i++) {
        struct right *r = &right[i];
        if (!right_is_held(r, from) || is_open(r, from) || ((r->kind == OUT || r->kind == IN) && r->what <= carrier))
            continue;
        /* Neighbouring rights of an array get the same value, so the rights stay together. */
        uint64_t what =
            name_of(salt + (r->kind == BYTES && r->range.area < ARRAYS ? (uint64_t)i >> shift : r->name)) % 8;
        if (is_near(r, from))
            what = 4 + what % 4;
        if (what < keep)
            continue;
        r->held |= UINT64_C(1) << to;
        if (what >= 5)
            r->held &= ~(UINT64_C(1) << from);
    }
    maker.near[to] = maker.near[from];
}

/* The steps. For each step: how often it is chosen, and the kind of operation that it needs. */
static const struct {
    void (*make)(void);
    unsigned weight;
    enum kind kind;
} steps[] = {
    {make_spawn, 10, OP_SPAWN},        {make_join, 4, OP_JOIN},       {make_end, 6, OP_END},
    {make_work, 3, OP_WORK},           {make_read, 10, OP_READ},      {make_write, 16, OP_WRITE},
    {make_open, 14, OP_OPEN},          {make_close, 8, OP_CLOSE},     {make_begin, 6, OP_BEGIN},
    {make_prefetch, 5, OP_PREFETCH},   {make_burst, 6, OP_WRITE},     {make_alloc, 5, OP_ALLOC},
    {make_free, 4, OP_FREE},           {make_word, 5, OP_WORD},       {make_publish, 3, OP_PUBLISH},
    {make_create, 8, OP_CREATE},       {make_destroy, 3, OP_DESTROY}, {make_event, 14, OP_SET},
    {make_taken, 14, OP_GET},          {make_select, 3, OP_SELECT},   {make_locked, 6, OP_LOCKED},
    {make_condition, 2, OP_CONDITION}, {make_group, 6, OP_GROUP},     {make_loop, 5, OP_FOR},
    {make_race, 4, OP_RACE},           {make_next, 6, OP_NEXT},
};
enum { KINDS_OF_STEPS = sizeof(steps) / sizeof(steps[0]) };

static int choose_task(void)
{
    int best = 0;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TASKS; i++)
        if (maker.task[i].lives && !maker.task[i].ended && name_of((uint64_t)maker.task[i].number) < least) {
            least = name_of((uint64_t)maker.task[i].number);
            best = i;
        }
    return best;
}

static void step(uint32_t number)
{
    unsigned total = 0, k = 0;
    maker.step = number;
    maker.state = mix(maker.limits->seed ^ mix(number + UINT64_C(77)));
    maker.at = choose_task();
    maker.open_sync = draw(4) != 0;
    for (unsigned i = 0; i < KINDS_OF_STEPS; i++)
        total += steps[i].weight;
    for (uint64_t x = draw(total); x >= steps[k].weight; k++)
        x -= steps[k].weight;
    if (has_room(64) && !(maker.limits->without >> steps[k].kind & 1))
        steps[k].make();
}

/* Cut the arrays into ranges of random sizes, from one byte to several blocks. Make a right to each range and to each
 * atomic word. */
static void make_arrays(void)
{
    program.areas = ARRAYS;
    for (int area = 0; area < ARRAYS; area++) {
        uint32_t bytes = 1 + (maker.limits->array ? (uint32_t)draw(maker.limits->array)
                                                  : 4096 + (draw(2) ? draw_size(1 << 19) : (uint32_t)draw(300000)));
        program.bytes[area] = bytes;
        for (uint32_t at = 0, n; at < bytes; at += n) {
            n = draw(4) ? draw_size(bytes / 8) : 4096 * (1 + (uint32_t)draw(40));
            if (n > bytes - at || rights > RIGHTS / 3 * (area + 1) / ARRAYS)
                n = bytes - at;
            right_new(BYTES, area, (uint64_t)area << 32 | at, 0)->range = (struct range){area, at, n};
        }
    }
    for (int i = 0; i < WORDS; i++)
        right_new(WORD, i, (uint64_t)ARRAYS << 32 | (uint64_t)i, 0);
}

/* Before a run all workers write some bytes. If the run freezes an array, these bytes are usually in that array. */
static void make_outside(int run)
{
    int frozen = draw(2) ? -1 : (int)draw(ARRAYS);
    struct range range = {0};
    for (int i = 0; i < 8; i++)
        if (choose_range(0, true, 1 << 20, &range) && (frozen < 0 || range.area == frozen))
            break;
    program.runs_of[run].written = range;
    program.runs_of[run].frozen = maker.frozen = frozen;
}

static void make_run(int run, unsigned count, unsigned first)
{
    program.run = run;
    program.runs_of[run].from = program.ops;
    maker.step = first;
    maker.state = mix(maker.limits->seed ^ mix((uint64_t)first + UINT64_C(777777)));
    program.runs_of[run].stamp = mix(maker.state);
    begin_task(0, -1, 0); /* the numbers of steps start at 1 */
    maker.frozen = program.runs_of[run].frozen = -1;
    if (!maker.limits->skipped[first + count]) /* this number stands for the work outside of this run */
        make_outside(run);
    emit(OP_WORK, 0);
    program.runs_of[run].root = maker.task[0].first;
    for (unsigned i = 0; i < count; i++)
        if (!maker.limits->skipped[first + i])
            step(first + i);
    maker.step = first + count;
    for (bool more = true; more;) {
        more = false;
        for (int i = 1; i < TASKS; i++)
            if (maker.task[i].lives && !maker.task[i].ended && !has_living_children(i)) {
                end(i);
                more = true;
            }
    }
    if (run + 1 == program.runs) {
        close_all(0);
        for (int child = ended_child(0); child >= 0; child = ended_child(0))
            join(child);
        finish_things();
        finish_objects();
    }
    end(0);
    maker.task[0].lives = false;
    program.runs_of[run].to = program.ops;
}

void program_generate(const struct limits *limits)
{
    memset(&program, 0, offsetof(struct program, op));
    memset(&maker, 0, sizeof(maker));
    maker.limits = limits;
    maker.state = mix(limits->seed);
    program.seed = limits->seed;
    rights_reset();
    sync_reset();
    make_arrays();
    program.runs = (int)limits->runs;
    unsigned each = limits->steps / limits->runs;
    for (unsigned run = 0; run < limits->runs; run++)
        make_run((int)run, each, 1 + run * (each + 1));
}
