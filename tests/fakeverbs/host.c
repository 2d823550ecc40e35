/* SPDX-License-Identifier: MIT */
/* What a worker sees of its host: name, boot id, number of workers, network interfaces, PID namespace, and the files of
 * devices. Also the other calls that can be made to fail: personality(2) and PMIx. */
#include "tests/fakeverbs/fake.h"

#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

static bool pretends(void)
{
    return fake_state && fake_state->hosts > 1 && fake_rank() >= 0;
}

FAKE_EXPORT int gethostname(char *name, size_t size)
{
    if (!pretends())
        return FAKE_REAL(gethostname)(name, size);
    snprintf(name, size, "fake%d", fake_host());
    return 0;
}

/* The device in whose folder of /sys this path is; NULL: none. *rest: the path in this folder. */
static const struct fake_device *device_of_path(const char *path, const char **rest)
{
    static const char folder[] = "/sys/class/infiniband/";
    size_t n = sizeof(folder) - 1;
    if (!fake_state || strncmp(path, folder, n) != 0)
        return NULL;
    for (int i = 0; i < fake_state->devices; i++) {
        const struct fake_device *d = &fake_state->device[i];
        size_t length = strlen(d->name);
        if ((d->host >= 0 && d->host != fake_host()) || strncmp(path + n, d->name, length) != 0 ||
            path[n + length] != '/')
            continue;
        *rest = path + n + length + 1;
        return d;
    }
    return NULL;
}

/* A readable file with this content. */
static FILE *text_file(const char *text)
{
    FILE *file = tmpfile();
    if (file) {
        fputs(text, file);
        rewind(file);
    }
    return file;
}

FAKE_EXPORT FILE *fopen(const char *path, const char *mode)
{
    char text[64];
    const char *rest;
    const struct fake_device *d = device_of_path(path, &rest);
    if (d && !strcmp(rest, "device/numa_node")) {
        snprintf(text, sizeof(text), "%d\n", d->numa_node);
        return text_file(text);
    }
    if (fake_state && strstr(path, "/transparent_hugepage/shmem_enabled"))
        return text_file(fake_state->device[0].small_pages ? "always within_size advise [never] deny force\n"
                                                           : "always within_size [advise] never deny force\n");
    if (pretends() && !strcmp(path, "/proc/sys/kernel/random/boot_id")) {
        snprintf(text, sizeof(text), "fakeverbs-host-%d\n", fake_host());
        return text_file(text);
    }
    return FAKE_REAL(fopen)(path, mode);
}

/* An interface with the IPv4 address of a GID of RoCE v2, and a netmask of 24 bits. */
struct interface {
    struct ifaddrs shown;
    struct sockaddr_in address, mask;
};
static struct interface interfaces[FAKE_DEVICES * FAKE_PORTS];

static bool interface_of(const struct fake_gid *gid, struct interface *i)
{
    struct in6_addr whole;
    memcpy(&whole, gid->gid.raw, sizeof(whole));
    if (gid->type != IBV_GID_TYPE_ROCE_V2 || !IN6_IS_ADDR_V4MAPPED(&whole))
        return false;
    *i = (struct interface){.shown = {.ifa_name = "fakenet"},
                            .address = {.sin_family = AF_INET},
                            .mask = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xffffff00)}};
    whole.s6_addr[15] = (uint8_t)(whole.s6_addr[15] + fake_host()); /* as in gid_entry() */
    memcpy(&i->address.sin_addr, whole.s6_addr + 12, sizeof(i->address.sin_addr));
    i->shown.ifa_addr = (struct sockaddr *)&i->address;
    i->shown.ifa_netmask = (struct sockaddr *)&i->mask;
    return true;
}

/* The list begins with the interfaces of RoCE devices. The real ones follow. */
FAKE_EXPORT int getifaddrs(struct ifaddrs **list)
{
    struct interface *next = interfaces;
    int rc = FAKE_REAL(getifaddrs)(list);
    for (int i = 0; !rc && fake_state && i < fake_state->devices; i++)
        for (int k = 0; k < FAKE_PORTS; k++)
            for (uint32_t g = 0; g < fake_state->device[i].port[k].gids; g++) {
                const struct fake_device *d = &fake_state->device[i];
                bool here = d->host < 0 || d->host == fake_host();
                if (!here || next == interfaces + FAKE_DEVICES * FAKE_PORTS || !interface_of(&d->port[k].gid[g], next))
                    continue;
                next->shown.ifa_next = *list;
                *list = &next++->shown;
            }
    return rc;
}

FAKE_EXPORT void freeifaddrs(struct ifaddrs *list)
{
    while (list >= &interfaces[0].shown && list < &interfaces[FAKE_DEVICES * FAKE_PORTS].shown)
        list = list->ifa_next;
    FAKE_REAL(freeifaddrs)(list);
}

/* With --apart each worker sees another inode of its PID namespace, and so another namespace. */
FAKE_EXPORT int stat(const char *path, struct stat *status)
{
    int rc = FAKE_REAL(stat)(path, status);
    if (!rc && fake_state && fake_state->apart && fake_rank() >= 0 && !strcmp(path, "/proc/self/ns/pid"))
        status->st_ino += (ino_t)fake_rank();
    return rc;
}

/* A larger page size is a multiple of the real one, so all that is rounded to it is rounded to real pages, too. */
FAKE_EXPORT long sysconf(int name)
{
    int kib = fake_state && fake_rank() >= 0 ? fake_state->device[0].page_kib : 0;
    return name == _SC_PAGESIZE && kib ? kib * 1024L : FAKE_REAL(sysconf)(name);
}

/* The files of a simulated device exist. */
FAKE_EXPORT int access(const char *path, int mode)
{
    return fake_state && !strncmp(path, "/dev/infiniband/uverbs", 22) ? 0 : FAKE_REAL(access)(path, mode);
}

/* --fail makes this call fail, as a seccomp filter may. */
FAKE_EXPORT int personality(unsigned long persona)
{
    errno = fake_state ? fake_enter(FAKE_PERSONALITY) : 0;
    return errno ? -1 : FAKE_REAL(personality)(persona);
}

FAKE_EXPORT pmix_status_t PMIx_Init(pmix_proc_t *self, pmix_info_t info[], size_t count)
{
    return fake_state && fake_enter(FAKE_PMIX_INIT) ? PMIX_ERR_UNREACH : FAKE_REAL(PMIx_Init)(self, info, count);
}

FAKE_EXPORT pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[], pmix_value_t *value)
{
    if (fake_state && fake_enter(FAKE_PMIX_PUT))
        return PMIX_ERR_NOMEM;
    if (fake_state && value->type == PMIX_BYTE_OBJECT)
        fake_add(FAKE_PMIX_PUT_BYTES, value->data.bo.size);
    return FAKE_REAL(PMIx_Put)(scope, key, value);
}

/* Leave only the ranks of this host in a list such as "0,1,2". */
static void keep_peers_of(char *list, uint32_t hosts)
{
    char copy[8192], *rest = copy, *to = list;
    snprintf(copy, sizeof(copy), "%s", list);
    for (char *word; (word = strsep(&rest, ",")) != NULL;)
        if (strtoul(word, NULL, 10) % hosts == (uint32_t)fake_host())
            to += sprintf(to, "%s%s", to == list ? "" : ",", word);
}

/* The launcher counts all workers as workers of one host. So with --hosts, correct the numbers for this host. */
FAKE_EXPORT pmix_status_t PMIx_Get(const pmix_proc_t *who, const char key[], const pmix_info_t info[], size_t count,
                                   pmix_value_t **value)
{
    if (fake_state && fake_enter(FAKE_PMIX_GET))
        return PMIX_ERR_NOT_FOUND;
    pmix_status_t status = FAKE_REAL(PMIx_Get)(who, key, info, count, value);
    if (status == PMIX_SUCCESS && fake_state && (*value)->type == PMIX_BYTE_OBJECT)
        fake_add(FAKE_PMIX_GET_BYTES, (*value)->data.bo.size);
    if (status != PMIX_SUCCESS || !pretends())
        return status;
    uint32_t hosts = (uint32_t)fake_state->hosts;
    if (!strcmp(key, PMIX_LOCAL_SIZE) && (*value)->type == PMIX_UINT32)
        (*value)->data.uint32 = ((*value)->data.uint32 - (uint32_t)fake_host() + hosts - 1) / hosts;
    if (!strcmp(key, PMIX_LOCAL_RANK) && (*value)->type == PMIX_UINT16)
        (*value)->data.uint16 = (uint16_t)((*value)->data.uint16 / hosts);
    if (!strcmp(key, PMIX_LOCAL_PEERS) && (*value)->type == PMIX_STRING)
        keep_peers_of((*value)->data.string, hosts);
    return status;
}
