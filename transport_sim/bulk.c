/* SPDX-License-Identifier: MIT */
/* The class of bulk operations in virtual time: it posts operations and reports completions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "transport/bulk.h"
#include "transport_sim/bulk_plan.h"
#include "transport_sim/memory.h"
#include "transport_sim/token.h"

struct bulk_sim {
    struct uat_bulk head;
    int *leader; /* rank of each host's leader */
    struct sim_bulk_line *line;
    void *local[SIM_BULKS]; /* destination of the data of operation i */
};

static struct bulk_sim *of(const struct uat_bulk *head)
{
    return (struct bulk_sim *)(uintptr_t)head;
}

static uint32_t number_of(int i)
{
    return (uint32_t)(i * uat_sim.world->settings.size + uat_sim.rank);
}

static void bulk_close(struct uat_bulk *head)
{
    uat_sim_bulk_unmap();
    free(of(head)->leader);
    free(of(head)->line);
    free(head->link);
    free(head);
}

static int bulk_open(const struct uat_bulk_config *config, struct uat_bulk **out)
{
    size_t hosts = (size_t)config->hosts;
    struct bulk_sim *b = calloc(1, sizeof(*b));
    if (!b) {
        uat_error("transport sim: no memory for the links to %d hosts", config->hosts);
        return -ENOMEM;
    }
    b->head = (struct uat_bulk){.class_ = &uat_bulk_sim,
                                .links = config->hosts,
                                .link = calloc(hosts, sizeof(*b->head.link)),
                                .transport = config->transport};
    b->leader = malloc(hosts * sizeof(*b->leader));
    b->line = calloc(hosts, sizeof(*b->line));
    if (!b->head.link || !b->leader || !b->line) {
        uat_error("transport sim: no memory for the links to %d hosts", config->hosts);
        bulk_close(&b->head);
        return -ENOMEM;
    }
    memcpy(b->leader, config->leader, hosts * sizeof(*b->leader));
    *out = &b->head;
    return 0;
}

static int bulk_expose(struct uat_bulk *head, int fd, void *address, size_t bytes, struct uat_bulk_key *key)
{
    struct sim_world *w = uat_sim.world;
    (void)head;
    for (uint32_t i = 0; i < SIM_OBJECTS; i++) {
        struct sim_object *o = &w->object_table[i];
        if (o->serial)
            continue;
        *o = (struct sim_object){.serial = ++w->objects, .address = address, .bytes = bytes, .pid = getpid(), .fd = fd};
        *key = (struct uat_bulk_key){.base = 0, .rkey = o->serial << 32 | i};
        return 0;
    }
    uat_error("transport sim: more than %d arrays on all hosts together", SIM_OBJECTS);
    return -ENOMEM;
}

static void bulk_conceal(struct uat_bulk *head, void *address)
{
    (void)head;
    for (uint32_t i = 0; i < SIM_OBJECTS; i++) {
        struct sim_object *o = &uat_sim.world->object_table[i];
        if (o->serial && o->address == address && o->pid == getpid())
            o->serial = 0;
    }
}

/* Report a completion. Copies a READ's bytes, or an atomic's old value, to the initiator. */
static void tell(struct bulk_sim *b, struct sim_bulk *op, int i)
{
    if (op->code != UAT_OP_WRITE && b->local[i])
        memcpy(b->local[i], sim_bulk_room(number_of(i)), op->bytes);
    b->head.link[op->link].completed += op->last;
    op->told = true;
}

static int bulk_progress(struct uat_bulk *head)
{
    for (int i = 0; i < SIM_BULKS; i++) {
        struct sim_bulk *op = &uat_sim.world->bulk[number_of(i)];
        if (op->used && op->ended && !op->told)
            tell(of(head), op, i);
        if (op->used && op->told && op->left == 0) /* a WRITE may take effect after its completion */
            op->used = false;
    }
    return 0;
}

/* Get a free entry of the table. If there is none, wait for one, as a worker waits over verbs for room in a send
 * queue. */
static int take(struct uat_bulk *head)
{
    for (;;) {
        bulk_progress(head);
        for (int i = 0; i < SIM_BULKS; i++)
            if (!uat_sim.world->bulk[number_of(i)].used)
                return i;
        uat_sim_sleep(SIM_WAITS);
    }
}

static void post_piece(struct bulk_sim *b, int link, const struct uat_bulk_op *op, size_t from, size_t bytes)
{
    int i = take(&b->head);
    uint32_t number = number_of(i);
    struct sim_bulk *piece = &uat_sim.world->bulk[number];
    *piece = (struct sim_bulk){.code = op->code,
                               .initiator = uat_sim.rank,
                               .target = b->leader[link],
                               .link = (uint32_t)link,
                               .object = (uint32_t)op->rkey,
                               .serial = op->rkey >> 32,
                               .offset = op->remote + from,
                               .bytes = (uint32_t)bytes,
                               .operand = op->operand,
                               .compare = op->compare,
                               .used = true,
                               .last = from + bytes == op->bytes};
    if (op->code == UAT_OP_WRITE)
        memcpy(sim_bulk_room(number), (const char *)op->local + from, bytes);
    b->local[i] = op->local ? (char *)op->local + from : NULL;
    uat_sim_bulk_plan(piece, number, &b->line[link]);
}

static int bulk_post(struct uat_bulk *head, int link, const struct uat_bulk_op *op)
{
    struct uat_transport *t = head->transport;
    size_t from = 0;
    uat_sim_hook_enter();
    uat_sim_pass(uat_sim.world->settings.network.post);
    uat_sim_stores_drain(); /* the CPU's stores reach memory before the operation starts, as at a doorbell */
    do {
        size_t bytes = op->bytes - from < SIM_BULK_BYTES ? op->bytes - from : SIM_BULK_BYTES;
        post_piece(of(head), link, op, from, bytes);
        from += bytes;
    } while (from < op->bytes);
    head->link[link].posted++;
    t->ops[op->code]++;
    t->bytes_read += op->code == UAT_OP_READ ? op->bytes : 0;
    t->bytes_written += op->code == UAT_OP_WRITE ? op->bytes : 0;
    uat_sim_hook_leave();
    return 0;
}

/* All memory is reachable, because the world's buffers carry the bytes. The adversary sometimes answers no, so that the
 * caller uses bounce buffers. */
static bool bulk_reaches(const struct uat_bulk *head, const void *local, size_t bytes)
{
    (void)head;
    (void)local;
    (void)bytes;
    return !sim_adverse() || uat_sim_random(2);
}

const struct uat_bulk_class uat_bulk_sim = {
    .cpu_atomics = false,
    .maps = false,
    .open = bulk_open,
    .expose = bulk_expose,
    .conceal = bulk_conceal,
    .post = bulk_post,
    .progress = bulk_progress,
    .reaches = bulk_reaches,
    .close = bulk_close,
};
