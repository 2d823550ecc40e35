/* SPDX-License-Identifier: MIT */
/* Description: uatrun removes its own folder only if it is empty. Files that another process of the user put there
 * stay. If a link has replaced the folder, the link's target stays. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/server.h"
#include "tests/test.h"

static char place[] = "/tmp/test-folder.XXXXXX";
static char folder[sizeof(place) + 300], kept[sizeof(folder) + 10];

/* Set `folder` to uatrun's folder in `place`. */
static void make(void)
{
    assert_int_equal(uat_server_make_directory(), 0);
    DIR *names = opendir(place);
    folder[0] = '\0';
    for (struct dirent *entry; (entry = readdir(names));)
        if (entry->d_name[0] == 'u')
            snprintf(folder, sizeof(folder), "%s/%s", place, entry->d_name);
    closedir(names);
    struct stat st;
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

TEST(empty)
{
    make();
    uat_server_remove_directory();
    assert_int_equal(access(folder, F_OK), -1);
}

TEST(file)
{
    make();
    snprintf(kept, sizeof(kept), "%s/kept", folder);
    close(open(kept, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    uat_server_remove_directory();
    assert_int_equal(access(kept, F_OK), 0);
    unlink(kept);
    assert_int_equal(rmdir(folder), 0);
}

TEST(link)
{
    make();
    snprintf(kept, sizeof(kept), "%s/kept", place);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(mkdir(kept, 0700), 0);
    assert_int_equal(symlink(kept, folder), 0);
    uat_server_remove_directory();
    assert_int_equal(access(kept, F_OK), 0);
    unlink(folder);
    assert_int_equal(rmdir(kept), 0);
}

int main(void)
{
    if (!mkdtemp(place) || setenv("TMPDIR", place, 1))
        return 1;
    int failed = tests_run();
    return rmdir(place) ? 1 : failed;
}
