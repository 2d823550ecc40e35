/* SPDX-License-Identifier: MIT */
#include "transport_ibv/bulk.h"

#include <pthread.h>
#include <signal.h>

enum { STACK = 1 << 20 /* bytes of a thread's stack */ };

struct work {
    int (*one)(void *context, int i);
    void *context;
    int count;
    pthread_mutex_t lock; /* protects the rest */
    int next;             /* the next i */
    int rc, failed;       /* of the first failure */
};

static int take(struct work *w)
{
    pthread_mutex_lock(&w->lock);
    int i = w->rc || w->next == w->count ? -1 : w->next++;
    pthread_mutex_unlock(&w->lock);
    return i;
}

static void *do_work(void *context)
{
    struct work *w = context;
    for (int i; (i = take(w)) >= 0;) {
        int rc = w->one(w->context, i);
        if (!rc)
            continue;
        pthread_mutex_lock(&w->lock);
        if (!w->rc) {
            w->rc = rc;
            w->failed = i;
        }
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

int uat_ibv_side_by_side(int (*one)(void *context, int i), void *context, int count, int threads, int *failed)
{
    struct work w = {.one = one, .context = context, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread[UAT_IBV_SIDES];
    pthread_attr_t attributes;
    sigset_t all, old;
    int n = 0, wanted = (count < threads ? count : threads) - 1;
    sigfillset(&all);
    if (wanted > 0 && !pthread_attr_init(&attributes)) {
        pthread_attr_setstacksize(&attributes, STACK);
        pthread_sigmask(SIG_SETMASK, &all, &old); /* signals go to the worker's own thread */
        while (n < wanted && !pthread_create(&thread[n], &attributes, do_work, &w))
            n++;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        pthread_attr_destroy(&attributes);
    }
    do_work(&w);
    while (n > 0)
        pthread_join(thread[--n], NULL);
    *failed = w.failed;
    return w.rc;
}
