/* SPDX-License-Identifier: MIT */
/* Replaces ports.c and the litmus tests in a build without verbs. */
#include "launcher/info/info.h"

bool info_add_ports(json_object *root, const struct info_job *job)
{
    (void)job;
    json_object *o = json_object_new_object();
    info_add_text(o, "transport", "shm");
    info_add_text(o, "why", "this build of uat has no verbs");
    info_add_text(o, "limits", "shm joins the workers of one host only");
    json_object_object_add(root, "auto", o);
    info_add_text(root, "advice",
                  "this build of uat has no verbs: install libibverbs-dev and librdmacm-dev and build again");
    return false;
}

int info_add_litmus(json_object *root, uint64_t trials, bool *silent)
{
    (void)root, (void)trials, (void)silent;
    return 1; /* never called, because no port is usable */
}

int info_add_connections(json_object *root, int count, const struct info_job *job)
{
    (void)root, (void)count, (void)job;
    return 1; /* never called, because no port is usable */
}
