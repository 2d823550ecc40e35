# SPDX-License-Identifier: MIT
"""The cases of test-misuse: calls that do not match, calls out of turn, ranks that are late."""
from cases import Case


def differ(fault, number, first, second, workers=2, ranks=(0, 1)):
    """A case whose line names the number of the call, both calls and their ranks."""
    return Case(f"mismatch: {fault}", rf"call {number} of the program is uat_{first}\(\) on rank {ranks[0]}, "
                rf"but uat_{second}\(\) on rank {ranks[1]};", fault=fault, workers=workers)


def late(fault, call, rank, workers=4):
    """A case where a rank arrives far later than UAT_STALL_LIMIT. One rank prints one line. After that the job
    continues, and its answer is right."""
    return Case(f"late: {fault}", rf"waited \d+ s for rank {rank} to enter uat_{call}\(\)", fault=fault,
                settings={"UAT_STALL_TIMEOUT": "1", "UAT_STALL_LIMIT": "2"}, workers=workers, sound=True)


STEAL = {"UAT_TORTURE": "steal"}
MISUSE = [
    differ("skip-run", 1, "finalize", "run"),
    differ("skip-run", 1, "finalize", "run", workers=4, ranks=(0, "[1-3]")),
    differ("run-and-barrier", 1, "run", "barrier"),
    differ("run-and-barrier", 1, "run", "barrier", workers=4, ranks=(2, 3)),
    differ("barrier-and-run", 1, "barrier", "run"),
    differ("replicate-and-barrier", 1, "barrier", "replicate"),
    differ("total-and-run", 1, r"stats_total\(\) or uat_stats_detail_total", "run"),
    differ("finalize-and-run", 1, "run", "finalize"),
    differ("one-barrier-more", 2, "finalize", "barrier"),
    differ("one-run-more", 2, "finalize", "run"),
    Case("one rank fails: null-root", "uat_run.*no root on rank 0.*NULL", fault="null-root", sound=True),
    Case("one rank fails: null-argument", "uat_run.*no argument on rank 0.*NULL", fault="null-argument", sound=True),
    Case("one rank fails: little-room", "room for a result of 4 bytes.*rank 0 asked for 8", fault="little-room", sound=True,
         workers=3),
    Case("one rank fails: no-room-on-one", "uat_run.*no room for the result.*NULL", fault="no-room-on-one", sound=True,
         workers=3),
    Case("one rank fails: null-total", r"uat_stats_total\(\) was given NULL", fault="null-total", sound=True, workers=3),
    Case("one rank fails: null-replica", r"uat_replicate\(\) was given NULL for 4 bytes", fault="null-replica", sound=True),
    Case("one rank fails: replica-without-room", r"uat_replicate\(\).*taken", fault="replica-without-room", sound=True,
         workers=4),
    Case("one rank fails: replica-not-kept-first", r"rank 0 .*uat_replicate\(\) fails on all", fault="replica-not-kept-first", sound=True),
    Case("one rank fails: replica-not-kept-last", r"rank 2 .*uat_replicate\(\) fails on all", fault="replica-not-kept-last", sound=True,
         workers=3),
    late("late-root", "run", 0),
    late("late-worker", "run", 2),
    late("late-to-barrier", "barrier", 1),
    late("late-to-replicate", "replicate", 0),
    late("late-to-finalize", "finalize", 1),
    late("late-again", "barrier", 0),
    Case("stuck at the end of a run", r"waited \d+ s for rank 1, which has entered uat_run\(\) and does not come to its end; "
         "UAT_STALL_LIMIT=2 is reached", {"UAT_STALL_TIMEOUT": "0", "UAT_STALL_LIMIT": "2"}, fault="stuck", status=1),
    Case("uat_init() twice", r"uat_init\(\) was called a second time", fault="second-init", status=1),
    Case("uat_run() in a task", r"uat_run\(\) was called inside a task", fault="run-in-task", status=1),
    Case("uat_barrier() in a task", r"uat_barrier\(\) was called inside a task", fault="barrier-in-task", status=1),
    Case("uat_spawn() in a thread", r"uat_spawn\(\).*another thread", fault="spawn-from-thread", status=1),
    Case("uat_spawn() in a thread, steal", r"uat_spawn\(\).*another thread", STEAL, fault="spawn-from-thread", status=1),
    Case("join of another task's child", r"uat_join\(\) was given a handle.*only the task that spawned", STEAL,
         fault="join-of-another", status=1, workers=4),
    Case("second join of a child", r"uat_join\(\).*has joined already", STEAL, fault="join-twice", status=1),
    Case("handle that is static", r"uat_spawn\(\) was given a handle.*own frames", fault="foreign-handle", status=1),
    Case("copy of a group", r"the group at \S+ was never begun, or is a copy; call uat_group_begin\(\)", STEAL, fault="copied-group",
         status=1),
    Case("group without a wait", r"1 children that it never joined; .*every group its uat_group_wait\(\)", STEAL,
         fault="group-without-wait", status=1),
    Case("group that is static", r"uat_spawn\(\) was given a handle.*own frames", fault="static-group", status=1),
    *[Case(f"an exception leaves a child of a group, {workers} workers", r"an exception has left a child of a group \(std::exception: of a child\)",
           settings, fault="group-fails", status=1, workers=workers) for workers, settings in ((1, {}), (2, STEAL))],
    Case("wait for another task's group", r"uat_group_wait\(\) was given a group.*only the task that began", STEAL,
         fault="group-of-another", status=1, workers=4),
    Case("a reduction whose identity is not neutral", r"from_ten: combine\(identity, identity\) is not", fault="identity-of-reduction",
         status=1),
    Case("a reducer whose identity is not neutral", r"twos: combine\(identity, identity\) is not", fault="identity-of-reducer",
         status=1),
    Case("uat_run() before uat_init()", r"uat_run\(\) was called before uat_init\(\)", fault="run-before-init", status=1),
    Case("uat_run() before uat_init(), alone", r"uat_run\(\) was called before uat_init\(\)", fault="run-before-init",
         status=1, workers=0),
    Case("uat_barrier() before uat_init()", r"uat_barrier\(\) was called before", fault="barrier-before-init", status=1),
    Case("uat_finalize() before uat_init()", r"uat_finalize\(\) was called before", fault="finalize-before-init", status=1),
    Case("uat_spawn() before uat_init()", r"uat_spawn\(\).*outside of a task", fault="spawn-before-init", status=1),
    Case("uat_spawn() of 4 KiB before uat_init()", r"uat_spawn\(\).*outside of a task", fault="large-spawn-before-init",
         status=1),
    Case("uat_run() after uat_finalize()", r"uat_run\(\) was called after uat_finalize\(\)", fault="run-after-finalize",
         status=1),
    Case("uat_barrier() after uat_finalize()", r"uat_barrier\(\) was called after", fault="barrier-after-finalize",
         status=1),
    Case("uat_spawn() after uat_finalize()", r"uat_spawn\(\).*outside of a task", fault="spawn-after-finalize", status=1),
    Case("uat_init() after uat_finalize()", r"uat_init\(\) was called after uat_finalize\(\)", fault="init-after-finalize",
         status=1),
]

# The cases of test-misuse-cpp.
CPP = [
    Case("spawn in a catch block", r"uat_spawn\(\) was called in a catch block", STEAL, fault="spawn-in-catch", status=1),
    Case("join in a catch block", r"uat_join\(\) was called in a catch block", STEAL, fault="join-in-catch", status=1),
    Case("spawn while unwinding", r"uat_spawn\(\).*unwinds", STEAL, fault="spawn-in-unwinding", status=1),
    Case("join while unwinding", r"uat_join\(\).*unwinds", STEAL, fault="join-in-unwinding", status=1),
    Case("a once_flag that was moved from", r"uat::call_once\(\): the handle names no object", fault="call-once-of-moved", status=1),
    Case("an exception without a join record", r"no join record is free for a task that an exception has left "
         r"\(std::runtime_error: third\); set UAT_RECORDS to more than 2", {"UAT_RECORDS": "2"}, fault="fail-without-records", workers=1,
         status=1),
    Case("a view outside of a task", r"uat_reducer_view\(\) was called outside of a task", fault="view-outside", status=1),
    Case("a reducer's value outside of a task", r"uat_reducer_take\(\) was called outside of a task", fault="take-outside", status=1),
    Case("a view too large for the heap", r"UAT_HEAP_SIZE=128k leaves no room for a reducer's view of 262144 bytes; set it to 512k or more",
         {"UAT_HEAP_SIZE": "128k"}, fault="wait-with-large-view", status=1),
    Case("a view too large for the stacks", r"views of \d+ bytes do not fit on the task stacks, UAT_STACK_SIZE=\d+; set it to \d+ or more",
         {"UAT_STACK_SIZE": "256k"}, fault="wait-with-large-view", status=1),
    Case("two reducers with one key", r"two reducers have the key 0x[0-9a-f]+; take the value", fault="two-with-one-key",
         status=1),
    Case("exceptions between spawns and joins", None, STEAL, fault="in-order", workers=3, sound=True),
    Case("uat_run() in a catch block", None, STEAL, fault="run-in-catch", workers=3, sound=True),
]
