/* SPDX-License-Identifier: MIT */
/*
 * What the loaded files say about an address, for lines about faults. Reads the files' section headers and symbol
 * tables, because dladdr() knows only the names that other files may use. May be called in a signal handler: it takes
 * the loader's lock, which its thread may hold already, but no memory from malloc(). May change errno.
 */
#ifndef UAT_SYMBOL_H
#define UAT_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uat_symbol {
    char object[64];  /* the loaded file, without its folder */
    uintptr_t offset; /* of the address, as addr2line(1) takes it */
    char section[32]; /* "": the address is in no section, or the file has no section headers */
    bool variable;    /* The section has variables, and the loader has not put a library's variable there. */
    char name[128];   /* the function or variable; "": unknown, as in a stripped file */
    uintptr_t start;  /* the address of this function or variable */
    size_t size;
    char source[64]; /* the source file, if the name is static there and known; or "" */
};

/* Set *symbol to what is known about the address. Returns false if the address belongs to no loaded file. */
bool uat_symbol_find(uintptr_t address, struct uat_symbol *symbol);

/* Write where an instruction is: "in FUNCTION+0x12 (FILE+0x1234)", or less if less is known. Returns text. */
const char *uat_symbol_place(uintptr_t pc, char *text, size_t size);

#endif
