/* SPDX-License-Identifier: MIT */
/*
 * Description: a file is written completely or not at all, and only at its own path. No link is followed, no other
 * user's file is touched, and no call of open() blocks on a pipe without a reader. The temporary file has a name that
 * cannot be guessed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "tests/test.h"

enum { OTHER = 64321 /* a user that is not this one */ };

static char folder[64];

static int setup(void **state)
{
    snprintf(folder, sizeof(folder), "/tmp/uat-output.XXXXXX");
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int entries(void)
{
    int n = 0;
    DIR *d = opendir(".");
    for (const struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

static int teardown(void **state)
{
    DIR *d = opendir(".");
    for (const struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            remove(e->d_name);
    closedir(d);
    return chdir("/") || rmdir(folder);
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void expect(const char *name, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof(found) - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(found, text);
}

/* The name must be refused at the start of the job and at its end, and no file may be created. */
static void expect_refused(const char *name, int error)
{
    struct uat_output output;
    int before = entries();
    assert_int_equal(uat_output_check(name), error);
    assert_int_equal(uat_output_open(&output, name), error);
    assert_null(output.file);
    assert_int_equal(entries(), before);
}

TEST_WITH(whole, setup, teardown)
{
    struct uat_output output;
    for (int i = 0; i < 2; i++) { /* first a new file, then an existing one */
        assert_int_equal(uat_output_check("file"), 0);
        assert_int_equal(uat_output_open(&output, "file"), 0);
        fputs(i ? "new" : "old", output.file);
        assert_int_equal(access("file", F_OK), i ? 0 : -1);
        if (i)
            expect("file", "old");
        assert_int_equal(uat_output_close(&output), 0);
        expect("file", i ? "new" : "old");
        assert_int_equal(entries(), 1);
    }
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat("file", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(uat_output_open(&output, "file"), 0);
    fputs("half", output.file);
    uat_output_discard(&output);
    expect("file", "new");
    assert_int_equal(entries(), 1);
}

/* The disk is full. */
TEST_WITH(full, setup, teardown)
{
    struct uat_output output;
    struct rlimit old, small = {4, 4};
    put("file", "old");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    assert_int_equal(uat_output_open(&output, "file"), 0);
    setrlimit(RLIMIT_FSIZE, &small);
    fputs("too long", output.file);
    assert_int_equal(uat_output_close(&output), -EFBIG);
    setrlimit(RLIMIT_FSIZE, &old);
    expect("file", "old");
    assert_int_equal(entries(), 1);
    assert_int_equal(uat_output_open(&output, "/dev/full"), 0);
    fputs("too long", output.file);
    assert_int_equal(uat_output_close(&output), -ENOSPC);
    assert_int_equal(access("/dev/full", F_OK), 0);
}

TEST_WITH(links, setup, teardown)
{
    put("secret", "secret");
    assert_int_equal(symlink("secret", "link"), 0);
    expect_refused("link", -ELOOP);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    expect_refused("dangling", -ELOOP);
    expect_refused("/dev/stdout", -ELOOP); /* a rename would replace /dev/stdout for all users */
    expect("secret", "secret");
    /* A link replaces the file while the file is being written. The output must replace the link, not follow it. */
    struct uat_output output;
    assert_int_equal(uat_output_open(&output, "late"), 0);
    assert_int_equal(symlink("secret", "late"), 0);
    fputs("words", output.file);
    assert_int_equal(uat_output_close(&output), 0);
    expect("secret", "secret");
    expect("late", "words");
}

TEST_WITH(names, setup, teardown)
{
    struct uat_output a, b;
    assert_int_equal(uat_output_open(&a, "file"), 0);
    assert_int_equal(uat_output_open(&b, "file"), 0);
    assert_string_not_equal(a.part, b.part);
    assert_true(strlen(a.part) >= strlen("file.") + 16);
    uat_output_discard(&a);
    uat_output_discard(&b);
}

TEST_WITH(pipes, setup, teardown)
{
    struct uat_output output;
    char text[16] = "";
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(uat_output_check("pipe"), 0);
    assert_int_equal(uat_output_open(&output, "pipe"), -ENXIO); /* fails at once, because the pipe has no reader */
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_int_equal(uat_output_open(&output, "pipe"), 0);
    assert_false(fcntl(fileno(output.file), F_GETFL) & O_NONBLOCK);
    fputs("words", output.file);
    assert_int_equal(uat_output_close(&output), 0);
    assert_int_equal(read(reader, text, sizeof(text)), 5);
    close(reader);
}

TEST_WITH(others, setup, teardown)
{
    mkdir("folder", 0700);
    expect_refused("folder", -EISDIR);
    expect_refused("none/file", -ENOENT);
    expect_refused("folder/../none/file", -ENOENT);
    char name[UAT_OUTPUT_NAME + 8];
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    expect_refused(name, -ENAMETOOLONG);
    if (geteuid())
        skip(); /* only root can change a file's owner */
    put("theirs", "theirs");
    assert_int_equal(chown("theirs", OTHER, OTHER), 0);
    expect_refused("theirs", -EPERM);
    expect("theirs", "theirs");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(chown("pipe", OTHER, OTHER), 0);
    expect_refused("pipe", -EPERM);
}
