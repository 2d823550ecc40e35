/* SPDX-License-Identifier: MIT */
#ifndef UAT_LINKED_H
#define UAT_LINKED_H

#include <stdbool.h>

/*
 * Is this library part of the program, or does the program or one of its libraries need it? Then the loader has loaded
 * it at the start. Otherwise it is needed by a plugin, or an interpreter has loaded it. If there are too many objects
 * to tell, this returns false.
 */
bool uat_linked(void);

#endif
