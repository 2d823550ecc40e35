/* SPDX-License-Identifier: MIT */
#include "runtime/job/symbol.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpu_context.h"

/* A file, mapped. */
struct file {
    const char *bytes;
    size_t size;
    const ElfW(Shdr) * sections;
    size_t count;
};

/* The loaded object that has an address. */
struct object {
    uintptr_t address, base;
    const char *path;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct object *object = data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || object->address - info->dlpi_addr - p->p_vaddr >= p->p_memsz)
            continue;
        object->base = info->dlpi_addr;
        object->path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
        return 1;
    }
    return 0;
}

static bool has(const struct file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->size && bytes <= file->size - offset;
}

/* Map a file. Without section headers its count is 0. Returns false if it is no object file of this machine. */
static bool map(const char *path, struct file *file)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    void *bytes = fstat(fd, &status) == 0 && status.st_size > 0
                      ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                      : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    *file = (struct file){.bytes = bytes, .size = (size_t)status.st_size};
    const ElfW(Ehdr) *head = bytes;
    if (!has(file, 0, sizeof(*head)) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) {
        munmap(bytes, file->size);
        return false;
    }
    if (head->e_shentsize == sizeof(ElfW(Shdr)) && has(file, head->e_shoff, head->e_shnum * sizeof(ElfW(Shdr)))) {
        file->sections = (const ElfW(Shdr) *)(file->bytes + head->e_shoff);
        file->count = head->e_shnum;
    }
    return true;
}

/* The contents of a section, *count entries of `size` bytes. *count is 0 if the file lacks them. */
static const void *entries(const struct file *file, const ElfW(Shdr) * section, size_t size, size_t *count)
{
    bool here = section->sh_type != SHT_NOBITS && has(file, section->sh_offset, section->sh_size);
    *count = here ? section->sh_size / size : 0;
    return file->bytes + (here ? section->sh_offset : 0);
}

/* Copy a name from the string table in section number `table`. */
static void copy_name(const struct file *file, size_t table, size_t index, char *text, size_t size)
{
    size_t bytes = 0;
    const char *names = table < file->count ? entries(file, &file->sections[table], 1, &bytes) : NULL;
    text[0] = '\0';
    if (index < bytes)
        snprintf(text, size, "%.*s", (int)strnlen(names + index, bytes - index), names + index);
}

static void find_section(const struct file *file, struct uat_symbol *symbol)
{
    for (size_t i = 0; i < file->count; i++) {
        const ElfW(Shdr) *s = &file->sections[i];
        if (!(s->sh_flags & SHF_ALLOC) || (s->sh_flags & SHF_TLS) || symbol->offset - s->sh_addr >= s->sh_size)
            continue;
        copy_name(file, ((const ElfW(Ehdr) *)file->bytes)->e_shstrndx, s->sh_name, symbol->section,
                  sizeof(symbol->section));
        symbol->variable = (s->sh_flags & SHF_WRITE) && (s->sh_type == SHT_PROGBITS || s->sh_type == SHT_NOBITS) &&
                           strncmp(symbol->section, ".got", 4) != 0; /* the loader writes the addresses there */
    }
}

static bool take(const struct file *file, const ElfW(Shdr) * table, const ElfW(Sym) * s, uintptr_t base,
                 struct uat_symbol *symbol)
{
    int type = ELF64_ST_TYPE(s->st_info);
    if (s->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_OBJECT) ||
        symbol->offset - s->st_value >= s->st_size)
        return false;
    copy_name(file, table->sh_link, s->st_name, symbol->name, sizeof(symbol->name));
    symbol->start = base + s->st_value;
    symbol->size = s->st_size;
    return true;
}

/* Look for the name in the symbol tables of this type. */
static void find_name(const struct file *file, unsigned type, uintptr_t base, struct uat_symbol *symbol)
{
    for (size_t i = 0; i < file->count && !symbol->name[0]; i++) {
        const ElfW(Shdr) *table = &file->sections[i];
        const ElfW(Sym) *source = NULL;
        size_t n = 0;
        if (table->sh_type != type)
            continue;
        const ElfW(Sym) *s = entries(file, table, sizeof(*s), &n);
        for (const ElfW(Sym) *end = s + n; s < end; s++)
            if (ELF64_ST_TYPE(s->st_info) == STT_FILE)
                source = s; /* of the static names that follow */
            else if (take(file, table, s, base, symbol)) {
                if (source && ELF64_ST_BIND(s->st_info) == STB_LOCAL)
                    copy_name(file, table->sh_link, source->st_name, symbol->source, sizeof(symbol->source));
                return;
            }
    }
}

/* Has the loader put a library's variable here? It does so for a program that accesses the variable directly; the
 * library itself then uses it here. */
static void find_copy(const struct file *file, uintptr_t base, struct uat_symbol *symbol)
{
    for (size_t i = 0; i < file->count; i++) {
        const ElfW(Shdr) *section = &file->sections[i];
        size_t n = 0, symbols = 0;
        if (section->sh_type != SHT_RELA || !(section->sh_flags & SHF_ALLOC) || section->sh_link >= file->count)
            continue;
        const ElfW(Shdr) *table = &file->sections[section->sh_link];
        const ElfW(Rela) *r = entries(file, section, sizeof(*r), &n);
        const ElfW(Sym) *s = entries(file, table, sizeof(*s), &symbols);
        for (const ElfW(Rela) *end = r + n; r < end; r++)
            if (ELF64_R_TYPE(r->r_info) == UAT_CPU_COPY_RELOCATION && ELF64_R_SYM(r->r_info) < symbols &&
                take(file, table, &s[ELF64_R_SYM(r->r_info)], base, symbol)) {
                symbol->variable = false;
                return;
            }
    }
}

bool uat_symbol_find(uintptr_t address, struct uat_symbol *symbol)
{
    struct object object = {.address = address};
    struct file file;
    char path[PATH_MAX] = "";
    *symbol = (struct uat_symbol){.start = address, .size = 1};
    if (!dl_iterate_phdr(find_object, &object))
        return false;
    symbol->offset = address - object.base;
    if (readlink(object.path, path, sizeof(path) - 1) <= 0)
        snprintf(path, sizeof(path), "%s", object.path);
    const char *slash = strrchr(path, '/');
    snprintf(symbol->object, sizeof(symbol->object), "%.63s", slash ? slash + 1 : path);
    if (!map(object.path, &file))
        return true;
    find_section(&file, symbol);
    find_copy(&file, object.base, symbol);
    find_name(&file, SHT_SYMTAB, object.base, symbol);
    find_name(&file, SHT_DYNSYM, object.base, symbol);
    munmap((void *)file.bytes, file.size);
    return true;
}

const char *uat_symbol_place(uintptr_t pc, char *text, size_t size)
{
    struct uat_symbol s;
    if (!uat_symbol_find(pc, &s))
        snprintf(text, size, "at 0x%zx", (size_t)pc);
    else if (s.name[0])
        snprintf(text, size, "in %s+0x%zx (%s+0x%zx)", s.name, (size_t)(pc - s.start), s.object, (size_t)s.offset);
    else
        snprintf(text, size, "at %s+0x%zx", s.object, (size_t)s.offset);
    return text;
}
