/* SPDX-License-Identifier: MIT */
/*
 * The events travel through the uni-address region, which is registered and unused outside of a run. In each step,
 * every worker puts a chunk into its region. Rank 0 READs all chunks and writes them to the file. All workers agree on
 * the number of chunks. The others continue even if rank 0 cannot write its file.
 */
#include "include/uat.h"
#include "runtime/trace/event.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/output.h"
#include "runtime/job/collective.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"

enum { CHUNK_MAX = 1 << 20 /* bytes of a chunk: the deeper part of the region stays untouched */, HOST_MAX = 64 };

/* What a worker puts at the start of its region. */
struct chunk {
    uint64_t count, dropped;
    char host[HOST_MAX];
    struct uat_trace_event event[];
};

/* The file that is being written. */
struct sink {
    struct uat_output to;
    FILE *out; /* the open file; NULL after an error */
    double cycles_per_us;
    uint64_t dropped;
};

static const char *const names[UAT_TRACE_KINDS] = {
    [UAT_PHASE_PEEK] = "peek",
    [UAT_PHASE_LOCK] = "lock",
    [UAT_PHASE_CLAIM] = "claim",
    [UAT_PHASE_LOOK] = "second look",
    [UAT_PHASE_STACK] = "stack",
    [UAT_PHASE_ACKNOWLEDGE] = "acknowledge",
    [UAT_PHASE_ASK] = "ask",
    [UAT_PHASE_ANSWER] = "await answer",
    [UAT_PHASE_WITHDRAW] = "withdraw",
    [UAT_PHASE_GIVE] = "give",
    [UAT_PHASE_AWAIT] = "await thief",
    [UAT_TRACE_RUN] = "run",
    [UAT_TRACE_STEAL] = "steal",
    [UAT_TRACE_IDLE] = "idle",
    [UAT_TRACE_END] = "end",
    [UAT_TRACE_JOIN] = "join",
    [UAT_TRACE_WAIT] = "join wait",
    [UAT_TRACE_EVACUATE] = "evacuate",
    [UAT_TRACE_RESUME] = "resume",
    [UAT_TRACE_MISS] = "fetch",
    [UAT_TRACE_RELEASE] = "release",
    [UAT_TRACE_FLOW_SPAWN] = "flow spawn",
    [UAT_TRACE_FLOW_ROOM] = "flow room",
    [UAT_TRACE_FLOW_READY] = "flow ready",
    [UAT_TRACE_FLOW_BEGIN] = "flow begin",
    [UAT_TRACE_FLOW_END] = "flow end",
};
static const char *const details[UAT_TRACE_KINDS] = {
    [UAT_TRACE_STEAL] = "bytes",      [UAT_TRACE_IDLE] = "failed",      [UAT_TRACE_EVACUATE] = "bytes",
    [UAT_TRACE_RESUME] = "bytes",     [UAT_TRACE_MISS] = "bytes",       [UAT_TRACE_FLOW_SPAWN] = "entry",
    [UAT_TRACE_FLOW_READY] = "entry", [UAT_TRACE_FLOW_BEGIN] = "entry", [UAT_TRACE_FLOW_END] = "entry"};

static struct chunk *staged(void)
{
    return (struct chunk *)uat_segment.low;
}

static uint64_t events_per_chunk(void)
{
    size_t room = uat_segment_region_size();
    room = room < CHUNK_MAX ? room : CHUNK_MAX;
    return (room - sizeof(struct chunk)) / sizeof(struct uat_trace_event);
}

static int complain(const struct uat_trace_file *file, int error)
{
    uat_error("the timeline cannot be written to %s: %s; set UAT_TRACE to another file", file->name,
              uat_output_error(error));
    return error;
}

static int sink_open(struct sink *sink, const struct uat_trace_file *file)
{
    int rc = uat_output_open(&sink->to, file->name);
    if (rc)
        return complain(file, rc);
    sink->out = sink->to.file;
    sink->cycles_per_us = file->cycles_per_us;
    fprintf(sink->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                       "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"uat\"}}");
    return 0;
}

/* Drop the sink after an error. */
static void sink_abandon(struct sink *sink)
{
    uat_output_discard(&sink->to);
    sink->out = NULL;
}

static int sink_close(struct sink *sink, const struct uat_trace_file *file)
{
    fprintf(sink->out, "\n],\"otherData\":{\"workers\":%d,\"dropped\":%" PRIu64 ",\"version\":\"%s\"}}\n",
            uat_self.size, sink->dropped, UAT_VERSION);
    int rc = uat_output_close(&sink->to);
    sink->out = NULL;
    return rc ? complain(file, rc) : 0;
}

static void write_worker(struct sink *sink, int rank, const struct chunk *chunk)
{
    char host[HOST_MAX];
    memcpy(host, chunk->host, sizeof(host));
    host[sizeof(host) - 1] = '\0';
    for (char *p = host; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr(".-_", *p))
            *p = '?';
    fprintf(sink->out,
            ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":%d,\"args\":{\"name\":\"worker %d on %s", rank,
            rank, host);
    if (chunk->dropped > 0)
        fprintf(sink->out, " (%" PRIu64 " older events were dropped)", chunk->dropped);
    fprintf(sink->out,
            "\"}},\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":0,\"tid\":%d,\"args\":{\"sort_index\":%d}}",
            rank, rank);
    sink->dropped += chunk->dropped;
}

/* Nanoseconds. Start and end are rounded in the same way, so that nested spans stay nested. */
static int64_t nanoseconds(const struct sink *sink, uint64_t cycles)
{
    return (int64_t)((double)(int64_t)cycles / sink->cycles_per_us * 1000);
}

/* Write nanoseconds as microseconds with three digits. A conversion of a double would write the decimal comma of the
 * program's locale, which is no JSON. */
static void write_us(struct sink *sink, const char *name, int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    fprintf(sink->out, ",\"%s\":%s%" PRIu64 ".%03" PRIu64, name, ns < 0 ? "-" : "", size / 1000, size % 1000);
}

static void write_event(struct sink *sink, int rank, const struct uat_trace_event *e)
{
    if (e->kind >= UAT_TRACE_KINDS)
        return; /* a damaged chunk: leave the event out, so that the JSON stays valid */
    int64_t begin = nanoseconds(sink, e->begin), duration = nanoseconds(sink, e->end) - begin;
    fprintf(sink->out, ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":0,\"tid\":%d", names[e->kind],
            e->kind < UAT_PHASES ? "phase" : "worker", rank);
    write_us(sink, "ts", begin);
    write_us(sink, "dur", duration);
    if (details[e->kind])
        fprintf(sink->out, ",\"args\":{\"%s\":%" PRIu64, details[e->kind], e->detail);
    if (details[e->kind] && e->peer >= 0)
        fprintf(sink->out, ",\"from\":%d", e->peer);
    fputs(details[e->kind] ? "}}" : "}", sink->out);
}

static void write_chunk(struct sink *sink, int rank, const struct chunk *chunk, bool first)
{
    uint64_t count = chunk->count < events_per_chunk() ? chunk->count : events_per_chunk();
    if (first)
        write_worker(sink, rank, chunk);
    for (uint64_t i = 0; i < count; i++)
        write_event(sink, rank, &chunk->event[i]);
}

/* Rank 0: write its own chunk to the file, then READ each other worker's chunk over it and write that chunk. sink->out
 * is NULL after an error. */
static int collect(struct sink *sink, const struct uat_trace_file *file, bool first, int *failed)
{
    for (int rank = 0; rank < uat_self.size; rank++) {
        struct uat_op op = uat_op_read(staged(), staged(), sizeof(struct chunk));
        int rc = rank ? uat_transport_do(uat_self.transport, rank, &op, 1) : 0;
        uint64_t count = staged()->count < events_per_chunk() ? staged()->count : events_per_chunk();
        if (!rc && rank && count > 0) {
            op = uat_op_read(staged()->event, staged()->event, count * sizeof(struct uat_trace_event));
            rc = uat_transport_do(uat_self.transport, rank, &op, 1);
        }
        if (rc)
            return rc;
        if (!sink->out)
            continue;
        write_chunk(sink, rank, staged(), first);
        if (ferror(sink->out)) {
            *failed = complain(file, -errno);
            sink_abandon(sink);
        }
    }
    return 0;
}

static void stage(const struct uat_trace_file *file, const struct uat_trace_event *events, uint64_t count,
                  uint64_t dropped)
{
    struct chunk *chunk = staged();
    chunk->count = count;
    chunk->dropped = dropped;
    snprintf(chunk->host, sizeof(chunk->host), "%s", file->host);
    if (count > 0)
        memcpy(chunk->event, events, count * sizeof(*events));
}

int uat_trace_file_write(const struct uat_trace_file *file, const struct uat_trace_event *events, uint64_t count,
                         uint64_t dropped)
{
    struct sink sink = {0};
    int failed = uat_self.rank == 0 ? sink_open(&sink, file) : 0, rc = 0;
    for (uint64_t done = 0; done < file->room && !rc; done += events_per_chunk()) {
        uint64_t left = done < count ? count - done : 0, n = left < events_per_chunk() ? left : events_per_chunk();
        stage(file, n ? events + done : NULL, n, dropped);
        rc = uat_collective_barrier(); /* all chunks are there */
        if (!rc && uat_self.rank == 0)
            rc = collect(&sink, file, done == 0, &failed);
        if (!rc)
            rc = uat_collective_barrier(); /* rank 0 has them all */
    }
    if (sink.out && !rc)
        failed = sink_close(&sink, file);
    else if (sink.out)
        sink_abandon(&sink);
    return rc ? rc : failed;
}
