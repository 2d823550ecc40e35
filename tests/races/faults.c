/* SPDX-License-Identifier: MIT */
/* Description: C programs with one fault each; the race detector reports each once, with both places. */
#include "tests/races/faults.h"

#include <uat/pattern.h>
#include <uat/transfer.h>

UAT_TASK_VOID(writer, long *, p, long, v)
{
    put(p, v);
}
UAT_TASK_VOID(second_writer, long *, p, long, v)
{
    other_put(p, v);
}
UAT_TASK(long, reader, long *, p)
{
    return look(p);
}

/* Races on global memory: spawn and join. */
UAT_TASK_VOID(unjoined_root, int, g)
{
    writer_task a;
    writer_spawn(&a, word, 1);
    if (g)
        writer_join(&a);
    other_put(word, 2);
    if (!g)
        writer_join(&a);
}
static void unjoined(void)
{
    unjoined_root_run(good);
}

UAT_TASK_VOID(siblings_root, int, g)
{
    writer_task a;
    second_writer_task b;
    writer_spawn(&a, word, 1);
    second_writer_spawn(&b, word + g, 2);
    second_writer_join(&b);
    writer_join(&a);
}
static void siblings(void)
{
    siblings_root_run(good);
}

UAT_TASK_VOID(group_root, int, g)
{
    uat_group_t group;
    uat_group_begin(&group);
    writer_group_spawn(&group, word, 1);
    if (g)
        uat_group_wait(&group);
    second_writer_group_spawn(&group, word, 2);
    uat_group_wait(&group);
}
static void group(void)
{
    group_root_run(good);
}

/* Joins in the order of the spawns: not series-parallel. */
UAT_TASK_VOID(fifo_root, int, g)
{
    reader_task a, b;
    reader_spawn(&a, word);
    reader_spawn(&b, word + 1);
    reader_join(&a);
    other_put(word + (g ? 0 : 1), 1);
    reader_join(&b);
}
static void fifo(void)
{
    fifo_root_run(good);
}

UAT_TASK_VOID(reverse_root, int, g)
{
    reader_task a, b;
    reader_spawn(&a, word);
    reader_spawn(&b, word + 1);
    reader_join(&b);
    other_put(word + (g ? 1 : 0), 1);
    reader_join(&a);
}
static void reverse(void)
{
    reverse_root_run(good);
}

/* Of three parallel readers of a word, the one in the middle is joined last. */
UAT_TASK_VOID(middle_root, int, g)
{
    reader_task a, b, c;
    reader_spawn(&a, word);
    reader_spawn(&b, word);
    reader_spawn(&c, word);
    reader_join(&a);
    reader_join(&c);
    if (g)
        reader_join(&b);
    other_put(word, 1);
    if (!g)
        reader_join(&b);
}
static void middle(void)
{
    middle_root_run(good);
}

/* Many readers in groups and loops, and one more that is not joined. */
UAT_TASK_VOID(many_root, int, g)
{
    uat_group_t group;
    reader_task last, one[40];
    uat_group_begin(&group);
    for (int i = 0; i < 40; i++)
        reader_spawn(&one[i], word);
    reader_spawn(&last, word);
    for (int i = 0; i < 1000; i++)
        reader_group_spawn(&group, word);
    uat_group_wait(&group);
    for (int i = 0; i < 40; i++)
        reader_join(&one[i]);
    if (g)
        reader_join(&last);
    other_put(word, 1);
    if (!g)
        reader_join(&last);
}
static void many(void)
{
    many_root_run(good);
}

UAT_TASK_VOID(deep, int, n, int, g)
{
    deep_task a;
    if (n == 0) {
        put(word, 1);
        return;
    }
    deep_spawn(&a, n - 1, g);
    deep_join(&a);
    if (n == 100 && g)
        other_put(word, 2);
}
UAT_TASK_VOID(deep_root, int, g)
{
    deep_task a;
    deep_spawn(&a, 200, g);
    if (!g)
        other_put(word, 2);
    deep_join(&a);
}
static void deep_tree(void)
{
    deep_root_run(good);
}

UAT_FOR(square, i, int, g)
{
    put(word + (!g && i == 7 ? 6 : i), i);
}
UAT_TASK_VOID(loop_root, int, g)
{
    square(0, 64, g);
}
static void loop(void)
{
    loop_root_run(good);
}

/* Neighbouring bytes do not race. */
UAT_TASK_VOID(first_byte, char *, p)
{
    *(volatile char *)p = 1;
}
UAT_TASK_VOID(next_byte, char *, p)
{
    *(volatile char *)p = 2;
}
UAT_TASK_VOID(bytes_root, int, g)
{
    first_byte_task a;
    next_byte_task b;
    first_byte_spawn(&a, (char *)word + 1);
    next_byte_spawn(&b, (char *)word + (g ? 2 : 1));
    next_byte_join(&b);
    first_byte_join(&a);
}
static void bytes(void)
{
    bytes_root_run(good);
}

static APART void clear_all(void *p, size_t n)
{
    memset(p, 0, n);
}
static APART void copy_all(void *p, const void *q, size_t n)
{
    memcpy(p, q, n);
}
UAT_TASK_VOID(clear, long *, p, size_t, n)
{
    clear_all(p, n);
}
UAT_TASK_VOID(copy, long *, p, long *, q, size_t, n)
{
    copy_all(p, q, n);
}
UAT_TASK_VOID(strings_root, int, g)
{
    clear_task a;
    copy_task b;
    clear_spawn(&a, word, (size_t)(g ? 80 : 81));
    copy_spawn(&b, word + 10, word + 30, 80);
    copy_join(&b);
    clear_join(&a);
}
static void strings(void)
{
    strings_root_run(good);
}

/* Checkouts, transfers, atomics. */
static APART void fill(long *p, size_t n)
{
    long *q = uat_global_checkout(p, n * sizeof(*p), UAT_WRITE);
    for (size_t i = 0; i < n; i++)
        q[i] = 3;
    uat_global_checkin(p, n * sizeof(*p), UAT_WRITE);
}
static APART void fill_other(long *p, size_t n)
{
    uat_global_checkin(uat_global_checkout(p, n * sizeof(*p), UAT_READ), n * sizeof(*p), UAT_READ);
}
UAT_TASK_VOID(filler, long *, p, size_t, n)
{
    fill(p, n);
}
UAT_TASK_VOID(checkout_root, int, g)
{
    filler_task a;
    filler_spawn(&a, word, (size_t)(g ? 20 : 21));
    fill_other(word + 20, 20);
    filler_join(&a);
}
static void checkout(void)
{
    checkout_root_run(good);
}

static APART void put_one(long *p, long v)
{
    uat_global_put(p, &v, sizeof(v));
}
static APART long get_one(const long *p)
{
    long v;
    uat_global_get(&v, p, sizeof(v));
    return v;
}
UAT_TASK_VOID(putter, long *, p)
{
    put_one(p, 1);
}
UAT_TASK_VOID(get_root, int, g)
{
    putter_task a;
    putter_spawn(&a, word);
    get_one(word + g);
    putter_join(&a);
}
static void get(void)
{
    get_root_run(good);
}

static APART void put_rows(long *p, size_t bytes)
{
    long rows[8] = {0};
    uat_global_put_strided(p, 64, rows, bytes, bytes, 4);
}
UAT_TASK_VOID(put_block, long *, p, size_t, bytes)
{
    put_rows(p, bytes);
}
UAT_TASK_VOID(strided_root, int, g)
{
    put_block_task a;
    put_block_spawn(&a, word, (size_t)(g ? 8 : 16));
    other_put(word + 17, 1);
    put_block_join(&a);
}
static void strided(void)
{
    strided_root_run(good);
}

static APART void begin_get(long *to, const long *p)
{
    uat_global_transfer_t t;
    uat_global_get_begin(&t, to, p, sizeof(*p));
    uat_global_transfer_wait(&t);
}
UAT_TASK_VOID(begun_root, int, g)
{
    long v;
    putter_task a;
    putter_spawn(&a, word);
    begin_get(&v, word + g);
    putter_join(&a);
}
static void begun(void)
{
    begun_root_run(good);
}

static APART void count(long *p)
{
    uat_atomic_fetch_add((uat_atomic_t *)(void *)p, 1);
}
UAT_TASK_VOID(counter, long *, p)
{
    count(p);
}
UAT_TASK_VOID(plain_root, int, g)
{
    counter_task a, b;
    counter_spawn(&a, word);
    counter_spawn(&b, word);
    counter_join(&b);
    if (g)
        counter_join(&a);
    other_look(word); /* ordered after b only */
    if (!g)
        counter_join(&a);
}
static void plain(void)
{
    plain_root_run(good);
}

/* Publication by uat_global_release() and an atomic. */
static APART void publish(int g)
{
    put(word, 1);
    if (g)
        uat_global_release();
    uat_atomic_store((uat_atomic_t *)(void *)(word + 8), 1);
}
UAT_TASK_VOID(publisher, int, g)
{
    publish(g);
}
UAT_TASK_VOID(publish_root, int, g)
{
    publisher_task a;
    publisher_spawn(&a, g);
    if (uat_atomic_load((uat_atomic_t *)(void *)(word + 8)) == 1)
        get_one(word);
    publisher_join(&a);
}
static void published(void)
{
    publish_root_run(good);
}

static const struct fault table[] = {
    {"unjoined", unjoined, "RACE", "other_put", "put"},
    {"siblings", siblings, "RACE", "other_put", "put"},
    {"group", group, "RACE", "other_put", "put"},
    {"fifo", fifo, "RACE", "other_put", "look"},
    {"reverse", reverse, "RACE", "other_put", "look"},
    {"middle", middle, "RACE", "other_put", "look"},
    {"many", many, "RACE", "other_put", "look"},
    {"deep", deep_tree, "RACE", "other_put", "put"},
    {"loop", loop, "RACE", "put", "put"},
    {"bytes", bytes, "RACE", "next_byte", "first_byte"},
    {"strings", strings, "RACE", "copy_all", "clear_all"},
    {"checkout", checkout, "RACE", "fill_other", "fill"},
    {"get", get, "RACE", "get_one", "put_one"},
    {"strided", strided, "RACE", "other_put", "put_rows"},
    {"begun", begun, "RACE", "begin_get", "put_one"},
    {"plain", plain, "RACE", "other_look", "count"},
    {"published", published, "RACE", "get_one", "put"},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, table, sizeof(table) / sizeof(table[0]));
}
