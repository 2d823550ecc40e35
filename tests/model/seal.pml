/* SPDX-License-Identifier: MIT */
/*
 * K7 of a checkpoint (runtime/checkpoint/checkpoint.c, folder.c): two workers write CHECKPOINTS checkpoints, one after
 * the other, and keep one. Any write may fail. The power may be lost at any moment. Whenever it is lost, `latest` on
 * the disk must name a checkpoint whose files are all on the disk. This checkpoint must not be older than the last one
 * that was reported as complete.
 *
 * The disk is the worst possible one. What was not synced is lost when the power is lost, but a rename or a removal may
 * reach the disk at once.
 *
 * With -DRESTORE (runtime/checkpoint/arrays.c): a new job of two workers restores memory. Each worker clears its own
 * memory, and puts back pieces that may belong to the other worker's memory. No task may continue before all memory of
 * both workers is restored.
 */
#ifndef CHECKPOINTS
#define CHECKPOINTS 3
#endif
#define WORKERS 2

byte entered; /* number of entries into barriers so far, by all workers */
bool failed[WORKERS];

/* uat_collective_agree(): `all` becomes true if some worker has failed. The statuses are valid until the next
 * barrier. */
inline agree(status)
{
    atomic { failed[me] = status; entered++; barriers++ };
    atomic { entered >= WORKERS * barriers -> all = failed[0] || failed[1] };
    atomic { entered++; barriers++ };
    atomic { entered >= WORKERS * barriers -> skip }
}

#ifndef RESTORE
#define JOB  WORKERS       /* bit of the files `job` and `manifest` */
#define NAME (WORKERS + 1) /* bit of the names in the checkpoint's folder */
#define WHOLE ((1 << (WORKERS + 2)) - 1)

byte disk[CHECKPOINTS + 1]; /* bits of what is on the disk */
bool listed[CHECKPOINTS + 1]; /* whether the entry of the checkpoint's folder is on the disk */
byte latest, on_disk; /* `latest`, and its content on the disk; 0: none */
bool renamed;         /* the rename has not reached the disk */
byte complete;        /* the last checkpoint that was reported as complete */

/* Write and sync one file. */
inline write(file, rc)
{
    if
#ifndef M_FILE_NOT_SYNCED
    :: atomic { disk[number] = disk[number] | 1 << (file) }
#else
    :: file == JOB -> disk[number] = disk[number] | 1 << (file)
    :: file != JOB
#endif
    :: rc = true /* no space is left */
    fi
}

/* uat_folder_complete() and uat_folder_clean(). */
inline complete_it()
{
#ifndef M_NAMES_NOT_SYNCED
    disk[number] = disk[number] | 1 << NAME;
#endif
#ifndef M_FOLDER_NOT_SYNCED
    listed[number] = true;
#endif
    atomic { latest = number; renamed = true };
#ifdef M_OLDER_REMOVED_FIRST
    disk[older] = 0;
#endif
#ifndef M_RENAME_NOT_SYNCED
    atomic { on_disk = latest; renamed = false };
#endif
    complete = number;
    disk[older] = 0;
    older = number
}

proctype Worker(byte me)
{
    byte number = 1, barriers, older;
    bool mine, all, job;
    do
    :: number <= CHECKPOINTS ->
        mine = false;
        write(me, mine);
#ifndef M_NO_BARRIER
        agree(mine);
#endif
#ifdef M_OWN_STATUS_ONLY
        all = mine;
#endif
        job = all;
        if
        :: me == 0 && !job ->
            write(JOB, job);
            if
            :: !job -> complete_it()
            :: else
            fi
        :: else
        fi;
        if
        :: me == 0 && job -> disk[number] = 0 /* dropped: uat_folder_remove() */
        :: else
        fi;
        agree(me == 0 && job);
        number++
    :: else -> break
    od
}

/* The rename reaches the disk by itself. */
active proctype Disk()
{
end:
    do
    :: atomic { renamed -> on_disk = latest; renamed = false }
    od
}

/* The power is lost. */
active proctype Power()
{
    atomic { assert(on_disk == 0 || (disk[on_disk] == WHOLE && listed[on_disk])); assert(on_disk >= complete) }
}
#else
byte memory[WORKERS]; /* 1: restored from the checkpoint; 0: not yet */

proctype Worker(byte me)
{
    byte barriers;
    bool mine, all;
    if
    :: mine = true /* the worker's own file is damaged */
    :: skip
    fi;
    memory[me] = 0; /* uat_content_clear() */
#ifndef M_PUT_BEFORE_CLEARED
    agree(mine);
#endif
    if
    :: !all ->
        if
        :: memory[1 - me] = 1 /* a piece of the other worker's memory */
        :: mine = true        /* the piece is damaged */
        fi
    :: else -> mine = true
    fi;
#ifndef M_RESUME_BEFORE_BARRIER
    agree(mine);
#endif
#ifdef M_OWN_STATUS_ONLY
    all = mine;
#endif
    if
    :: !all && !mine -> assert(memory[0] == 1 && memory[1] == 1) /* a task continues, and reads any memory */
    :: else
    fi
}
#endif

init { atomic { run Worker(0); run Worker(1) } }
