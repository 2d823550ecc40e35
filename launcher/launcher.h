/* SPDX-License-Identifier: MIT */
/* What the sources of uatrun offer each other, apart from those with a header of their own. */
#ifndef UAT_LAUNCHER_H
#define UAT_LAUNCHER_H

#include <stdbool.h>
#include <sys/types.h>

struct uat_arguments;
struct bitmask;

/*
 * uatrun is two processes, the guard and its child. The user sees and signals the guard. The child runs the job. If one
 * of the two is killed, the other one ends all processes of the workers.
 */

/* Run the job in its own process, and pass signals on to it. Start it again after a loss (--again), or with another
 * number of workers (--resize). Returns its exit status. */
int uat_guard_run(struct uat_arguments *arguments);

/* The job: all workers from their start to the end of the last one. */

/*
 * Run the job and return uatrun's exit status. When this function returns, it has reported the first worker that
 * failed, and no process is left. A process holds the other end of the pipe `life`. When that process ends, the job
 * ends at once. *verdict is set as soon as it is known, before the workers are ended.
 */
struct uat_verdict {
    volatile int status; /* uatrun's exit status */
    volatile int lost;   /* number of lost workers: see uat_blame_lost() */
    volatile int left;   /* number of workers that have left after a SIGTERM, if the job ended with a checkpoint */
};
int uat_job_run(const struct uat_arguments *arguments, int life, struct uat_verdict *verdict);

/* All descendants of this process: the workers and all processes that they started, in any process group. */

/* Become the subreaper. Then orphaned descendants become children of this process, so no descendant can escape. */
void uat_descendants_adopt(void);

/* Send a signal to all descendants. */
void uat_descendants_kill(int signal);

/*
 * End all descendants and wait for them. Send SIGTERM, and half a second later SIGKILL. A process is starved if it is
 * runnable but has run for less than 50 ms since its SIGTERM. A starved process gets 10 seconds before SIGKILL. The
 * function gives up 4 seconds after the SIGTERM, or 4 seconds after it last spared a starved process.
 */
void uat_descendants_end(void);

/* The cores that this process may use, and binding to one of them. */

/* The number of cores that this process may use; at least 1. A quota of processor time counts as its whole cores. */
int uat_cpus_allowed(void);

/*
 * Choose a core for each of n workers: cores[rank]. If there are fewer cores than workers, the cores are assigned
 * round-robin. The second and further hardware threads of a core are assigned last. Unless `always`, workers that do
 * not fill the cores get -1: other jobs on this machine would choose the same cores, while others stay unused. Workers
 * that exceed a quota of processor time get -1, too. Returns 0 or a negative errno after reporting the error.
 */
int uat_cpus_assign(int *cores, int n, bool always);

/* Bind the calling process to a core. mask: from numa_allocate_cpumask(). Safe between fork and exec. Returns 0 or a
 * negative errno. */
int uat_cpus_bind(struct bitmask *mask, int core);

/* uatrun --label: passes on the workers' output, with the worker's rank in front of each line. */

enum { UAT_LABEL_FILES = 2 /* descriptors per worker */ };

/* Prepare for n workers. Call this before the first worker starts. Returns 0 or a negative errno after reporting the
 * error. */
int uat_label_open(int n);

/* Make the pipes of a worker. The worker writes to *out and *err. The caller must close them. Returns 0 or a negative
 * errno after reporting the error. */
int uat_label_add(int rank, int *out, int *err);

/* A descriptor that is readable whenever uat_label_pass() has something to do; -1 without --label. */
int uat_label_fd(void);

/* Pass on the whole lines that have arrived. Does not wait for more. */
void uat_label_pass(void);

/* Pass on the rest of the output, and add a missing newline. Call this after the last worker has ended. */
void uat_label_close(void);

/* A folder in memory for the checkpoints of one job (uatrun --resizable). It exists as long as the job. */

/* Make the folder, in /dev/shm, for this user alone. Returns its path, or NULL after reporting the error. */
const char *uat_scratch_make(void);

/* Remove the folder with all that is in it. No worker may run any more. Returns false if there is none. */
bool uat_scratch_remove(void);

/* Print the help, which names the largest number of workers and the status after --timeout. If `form` is not NULL,
 * print the settings as a document of that form instead: "md" or "man". Returns false after reporting another form. */
bool uat_help_print(const char *form, int workers_max, int status_timeout);

/* Messages of the launcher: lines "uatrun: ..." on stderr, each written by one call. */
void uat_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
