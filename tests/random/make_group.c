/* SPDX-License-Identifier: MIT */
#include "tests/random/maker.h"

/* Each task that holds one of the memberships waits for the other tasks, and then passes rights on in a ring. */
void make_group(void)
{
    int member[CASES], n = 0;
    const struct right *chosen = NULL;
    for (int i = 0; i < 6 && !chosen; i++) {
        const struct right *r = choose_right(maker.at, IN, true);
        chosen = r && program.thing[r->what].kind == GROUP ? r : NULL;
    }
    for (int i = 0; chosen && i < rights; i++)
        for (int k = 0; right[i].kind == IN && right[i].what == chosen->what && k < TASKS; k++) {
            bool is_new = right_is_sole(&right[i], k) && maker.task[k].lives && !maker.task[k].ended;
            for (int j = 0; j < n; j++)
                is_new &= member[j] != k;
            if (is_new)
                member[n++] = k;
        }
    if (!chosen || n != (int)program.thing[chosen->what].count)
        return;
    for (int i = 0; i < n; i++)
        close_all(member[i]);
    for (int i = 0; i < n; i++)
        write_before(member[i]);
    for (int i = 0; i < n; i++)
        read_beside(member[(i + 1) % n], maker.near[member[i]]);
    for (int i = 0; i < n; i++)
        emit_on(OP_GROUP, member[i], chosen->what, true);
    struct range near[CASES];
    for (int i = 0; i < n; i++)
        near[i] = maker.near[member[i]];
    for (int i = 0; i < n; i++)
        give_some(member[i], member[(i + 1) % n], -1);
    for (int i = 0; i < n; i++) /* each task reads around the range that its predecessor used last */
        read_after(member[(i + 1) % n], near[i]);
}
