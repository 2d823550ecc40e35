/* SPDX-License-Identifier: MIT */
#include "transport_ibv/gid.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum uat_ibv_gid_kind uat_ibv_gid_kind_of(const struct ibv_gid_entry *entry)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}; /* ::ffff:a.b.c.d */
    if (entry->gid_type == IBV_GID_TYPE_IB)
        return UAT_IBV_GID_IB;
    if (entry->gid_type == IBV_GID_TYPE_ROCE_V1)
        return UAT_IBV_GID_V1;
    if (!memcmp(entry->gid.raw, mapped, sizeof(mapped)))
        return UAT_IBV_GID_V2_IPV4;
    bool link_local = entry->gid.raw[0] == 0xfe && (entry->gid.raw[1] & 0xc0) == 0x80; /* fe80::/10 */
    return link_local ? UAT_IBV_GID_V2_LINK_LOCAL : UAT_IBV_GID_V2_IPV6;
}

const char *uat_ibv_gid_kind_name(enum uat_ibv_gid_kind kind)
{
    static const char *const names[] = {"RoCE v2/IPv4", "RoCE v2/IPv6", "RoCE v2/link-local", "RoCE v1", "InfiniBand"};
    return names[kind];
}

const char *uat_ibv_gid_text(const union ibv_gid *gid, char text[UAT_IBV_GID_TEXT])
{
    if (!inet_ntop(AF_INET6, gid->raw, text, UAT_IBV_GID_TEXT))
        snprintf(text, UAT_IBV_GID_TEXT, "?");
    return text;
}

static int by_index(const void *a, const void *b)
{
    const struct ibv_gid_entry *x = a, *y = b;
    return (x->gid_index > y->gid_index) - (x->gid_index < y->gid_index);
}

int uat_ibv_gids_list(struct ibv_context *context, int port, struct ibv_gid_entry **out, int *n)
{
    size_t room = 0;
    struct ibv_device_attr device;
    int rc = ibv_query_device(context, &device);
    for (int i = 1; !rc && i <= device.phys_port_cnt; i++) {
        struct ibv_port_attr attr;
        rc = ibv_query_port(context, (uint8_t)i, &attr);
        room += rc ? 0 : (size_t)attr.gid_tbl_len;
    }
    if (rc)
        return -rc;
    struct ibv_gid_entry *entries = calloc(room + 1, sizeof(*entries));
    if (!entries)
        return -ENOMEM;
    ssize_t found = ibv_query_gid_table(context, entries, room + 1, 0);
    if (found < 0) {
        free(entries);
        return (int)found;
    }
    int kept = 0;
    for (ssize_t i = 0; i < found; i++)
        if (entries[i].port_num == (uint32_t)port)
            entries[kept++] = entries[i];
    qsort(entries, (size_t)kept, sizeof(*entries), by_index);
    *out = entries;
    *n = kept;
    return 0;
}

static void list_filled(const struct ibv_gid_entry *entries, int n, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, n ? "; the filled entries are" : "; no entry is filled");
    for (int i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, " %u (%s)", entries[i].gid_index,
                                 uat_ibv_gid_kind_name(uat_ibv_gid_kind_of(&entries[i])));
}

int uat_ibv_gid_choose(const struct ibv_gid_entry *entries, int n, int table_size, int wish, char *why, size_t size)
{
    char filled[384];
    list_filled(entries, n, filled, sizeof(filled));
    if (wish >= table_size) {
        snprintf(why, size, "UAT_GID_INDEX=%d is out of range: the table has %d entries, from 0%s", wish, table_size,
                 filled);
        return -EINVAL;
    }
    int best = -1;
    for (int i = 0; i < n; i++) {
        if (wish >= 0) {
            if (entries[i].gid_index == (uint32_t)wish)
                return i;
        } else if (best < 0 || uat_ibv_gid_kind_of(&entries[i]) < uat_ibv_gid_kind_of(&entries[best])) {
            best = i;
        }
    }
    if (wish >= 0)
        snprintf(why, size, "UAT_GID_INDEX=%d names an empty entry of the GID table%s", wish, filled);
    else if (best < 0)
        snprintf(why, size, "the GID table is empty: has the network interface of this port an address?");
    return best < 0 ? -EINVAL : best;
}

int uat_ibv_gid_address(const union ibv_gid *gid, int kind, uint16_t port, struct sockaddr_storage *out)
{
    memset(out, 0, sizeof(*out));
    if (kind == UAT_IBV_GID_V2_IPV4) {
        struct sockaddr_in *in = (struct sockaddr_in *)out;
        in->sin_family = AF_INET;
        in->sin_port = port;
        memcpy(&in->sin_addr, gid->raw + 12, sizeof(in->sin_addr));
        return 0;
    }
    if (kind != UAT_IBV_GID_V2_IPV6)
        return -EINVAL;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;
    in6->sin6_family = AF_INET6;
    in6->sin6_port = port;
    memcpy(&in6->sin6_addr, gid->raw, sizeof(in6->sin6_addr));
    return 0;
}
