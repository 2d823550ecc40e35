# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# What the tests of tests/vm/run share. Sourced. Sets TMPDIR to a folder that only the test uses.
set -u
vm=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
failures=0
. "$vm/packages.sh"
packages_want ibverbs-utils ibv_rc_pingpong
packages_want iputils-ping ping
packages_check
# Code for a guest's shell: repeats a command until it succeeds, up to 50 times, because its server may start late.
retry='retry() { for try in $(seq 50); do "$@" && return; sleep 0.2; done 2>/dev/null; return 1; }'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The name contains blanks and a comma, which are special to a shell or to QEMU.
export TMPDIR="$scratch/a temporary, folder"
build="$scratch/build folder"
mkdir "$TMPDIR" "$build"

# expect WHAT WANTED GOT
expect()
{
    [ "$2" != "$3" ] || return 0
    printf '%s: expected\n%s\ngot\n%s\n' "$1" "$2" "$3" >&2
    failures=$((failures + 1))
}

# vm_run [OPTION]... -- COMMAND [ARG]...: runs a command in guests; sets the variables out, err and status. If a package
# is missing, the test is skipped.
vm_run()
{
    "$vm/run" --build "$build" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    out=$(cat "$scratch/out")
    err=$(cat "$scratch/err")
    if [ $status = 77 ]; then
        echo "$err"
        exit 77
    fi
}

# The QEMU processes of this test. Their working folders are inside the test's temporary folder.
qemu_pids()
{
    local pid
    for pid in /proc/[0-9]*; do
        [[ $(readlink "$pid/exe") = */qemu-system-* && $(readlink "$pid/cwd") = "$scratch"/* ]] && echo "${pid#/proc/}"
    done
}

left_behind() { qemu_pids; ls -A "$TMPDIR"; }

# Waits up to a minute, because other processes clean up if tests/vm/run is killed.
expect_clean()
{
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        [ -n "$(left_behind)" ] || return
        sleep 0.1
    done
    expect "$1: left behind" '' "$(left_behind)"
}

finish()
{
    [ $failures = 0 ] || exit 1
    exit 0
}
