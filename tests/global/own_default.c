/* SPDX-License-Identifier: MIT */
/* Description: a program gives a setting another default, by setenv() before uat_init(). The user's value counts more.
 * usage: own-default BYTES ROOM (1: this worker's part has room for an object of BYTES bytes; 0: it has not) */
#include <stdio.h>
#include <stdlib.h>

#include "uat.h"
#include "uat/global.h"
#include "uat/object.h"

UAT_TASK(int, has_room, size_t, bytes)
{
    return uat_global_object_alloc(bytes) != NULL;
}

int main(int argc, char **argv)
{
    int room;
    if (argc != 3 || setenv("UAT_GLOBAL_SIZE", "64m", 0) || uat_init() < 0 || uat_global_open() < 0)
        return 2;
    if (has_room_run(&room, strtoul(argv[1], NULL, 10)))
        return 1;
    if (room != atoi(argv[2]))
        fprintf(stderr, "own-default: room is %d\n", room);
    return uat_finalize() < 0 || room != atoi(argv[2]);
}
