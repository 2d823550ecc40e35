/* SPDX-License-Identifier: MIT */
/*
 * uat_info collects its results in one json_object and prints it as JSON or as a table. Each function below adds one or
 * more keys to that object.
 */
#ifndef UAT_INFO_INFO_H
#define UAT_INFO_INFO_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/* Add "version", "processor", "memlock", "huge_pages", "pmix" and "randomisation", and "obstacle" if there is an
 * obstacle. These keys describe the process and its host. */
void info_add_host(json_object *root);

/* A job: its hosts, and the workers on each. */
struct info_job {
    int hosts, workers;
};

/* Add "auto" and "ports". If a port can be used, add "chosen", and "job": what a worker of the job needs from that
 * port. Otherwise add "advice". Returns whether a port can be used. */
bool info_add_ports(json_object *root, const struct info_job *job);

/* Add "job": connections, keys and locked memory of a worker. attr: attributes of the device that the worker uses. */
struct ibv_device_attr;
void info_add_demand(json_object *root, const struct ibv_device_attr *attr, const struct info_job *job);

/* Add "litmus" and "litmus_hosts". Returns 0, or 1 if a promise is broken or the tests could not run. Sets *silent if
 * another process of the same launcher prints everything. */
int info_add_litmus(json_object *root, uint64_t trials, bool *silent);

/* Add "queue_pairs": the time to create and connect `count` queue pairs, and what the pairs of the job take. Returns 0,
 * or 1 after reporting the error. */
int info_add_connections(json_object *root, int count, const struct info_job *job);

/* Add "queue" to `chosen`: the properties of a queue pair and a memory region of this device. */
void info_add_queue(json_object *chosen, const char *device, int port);

/* Print the contents of the folder's checkpoints, and whether the checkpoints are complete and undamaged. Reads all
 * files of the checkpoints. Returns 0. If there is no checkpoint, or if the newest one cannot be used, reports this and
 * returns 1. */
int info_checkpoints(const char *folder, bool as_json);

void info_print_table(json_object *root);

static inline void info_add_text(json_object *o, const char *key, const char *value)
{
    json_object_object_add(o, key, json_object_new_string(value));
}
static inline void info_add_number(json_object *o, const char *key, int64_t value)
{
    json_object_object_add(o, key, json_object_new_int64(value));
}

#endif
