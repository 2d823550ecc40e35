# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2086
# Lists of Debian 12 packages by purpose, and functions that install missing ones. Sourced by ./quickstart and ./check.

packages_build="build-essential meson ninja-build pkg-config libpmix-dev libnuma-dev nettle-dev libjson-c-dev
    libcmocka-dev libibverbs-dev librdmacm-dev"
packages_check="clang clang-19 clang-format libclang-rt-14-dev gfortran spin tcc gdb python3 cmake iproute2 gnuplot-nox
    libboost-context-dev libtbb-dev libopenblas-serial-dev libopenblas-pthread-dev libstarpu-dev"
packages_guest="qemu-system-x86 busybox-static kmod cpio zstd xz-utils ibverbs-providers ibverbs-utils perftest iputils-ping"
packages_aarch64="gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user qemu-system-arm mmdebstrap"
packages_slurm="munge slurmctld slurmd slurm-client slurm-wlm-basic-plugins libpmix2 openmpi-bin libopenmpi-dev"
packages_docs="mandoc abigail-tools debhelper lintian autopkgtest fakeroot"
packages_browser="chromium"

# packages_missing PACKAGE...: prints the packages that are not installed, on one line.
packages_missing() {
    for package; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
    done
}

# packages_install LOG PACKAGE...: installs the packages, with apt's output in LOG.
packages_install() {
    packages_log=$1
    shift
    packages_root=
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "not root, and there is no sudo: as root, run: apt-get install --no-install-recommends $*" >&2
            return 1
        fi
        packages_root=sudo
    fi
    {
        $packages_root apt-get -q -o DPkg::Lock::Timeout=300 update &&
            $packages_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
                install --no-install-recommends "$@"
    } >"$packages_log" 2>&1 </dev/null
}

# packages_ensure LOG PACKAGE...: installs the packages that are missing. If none is missing, it fetches nothing and
# needs no network. Prints one line before it installs, and another one if the installation fails. Without apt-get, it
# prints the packages and installs nothing.
packages_ensure() {
    packages_log=$1
    shift
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "==> no apt-get here: assuming that equivalents of these packages are installed:" "$@"
        return 0
    fi
    packages_wanted=$(packages_missing "$@")
    [ -n "$packages_wanted" ] || return 0
    echo "==> installing packages: ${packages_wanted% }"
    # The shell must split the list into words.
    if ! packages_install "$packages_log" $packages_wanted; then
        echo "installing packages failed; what apt-get said is in $packages_log" >&2
        return 1
    fi
}
