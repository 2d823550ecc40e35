/* SPDX-License-Identifier: MIT */
/* Memory regions, and how a process accesses another process's region. */
#include "tests/fakeverbs/fake.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

enum { PAGE = 4096, KEY_SHIFT = 8 };
static char *maps[FAKE_REGIONS]; /* where this process has mapped other processes' regions; NULL: not mapped */

/* Record the memory objects that processes make, so that peers can map them. */
FAKE_EXPORT int memfd_create(const char *name, unsigned flags)
{
    int fd = FAKE_REAL(memfd_create)(name, flags);
    struct stat status;
    if (!fake_state || fd < 0 || fstat(fd, &status))
        return fd;
    uint32_t at = fake_number(&fake_state->objects, FAKE_OBJECTS, "memory objects");
    fake_state->object[at] = (struct fake_object){getpid(), fd, status.st_ino};
    return fd;
}

static uint32_t index_of(uint32_t key)
{
    return key >> KEY_SHIFT;
}

static struct ibv_mr *make_mr(struct ibv_pd *pd, uint32_t at)
{
    struct ibv_mr *mr = calloc(1, sizeof(*mr));
    struct fake_region *r = &fake_state->region[at];
    uint32_t key = at << KEY_SHIFT;
    if (mr)
        *mr = (struct ibv_mr){.context = pd->context,
                              .pd = pd,
                              .addr = (void *)(uintptr_t)r->address,
                              .length = r->length,
                              .handle = at,
                              .lkey = key,
                              .rkey = key};
    return mr;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned access)
{
    const unsigned writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    const struct fake_device *d = fake_device_of(pd->context);
    int *used = &fake_state->used_regions[fake_host()][d - fake_state->device];
    int error = fake_enter(FAKE_REG_MR);
    if (!error && (((access & writes) && !(access & IBV_ACCESS_LOCAL_WRITE)) || !length ||
                   length > d->attr.max_mr_size || (d->relaxed_only && !(access & IBV_ACCESS_RELAXED_ORDERING))))
        error = EINVAL;
    if (!error && __atomic_load_n(used, __ATOMIC_RELAXED) >= d->attr.max_mr) /* relaxed: only the number matters */
        error = ENOMEM;
    if (error) {
        errno = error;
        return NULL;
    }
    __atomic_add_fetch(used, 1, __ATOMIC_RELAXED);
    uintptr_t first = (uintptr_t)address / PAGE, last = ((uintptr_t)address + length - 1) / PAGE;
    fake_add(FAKE_MR_BYTES, length);
    fake_add(FAKE_MR_RELAXED, (access & IBV_ACCESS_RELAXED_ORDERING) != 0);
    fake_add(FAKE_MR_PAGES, last - first + 1);
    uint32_t at = fake_number(&fake_state->regions, FAKE_REGIONS, "memory regions");
    fake_state->region[at] = (struct fake_region){.live = 1,
                                                  .pid = getpid(),
                                                  .domain = pd->handle,
                                                  .access = access,
                                                  .address = (uintptr_t)address,
                                                  .length = length,
                                                  .iova = iova};
    return make_mr(pd, at);
}

FAKE_EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
    return reg_mr(pd, address, length, (uintptr_t)address, (unsigned)access);
}

FAKE_EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access)
{
    return reg_mr(pd, address, length, iova, (unsigned)access);
}

FAKE_EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova,
                                            unsigned access)
{
    return reg_mr(pd, address, length, iova, access);
}

FAKE_EXPORT int ibv_dereg_mr(struct ibv_mr *mr)
{
    const struct fake_device *d = fake_device_of(mr->context);
    fake_enter(FAKE_DEREG_MR);
    fake_state->region[mr->handle].live = 0;
    /* Relaxed: only the number matters. */
    __atomic_sub_fetch(&fake_state->used_regions[fake_host()][d - fake_state->device], 1, __ATOMIC_RELAXED);
    free(mr);
    return 0;
}

FAKE_EXPORT struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
    errno = fake_enter(FAKE_IMPORT_MR);
    if (!errno &&
        (handle >= FAKE_REGIONS || !fake_state->region[handle].live || fake_state->region[handle].domain != pd->handle))
        errno = EINVAL;
    return errno ? NULL : make_mr(pd, handle);
}

FAKE_EXPORT void ibv_unimport_mr(struct ibv_mr *mr)
{
    free(mr);
}

/* Map `length` bytes of the memory object with this inode at `place`. offset, length and place are multiples of the
 * page size. */
static bool map_object(uint64_t inode, uint64_t offset, uint64_t length, char *place)
{
    char path[64];
    struct stat status;
    bool done = false;
    for (uint32_t i = 1; inode && !done && i <= fake_state->objects; i++) {
        const struct fake_object *o = &fake_state->object[i];
        if (o->inode != inode)
            continue;
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", o->pid, o->fd);
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
        done = fd >= 0 && !fstat(fd, &status) && status.st_ino == inode &&
               mmap(place, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset) != MAP_FAILED;
        if (fd >= 0)
            close(fd);
    }
    return done;
}

/* Map bytes [start, end) of process `pid` at `place`. They may belong to several memory objects. Returns false unless
 * all bytes are mapped. */
static bool map_process(int pid, uint64_t start, uint64_t end, char *place)
{
    char path[64], line[512];
    uint64_t mapped = 0;
    snprintf(path, sizeof(path), "/proc/%d/maps", pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file)) {
        uint64_t low, high, offset, inode;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64, &low, &high, &offset, &inode) != 4)
            continue;
        uint64_t from = low > start ? low : start, to = high < end ? high : end;
        if (from < to && map_object(inode, offset + (from - low), to - from, place + (from - start)))
            mapped += to - from;
    }
    if (file)
        fclose(file);
    return mapped == end - start;
}

/* Map another process's region into this process. Returns the address of its first byte, or NULL if that is
 * impossible. */
static char *map_region(const struct fake_region *r)
{
    uint64_t start = r->address / PAGE * PAGE, end = (r->address + r->length + PAGE - 1) / PAGE * PAGE;
    char *place = mmap(NULL, end - start, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
        return NULL;
    if (!map_process(r->pid, start, end, place)) {
        munmap(place, end - start);
        return NULL;
    }
    madvise(place, end - start, MADV_DONTDUMP);
    return place + (r->address - start);
}

/* The address of a region's first byte in this process, or NULL after a message. */
static char *base_of(uint32_t at)
{
    const struct fake_region *r = &fake_state->region[at];
    if (r->pid == getpid())
        return (char *)(uintptr_t)r->address;
    if (!maps[at])
        maps[at] = map_region(r);
    if (!maps[at])
        fprintf(stderr, "fakeverbs: the memory of process %d at %#" PRIx64 " cannot be mapped\n", r->pid, r->address);
    return maps[at];
}

char *fake_translate(uint32_t key, uint64_t address, uint64_t bytes, uint32_t access, uint32_t domain)
{
    uint32_t at = index_of(key);
    if (!at || at >= FAKE_REGIONS)
        return NULL;
    const struct fake_region *r = &fake_state->region[at];
    if (!r->live || r->domain != domain || (r->access & access) != access || address < r->iova || bytes > r->length ||
        address - r->iova > r->length - bytes)
        return NULL;
    char *base = base_of(at);
    return base ? base + (address - r->iova) : NULL;
}
