/* SPDX-License-Identifier: MIT */
#include "runtime/job/identity.h"

#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/host.h"
#include "base/log.h"
#include "deque/ring.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/job/aslr.h"

#define MAGIC UINT64_C(0x3830644974617500) /* "\0uatId08" */

/* FNV-1a, 64 bits. */
static uint64_t hash(uint64_t h, const void *data, size_t size)
{
    const unsigned char *p = data;
    while (size-- > 0)
        h = (h ^ *p++) * UINT64_C(0x100000001b3);
    return h;
}
#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Hash the offsets that peers access, the sizes of what moves with a stack, and the version. The sizes of areas are in
 * uat_segment.layout. */
static uint64_t abi_hash(void)
{
    const size_t layout[] = {
        offsetof(struct uat_ring, claims),
        offsetof(struct uat_ring, slot),
        offsetof(struct uat_ring, ack),
        offsetof(struct uat_ring, lock),
        sizeof(struct uat_slot),
        sizeof(struct uat_record),
        offsetof(struct uat_record, waiter),
        offsetof(struct uat_record, views),
        sizeof(struct uat_waiter),
        sizeof(struct uat_frame),
        sizeof(uat_task_t),
        sizeof(uat_stats_detail_t),
        UAT_HEAP_HEADER,
    };
    return hash(hash(HASH_START, layout, sizeof(layout)), UAT_VERSION, sizeof(UAT_VERSION));
}

/* Hash an object's build id note or, without one, its program headers. */
static uint64_t build_hash(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_NOTE)
            continue;
        const char *p = (const char *)(info->dlpi_addr + ph->p_vaddr), *end = p + ph->p_memsz;
        while (p + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)p;
            const char *name = p + sizeof(*note), *desc = name + ((note->n_namesz + 3) & ~3u);
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
                return hash(HASH_START, desc, note->n_descsz);
            p = desc + ((note->n_descsz + 3) & ~3u);
        }
    }
    return hash(HASH_START, info->dlpi_phdr, sizeof(ElfW(Phdr)) * info->dlpi_phnum);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The objects of the record that this worker took, for uat_identity_later(). */
static struct {
    uint32_t objects;
    uint64_t name[UAT_OBJECTS_MAX];
} at_start;

static int take_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct uat_identity *identity = data;
    if (identity->objects == UAT_OBJECTS_MAX)
        return 1;
    const char *name = base_name(info->dlpi_name);
    at_start.name[at_start.objects++] = hash(HASH_START, name, strlen(name));
    identity->object[identity->objects++] = (struct uat_loaded_object){
        .name = hash(HASH_START, name, strlen(name)), .build = build_hash(info), .address = info->dlpi_addr};
    return 0;
}

/* Choose a canary. If the kernel's random numbers are not ready, this uses AT_RANDOM: 16 random bytes that every
 * process gets even then. */
static uint64_t new_canary(void)
{
    if (!UAT_CPU_CANARY_MAY_CHANGE)
        return uat_cpu_canary();
    uint64_t canary;
    if (getrandom(&canary, sizeof(canary), GRND_NONBLOCK) != (ssize_t)sizeof(canary))
        canary = hash(HASH_START, (const void *)getauxval(AT_RANDOM), 16);
    return canary << 8; /* the lowest byte is 0, as in the C library: it stops an unterminated string */
}

void uat_identity_take(struct uat_identity *identity, const struct uat_settings *settings)
{
    char name[UAT_SETTING_TEXT_MAX];
    memset(identity, 0, sizeof(*identity));
    *identity = (struct uat_identity){.magic = MAGIC,
                                      .abi = abi_hash(),
                                      .layout = uat_segment.layout,
                                      .thread_pointer = (uint64_t)__builtin_thread_pointer(),
                                      .cpu = UAT_CPU_NAME,
                                      .canary = new_canary(),
                                      .pid_space = uat_host_pid_space(),
                                      .pid = (int32_t)getpid(),
                                      .aslr_off = (uint32_t)uat_aslr_is_off()};
    for (int i = 0; i < UAT_SETTINGS_EQUAL_MAX && uat_settings_equal(settings, i, &identity->setting[i], name); i++)
        ;
    at_start.objects = 0;
    dl_iterate_phdr(take_object, identity);
}

/* A list of names, as far as there is room. */
struct list {
    char *text;
    size_t size, length;
};

static int list_if_later(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct list *list = data;
    const char *name = base_name(info->dlpi_name);
    uint64_t h = hash(HASH_START, name, strlen(name));
    for (uint32_t i = 0; i < at_start.objects; i++)
        if (at_start.name[i] == h)
            return 0;
    int n = snprintf(list->text + list->length, list->size - list->length, "%s%s at 0x%" PRIx64,
                     list->length ? ", " : "", name, (uint64_t)info->dlpi_addr);
    if (n < 0 || (size_t)n >= list->size - list->length) {
        list->text[list->length] = '\0';
        return 1;
    }
    list->length += (size_t)n;
    return 0;
}

void uat_identity_later(char *text, size_t size)
{
    struct list list = {text, size, 0};
    text[0] = '\0';
    dl_iterate_phdr(list_if_later, &list);
}

size_t uat_identity_published(const struct uat_identity *identity, int rank)
{
    return rank == 0 ? UAT_IDENTITY_OF_0 + identity->objects * sizeof(identity->object[0]) : UAT_IDENTITY_HEAD;
}

/* The address that an entry of the dynamic section stands for. The loader has already added the object's own address,
 * except in some objects that it did not load. */
static uintptr_t address_of(const struct dl_phdr_info *info, ElfW(Addr) entry)
{
    return entry < info->dlpi_addr ? info->dlpi_addr + entry : entry;
}

/* Does a relocation of this table name the stack protector's function? */
static bool asks_for_canaries(const ElfW(Rela) * relocation, size_t bytes, const ElfW(Sym) * symbols, const char *names)
{
    for (size_t i = 0; i < bytes / sizeof(*relocation); i++) {
        const char *name = names + symbols[ELF64_R_SYM(relocation[i].r_info)].st_name;
        if (strcmp(name, "__stack_chk_fail") == 0) /* not __stack_chk_guard: this library itself uses that symbol */
            return true;
    }
    return false;
}

/* Set *data, a bool, if the object has canaries. Looks at the first object only, which is the program. */
static int find_canaries(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    ElfW(Addr) at[DT_NUM] = {0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++)
            if (entry->d_tag > 0 && entry->d_tag < DT_NUM)
                at[entry->d_tag] = entry->d_un.d_ptr;
    }
    if (!at[DT_SYMTAB] || !at[DT_STRTAB])
        return 1;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)address_of(info, at[DT_SYMTAB]);
    const char *names = (const char *)address_of(info, at[DT_STRTAB]);
    const int tables[][2] = {{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}};
    for (int i = 0; i < 2; i++)
        if (at[tables[i][0]] &&
            asks_for_canaries((const ElfW(Rela) *)address_of(info, at[tables[i][0]]), at[tables[i][1]], symbols, names))
            *(bool *)data = true;
    return 1;
}

/* Does the program itself, libraries aside, have canaries in its frames (-fstack-protector)? It does if the symbols
 * that it asks the loader for include __stack_chk_fail. A static program asks for none. */
static bool has_canaries(void)
{
    bool found = false;
    dl_iterate_phdr(find_canaries, &found);
    return found;
}

static int refuse(const char *whose, const char *what, uint64_t own, uint64_t theirs, const char *advice)
{
    uat_error("%s differs from %s: 0x%" PRIx64 " here, 0x%" PRIx64 " there; %s", what, whose, own, theirs, advice);
    return -EINVAL;
}

static int refuse_size(const char *whose, size_t size, size_t expected)
{
    uat_error("the record of %s has %zu bytes where %zu are expected; start the same build on all hosts", whose, size,
              expected);
    return -EINVAL;
}

/* A search for loaded object number `wanted`. A message needs its name. */
struct search {
    uint32_t wanted, at;
    char name[128];
};
static int find_name(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct search *search = data;
    if (search->at++ != search->wanted)
        return 0;
    snprintf(search->name, sizeof(search->name), "%s", *info->dlpi_name ? base_name(info->dlpi_name) : "the program");
    return 1;
}

static int refuse_object(const struct uat_identity *own, const struct uat_identity *zero, const char *whose, uint32_t i)
{
    struct search search = {.wanted = i, .name = "an object"};
    dl_iterate_phdr(find_name, &search);
    const struct uat_loaded_object *a = &own->object[i], *b = &zero->object[i];
    char what[200];
    if (a->name != b->name || a->build != b->build) {
        snprintf(what, sizeof(what), "the build of %s", search.name);
        return refuse(whose, what, a->build, b->build, "start the same files on all hosts");
    }
    snprintf(what, sizeof(what), "the load address of %s", search.name);
    return refuse(whose, what, a->address, b->address,
                  own->aslr_off && zero->aslr_off
                      ? "start all workers with the same environment and stack limit (ulimit -s); on hosts whose "
                        "/etc/ld.so.cache differs, name the folders of all libraries in LD_LIBRARY_PATH"
                      : "address-space randomisation is on and personality(2) is forbidden; in Docker use "
                        "--security-opt seccomp=unconfined");
}

static int compare_objects(const struct uat_identity *own, const struct uat_identity *zero, const char *whose)
{
    uint32_t n = own->objects < zero->objects ? own->objects : zero->objects;
    for (uint32_t i = 0; i < n; i++)
        if (memcmp(&own->object[i], &zero->object[i], sizeof(struct uat_loaded_object)) != 0)
            return refuse_object(own, zero, whose, i);
    if (own->objects != zero->objects)
        return refuse(whose, "the number of loaded libraries", own->objects, zero->objects,
                      "start all workers with the same LD_PRELOAD and LD_LIBRARY_PATH");
    return 0;
}

static int compare_settings(const struct uat_identity *own, const struct uat_identity *zero, const char *whose,
                            const struct uat_settings *settings)
{
    char name[UAT_SETTING_TEXT_MAX], here[UAT_SETTING_TEXT_MAX], there[UAT_SETTING_TEXT_MAX];
    const struct uat_setting *s;
    uint64_t value;
    for (int i = 0; i < UAT_SETTINGS_EQUAL_MAX && (s = uat_settings_equal(settings, i, &value, name)); i++) {
        if (own->setting[i] == zero->setting[i])
            continue;
        uat_error("%s differs from %s: %s here, %s there; give all workers the same value", name, whose,
                  uat_setting_equal_text(s, own->setting[i], here), uat_setting_equal_text(s, zero->setting[i], there));
        return -EINVAL;
    }
    return 0;
}

int uat_identity_compare(const struct uat_identity *own, const void *data, size_t size,
                         const struct uat_settings *settings, const char *whose)
{
    static struct uat_identity zero;
    char rank_0[sizeof(zero.host) + sizeof("rank 0 on ")];
    if (size < UAT_IDENTITY_OF_0)
        return refuse_size(whose ? whose : "rank 0", size, UAT_IDENTITY_OF_0);
    memcpy(&zero, data, size < sizeof(zero) ? size : sizeof(zero));
    zero.host[sizeof(zero.host) - 1] = 0;
    snprintf(rank_0, sizeof(rank_0), "rank 0 on %s", zero.host);
    whose = whose ? whose : rank_0;
    zero.cpu[sizeof(zero.cpu) - 1] = 0;
    if (zero.magic == own->magic && strcmp(zero.cpu, own->cpu) != 0) {
        uat_error("this worker's processor is %s, and that of %s is %s; a stack moves only between processors of one "
                  "architecture: start all workers on such hosts",
                  own->cpu, whose, zero.cpu);
        return -EINVAL;
    }
    const char *same_build = "start the same build of uat and of the program on all hosts";
    if (zero.magic != own->magic || zero.abi != own->abi || zero.objects > UAT_OBJECTS_MAX)
        return refuse(whose, "the ABI of uat", own->abi, zero.abi, same_build);
    if (size < uat_identity_published(&zero, 0))
        return refuse_size(whose, size, uat_identity_published(&zero, 0));
#define COMPARE(field, what, advice)                                                                                   \
    do {                                                                                                               \
        if (own->field != zero.field)                                                                                  \
            return refuse(whose, what, own->field, zero.field, advice);                                                \
    } while (0)
    int rc = compare_settings(own, &zero, whose, settings);
    if (rc)
        return rc;
    COMPARE(checkpoint, "the checkpoint that the job goes on from",
            "UAT_CHECKPOINT must name a folder that all hosts see");
    COMPARE(layout, "the layout of the segment", same_build);
    rc = compare_objects(own, &zero, whose);
    if (rc)
        return rc;
    COMPARE(thread_pointer, "the thread pointer (where thread-local variables are)",
            "start all workers with the same environment and libraries");
    if (!UAT_CPU_CANARY_MAY_CHANGE && own->canary != zero.canary && has_canaries()) {
        uat_error("the program was built with the stack protector, whose canary no process can change on %s: a stack "
                  "that moves would seem to be smashed; build the program with -fno-stack-protector",
                  own->cpu);
        return -EINVAL;
    }
    return 0;
#undef COMPARE
}
