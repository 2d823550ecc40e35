/* SPDX-License-Identifier: MIT */
#include "runtime/job/aslr.h"

#include <link.h>
#include <stdint.h>
#include <string.h>

enum { OBJECTS_MAX = 256 };

/* A loaded object: the program, which is the first one, or a shared library. */
struct object {
    const char *path, *soname;
    const char *strings; /* its string table; NULL: it needs nothing */
    const ElfW(Dyn) * dynamic;
    bool ours, needed;
};

struct objects {
    struct object object[OBJECTS_MAX];
    int count;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool contains(const struct dl_phdr_info *info, const ElfW(Phdr) * segment, const void *p)
{
    return segment->p_type == PT_LOAD && (uintptr_t)p - info->dlpi_addr - segment->p_vaddr < segment->p_memsz;
}

static int take(struct dl_phdr_info *info, size_t size, void *data)
{
    static const char here;
    struct objects *all = data;
    (void)size;
    if (all->count == OBJECTS_MAX)
        return 1;
    struct object *object = &all->object[all->count++];
    *object = (struct object){.path = info->dlpi_name, .soname = ""};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            object->dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        object->ours |= contains(info, &info->dlpi_phdr[i], &here);
    }
    const ElfW(Dyn) *entry = object->dynamic;
    for (; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB) /* the loader has added the object's address, except in the kernel's object */
            object->strings =
                (const char *)(entry->d_un.d_ptr + (entry->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr : 0));
    for (entry = object->dynamic; object->strings && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME)
            object->soname = object->strings + entry->d_un.d_val;
    return 0;
}

/* Mark the objects that this object needs. Returns true if one of them was not marked before. */
static bool mark_needed(struct objects *all, const struct object *object)
{
    bool found = false;
    for (const ElfW(Dyn) *entry = object->dynamic; object->strings && entry->d_tag != DT_NULL; entry++) {
        const char *name = object->strings + entry->d_un.d_val;
        for (int i = 0; entry->d_tag == DT_NEEDED && i < all->count; i++) {
            struct object *other = &all->object[i];
            if (other->needed ||
                (strcmp(other->soname, name) != 0 && strcmp(base_name(other->path), base_name(name)) != 0))
                continue;
            other->needed = found = true;
        }
    }
    return found;
}

bool uat_linked(void)
{
    static struct objects all;
    all.count = 0;
    if (dl_iterate_phdr(take, &all) || all.count == 0)
        return false;
    all.object[0].needed = true;
    for (bool found = true; found;) {
        found = false;
        for (int i = 0; i < all.count; i++)
            if (all.object[i].needed && mark_needed(&all, &all.object[i]))
                found = true;
    }
    for (int i = 0; i < all.count; i++)
        if (all.object[i].ours)
            return all.object[i].needed;
    return false;
}
