/* SPDX-License-Identifier: MIT */
#include "launcher/info/info.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static json_object *get(json_object *o, const char *key)
{
    json_object *value = NULL;
    json_object_object_get_ex(o, key, &value);
    return value;
}

static const char *text(json_object *o, const char *key)
{
    json_object *value = get(o, key);
    return value ? json_object_get_string(value) : "";
}

static int64_t number(json_object *o, const char *key)
{
    return json_object_get_int64(get(o, key)); /* 0 if it is missing */
}

static void row(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void row(const char *name, const char *format, ...)
{
    va_list args;
    printf("%-15s ", name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

static void print_gids(json_object *port, json_object *chosen)
{
    json_object *gids = get(port, "gids");
    for (size_t i = 0; gids && i < json_object_array_length(gids); i++) {
        json_object *gid = json_object_array_get_idx(gids, i);
        bool taken = chosen && get(chosen, "gid_index") && number(chosen, "gid_index") == number(gid, "index");
        row("", "  GID %-3d %-18s %s%s%s%s", (int)number(gid, "index"), text(gid, "kind"), text(gid, "gid"),
            get(gid, "network") ? " in " : "", text(gid, "network"), taken ? "  <- taken" : "");
    }
    if (chosen && get(chosen, "gid_error"))
        row("", "  %s", text(chosen, "gid_error"));
}

/* Print the properties of a queue pair of the chosen port; see queue.c. */
static void print_queue(json_object *queue)
{
    row("", "  queue pairs: thread domain %s, %lld bytes inline%s%s", text(queue, "thread_domain"),
        (long long)(get(queue, "inline_bytes") ? number(queue, "inline_bytes") : 0),
        get(queue, "blueflame") ? ", BlueFlame " : "", get(queue, "blueflame") ? text(queue, "blueflame") : "");
    if (get(queue, "shared_domain"))
        row("", "  one registration for the workers of a host (UAT_CONNECT=host,regions=shared): %s",
            text(queue, "shared_domain"));
    if (get(queue, "read_data_in_order"))
        row("", "  bytes of one operation in order: READ %s, WRITE %s", text(queue, "read_data_in_order"),
            text(queue, "write_data_in_order"));
    if (get(queue, "unordered_levels"))
        row("", "  service levels that are delivered out of order (adaptive routing): mask %s",
            text(queue, "unordered_levels"));
    row("", "  memory keys that keep the order of accesses: %s",
        text(queue, get(queue, "ordered_keys") ? "ordered_keys" : "error"));
}

static void print_port(json_object *port, json_object *chosen)
{
    if (chosen &&
        (strcmp(text(port, "device"), text(chosen, "device")) || number(port, "port") != number(chosen, "port")))
        chosen = NULL;
    row("port", "%s:%d  %s%s", text(port, "device"), (int)number(port, "port"),
        chosen                                         ? "<- taken: "
        : json_object_get_boolean(get(port, "usable")) ? "usable"
                                                       : "not usable: ",
        chosen ? text(chosen, "why") : text(port, "refusal"));
    if (!get(port, "state"))
        return;
    char node[32] = "unknown";
    if (number(port, "numa_node") >= 0)
        snprintf(node, sizeof(node), "%d (distance %d)", (int)number(port, "numa_node"),
                 (int)number(port, "numa_distance"));
    row("", "  %s, %s, %.1f Gbit/s, MTU %d, LID %d, NUMA node %s", text(port, "state"), text(port, "link_layer"),
        (double)number(port, "rate_mbit") / 1000, (int)number(port, "mtu"), (int)number(port, "lid"), node);
    row("", "  8-byte atomics: %s; READs in flight %d (as the target %d)", text(port, "atomics"),
        (int)number(port, "reads_as_initiator"), (int)number(port, "reads_as_target"));
    row("", "  limits: %lld queue pairs of %lld requests, %lld completions", (long long)number(port, "max_queue_pairs"),
        (long long)number(port, "max_requests"), (long long)number(port, "max_completions"));
    if (chosen && get(chosen, "queue"))
        print_queue(get(chosen, "queue"));
    print_gids(port, chosen);
}

static void print_host(json_object *root)
{
    json_object *memlock = get(root, "memlock"), *huge = get(root, "huge_pages"), *random = get(root, "randomisation");
    if (get(root, "obstacle"))
        row("processor", "%s; %s", text(root, "processor"), text(root, "obstacle"));
    else
        row("processor", "%s", text(root, "processor"));
    if (json_object_get_boolean(get(memlock, "unlimited")))
        row("locked memory", "unlimited");
    else
        row("locked memory", "%lld KiB; %s", (long long)number(memlock, "kib"), text(memlock, "advice"));
    row("huge pages", "transparent ones of shared memory: %s; reserved of 2 MiB: %lld",
        text(huge, "transparent_shared"), (long long)number(huge, "reserved_2m"));
    row("PMIx", "%s", text(root, "pmix"));
    if (!json_object_get_boolean(get(random, "on")))
        row("addresses", "not randomised");
    else if (json_object_get_boolean(get(random, "can_be_turned_off")))
        row("addresses", "randomised, which uat turns off for its workers");
    else
        row("addresses", "randomised; %s", text(random, "advice"));
}

static void print_litmus(json_object *list, json_object *hosts)
{
    const char *host[2] = {json_object_get_string(json_object_array_get_idx(hosts, 0)),
                           json_object_get_string(json_object_array_get_idx(hosts, 1))};
    if (strcmp(host[0], host[1]))
        row("litmus", "%s is the victim, %s the thief", host[0], host[1]);
    else
        row("litmus", "two processes of this host");
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        json_object *o = json_object_array_get_idx(list, i);
        if (number(o, "trials"))
            row("", "%-15s %-9s (%s), seen %lld of %lld: %s", text(o, "test"), text(o, "verdict"), text(o, "rule"),
                (long long)number(o, "seen"), (long long)number(o, "trials"), text(o, "outcome"));
        else
            row("", "%-15s %-9s (%s), not tried here: %s", text(o, "test"), text(o, "verdict"), text(o, "rule"),
                text(o, "outcome"));
    }
}

static void print_queue_pairs(json_object *o)
{
    static const struct {
        const char *key, *text;
    } rows[] = {{"worker", "of a worker"},
                {"host", "of all workers of a host"},
                {"first_worker_with_global_memory", "of a host's first worker, with global memory"},
                {"host_with_global_memory", "of all workers of a host, with global memory"}};
    row("queue pairs", "create %.1f us, connect %.1f us, destroy %.1f us (%lld measured)",
        (double)number(o, "create_ns") * 1e-3, (double)number(o, "connect_ns") * 1e-3,
        (double)number(o, "destroy_ns") * 1e-3, (long long)number(o, "measured_pairs"));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_object *part = get(o, rows[i].key);
        row("", "  %lld %s in that job: %.3g s, one after the other", (long long)number(part, "pairs"), rows[i].text,
            json_object_get_double(get(part, "seconds")));
    }
}

static void print_job(json_object *job)
{
    row("a worker's share",
        "in a job of %d hosts with %d workers each: %lld connections, %lld memory regions, %lld KiB of locked memory",
        (int)number(job, "hosts"), (int)number(job, "workers_per_host"), (long long)number(job, "connections"),
        (long long)number(job, "regions"), (long long)number(job, "pinned_bytes") / 1024);
    row("", "  segments %lld KiB, queues of %d requests %lld KiB",
        (long long)number(job, "pinned_segments_bytes") / 1024, (int)number(job, "requests_per_queue"),
        (long long)number(job, "pinned_queues_bytes") / 1024);
    row("", "  %s", text(job, "why"));
}

void info_print_table(json_object *root)
{
    json_object *choice = get(root, "auto"), *ports = get(root, "ports");
    row("uat", "%s", text(root, "version"));
    row("transport", "auto picks %s: %s%s%s", text(choice, "transport"), text(choice, "why"),
        get(choice, "limits") ? "; " : "", text(choice, "limits"));
    if (get(choice, "overridden"))
        row("", "but the environment says %s", text(choice, "overridden"));
    for (size_t i = 0; ports && i < json_object_array_length(ports); i++)
        print_port(json_object_array_get_idx(ports, i), get(root, "chosen"));
    if (get(root, "job"))
        print_job(get(root, "job"));
    if (get(root, "queue_pairs"))
        print_queue_pairs(get(root, "queue_pairs"));
    print_host(root);
    if (get(root, "litmus"))
        print_litmus(get(root, "litmus"), get(root, "litmus_hosts"));
}
