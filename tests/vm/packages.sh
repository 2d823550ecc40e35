# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Finds out which Debian packages are missing that the guests need. Sourced by run, prepare and lib.sh.

# Tools in sbin are not on the path of every user.
PATH=$PATH:/usr/sbin:/sbin
missing=()

# packages_want PACKAGE THING: the package is missing unless THING exists, a command or a file (an absolute pattern).
packages_want()
{
    local package=$1 thing=$2
    case $thing in
    /*) compgen -G "$thing" >/dev/null ;;
    *) command -v "$thing" >/dev/null ;;
    esac || missing+=("$package")
}

packages_want_boot()
{
    packages_want qemu-system-x86 qemu-system-x86_64
    packages_want util-linux setpriv
    packages_want iproute2 rdma
    packages_want ibverbs-providers '/usr/lib/*/libibverbs/librxe-*.so'
    # The guest runs busybox before it has shared libraries, so busybox must be static.
    if ! [ -x /bin/busybox ] || ldd /bin/busybox >/dev/null 2>&1; then
        missing+=(busybox-static)
    fi
}

packages_want_slurm()
{
    packages_want slurmctld slurmctld
    packages_want slurmd slurmd
    packages_want slurm-client srun
    packages_want slurm-wlm-basic-plugins '/usr/lib/*/slurm-wlm/auth_none.so'
}

packages_want_image()
{
    packages_want cpio cpio
    packages_want kmod modprobe
    packages_want python3 python3
    packages_want apt apt-get
    packages_want util-linux flock
}

# Ends this script with 77 (a test is skipped) if a package is missing.
packages_check()
{
    [ ${#missing[@]} = 0 ] && return
    echo "$0: missing Debian package(s): ${missing[*]}: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 77
}
