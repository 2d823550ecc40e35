/* SPDX-License-Identifier: MIT */
/*
 * The keeper reads the world without the token. Its loads may see values of different times; this only affects the
 * line. Every access here is relaxed and orders nothing. The process that has the token writes clocks and tasks by
 * plain stores of aligned words; the keeper needs no order among them.
 */
#include "transport_sim/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "transport_sim/world.h"

#define LOAD(word)         __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define STORE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)

static struct {
    bool on;
    uint64_t begun, last; /* ns of the host's clock: the start, and the line before */
    uint64_t simulated;   /* virtual ns in the line before */
} progress;

static const uint64_t second = 1000000000;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * second + (uint64_t)t.tv_nsec;
}

void uat_sim_progress_begin(void)
{
    progress.on = isatty(STDERR_FILENO);
    progress.begun = progress.last = now();
}

const struct timespec *uat_sim_progress_pause(void)
{
    static const struct timespec pause = {.tv_sec = 1};
    return progress.on ? &pause : NULL;
}

static void put(const char *text, int length)
{
    ssize_t ignored = write(STDERR_FILENO, text, (size_t)length);
    (void)ignored;
}

/* Write the line by one write(2), and return the cursor to its start: what the program writes replaces the line. */
static void draw(struct sim_world *w, char *text)
{
    char line[200];
    struct winsize size = {0};
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col - 1 : 79;
    STORE(w->drawn, true);
    put(line, snprintf(line, sizeof(line), "\r\033[K%.*s\r", width < 160 ? width : 160, text));
}

void uat_sim_progress_erase(struct sim_world *w)
{
    if (LOAD(w->drawn))
        put("\r\033[K", 4);
    STORE(w->drawn, false);
}

void uat_sim_progress_look(struct sim_world *w)
{
    char text[160];
    uint64_t time = now(), simulated = 0, passed = time - progress.last;
    if (!progress.on || passed < second)
        return;
    int size = w->settings.size;
    uint32_t started = LOAD(w->arrived), runs = LOAD(w->runs);
    unsigned seconds = (unsigned)((time - progress.begun) / second);
    for (int i = 0; i < size; i++) {
        uint64_t clock = LOAD(w->worker[i].clock);
        simulated = clock > simulated ? clock : simulated;
    }
    snprintf(text, sizeof(text), "uat: simulated %.3f ms in %u s, now %.3f ms per s; %" PRIu64 " tasks",
             (double)simulated * 1e-6, seconds, (double)(simulated - progress.simulated) * 1e3 / (double)passed,
             LOAD(w->tasks));
    if (started < (uint32_t)size)
        snprintf(text, sizeof(text), "uat: %u of %d simulated workers have started in %u s", started, size, seconds);
    progress.last = time;
    progress.simulated = simulated;
    if (started < (uint32_t)size || runs == (uint32_t)size)
        draw(w, text);
    else
        uat_sim_progress_erase(w);
}

void uat_sim_progress_run(bool begins)
{
    struct sim_world *w = uat_sim.world;
    if (!uat_sim.inside)
        return;
    STORE(w->runs, begins ? w->runs + 1 : w->runs - 1); /* this worker has the token */
    if (!begins) /* the keeper erases a line that it is writing at this moment a second later */
        uat_sim_progress_erase(w);
}
