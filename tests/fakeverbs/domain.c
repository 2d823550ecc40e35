/* SPDX-License-Identifier: MIT */
/* Protection domains, thread domains and parent domains. */
#include "tests/fakeverbs/fake.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static struct ibv_pd *make_domain(struct ibv_context *context, uint32_t handle)
{
    struct ibv_pd *pd = calloc(1, sizeof(*pd));
    if (pd)
        *pd = (struct ibv_pd){.context = context, .handle = handle};
    return pd;
}

FAKE_EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
    int error = fake_enter(FAKE_ALLOC_PD);
    if (error) {
        errno = error;
        return NULL;
    }
    uint32_t handle = fake_number(&fake_state->domains, FAKE_DOMAINS, "protection domains");
    fake_state->domain[handle] = (struct fake_domain){1, getpid(), fake_context_of(context)->device, fake_host()};
    return make_domain(context, handle);
}

FAKE_EXPORT struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
    const struct fake_domain *d = handle < FAKE_DOMAINS ? &fake_state->domain[handle] : NULL;
    int error = fake_enter(FAKE_IMPORT_PD);
    if (!error && (!d || !d->live || d->host != fake_host() || d->device != fake_context_of(context)->device))
        error = EINVAL;
    errno = error;
    return error ? NULL : make_domain(context, handle);
}

FAKE_EXPORT void ibv_unimport_pd(struct ibv_pd *pd)
{
    free(pd);
}

/* Only frees this process's handle. The domain itself stays in the table. */
FAKE_EXPORT int ibv_dealloc_pd(struct ibv_pd *pd)
{
    fake_enter(FAKE_DEALLOC_PD);
    free(pd);
    return 0;
}

struct ibv_td *fake_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
    (void)attr;
    int error = fake_enter(FAKE_ALLOC_TD);
    struct ibv_td *td = error ? NULL : calloc(1, sizeof(*td));
    if (td)
        td->context = context;
    errno = error;
    return td;
}

int fake_dealloc_td(struct ibv_td *td)
{
    free(td);
    return 0;
}

struct ibv_pd *fake_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
{
    int error = fake_enter(FAKE_ALLOC_PARENT_DOMAIN);
    errno = error ? error : attr->pd ? 0 : EINVAL;
    return errno ? NULL : make_domain(context, attr->pd->handle);
}
