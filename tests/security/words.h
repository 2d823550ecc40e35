/* SPDX-License-Identifier: MIT */
/* The words that peers write or READ, and where they are in this worker's segment. */
#ifndef UAT_TESTS_WORDS_H
#define UAT_TESTS_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum { WORDS_OBJECTS = 6, WORDS_INSTANCES = 512 };

/* The optional part of the program that a word belongs to. WORDS_ALL: none, because task trees, objects and collective
 * calls always run. An optional part takes time, so it runs only if one of its words is corrupted. Another worker reads
 * a ledger only after the unroller migrates, so the words of WORDS_LEDGER are corrupted just before that. */
enum words_part { WORDS_ALL, WORDS_REPLICA, WORDS_GLOBAL, WORDS_FLOW, WORDS_LEDGER, WORDS_ADAPTIVE };

struct word {
    const char *name;
    /* Fills at[] with the addresses of all current instances of the word, at most WORDS_INSTANCES. Returns their
     * number. */
    int (*find)(const struct word *w, uint64_t **at);
    const char *area;
    size_t offset, stride;
    int count;
    enum words_part part;
};

/* The names of the objects: three channels, a mutex, a task barrier (`group`), a semaphore. */
extern uint64_t words_objects[WORDS_OBJECTS];

extern const struct word words[];
extern const size_t words_count;

#endif
