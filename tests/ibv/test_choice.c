/* SPDX-License-Identifier: MIT */
/*
 * Description: a worker takes the right port and GID, and finds out which kind of atomics a device has and which
 * endpoints cannot reach each other. The devices are simulated, so no hardware is needed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/test.h"
#include "transport_ibv/address.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/gid.h"
#include "transport_ibv/port.h"

static struct uat_ibv_port port(const char *device, int number, int link_layer, unsigned rate, int distance)
{
    struct uat_ibv_port p = {.number = number, .rate = rate, .distance = distance, .atomics = UAT_IBV_ATOMICS_HCA};
    strcpy(p.device, device);
    p.attr.state = IBV_PORT_ACTIVE;
    p.attr.link_layer = (uint8_t)link_layer;
    p.device_attr.orig_attr.max_qp_rd_atom = p.device_attr.orig_attr.max_qp_init_rd_atom = 16;
    return p;
}

enum { IB = IBV_LINK_LAYER_INFINIBAND, ETH = IBV_LINK_LAYER_ETHERNET };

/* The settings for UAT_NET_DEVICES=device[:port]. */
static struct uat_ibv_settings network(const char *text)
{
    struct uat_ibv_settings n = {0};
    assert_true(sscanf(text, "%63[^:]:%d", n.device, &n.port) != 0);
    return n;
}

static void expect_choice(const struct uat_ibv_port *ports, int n, const char *wish, int index, const char *why)
{
    char text[640];
    struct uat_ibv_settings asked = network(wish);
    assert_int_equal(uat_ibv_port_choose(ports, n, *wish ? &asked : NULL, text, sizeof(text)), index);
    if (!strstr(text, why))
        fail_msg("'%s' is not in '%s'", why, text);
}

TEST(port_order)
{
    struct uat_ibv_port ports[] = {port("a", 1, ETH, 400000, 10), port("b", 1, IB, 100000, 10),
                                   port("c", 1, IB, 200000, 30), port("c", 2, IB, 200000, 20),
                                   port("d", 1, IB, 200000, 20)};
    expect_choice(ports, 1, "", 0, "only usable");
    expect_choice(ports, 2, "", 1, "InfiniBand is preferred to Ethernet");
    expect_choice(ports, 3, "", 2, "higher rate");
    expect_choice(ports, 4, "", 3, "nearer NUMA node");
    expect_choice(ports, 5, "", 3, "first of equals");
    ports[3].attr.state = IBV_PORT_DOWN;
    expect_choice(ports, 4, "", 2, "higher rate");
}

TEST(port_wish)
{
    struct uat_ibv_port ports[] = {port("mlx5_0", 1, IB, 100000, 10), port("mlx5_1", 1, IB, 50000, 10),
                                   port("mlx5_1", 2, IB, 100000, 10)};
    expect_choice(ports, 3, "mlx5_1", 2, "UAT_NET_DEVICES");
    expect_choice(ports, 3, "mlx5_1:1", 1, "UAT_NET_DEVICES");
    expect_choice(ports, 3, "mlx5_1:3", -ENODEV, "names no port of this host; it has mlx5_0:1 mlx5_1:1 mlx5_1:2");
    expect_choice(ports, 3, "mlx5", -ENODEV, "names no port");
    ports[1].attr.state = IBV_PORT_DOWN;
    expect_choice(ports, 3, "mlx5_1:1", -ENODEV, "mlx5_1:1: its state is");
}

TEST(port_refusal)
{
    struct uat_ibv_port ports[] = {port("a", 1, IB, 100000, 10), port("b", 1, IB, 100000, 10),
                                   port("c", 1, IB, 100000, 10)};
    expect_choice(ports, 0, "", -ENODEV, "this host has no verbs device");
    expect_choice(ports, 0, "mlx5_0", -ENODEV, "UAT_NET_DEVICES asks for mlx5_0");
    ports[0].error = EACCES;
    ports[1].atomics = UAT_IBV_ATOMICS_NONE;
    ports[2].device_attr.orig_attr.max_qp_rd_atom = 0;
    expect_choice(ports, 3, "", -ENODEV, "a:1: no permission to open it");
    expect_choice(ports, 3, "", -ENODEV, "b:1: it has no 8-byte atomics");
    expect_choice(ports, 3, "", -ENODEV, "c:1: it allows no RDMA READs");
}

TEST(atomics)
{
    struct ibv_device_attr_ex attr = {.orig_attr = {.atomic_cap = IBV_ATOMIC_NONE}};
    assert_int_equal(uat_ibv_atomics_of(&attr), UAT_IBV_ATOMICS_NONE);
    attr.pci_atomic_caps.fetch_add = IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP;
    assert_int_equal(uat_ibv_atomics_of(&attr), UAT_IBV_ATOMICS_NONE); /* a device needs both atomics */
    attr.orig_attr.atomic_cap = IBV_ATOMIC_HCA;
    assert_int_equal(uat_ibv_atomics_of(&attr), UAT_IBV_ATOMICS_HCA);
    attr.pci_atomic_caps.compare_swap = IBV_PCI_ATOMIC_OPERATION_4_BYTE_SIZE_SUP;
    assert_int_equal(uat_ibv_atomics_of(&attr), UAT_IBV_ATOMICS_HCA);
    attr.pci_atomic_caps.compare_swap |= IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP;
    assert_int_equal(uat_ibv_atomics_of(&attr), UAT_IBV_ATOMICS_PCIE);
    struct ibv_device_attr_ex global = {.orig_attr = {.atomic_cap = IBV_ATOMIC_GLOB}};
    assert_int_equal(uat_ibv_atomics_of(&global), UAT_IBV_ATOMICS_PCIE);
}

TEST(rate)
{
    assert_int_equal(uat_ibv_rate(2, 32), 4 * 25781);
    assert_int_equal(uat_ibv_rate(1, 1), 2500);
    assert_int_equal(uat_ibv_rate(3, 32), 0);
}

static struct ibv_gid_entry gid(uint32_t index, enum ibv_gid_type type, const char *head)
{
    struct ibv_gid_entry e = {.gid_index = index, .port_num = 1, .gid_type = type};
    if (!strcmp(head, "v4"))
        memcpy(e.gid.raw + 10, "\xff\xff\x0a\x09\x00\x01", 6);
    else
        memcpy(e.gid.raw, !strcmp(head, "ll") ? "\xfe\x80" : "\x20\x01", 2);
    return e;
}

static void expect_gid(const struct ibv_gid_entry *entries, int n, int wish, int result, const char *why)
{
    char text[512] = "";
    assert_int_equal(uat_ibv_gid_choose(entries, n, 16, wish, text, sizeof(text)), result);
    if (!strstr(text, why))
        fail_msg("'%s' is not in '%s'", why, text);
}

TEST(gid)
{
    struct ibv_gid_entry entries[] = {gid(0, IBV_GID_TYPE_ROCE_V1, "ll"), gid(1, IBV_GID_TYPE_ROCE_V2, "ll"),
                                      gid(2, IBV_GID_TYPE_ROCE_V1, "v4"), gid(4, IBV_GID_TYPE_ROCE_V2, "v6"),
                                      gid(5, IBV_GID_TYPE_ROCE_V2, "v4"), gid(7, IBV_GID_TYPE_ROCE_V2, "v4")};
    static const int best[] = {0, 1, 1, 3, 4, 4};
    for (int n = 1; n <= 6; n++)
        expect_gid(entries, n, -1, best[n - 1], "");
    expect_gid(entries, 6, 2, 2, "");
    expect_gid(entries, 6, 7, 5, "");
    expect_gid(entries, 6, 3, -EINVAL, "UAT_GID_INDEX=3 names an empty entry");
    expect_gid(entries, 6, 16, -EINVAL, "out of range: the table has 16 entries");
    expect_gid(entries, 2, 99, -EINVAL, "filled entries are 0 (RoCE v1) 1 (RoCE v2/link-local)");
    expect_gid(entries, 0, -1, -EINVAL, "the GID table is empty");
}

/* --- networks. A prefix has 24 bits for 10.9.x.y, 16 bits for other IPv4 addresses, and 64 bits for 2001: */

static unsigned bits_of(const struct ibv_gid_entry *gid)
{
    switch (uat_ibv_gid_kind_of(gid)) {
    case UAT_IBV_GID_V2_IPV4:
        return gid->gid.raw[12] == 10 && gid->gid.raw[13] == 9 ? 96 + 24 : 96 + 16;
    case UAT_IBV_GID_V2_IPV6:
    case UAT_IBV_GID_IB:
        return 64;
    default:
        return 0;
    }
}

static struct ibv_gid_entry ipv4(uint32_t index, uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    struct ibv_gid_entry e = gid(index, IBV_GID_TYPE_ROCE_V2, "v4");
    const uint8_t address[] = {a, b, c, d};
    memcpy(e.gid.raw + 12, address, sizeof(address));
    return e;
}

static struct ibv_gid_entry subnet(uint8_t prefix)
{
    struct ibv_gid_entry e = {.gid_type = IBV_GID_TYPE_IB};
    e.gid.raw[0] = 0xfe;
    e.gid.raw[7] = prefix;
    e.gid.raw[15] = (uint8_t)(prefix + 77); /* the byte that differs between ports */
    return e;
}

struct host {
    struct uat_ibv_address list[UAT_IBV_ADDRESSES_MAX];
    int n;
};

static void add_port(struct host *host, const char *device, int link_layer, const struct ibv_gid_entry *gids, int n)
{
    char why[512];
    struct uat_ibv_port p = port(device, 1, link_layer, 100000, 10);
    p.attr.gid_tbl_len = 16;
    assert_int_equal(uat_ibv_addresses_add(host->list, &host->n, &p, gids, n, -1, bits_of, why, sizeof(why)), 0);
}

static void expect_joins(const struct host *host, const struct host *first, int subnet, const char *device, int index)
{
    int chosen = uat_ibv_address_choose(host->list, host->n, &first->list[0], subnet);
    if (!device) {
        assert_int_equal(chosen, -1);
        return;
    }
    assert_true(chosen >= 0);
    assert_string_equal(host->list[chosen].device, device);
    assert_int_equal(host->list[chosen].gid_index, index);
}

TEST(subnets)
{
    struct host first = {0}, two = {0}, other = {0}, roce = {0};
    struct ibv_gid_entry one = subnet(1), three = subnet(3), v4 = ipv4(1, 10, 9, 0, 1);
    add_port(&first, "mlx5_0", IB, &one, 1);
    add_port(&two, "mlx5_0", IB, &three, 1);
    add_port(&two, "mlx5_1", IB, &one, 1);
    add_port(&other, "mlx5_0", IB, &three, 1);
    add_port(&roce, "mlx5_0", ETH, &v4, 1);
    expect_joins(&first, &first, UAT_SUBNET_SAME, "mlx5_0", 0);
    expect_joins(&two, &first, UAT_SUBNET_SAME, "mlx5_1", 0);
    expect_joins(&other, &first, UAT_SUBNET_SAME, NULL, 0);
    expect_joins(&other, &first, UAT_SUBNET_ANY, NULL, 0); /* uat assumes that no router connects InfiniBand's
                                                            * subnets */
    expect_joins(&roce, &first, UAT_SUBNET_ANY, NULL, 0);
}

TEST(networks)
{
    struct host first = {0}, host = {0}, near = {0};
    struct ibv_gid_entry own = ipv4(3, 10, 9, 0, 1), neighbour = ipv4(3, 10, 9, 1, 1);
    struct ibv_gid_entry several[] = {gid(0, IBV_GID_TYPE_ROCE_V1, "ll"), gid(1, IBV_GID_TYPE_ROCE_V2, "ll"),
                                      ipv4(3, 192, 168, 0, 9), gid(4, IBV_GID_TYPE_ROCE_V2, "v6"),
                                      ipv4(5, 10, 9, 0, 200)};
    add_port(&first, "mlx5_0", ETH, &own, 1);
    add_port(&host, "mlx5_0", ETH, &neighbour, 1); /* a better port, but in another network, 10.9.1 */
    expect_joins(&host, &first, UAT_SUBNET_SAME, NULL, 0);
    expect_joins(&host, &first, UAT_SUBNET_ANY, "mlx5_0", 3);
    add_port(&host, "mlx5_1", ETH, several, 5); /* an alias or a VLAN of the port is in rank 0's network */
    expect_joins(&host, &first, UAT_SUBNET_SAME, "mlx5_1", 5);
    expect_joins(&host, &first, UAT_SUBNET_ANY, "mlx5_1", 5);
    assert_int_equal(host.n, 4); /* link-local GIDs and GIDs of RoCE v1 are listed only if a port has no better GID */
    add_port(&near, "mlx5_0", ETH, several, 2);
    expect_joins(&near, &first, UAT_SUBNET_ANY, NULL, 0);
    expect_joins(&near, &near, UAT_SUBNET_SAME, "mlx5_0", 1);
    first.list[0].bits = 96 + 23; /* 10.9.0.0/23 */
    expect_joins(&host, &first, UAT_SUBNET_SAME, "mlx5_0", 3);
}

TEST(network_text)
{
    struct host host = {0};
    char text[UAT_IBV_NETWORK_TEXT];
    struct ibv_gid_entry gids[] = {ipv4(0, 10, 9, 7, 1), gid(1, IBV_GID_TYPE_ROCE_V2, "v6")}, ib = subnet(1),
                         local = gid(0, IBV_GID_TYPE_ROCE_V2, "ll");
    static const char *const expected[] = {"10.9.7.0/24", "2001::/64", "subnet fe00:0:0:1::/64", "RoCE v2/link-local"};
    add_port(&host, "a", ETH, gids, 2);
    add_port(&host, "b", IB, &ib, 1);
    add_port(&host, "c", ETH, &local, 1);
    assert_int_equal(host.n, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(uat_ibv_network_text(&host.list[i], text), expected[i]);
}

/* Too many addresses: nothing may be written beyond the end of the list. */
TEST(many_addresses)
{
    struct host host = {0};
    struct ibv_gid_entry gids[] = {ipv4(0, 10, 9, 0, 1), ipv4(1, 10, 9, 1, 1), ipv4(2, 10, 9, 2, 1)};
    for (int i = 0; i < UAT_IBV_ADDRESSES_MAX; i++)
        add_port(&host, "mlx5_0", ETH, gids, 3);
    assert_int_equal(host.n, UAT_IBV_ADDRESSES_MAX);
}

static const char *mismatch(const struct uat_ibv_endpoint *a, const struct uat_ibv_endpoint *b)
{
    static char text[320];
    const char *one = uat_ibv_endpoint_mismatch(b, a, text, sizeof(text));
    assert_true(!one == !uat_ibv_endpoint_mismatch(a, b, text, sizeof(text)));
    return one ? one : "";
}

TEST(mismatch)
{
    struct uat_ibv_endpoint a = {.link_layer = IB, .pkey = 0xffff, .gid_kind = UAT_IBV_GID_IB}, b = a;
    a.gid.raw[7] = 1; /* a byte of the subnet prefix */
    assert_non_null(strstr(mismatch(&a, &b), "subnet prefixes 0x0000000000000001 and 0x0000000000000000 differ"));
    b.gid.raw[7] = 1;
    b.gid.raw[15] = 9;
    assert_string_equal(mismatch(&a, &b), "");
    b.pkey = 0x7fff; /* a limited member reaches only full members */
    assert_string_equal(mismatch(&a, &b), "");
    a.pkey = 0x7fff;
    assert_non_null(strstr(mismatch(&a, &b), "both those of limited members"));
    a.pkey = 0x8001;
    assert_non_null(strstr(mismatch(&a, &b), "no partition in common"));
    b = a;
    b.link_layer = ETH;
    assert_non_null(strstr(mismatch(&a, &b), "the other on"));
    a.link_layer = ETH;
    a.gid_kind = UAT_IBV_GID_V1;
    b.gid_kind = UAT_IBV_GID_V2_IPV4;
    assert_non_null(strstr(mismatch(&a, &b), "see UAT_GID_INDEX"));
    b.gid_kind = a.gid_kind;
    b.connect = 1;
    assert_non_null(strstr(mismatch(&a, &b), "UAT_CONNECT differs"));
}
