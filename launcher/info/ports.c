/* SPDX-License-Identifier: MIT */
#include "launcher/info/info.h"

#include <string.h>

#include "runtime/job/settings.h"
#include "transport_ibv/address.h"
#include "transport_ibv/devices.h"
#include "transport_ibv/gid.h"
#include "transport_ibv/host.h"
#include "transport_ibv/port.h"
#include "transport_ibv/settings.h"

static json_object *describe_gid(const struct ibv_gid_entry *entry)
{
    json_object *o = json_object_new_object();
    char text[UAT_IBV_GID_TEXT], network[UAT_IBV_NETWORK_TEXT];
    info_add_number(o, "index", entry->gid_index);
    info_add_text(o, "kind", uat_ibv_gid_kind_name(uat_ibv_gid_kind_of(entry)));
    info_add_text(o, "gid", uat_ibv_gid_text(&entry->gid, text));
    struct uat_ibv_address address = {.gid_kind = (uint8_t)uat_ibv_gid_kind_of(entry),
                                      .bits = (uint8_t)uat_ibv_network_bits(entry),
                                      .gid = entry->gid};
    if (address.bits)
        info_add_text(o, "network", uat_ibv_network_text(&address, network));
    return o;
}

/* Add the GIDs of a port. For the chosen port, add to `chosen` the GID that a worker uses, or the reason why it can use
 * none. */
static void add_gids(json_object *o, const struct uat_ibv_port *port, json_object *chosen)
{
    struct ibv_context *context = uat_ibv_context_use(port->device);
    struct ibv_gid_entry *entries;
    int n;
    if (!context || uat_ibv_gids_list(context, port->number, &entries, &n))
        return;
    json_object *list = json_object_new_array();
    for (int i = 0; i < n; i++)
        json_object_array_add(list, describe_gid(&entries[i]));
    json_object_object_add(o, "gids", list);
    if (chosen) {
        char why[512];
        int best = uat_ibv_gid_choose(entries, n, port->attr.gid_tbl_len, uat_ibv_settings.gid_index, why, sizeof(why));
        if (best >= 0)
            info_add_number(chosen, "gid_index", entries[best].gid_index);
        else
            info_add_text(chosen, "gid_error", why);
    }
    free(entries);
}

static void add_attributes(json_object *o, const struct uat_ibv_port *port)
{
    const struct ibv_device_attr *attr = &port->device_attr.orig_attr;
    info_add_text(o, "state", ibv_port_state_str(port->attr.state));
    info_add_text(o, "link_layer", uat_ibv_link_name(port->attr.link_layer));
    info_add_number(o, "rate_mbit", port->rate);
    info_add_number(o, "mtu", 128 << port->attr.active_mtu);
    info_add_number(o, "lid", port->attr.lid);
    info_add_number(o, "numa_node", port->numa_node);
    info_add_number(o, "numa_distance", port->distance);
    info_add_text(o, "atomics", uat_ibv_atomics_name(port->atomics));
    info_add_text(o, "firmware", attr->fw_ver);
    info_add_number(o, "max_queue_pairs", attr->max_qp);
    info_add_number(o, "max_requests", attr->max_qp_wr);
    info_add_number(o, "max_completions", attr->max_cqe);
    json_object_object_add(o, "max_region_bytes", json_object_new_uint64(attr->max_mr_size));
    info_add_number(o, "reads_as_initiator", attr->max_qp_init_rd_atom);
    info_add_number(o, "reads_as_target", attr->max_qp_rd_atom);
}

static json_object *describe_port(const struct uat_ibv_port *port, json_object *chosen)
{
    json_object *o = json_object_new_object();
    char reason[UAT_IBV_REFUSAL_TEXT];
    const char *refusal = uat_ibv_port_refusal(port, reason, sizeof(reason));
    info_add_text(o, "device", port->device);
    info_add_number(o, "port", port->number);
    json_object_object_add(o, "usable", json_object_new_boolean(!refusal));
    if (refusal)
        info_add_text(o, "refusal", refusal);
    if (!port->error) {
        add_attributes(o, port);
        add_gids(o, port, chosen);
    }
    return o;
}

static void add_choice(json_object *root)
{
    char why[640];
    bool usable = uat_ibv_probe(false, why, sizeof(why)) > 0;
    json_object *o = json_object_new_object();
    info_add_text(o, "transport", usable ? "ibv" : "shm");
    info_add_text(o, "why", why);
    info_add_text(o, "limits",
                  usable ? "for workers on several hosts; a job of one host takes shm"
                         : "shm joins the workers of one host only");
    if (uat_job_settings.transport != UAT_TRANSPORT_AUTO)
        info_add_text(o, "overridden",
                      uat_job_settings.transport == UAT_TRANSPORT_IBV ? "UAT_TRANSPORT=ibv" : "UAT_TRANSPORT=shm");
    json_object_object_add(root, "auto", o);
}

bool info_add_ports(json_object *root, const struct info_job *job)
{
    struct uat_ibv_port *ports;
    char why[640];
    add_choice(root);
    int n, rc = uat_ibv_ports_list(&ports, &n);
    if (rc) {
        info_add_text(root, "advice", strerror(-rc));
        return false;
    }
    for (int i = 0; i < n; i++)
        uat_ibv_port_complete(&ports[i]); /* query the ports, so that the table shows every port's attributes */
    int best = uat_ibv_port_choose(ports, n, &uat_ibv_settings, why, sizeof(why));
    json_object *list = json_object_new_array(), *chosen = best >= 0 ? json_object_new_object() : NULL;
    for (int i = 0; i < n; i++)
        json_object_array_add(list, describe_port(&ports[i], i == best ? chosen : NULL));
    json_object_object_add(root, "ports", list);
    if (best >= 0) {
        info_add_text(chosen, "device", ports[best].device);
        info_add_number(chosen, "port", ports[best].number);
        info_add_text(chosen, "why", why);
        info_add_queue(chosen, ports[best].device, ports[best].number);
        json_object_object_add(root, "chosen", chosen);
        info_add_demand(root, &ports[best].device_attr.orig_attr, job);
    } else {
        info_add_text(root, "advice", why);
    }
    free(ports);
    uat_ibv_contexts_close(); /* close the contexts, because processes that are forked later must not share them */
    json_object *gid_error = NULL;
    if (chosen && json_object_object_get_ex(chosen, "gid_error", &gid_error))
        info_add_text(root, "advice", json_object_get_string(gid_error));
    return chosen && !gid_error;
}
