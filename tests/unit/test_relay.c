/* SPDX-License-Identifier: MIT */
/* Description: the workers of a host read what their first worker relays. A worker that cannot read it gets an error
 * that names the cause: nothing is relayed, another object, no whole object, no address space. */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/job/relay.h"

#ifdef __SANITIZE_ADDRESS__
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

enum { BLOBS = 3, LARGE = 64 << 20 };

static void wait_longer(void)
{
}

static int read_all(const struct uat_relay *relay, void **blobs, size_t *sizes)
{
    memset(blobs, 0, BLOBS * sizeof(*blobs));
    return uat_relay_read(relay, wait_longer, blobs, sizes, BLOBS);
}

static void release(void **blobs)
{
    for (int i = 0; i < BLOBS; i++)
        free(blobs[i]);
}

TEST(blobs_arrive)
{
    char words[BLOBS][8] = {"one", "", "three"};
    void *sent[BLOBS] = {words[0], words[1], words[2]}, *got[BLOBS];
    size_t sizes[BLOBS] = {3, 0, 5}, sizes_got[BLOBS];
    struct uat_relay relay = uat_relay_open();
    assert_true(relay.fd >= 0);
    pid_t child = fork();
    if (child == 0) { /* fills the object while this process waits */
        usleep(20000);
        uat_relay_fill(&relay, sent, sizes, BLOBS);
        _exit(0);
    }
    assert_int_equal(read_all(&relay, got, sizes_got), 0);
    assert_memory_equal(sizes, sizes_got, sizeof(sizes));
    for (int i = 0; i < BLOBS; i++)
        assert_memory_equal(sent[i], got[i], sizes[i]);
    release(got);
    waitpid(child, NULL, 0);
    uat_relay_close(&relay);
}

TEST(errors)
{
    void *got[BLOBS];
    size_t sizes[BLOBS];
    struct uat_relay relay = uat_relay_open(), none = {.fd = -1}, other = uat_relay_open();
    assert_int_equal(read_all(&none, got, sizes), -ENODATA);
    uat_relay_fill(&relay, NULL, sizes, BLOBS);
    assert_int_equal(read_all(&relay, got, sizes), -ENODATA);
    other.fd = relay.fd;
    assert_int_equal(read_all(&other, got, sizes), -ESTALE);
    uat_relay_close(&relay);
    relay.fd = other.fd;
    assert_int_equal(read_all(&relay, got, sizes), -ENOENT); /* the descriptor is closed */
}

/* A worker whose limit of address space is too low for the object. */
TEST(no_address_space)
{
    void *blob = calloc(1, LARGE), *sent[BLOBS] = {blob, blob, blob}, *got[BLOBS];
    size_t sizes[BLOBS] = {LARGE, 0, 0};
    int status;
    struct uat_relay relay = uat_relay_open();
    assert_true(blob && relay.fd >= 0);
    uat_relay_fill(&relay, sent, sizes, BLOBS);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {LARGE / 2, LARGE / 2};
        if (IS_SANITIZED || setrlimit(RLIMIT_AS, &limit) || malloc(LARGE))
            _exit(77);
        _exit(read_all(&relay, got, sizes) == -ENOMEM ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 77) {
        print_message("no limit of address space, as under an emulator or the address sanitizer\n");
        uat_relay_close(&relay);
        free(blob);
        skip();
    }
    assert_int_equal(status, 0);
    relay.pid = child; /* it has ended */
    assert_true(read_all(&relay, got, sizes) < 0);
    free(blob);
    uat_relay_close(&relay);
}

/* A first worker that changes its mind about the size, or is another build. */
TEST(not_whole)
{
    void *got[BLOBS];
    size_t sizes[BLOBS] = {0};
    char byte = 0;
    void *sent[BLOBS] = {&byte, &byte, &byte};
    struct uat_relay relay = uat_relay_open();
    uat_relay_fill(&relay, sent, sizes, 1);
    assert_int_equal(read_all(&relay, got, sizes), -EPROTO); /* has sizes of fewer blobs */
    uat_relay_fill(&relay, sent, sizes, BLOBS);
    assert_int_equal(ftruncate((int)relay.fd, 8 * sizeof(uint64_t) / 2), 0);
    assert_int_equal(read_all(&relay, got, sizes), -EPROTO);
    uat_relay_close(&relay);
}
