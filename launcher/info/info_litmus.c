/* SPDX-License-Identifier: MIT */
#include "launcher/info/info.h"
#include "launcher/info/litmus_test.h"

int info_add_litmus(json_object *root, uint64_t trials, bool *silent)
{
    struct litmus litmus = {.rank = 0};
    int rc = litmus_run(trials, &litmus);
    *silent = litmus.rank > 0;
    if (rc)
        return 1; /* the function that failed has reported the error */
    json_object *hosts = json_object_new_array();
    for (int i = 0; i < 2; i++)
        json_object_array_add(hosts, json_object_new_string(litmus.hosts[i]));
    json_object_object_add(root, "litmus_hosts", hosts);
    json_object *list = json_object_new_array();
    bool broken = false;
    for (int i = 0; i < LITMUS_TESTS; i++) {
        const struct litmus_result *r = &litmus.results[i];
        bool bad = r->seen && !r->allowed;
        json_object *o = json_object_new_object();
        info_add_text(o, "test", r->name);
        info_add_text(o, "rule", r->rule);
        info_add_text(o, "outcome", r->meaning);
        json_object_object_add(o, "trials", json_object_new_uint64(r->trials));
        json_object_object_add(o, "seen", json_object_new_uint64(r->seen));
        info_add_text(o, "verdict", bad ? "BROKEN" : r->allowed ? "allowed" : "forbidden");
        json_object_array_add(list, o);
        broken |= bad;
    }
    json_object_object_add(root, "litmus", list);
    return broken;
}
