/* SPDX-License-Identifier: MIT */
/*
 * Description: `reset` of each room (runtime/segment/room.h) brings the room back to the state after the start: all
 * static objects of the room's sources, and its areas of the segment, have the same bytes again. Before that, tasks of
 * all kinds have changed them. All this is done twice: a job works after its rooms were reset. The program's symbol
 * table says which objects a room has, so that the test also finds state that is new. If sources of two rooms have the
 * same file name, their objects count as the first room's. Objects of uat that other files can name have no file there:
 * all of them are compared. Run it with two workers on two hosts, in virtual time; with torture there, no worker looks
 * up shown runs.
 */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/uat/adaptive.h"
#include "include/uat/checkpoint.h"
#include "uat/channel.h"
#include "include/uat/dataflow.h"
#include "include/uat/global.h"
#include "include/uat/limit.h"
#include "include/uat/object.h"
#include "include/uat/pattern.h"
#include "include/uat/reducer.h"
#include "include/uat/sync.h"
#include "base/virtual.h"
#include "runtime/job/self.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "runtime/task/worker.h"

enum { OBJECTS_MAX = 400, ARRAY_PART = 8192 /* longs: a chunk */ };

/* A range of bytes that a room owns, and their values after the start. */
struct object {
    const struct uat_room *room;
    char name[80];
    const char *at;
    size_t size;
    char *before;
};
static struct object objects[OBJECTS_MAX];
static int count;

/* Objects that `reset` leaves as they are, and why. */
static const char *const kept[] = {
    "serial",   /* of cancellable groups: it must differ from those of handles that are still in use */
    "wait",     /* a description of the wait that a task begins, which each wait fills anew; waits reported so far */
    "stall",    /* what this worker does, and since when */
    "watched",  /* when the neighbour was looked at last */
    "entered",  /* when the running task was entered */
    "moved",    /* a handler of signals was put into its place, once in a process */
    "highest",  /* number of a checkpoint: the files stay */
    "pushes",   /* slow pushes since the last look at the neighbour */
    "at_start", /* identity, settings: constant */
    "theirs",   /* buffers that are filled before they are read */
    "saved",
    "uat_stop_back", /* where a run's work begins: each run sets it */
    "uat_worker",
    "uat_spawn_words",
    "uat_kernel_uat_worker", /* the running task's: find_objects() adds the rest */
    "uat_kernel_uat_opens",  /* another name of an object that is compared */
    "uat_views_seen",        /* a hint: the program has reducers */
    "uat_modes_of_run",      /* set when a run begins */
};

static void add(const struct uat_room *room, const char *name, const void *at, size_t size)
{
    struct object *o = &objects[count++];
    if (count == OBJECTS_MAX || !(o->before = malloc(size)))
        exit(2);
    *o = (struct object){.room = room, .at = at, .size = size, .before = o->before};
    snprintf(o->name, sizeof(o->name), "%s", name);
    memcpy(o->before, at, size);
}

/* Is this one of the words of the name, between dots? To the name of a static variable of a function gcc adds a number,
 * and clang the function's name. */
static bool has_word(const char *name, const char *word)
{
    for (; name; name = strchr(name, '.') ? strchr(name, '.') + 1 : NULL)
        if (strcspn(name, ".") == strlen(word) && strncmp(name, word, strlen(word)) == 0)
            return true;
    return false;
}

/* Add an object of a room, and if it describes an area of the segment that peers reach, the area. */
static void add_object(const struct uat_room *room, const char *name, const void *at, size_t size)
{
    const struct uat_area *area = at;
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (has_word(name, kept[i]))
            return;
    add(room, name, at, size);
    uintptr_t start = (uintptr_t)uat_segment.start;
    if (size != sizeof(*area) || (uintptr_t)area->at - start >= uat_segment.size || area->peers == UAT_PEERS_NOTHING)
        return;
    static const char *const free_bytes[] = {"stacks", "evacuation heap", "gather"}; /* written before they are read */
    for (size_t i = 0; i < sizeof(free_bytes) / sizeof(free_bytes[0]); i++)
        if (strcmp(area->name, free_bytes[i]) == 0)
            return;
    add(room, area->name, area->at, area->size);
}

/* The room of an object, or NULL. An object that other files can name has no file in the symbol table. */
static const struct uat_room *room_of(const char *file, const char *symbol)
{
    static const struct uat_room others = {.name = "a file that no room here has"};
    static const struct {
        const char *symbol, *room;
    } globals[] = {{"uat_records", "segment"},      {"uat_heap", "segment"},         {"uat_waitobj_words", "sync"},
                   {"uat_task_counts", "task"},     {"uat_members", "job"},          {"uat_parking", "sched"},
                   {"uat_sleepers", "sched"},       {"uat_rest_announced", "sched"}, {"uat_stop_crew_watched", "sched"},
                   {"uat_deadlock_waits", "sched"}, {"uat_registry", "global"},      {"uat_cache", "global"},
                   {"uat_arena", "global"},         {"uat_links", "global"},         {"uat_hosts", "global"},
                   {"uat_near", "global"},          {"uat_far", "global"},           {"uat_opens", "global"},
                   {"uat_transfers_open", "global"}};
    UAT_EACH_ROOM(room, reset)
    {
        char path[512];
        snprintf(path, sizeof(path), "%s/runtime/%s/%s", getenv("SOURCE_ROOT"), (*room)->name, file);
        if (file[0] && access(path, R_OK) == 0)
            return *room;
        for (size_t i = 0; i < sizeof(globals) / sizeof(globals[0]); i++)
            if (strcmp(globals[i].symbol, symbol) == 0 && strcmp(globals[i].room, (*room)->name) == 0)
                return *room;
    }
    return !file[0] && strncmp(symbol, "uat_", 4) == 0 ? &others : NULL;
}

/* Add all writable objects of the rooms that have a `reset`. */
static void find_objects(void)
{
    struct stat status;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status))
        exit(2);
    const char *elf = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (elf == MAP_FAILED)
        exit(2);
    const Elf64_Ehdr *head = (const void *)elf;
    const Elf64_Shdr *sections = (const void *)(elf + head->e_shoff), *table = sections;
    while (table->sh_type != SHT_SYMTAB)
        table++;
    const Elf64_Sym *symbols = (const void *)(elf + table->sh_offset), *end = symbols + table->sh_size / sizeof(*end);
    const char *names = elf + sections[table->sh_link].sh_offset, *file = "";
    uintptr_t moved = 0; /* by how much the program has been relocated */
    for (const Elf64_Sym *s = symbols; s < end; s++)
        if (strcmp(names + s->st_name, "uat_segment") == 0)
            moved = (uintptr_t)&uat_segment - s->st_value;
    for (const Elf64_Sym *s = symbols; s < end; s++) {
        if (ELF64_ST_TYPE(s->st_info) == STT_FILE)
            file = names + s->st_name;
        if (ELF64_ST_TYPE(s->st_info) != STT_OBJECT || s->st_size == 0 || s->st_shndx >= head->e_shnum ||
            !(sections[s->st_shndx].sh_flags & SHF_WRITE))
            continue;
        bool is_local = ELF64_ST_BIND(s->st_info) == STB_LOCAL;
        const struct uat_room *room = room_of(is_local ? file : "", names + s->st_name);
        if (room)
            add_object(room, names + s->st_name, (const void *)(s->st_value + moved), s->st_size);
    }
    UAT_EACH_ROOM(room, reset)
    {
        if (strcmp((*room)->name, "task") == 0)
            add(*room, "uat_worker.tasks", &uat_worker.tasks, sizeof(uat_worker.tasks));
        if (strcmp((*room)->name, "sched") == 0)
            add(*room, "uat_worker.deque", &uat_worker.deque, sizeof(uat_worker.deque));
    }
}

static bool is_as_before(const struct object *o)
{
    return memcmp(o->at, o->before, o->size) == 0;
}

UAT_TASK(long, fib, long, n)
{
    fib_task a;
    if (n < 2)
        return n;
    fib_spawn(&a, n - 1);
    uat_sim_work(2000);
    long b = fib(n - 2);
    return fib_join(&a) + b;
}

UAT_FLOW_TASK(step, inout, long, d, value, long, add)
{
    uat_sim_work(2000);
    *d += add;
}

static void spin(uat_context_t *c, const void *arg, void *result)
{
    int64_t begin, end;
    (void)arg, (void)result;
    while (uat_context_next(c, 1, &begin, &end))
        uat_sim_work(2000);
}

UAT_TASK(int, asks, uat_cancel_t, cancel)
{
    uat_request_set_data("data", 4);
    return uat_cancelled(cancel);
}

UAT_FOR(compute, i)
{
    (void)i;
    uat_sim_work(2000);
}

UAT_REDUCER(long, seen, 0, UAT_PLUS)

UAT_FOR(look, i)
{
    *seen_view() += i;
    uat_sim_work(2000);
}

static long *array;

/* Change something of global memory: its cache, its objects and its counters. */
static void use_global(void)
{
    long *object = uat_global_object_alloc(64), there[512];
    for (int i = 0; i < 8; i++) {
        long *p = uat_global_checkout(array + i * ARRAY_PART, 64, UAT_READ_WRITE);
        p[0] += 1;
        uat_global_checkin(array + i * ARRAY_PART, 64, UAT_READ_WRITE);
        uat_global_get(there, array + i * ARRAY_PART, sizeof(there));
        uat_global_put(array + i * ARRAY_PART, there, sizeof(there));
    }
    uat_global_put(object, there, 64);
    uat_global_object_free(object);
}

/* Change something of each room on each worker. */
UAT_TASK(int, use, int, unused)
{
    const uat_adaptive_t taken = {.fn = spin}, given = {.fn = spin, .mode = UAT_COOPERATIVE};
    uat_group_t group;
    uat_flow_t flow;
    asks_task there;
    (void)unused;
    uat_checkpoint(0);
    fib(12);
    use_global();
    uat_sleep_for(1000);
    compute(0, 400); /* by a team */
    look(0, 400);
    seen_take();
    for (int i = 0; i < 64; i++) { /* names: some list of each worker gets one */
        char name[24];
        snprintf(name, sizeof(name), "name %d", i);
        uat_channel_named(name, sizeof(long), 1);
    }
    uat_group_begin(&group);
    uat_cancel_t cancel = uat_group_make_cancellable(&group);
    asks_spawn_on(&there, uat_size() - 1, cancel);
    asks_join(&there);
    uat_request_set_data("data", 4);
    uat_group_cancel(cancel);
    uat_group_wait(&group);
    uat_flow_begin(&flow);
    for (int i = 0; i < 400; i++)
        step_flow(&flow, &array[i % 8 * ARRAY_PART], 1);
    uat_flow_end(&flow);
    uat_concurrency_set(2);
    uat_adaptive_run(&taken, NULL, 0, 400, NULL, NULL);
    uat_adaptive_run(&given, NULL, 0, 4000, NULL, NULL);
    return 0;
}

/* Meet without the words that a reset changes. Virtual time has no second uat_bootstrap_barrier(), but in it all
 * workers come to the same point while one of them pauses. */
static void meet(void)
{
    if (uat_self.transport->class_->flush(uat_self.transport))
        exit(2);
    uat_virtual->pause(UINT64_C(1000000000));
}

static int reset_all(void)
{
    int wrong = 0;
    if (uat_barrier())
        exit(2);
    meet();
    UAT_EACH_ROOM(room, reset)
    (*room)->reset();
    meet();
    for (const struct object *o = objects; o < objects + count; o++)
        if (!is_as_before(o))
            wrong += printf("rank %d: reset of %s leaves %s changed\n", uat_rank(), o->room->name, o->name);
    meet(); /* no worker goes on while another one compares */
    return wrong;
}

/* Does each room have an object that has changed? */
static int count_unused(void)
{
    int wrong = 0;
    UAT_EACH_ROOM(room, reset)
    {
        int of_room = 0, changed = 0;
        for (const struct object *o = objects; o < objects + count; o++) {
            of_room += o->room == *room;
            changed += o->room == *room && !is_as_before(o);
        }
        if (changed == 0)
            wrong += printf("rank %d: none of the %d objects of %s has changed\n", uat_rank(), of_room, (*room)->name);
    }
    return wrong;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
    (void)status, (void)kind, (void)ftw;
    return remove(path);
}

int main(void)
{
    int result, wrong = 0;
    char folder[64], setting[96];
    snprintf(folder, sizeof(folder), "/tmp/uat-reset-%d", (int)getppid()); /* uatrun's process: the same for all */
    snprintf(setting, sizeof(setting), "%s,restart=no", folder);
    setenv("UAT_CHECKPOINT", setting, 1);
    if (uat_init())
        return 1;
    meet();
    UAT_EACH_ROOM(room, reset)
    if (strcmp((*room)->name, "job") == 0)
        (*room)->reset(); /* the barriers of the start itself, which the first reset does not count either */
    meet();
    find_objects();
    for (int round = 0; round < 2; round++) {
        array = uat_global_alloc(8 * ARRAY_PART * sizeof(long), UAT_CYCLIC, 0);
        if (!array || use_run(&result, 0))
            return 1;
        wrong += count_unused();
        wrong += reset_all();
    }
    wrong += uat_rank() == 0 && nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0;
    return uat_finalize() || wrong > 0;
}
