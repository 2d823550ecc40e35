#!/bin/sh
# SPDX-License-Identifier: MIT
# Description: the shared library keeps the binary interface of the last release with the same soname. packaging/abi/
# holds that interface. No part of it may be removed, and no part that a program sees may change. Additions are allowed.
# usage: abi.sh LIBRARY SOURCE-FOLDER [--release]   --release writes packaging/abi/ anew: part of making a release
set -eu
library=$1
source=$2
[ "$(uname -m)" = x86_64 ] || { echo "skipped: packaging/abi/ is of x86-64"; exit 77; }
for tool in abidw abidiff; do
    command -v "$tool" >/dev/null || {
        echo "skipped: there is no $tool (package abigail-tools)"
        exit 77
    }
done
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
release=$source/packaging/abi/$soname.abi
if [ "${3-}" = --release ]; then
    exec abidw --suppressions "$source/packaging/abi/kernel.suppr" --exported-interfaces-only --headers-dir "$source/include" --drop-private-types --no-show-locs --no-comp-dir-path \
        --no-corpus-path --out-file "$release" "$library"
fi
if [ ! -f "$release" ] && ! grep -q "^## \[${soname#libuat.so.}[].]" "$source/CHANGELOG.md"; then
    echo "skipped: CHANGELOG.md has no release with $soname, so there is no interface to keep"
    exit 77
fi
[ -f "$release" ] || {
    echo "no release with $soname is in packaging/abi: before it is released, run tests/install/abi.sh $library $source --release" >&2
    exit 1
}
abidiff --suppressions "$source/packaging/abi/kernel.suppr" --no-added-syms --headers-dir2 "$source/include" "$release" "$library" || {
    echo "the interface of $soname has changed: a change needs another soname, which is the minor version before 1.0" >&2
    exit 1
}
echo "$soname keeps the interface of its release"
