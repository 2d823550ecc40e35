/* SPDX-License-Identifier: MIT */
#include "launcher/arguments.h"

#include "base/control.h"
#include "base/meeting.h"
#include "base/survival.h"
#include "include/uat.h"
#include "launcher/launcher.h"
#include "runtime/checkpoint/settings.h"
#include "runtime/job/settings.h"
#include "runtime/rooms.h"
#include "transport_sim/settings.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static const double timeout_max = 1e9; /* seconds */

#define CHECKPOINT_VARIABLE "UAT_CHECKPOINT"

enum { AGAIN_MAX = 1000000 };
enum {
    OPTION_TIMEOUT = 256,
    OPTION_BIND,
    OPTION_ENV,
    OPTION_VERSION,
    OPTION_DOCTOR,
    OPTION_LABEL,
    OPTION_AGAIN,
    OPTION_RESIZABLE,
    OPTION_RESIZE,
    OPTION_CTL,
    OPTION_PROFILE
};

static const struct option long_options[] = {
    {"np", required_argument, NULL, 'n'},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"bind", required_argument, NULL, OPTION_BIND},
    {"env", required_argument, NULL, OPTION_ENV},
    {"doctor", no_argument, NULL, OPTION_DOCTOR},
    {"help", optional_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {"label", no_argument, NULL, OPTION_LABEL},
    {"again", required_argument, NULL, OPTION_AGAIN},
    {"resizable", no_argument, NULL, OPTION_RESIZABLE},
    {"resize", required_argument, NULL, OPTION_RESIZE},
    {"ctl", no_argument, NULL, OPTION_CTL},
    {"profile", optional_argument, NULL, OPTION_PROFILE},
    {NULL, 0, NULL, 0},
};

static char doctor_variable[] = UAT_DOCTOR_VARIABLE "=1";

/* "-np 4", as for mpirun, arrives here as -n with the value "p". */
static char *value_of_np(int argc, char **argv)
{
    if (strcmp(argv[optind - 1], "-np") != 0 || optind >= argc)
        return optarg;
    return argv[optind++];
}

/* what: the subject of the message. shown: the limit that the message names. */
static bool parse_number(const char *option, const char *what, const char *text, int least, int most, int shown,
                         int *out)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (end == text || *end || errno || n < least || n > most) {
        uat_say("%s %s: %smust be a number from %d to %d", option, text, what, least, shown);
        return false;
    }
    *out = (int)n;
    return true;
}

static bool parse_timeout(const char *text, double *out)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !isfinite(seconds) || seconds <= 0 || seconds > timeout_max) {
        uat_say("--timeout %s: must be a number of seconds above 0", text);
        return false;
    }
    *out = seconds;
    return true;
}

static bool take_bind(struct uat_arguments *out, const char *text)
{
    static char unbound[] = "UAT_BIND=none"; /* else the workers would bind themselves */
    out->bind = strcmp(text, "core") == 0 ? UAT_BIND_CORE : UAT_BIND_NONE;
    if (out->bind == UAT_BIND_CORE)
        return true;
    if (strcmp(text, "none") == 0)
        return uat_arguments_set(out->env, unbound);
    uat_say("--bind %s: must be core or none", text);
    return false;
}

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        uat_say("out of memory");
        exit(UAT_STATUS_FAILED);
    }
    return p;
}

/* The workers' environment: a copy of uatrun's environment, without the variables of another PMIx launcher or of an
 * outer uatrun. */
static char **copy_environment(int extra)
{
    static const char *const outer[] = {UAT_CONTROL_VARIABLE "=", UAT_MEETING_VARIABLE "=", UAT_MEETING_RANK "=",
                                        UAT_SURVIVAL_VARIABLE "="};
    int n = 0, kept = 0;
    while (environ[n])
        n++;
    char **env = allocate((size_t)(n + extra + 6), sizeof(*env));
    for (int i = 0; i < n; i++) {
        bool keep = strncmp(environ[i], "PMIX_", 5) != 0 || strncmp(environ[i], "PMIX_MCA_", 9) == 0;
        for (size_t k = 0; k < sizeof(outer) / sizeof(outer[0]); k++)
            keep &= strncmp(environ[i], outer[k], strlen(outer[k])) != 0;
        if (keep)
            env[kept++] = environ[i];
    }
    return env;
}

bool uat_arguments_set(char **env, char *assignment)
{
    size_t name = strcspn(assignment, "=");
    if (name == 0 || assignment[name] != '=') {
        uat_say("--env %s: must be NAME=VALUE", assignment);
        return false;
    }
    int i = 0;
    while (env[i] && strncmp(env[i], assignment, name + 1) != 0)
        i++;
    env[i] = assignment;
    return true;
}

void uat_arguments_pass_checkpoint(struct uat_arguments *arguments)
{
    static char variable[sizeof(CHECKPOINT_VARIABLE "=") + UAT_SETTING_TEXT_MAX];
    char text[UAT_SETTING_TEXT_MAX];
    snprintf(variable, sizeof(variable), CHECKPOINT_VARIABLE "=%s",
             uat_settings_text(uat_settings, CHECKPOINT_VARIABLE, text));
    uat_arguments_set(arguments->env, variable);
}

static bool is_executable_file(const char *path, int *error)
{
    struct stat st;
    if (stat(path, &st) < 0)
        *error = errno;
    else if (S_ISDIR(st.st_mode))
        *error = EISDIR;
    else if (access(path, X_OK) < 0)
        *error = errno;
    else
        return true;
    return false;
}

/* Find the program as a shell does, by PATH. Returns its path. On failure it reports the reason, sets *status and
 * returns NULL. */
static char *find_program(const char *name, int *status)
{
    const char *search = strchr(name, '/') ? "" : getenv("PATH");
    int reason = ENOENT;
    if (!search)
        search = "/usr/bin:/bin";
    for (;;) {
        size_t length = strcspn(search, ":");
        char *path = allocate(length + strlen(name) + 3, 1);
        int error = 0;
        if (strchr(name, '/'))
            strcpy(path, name);
        else
            sprintf(path, "%.*s/%s", length > 0 ? (int)length : 1, length > 0 ? search : ".", name);
        if (is_executable_file(path, &error))
            return path;
        free(path);
        if (error != ENOENT && error != ENOTDIR)
            reason = error;
        if (search[length] == '\0')
            break;
        search += length + 1;
    }
    *status = reason == ENOENT ? UAT_STATUS_NOT_FOUND : UAT_STATUS_CANNOT_RUN;
    if (reason == ENOENT)
        uat_say("%s: no such program%s", name, strchr(name, '/') ? "" : " in PATH");
    else
        uat_say("%s: cannot be executed: %s", name, strerror(reason));
    return NULL;
}

/* Check the number of workers. For simulated workers, the limit is different, and an environment variable passes their
 * number on. */
static bool check_workers(struct uat_arguments *out, bool simulated)
{
    static char variable[64];
    if (!simulated && out->workers > UAT_WORKERS_MAX) {
        uat_say("-n %d: the number of workers must be a number from 1 to %d; to %d with UAT_TRANSPORT=sim",
                out->workers, UAT_WORKERS_MAX, UAT_SIM_WORKERS_MAX);
        return false;
    }
    if (!simulated)
        return true;
    snprintf(variable, sizeof(variable), UAT_SIM_WORKERS_VARIABLE "=%d", out->workers);
    out->simulated = out->workers;
    out->workers = 1;
    return uat_arguments_set(out->env, variable);
}

/* The process number in a text, or 0 if it is none. */
static long pid_of(const char *text)
{
    char *end = NULL;
    errno = 0;
    long pid = text ? strtol(text, &end, 10) : 0;
    return pid > 0 && pid <= INT_MAX && !*end && !errno ? pid : 0;
}

/* Check the arguments of --resize M PID, of --ctl PID status and of --ctl PID resize M. */
static bool check_wish(struct uat_arguments *out, char **rest, int *status)
{
    struct uat_wish *wish = &out->wish;
    bool restart = wish->kind == UAT_WISH_RESTART;
    const char *verb = rest[0] && rest[1] && !restart ? rest[1] : "";
    *status = UAT_STATUS_USAGE;
    wish->pid = pid_of(rest[0]);
    if (restart && wish->pid && !rest[1])
        return true;
    if (strcmp(verb, "resize") == 0 && rest[2] && !rest[3] && wish->pid) {
        wish->kind = UAT_WISH_LIMIT;
        return parse_number("--ctl resize", "the number of workers ", rest[2], 1, UAT_WORKERS_MAX, UAT_WORKERS_MAX,
                            &wish->workers);
    }
    if (strcmp(verb, "status") == 0 && !rest[2] && wish->pid)
        return true;
    if (restart)
        uat_say("--resize %d %s: needs the process number of the uatrun whose job shall change (usage: uatrun --resize "
                "M PID)",
                wish->workers, rest[0] ? rest[0] : "");
    else
        uat_say("--ctl %s: needs the process number of a uatrun, and a request (usage: uatrun --ctl PID status, or "
                "uatrun --ctl PID resize M)",
                rest[0] ? rest[0] : "");
    return false;
}

/* --profile sets a part of UAT_TRACE, after the parts that the user has set. */
static bool set_profile(struct uat_arguments *out, const char *program)
{
    static const char name[] = "UAT_TRACE=";
    const char *own = "", *last = strrchr(program, '/'), *file = out->profile;
    for (char **e = out->env; *e; e++)
        if (strncmp(*e, name, sizeof(name) - 1) == 0)
            own = *e + sizeof(name) - 1;
    last = last ? last + 1 : program;
    size_t size = sizeof(name) + strlen(own) + strlen(last) + strlen(file) + 32;
    static char *text; /* the environment keeps it */
    free(text);
    text = allocate(size, 1);
    snprintf(text, size, "%s%s%sprofile=%s%s", name, own, own[0] ? "," : "", file[0] ? file : last,
             file[0] ? "" : ".profile.json");
    return uat_arguments_set(out->env, text);
}

/* Check the program and the settings, after all options are known. */
static bool check_job(struct uat_arguments *out, char **rest, int *status)
{
    char error[512];
    *status = UAT_STATUS_USAGE;
    if (!rest[0]) {
        uat_say("which program? (usage: uatrun [-n N] [options] program [arguments])");
        return false;
    }
    if (out->profile && !set_profile(out, rest[0]))
        return false;
    if (uat_settings_read(uat_settings, out->env, error, sizeof(error)) < 0) {
        uat_say("%s", error);
        return false;
    }
    if (!check_workers(out, uat_job_settings.transport == UAT_TRANSPORT_SIM))
        return false;
    if (out->resizable && out->simulated > 0) {
        uat_say("--resizable: a simulation cannot change its size while it runs");
        return false;
    }
    if (out->again > 0 && !uat_checkpoint_settings.folder[0]) {
        uat_say("--again %d: there are no checkpoints to go on from; set UAT_CHECKPOINT=FOLDER,every=TIME", out->again);
        return false;
    }
    out->stall_timeout = uat_job_settings.stall_timeout;
    out->stall_limit = uat_job_settings.stall_limit;
    out->left = out->timeout;
    out->argv = rest;
    out->program = find_program(rest[0], status);
    return out->program != NULL;
}

/* Handle one option. Returns true to continue, or false to end with *status. */
static bool take_option(struct uat_arguments *out, int option, char **argv, int *status)
{
    static const char workers[] = "the number of workers ";
    *status = UAT_STATUS_USAGE;
    switch (option) {
    case 'n':
        return parse_number("-n", workers, optarg, 1, UAT_SIM_WORKERS_MAX, UAT_WORKERS_MAX, &out->workers);
    case OPTION_TIMEOUT:
        return parse_timeout(optarg, &out->timeout);
    case OPTION_AGAIN:
        return parse_number("--again", "", optarg, 0, AGAIN_MAX, AGAIN_MAX, &out->again);
    case OPTION_RESIZABLE:
        out->resizable = true;
        return true;
    case OPTION_RESIZE:
        out->wish.kind = UAT_WISH_RESTART;
        return parse_number("--resize", workers, optarg, 1, UAT_WORKERS_MAX, UAT_WORKERS_MAX, &out->wish.workers);
    case OPTION_CTL:
        out->wish.kind = UAT_WISH_STATUS;
        return true;
    case OPTION_BIND:
        return take_bind(out, optarg);
    case OPTION_ENV:
        return uat_arguments_set(out->env, optarg);
    case OPTION_PROFILE:
        out->profile = optarg ? optarg : "";
        return true;
    case OPTION_LABEL:
        out->label = true;
        return true;
    case OPTION_DOCTOR:
        out->doctor = true;
        return uat_arguments_set(out->env, doctor_variable);
    case 'h':
        *status = uat_help_print(optarg, UAT_WORKERS_MAX, UAT_STATUS_TIMEOUT) ? 0 : UAT_STATUS_USAGE;
        return false;
    case OPTION_VERSION:
        puts("uatrun " UAT_VERSION);
        *status = 0;
        return false;
    case ':':
        uat_say("option %s needs a value; uatrun --help says which", argv[optind - 1]);
        return false;
    default:
        if (optopt > 0 && optopt < OPTION_TIMEOUT && argv[optind - 1][1] != '-')
            uat_say("unknown option -%c; uatrun --help lists all", optopt);
        else
            uat_say("unknown option %s; uatrun --help lists all", argv[optind - 1]);
        return false;
    }
}

bool uat_arguments_parse(struct uat_arguments *out, int argc, char **argv, int *status)
{
    int option;
    *out = (struct uat_arguments){.bind = UAT_BIND_AUTO, .env = copy_environment(argc)};
    opterr = 0; /* uatrun itself formats these messages */
    while ((option = getopt_long(argc, argv, "+:n:h", long_options, NULL)) != -1) {
        if (option == 'n')
            optarg = value_of_np(argc, argv);
        if (!take_option(out, option, argv, status))
            return false;
    }
    if (out->workers == 0 && out->doctor)
        out->workers = 2;
    if (out->workers == 0)
        out->workers = uat_cpus_allowed() < UAT_WORKERS_MAX ? uat_cpus_allowed() : UAT_WORKERS_MAX;
    return out->wish.kind ? check_wish(out, argv + optind, status) : check_job(out, argv + optind, status);
}
