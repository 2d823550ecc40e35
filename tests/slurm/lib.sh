# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# What this folder's tests share. A test first calls `on_cluster [OPTION]...`. After this call the test continues inside
# a Slurm cluster.
# usage of a test: test_NAME BUILD-FOLDER
set -u
slurm=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "$1")
faulty=$build/tests/programs/test-faulty
failures=0
unset "${!UAT_@}"

# Starts the test again, inside a cluster. There the test writes only to a file system that vanishes with the cluster.
on_cluster()
{
    if [ -z "${SLURM_TEST_INSIDE:-}" ]; then
        SLURM_TEST_INSIDE=1 exec "$slurm/cluster" "$@" "$0" "$build"
    fi
    scratch=/run/slurm-test
    mkdir $scratch
}

# run COMMAND...: sets out, err and status. A command that takes more than three minutes counts as hanging, with status
# 124. (A job may wait a minute for nodes, because slurmctld repeats a lost message only after a minute.)
run()
{
    timeout -k 5 180 "$@" >$scratch/out 2>$scratch/err </dev/null
    status=$?
    read_output
}

read_output()
{
    out=$(cat $scratch/out)
    err=$(cat $scratch/err)
}

# start WORKERS COMMAND...: starts srun with a program that does not end soon, and waits until its workers are running.
# $child is srun's process.
start()
{
    local workers=$1 tries
    shift
    : >$scratch/err # otherwise the previous job's workers would be counted
    # By default, background children of a shell ignore Ctrl-C.
    UAT_LOG=info env --default-signal=INT "$@" >$scratch/out 2>$scratch/err </dev/null &
    child=$!
    for ((tries = 0; tries < 300; tries++)); do
        [ "$(grep -c 'transport shm' $scratch/err)" != "$workers" ] || return
        sleep 0.1
    done
    status=none
    read_output
    fault "the $workers workers do not start: $*"
}

# Waits for the command of start(), up to a minute. If it has not ended then, kills it and sets status to 124.
end()
{
    local tries hung
    for ((tries = 0; tries < 600; tries++)); do
        kill -0 $child 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL $child 2>/dev/null && hung=1 || hung=
    wait $child 2>/dev/null
    status=$?
    [ -z "$hung" ] || status=124
    read_output
}

# fault WHAT: the test has failed.
fault()
{
    printf '%s\n-- status %s; standard output\n%s\n-- standard error\n%s\n' "$1" "$status" "$out" "$err" >&2
    failures=$((failures + 1))
}

expect_status() { [ "$status" = "$1" ] || fault "$2: status $status, not $1"; }

# The command must fail, but not hang.
expect_failure() { [ "$status" != 0 ] && [ "$status" != 124 ] || fault "$1: status $status"; }

# expect_lines WHAT COUNT PATTERN: COUNT lines must match PATTERN.
expect_lines() { [ "$(grep -Ec -- "$3" <<<"$err")" = "$2" ] || fault "$1: not $2 lines that match: $3"; }

# The value of a number or a text in a benchmark's JSON object.
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1" <<<"$out"; }

expect_field()
{
    local got
    got=$(field "$2" 2>&1)
    [ "$got" = "$3" ] || fault "$1: $2 is $got, not $3"
}

# The workers of this test: programs of the build that have inherited its mark.
export SLURM_TEST_MARK=${SLURM_TEST_MARK:-$$-$RANDOM}
workers()
{
    local pid
    for pid in $(grep -lsxzF "SLURM_TEST_MARK=$SLURM_TEST_MARK" /proc/[0-9]*/environ | cut -d / -f 3); do
        [[ $(readlink "/proc/$pid/exe") != "$build"/* ]] || echo "$pid"
    done
}

# Expect that all workers have ended within ten seconds. Slurm gives the workers KillWait seconds to exit.
expect_gone()
{
    local tries
    for ((tries = 0; tries < 100; tries++)); do
        [ -n "$(workers)" ] || return
        sleep 0.1
    done
    # shellcheck disable=SC2046
    { fault "$1: left behind: $(workers | paste -sd ' ')"; kill -KILL $(workers); }
}

# Waits, because slurmd refuses a job that starts in the same second as its requeue ("Job credential revoked"). Slurm
# itself would start a requeued job only after two minutes.
credential_expires() { sleep 2; }

# Whether job $id has ended. A job that has not run yet is PENDING or CONFIGURING.
over()
{
    local state ends='BOOT_FAIL|CANCELLED|COMPLETED|DEADLINE|FAILED|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|TIMEOUT'
    state=$(squeue -h -j "$id" -t all -o %T) && [[ $state =~ ^($ends)$ ]]
}

finish()
{
    [ $failures = 0 ] || exit 1
    exit 0
}
