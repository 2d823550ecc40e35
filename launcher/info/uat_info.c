/* SPDX-License-Identifier: MIT */
/* uat_info: prints the devices and limits of this host, and the device that uat would choose. */
#include "base/streams.h"
#include "launcher/info/info.h"
#include "runtime/rooms.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LITMUS_TRIALS = 5000, USAGE = 2 };

static const char usage[] =
    "usage: uat_info [--json] [--job=HOSTSxWORKERS] [--litmus[=TRIALS]] [--queue-pairs=N]\n"
    "       uat_info [--json] --checkpoint FOLDER\n"
    "Show the verbs devices of this host, which port a worker would take, the transport that auto picks, and the "
    "limits\n"
    "that matter.\n"
    "\n"
    "  --json             print one JSON object instead of the table\n"
    "  --job=HOSTSxWORKERS\n"
    "                     show the connections, keys and locked memory of a worker in a job of that many hosts, each\n"
    "                     with that many workers (default: 2 hosts, a worker per core)\n"
    "  --litmus[=TRIALS]  test on that port what the protocols need: order, whole words, atomicity (5000 trials "
    "each):\n"
    "                     between two processes of this host, or the two of a launcher, such as\n"
    "                     srun --mpi=pmix -N 2 --ntasks-per-node=1 uat_info --litmus\n"
    "  --queue-pairs=N    create and connect N queue pairs on that port, and show what the pairs of the job take\n"
    "  --checkpoint FOLDER\n"
    "                     show the checkpoints of a job instead, and check all their files\n"
    "\n"
    "Settings such as UAT_NET_DEVICES and UAT_GID_INDEX count as they would for a worker. Status: 0; 1 when no port "
    "is\n"
    "usable, a promise is broken, or the newest checkpoint cannot be used; 2 for wrong usage.\n";

struct arguments {
    bool json;
    uint64_t litmus; /* trials of each litmus test; 0: do not run the tests */
    int pairs;       /* queue pairs to measure; 0: none */
    struct info_job job;
    const char *folder; /* folder of checkpoints; NULL: show the host */
};

/* "HOSTSxWORKERS" */
static bool parse_job(const char *text, struct info_job *job)
{
    char behind;
    return sscanf(text, "%6dx%6d%c", &job->hosts, &job->workers, &behind) == 2 && job->hosts > 0 && job->workers > 0 &&
           job->hosts <= INT_MAX / job->workers;
}

static bool parse(int argc, char **argv, struct arguments *out)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *out = (struct arguments){.job = {.hosts = 2, .workers = cores > 0 ? (int)cores : 1}};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) {
            out->json = true;
        } else if (!strcmp(argv[i], "--checkpoint") && i + 1 < argc) {
            out->folder = argv[++i];
        } else if (!strncmp(argv[i], "--checkpoint=", 13)) {
            out->folder = argv[i] + 13;
        } else if (!strcmp(argv[i], "--litmus")) {
            out->litmus = LITMUS_TRIALS;
        } else if (!strncmp(argv[i], "--job=", 6)) {
            if (!parse_job(argv[i] + 6, &out->job))
                return false;
        } else if (!strncmp(argv[i], "--queue-pairs=", 14)) {
            char after;
            if (sscanf(argv[i] + 14, "%7d%c", &out->pairs, &after) != 1 || out->pairs < 1)
                return false;
        } else if (!strncmp(argv[i], "--litmus=", 9)) {
            char *end;
            out->litmus = strtoull(argv[i] + 9, &end, 10);
            if (*end || !out->litmus || argv[i][9] == '-' || out->litmus > UINT32_MAX / 16)
                return false;
        } else {
            return false;
        }
    }
    return true;
}

static int show_host(const struct arguments *arguments)
{
    json_object *root = json_object_new_object();
    bool usable = info_add_ports(root, &arguments->job);
    info_add_host(root);
    int status = !usable;
    bool silent = false;
    if (usable && arguments->litmus)
        status = info_add_litmus(root, arguments->litmus, &silent);
    if (usable && !status && !silent && arguments->pairs)
        status = info_add_connections(root, arguments->pairs, &arguments->job);
    if (silent)
        ;
    else if (arguments->json)
        puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    else
        info_print_table(root);
    if (!usable) {
        json_object *advice = NULL;
        json_object_object_get_ex(root, "advice", &advice);
        fprintf(
            stderr,
            "uat_info: no verbs port can be used%s%s. A port needs a device with 8-byte atomics in state ACTIVE: load "
            "its driver, or try Soft-RoCE (`rdma link add rxe0 type rxe netdev DEVICE`)\n",
            advice ? ": " : "", advice ? json_object_get_string(advice) : "");
    }
    json_object_put(root);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    char error[512];
    uat_streams_open();
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return fputs(usage, stdout) < 0;
    if (!parse(argc, argv, &arguments)) {
        fprintf(stderr, "uat_info: bad arguments\n%s", usage);
        return USAGE;
    }
    int rc = uat_settings_read(uat_settings, environ, error, sizeof(error));
    if (error[0])
        fprintf(stderr, "uat_info: %s\n", error);
    if (rc)
        return USAGE;
    int status = arguments.folder ? info_checkpoints(arguments.folder, arguments.json) : show_host(&arguments);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "uat_info: cannot write: %s\n", strerror(errno));
        status = 1;
    }
    return status;
}
