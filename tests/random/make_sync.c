/* SPDX-License-Identifier: MIT */
/*
 * Steps with objects that tasks wait for. If an object orders one task after another, rights (rights.h) can pass from
 * the first task to the second through this object. A future, a latch or a message has a place, which holds rights
 * until a task takes them. A call waits only for operations before it in the list.
 */
#include <string.h>

#include "tests/random/maker.h"

enum { TRIES = 6, MESSAGES = 64, GUARDED = 3000, AMPLE = 64 };

/* Units of a semaphore, or a value in a channel. */
struct message {
    bool used, taken; /* taken: its rights and some of its units were taken */
    int thing, place;
    uint32_t units;
    uint32_t number;
    int by; /* number of the sender; the sender itself receives this message without waiting */
};

static struct {
    int place;      /* place of a future, latch, mutex or closed channel, or -1 */
    bool over;      /* the future is set, the latch is open, the channel is closed, or the object is destroyed */
    uint32_t count; /* number of messages so far */
    int by;         /* the task that set a future */
} state[THINGS];
static struct message message[MESSAGES];

void sync_reset(void)
{
    memset(state, 0, sizeof(state));
    memset(message, 0, sizeof(message));
    mutex_reset();
}

static void choose_guarded(struct thing *thing)
{
    for (int i = 0; i < TRIES; i++) {
        struct right *r = choose_right(maker.at, BYTES, true);
        int place;
        if (!r || r->range.bytes > GUARDED || r->range.area == maker.frozen || (place = place_take()) < 0)
            continue;
        state[program.things].place = place;
        thing->range = r->range;
        r->held = UINT64_C(1) << place;
        return;
    }
}

static bool has_open(int task)
{
    for (int i = 0; i < OPENS; i++)
        if (maker.task[task].open[i].used)
            return true;
    return false;
}

void make_create(void)
{
    static const uint16_t sizes[] = {0, 8, 8, 8, 24, 200, 1000, 13};
    static const uint8_t capacities[] = {0, 0, 1, 3, AMPLE, AMPLE};
    if (program.things == THINGS || rights + CASES > RIGHTS)
        return;
    int number = program.things;
    struct thing *thing = &program.thing[number];
    *thing = (struct thing){.kind = (enum thing_kind)draw(THING_KINDS), .size = sizes[draw(8)]};
    state[number].place = -1;
    thing->special = draw(4) == 0;
    close_before(maker.at, false);
    if (thing->kind == MUTEX && !has_open(maker.at))
        choose_guarded(thing);
    if (thing->kind == CHANNEL)
        thing->count = capacities[draw(6)];
    struct op *o = emit(OP_CREATE, maker.at);
    o->thing = number;
    thing->stamp = o->stamp;
    int members = thing->kind == GROUP ? 2 + (int)draw(3) : thing->kind == MUTEX ? 0 : 1;
    if (thing->kind == GROUP)
        thing->count = (uint32_t)members;
    else
        right_new(OUT, number, o->stamp, maker.at);
    for (int i = 0; i < members; i++)
        right_new(IN, number, o->stamp + 1 + (uint64_t)i, maker.at);
    program.things++;
}

int choose_thing(enum right_kind kind, enum thing_kind wanted, bool any, bool *sole)
{
    for (int i = 0; i < TRIES; i++) {
        const struct right *r = choose_right(maker.at, kind, false);
        if (!r)
            return -1;
        *sole = right_is_sole(r, maker.at);
        enum thing_kind is = program.thing[r->what].kind;
        if (any ? is != MUTEX && is != GROUP : is == wanted)
            return r->what;
    }
    return -1;
}

struct op *emit_on(enum kind kind, int task, int thing, bool waits)
{
    close_before(task, waits);
    struct op *o = emit(kind, task);
    o->thing = thing;
    o->way = (uint8_t)draw(4);
    return o;
}

/* A thing's oldest message, or NULL. */
static struct message *oldest(int thing)
{
    struct message *found = NULL;
    for (int i = 0; i < MESSAGES; i++)
        if (message[i].used && message[i].thing == thing && (!found || message[i].number < found->number))
            found = &message[i];
    return found;
}

static uint32_t in_flight(int thing)
{
    uint32_t n = 0;
    for (int i = 0; i < MESSAGES; i++)
        n += message[i].used && message[i].thing == thing ? message[i].units : 0;
    return n;
}

/* Make a message with the rights that the task gives away. Returns NULL if there is no room. */
static struct message *new_message(int thing, uint32_t units)
{
    for (int i = 0; i < MESSAGES; i++) {
        if (message[i].used)
            continue;
        int place = place_take();
        if (place < 0)
            return NULL;
        message[i] =
            (struct message){true, false, thing, place, units, state[thing].count++, maker.task[maker.at].number};
        return &message[i];
    }
    return NULL;
}

static void take_from(struct message *m, uint32_t units, int task)
{
    if (!m->taken) {
        give_all(m->place, task);
        place_free(m->place);
    }
    m->taken = true;
    m->units -= units;
    m->used = m->units > 0;
}

static void receive(int thing, int task)
{
    struct message *m = oldest(thing);
    bool waits = m->by != maker.task[task].number;
    close_before(task, waits);
    struct op *o = emit_on(OP_RECEIVE, task, thing, waits);
    o->count = 1;
    o->value = m->number;
    take_from(m, 1, task);
    read_after(task, maker.near[m->place]);
}

/* The only task that may receive, if it is running and is not `but`; otherwise -1. */
static int receiver(int thing, int but)
{
    const struct right *r = right_of(IN, thing);
    for (int i = 0; r && i < TASKS; i++)
        if (i != but && right_is_sole(r, i))
            return maker.task[i].lives && !maker.task[i].ended ? i : -1;
    return -1;
}

static void send(int thing)
{
    uint32_t capacity = program.thing[thing].count;
    int to = capacity ? -1 : receiver(thing, maker.at);
    if (state[thing].over || (capacity ? in_flight(thing) >= capacity : to < 0))
        return;
    if (draw(10) == 0 && capacity) {
        if ((state[thing].place = place_take()) < 0)
            return;
        state[thing].over = true;
        close_before(maker.at, false);
        write_before(maker.at);
        emit_on(OP_CLOSE_CHANNEL, maker.at, thing, false);
        give_some(maker.at, state[thing].place, thing);
        return;
    }
    if (to >= 0)
        close_all(to);
    close_before(maker.at, capacity < AMPLE);
    write_before(maker.at);
    if (to >= 0)
        read_beside(to, maker.near[maker.at]);
    const struct message *m = new_message(thing, 1);
    if (!m)
        return;
    emit_on(OP_SEND, maker.at, thing, capacity < AMPLE)->value = m->number;
    give_some(maker.at, m->place, thing);
    if (to >= 0)
        receive(thing, to); /* a rendezvous: the channel never stores the message */
}

/* A task passes rights on through a future, latch, semaphore or channel. */
void make_event(void)
{
    bool sole;
    int thing = choose_thing(OUT, FUTURE, true, &sole);
    if (thing < 0)
        return;
    enum thing_kind kind = program.thing[thing].kind;
    uint32_t units = 1 + (uint32_t)draw(3);
    if (kind == CHANNEL && sole)
        send(thing);
    if (kind == CHANNEL || state[thing].over || (kind != LATCH && !sole))
        return;
    close_before(maker.at, false);
    write_before(maker.at);
    if (kind == SEMAPHORE) {
        const struct message *m = new_message(thing, units);
        if (!m)
            return;
        emit_on(OP_UP, maker.at, thing, false)->count = units;
        give_some(maker.at, m->place, thing);
        return;
    }
    if (state[thing].place < 0 && (state[thing].place = place_take()) < 0)
        return;
    emit_on(kind == FUTURE ? OP_SET : OP_COUNT_DOWN, maker.at, thing, false)->count = units;
    give_some(maker.at, state[thing].place, thing);
    state[thing].by = maker.task[maker.at].number;
    if (kind == FUTURE)
        state[thing].over = true;
    else
        program.thing[thing].count += units;
}

/* Take the rights that were passed through a future or latch, or share them with other tasks. After the first wait for
 * a latch in the list, no task counts it down any more. */
static void take_event(int thing, bool future)
{
    if (future && (!state[thing].over || draw(4) == 0)) {
        emit_on(OP_TRY_GET, maker.at, thing, false);
        return;
    }
    if (!future && program.thing[thing].count == 0)
        return;
    struct range near = state[thing].place < 0 ? (struct range){0} : maker.near[state[thing].place];
    read_beside(maker.at, near);
    emit_on(future ? OP_GET : OP_WAIT, maker.at, thing, !future || state[thing].by != maker.task[maker.at].number);
    state[thing].over = true;
    if (state[thing].place < 0)
        return;
    int place = state[thing].place;
    bool share = draw(2);
    for (int i = 0; share && i < rights; i++) /* share: the place also keeps its rights, for other tasks */
        if (right_is_held(&right[i], place))
            right[i].held |= UINT64_C(1) << maker.at;
    maker.near[maker.at] = maker.near[place];
    if (!share) {
        give_all(place, maker.at);
        place_free(place);
        state[thing].place = -1;
    }
    read_after(maker.at, near);
}

/* Receive -EPIPE. The first task that gets this error takes the rights that the close passed on. */
static void receive_end(int thing)
{
    int place = state[thing].place;
    if (place >= 0)
        read_beside(maker.at, maker.near[place]);
    emit_on(OP_RECEIVE, maker.at, thing, true)->count = 0;
    if (place < 0)
        return;
    give_all(place, maker.at);
    place_free(place);
    state[thing].place = -1;
    read_after(maker.at, maker.near[maker.at]);
}

void make_taken(void)
{
    bool sole;
    int thing = choose_thing(IN, FUTURE, true, &sole);
    if (thing < 0)
        return;
    enum thing_kind kind = program.thing[thing].kind;
    if (kind == FUTURE || kind == LATCH) {
        take_event(thing, kind == FUTURE);
    } else if (sole && kind == SEMAPHORE && in_flight(thing)) {
        uint32_t units = 1 + (uint32_t)draw(in_flight(thing));
        struct range near = maker.near[oldest(thing)->place];
        read_beside(maker.at, near);
        bool waits = units > oldest(thing)->units || oldest(thing)->by != maker.task[maker.at].number;
        emit_on(OP_DOWN, maker.at, thing, waits)->count = units;
        while (units) {
            struct message *m = oldest(thing);
            uint32_t n = units < m->units ? units : m->units;
            take_from(m, n, maker.at);
            units -= n;
        }
        read_after(maker.at, near);
    } else if (sole && kind == CHANNEL && in_flight(thing) && program.thing[thing].count) {
        read_beside(maker.at, maker.near[oldest(thing)->place]);
        receive(thing, maker.at);
    } else if (sole && kind == CHANNEL && state[thing].over && !in_flight(thing)) {
        receive_end(thing);
    }
}

static void add_choice(struct op *o, int thing, bool sends)
{
    for (int i = 0; i < (int)o->count; i++)
        if (o->choice[i].thing == thing)
            return;
    o->choice[o->count++] =
        (struct choice){thing, sends, sends ? 1 : in_flight(thing), sends ? 0 : oldest(thing)->number};
}

/* A select over several channels. The select receives every message from some channels that the task may receive from.
 * It sends one value to each of some channels that the task may send to. */
void make_select(void)
{
    struct op chosen = {0};
    bool sole;
    for (int i = 0; i < 2 * TRIES && chosen.count < CASES; i++) {
        bool sends = draw(3) == 0;
        int thing = choose_thing(sends ? OUT : IN, CHANNEL, false, &sole);
        if (thing < 0 || !sole || !program.thing[thing].count)
            continue;
        if (sends ? !state[thing].over && in_flight(thing) < program.thing[thing].count : in_flight(thing) > 0)
            add_choice(&chosen, thing, sends);
    }
    if (!chosen.count)
        return;
    close_all(maker.at);
    struct op *o = emit(OP_SELECT, maker.at);
    o->way = (uint8_t)draw(4);
    for (int i = 0; i < (int)chosen.count; i++) {
        struct choice *c = &chosen.choice[i];
        const struct message *m = c->sends ? new_message(c->thing, 1) : NULL;
        if (c->sends && !m)
            continue;
        if (c->sends)
            c->first = m->number;
        o->choice[o->count++] = *c;
        for (uint32_t k = 0; !c->sends && k < c->count; k++)
            take_from(oldest(c->thing), 1, maker.at);
    }
    for (int i = 0; i < MESSAGES; i++) /* except the messages that this select itself receives */
        for (int k = 0; k < (int)o->count; k++)
            if (message[i].used && o->choice[k].sends && message[i].thing == o->choice[k].thing &&
                message[i].number == o->choice[k].first)
                give_some(maker.at, message[i].place, message[i].thing);
}

static void destroy(int thing)
{
    const struct thing *t = &program.thing[thing];
    emit_on(OP_DESTROY, maker.at, thing, t->kind == MUTEX && t->special); /* a biased mutex is destroyed on its home */
    state[thing].over = true;
    if (state[thing].place >= 0) {
        give_all(state[thing].place, maker.at);
        place_free(state[thing].place);
    }
    for (struct message *m = oldest(thing); m; m = oldest(thing))
        take_from(m, m->units, maker.at);
    for (int i = 0; i < rights; i++)
        if ((right[i].kind == OUT || right[i].kind == IN) && right[i].what == thing)
            right[i].held = 0;
}

void make_destroy(void)
{
    const struct right *r = choose_right(maker.at, draw(2) ? OUT : IN, true);
    if (r && thing_is_sole(r->what, maker.at))
        destroy(r->what);
}

void finish_things(void)
{
    maker.at = 0;
    for (int left = 1; left;) { /* rights may still be in a message of another channel */
        left = 0;
        for (int i = 0; i < rights; i++)
            if ((right[i].kind == OUT || right[i].kind == IN) && right[i].held) {
                left = 1;
                if (thing_is_sole(right[i].what, 0))
                    destroy(right[i].what);
            }
    }
}
