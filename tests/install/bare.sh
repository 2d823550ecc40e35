#!/bin/sh
# SPDX-License-Identifier: MIT
# Description: configures a build where pkg-config finds only what the library needs (no json-c, nettle, cmocka).
# meson's summary must say what is left out. The library and uatrun must build, install, and run a program. A missing
# part that is requested by name is an error. meson is run as one file, as docs/running.md says for hosts without meson.
# usage: bare.sh HELLO.C SOURCE-FOLDER
set -eu
hello=$1
source=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' INT TERM

fail() {
    tail -n 20 "$place/log"
    echo "$*" >&2
    exit 1
}

mkdir "$place/pc"
for name in pmix numa libibverbs librdmacm libnl-3.0 libnl-route-3.0; do
    file=$(pkg-config --variable=pcfiledir "$name" 2>/dev/null)/$name.pc
    [ ! -f "$file" ] || cp "$file" "$place/pc"
done
PKG_CONFIG_LIBDIR=$place/pc
export PKG_CONFIG_LIBDIR
unset PKG_CONFIG_PATH
printf "[binaries]\ncmake = '/nonexistent'\n" >"$place/native" # otherwise meson would find json-c and cmocka by CMake's files

# The one file is a zip archive of the module that Python finds as mesonbuild.
modules=$(/usr/bin/env -u PYTHONPATH "$(head -n 1 "$(command -v meson)" | sed 's/^#! *//; s/ .*//')" -c 'import mesonbuild, os; print(os.path.dirname(mesonbuild.__file__))')
mkdir "$place/one"
cp -r "$modules" "$place/one/mesonbuild"
echo 'import sys; from mesonbuild.mesonmain import main; sys.exit(main())' >"$place/one/__main__.py"
python3 -m zipapp --python '/usr/bin/env python3' --output "$place/meson.pyz" "$place/one"
rm -r "$place/one"

setup() {
    "$place/meson.pyz" setup --native-file "$place/native" --prefix="$place/prefix" "$@" "$source" >"$place/log" 2>&1
}
setup "$place/build" || fail "meson setup fails without json-c, nettle and cmocka"
for part in uat_info 'benchmarks, examples' tests; do
    grep -q "$part *: left out: .* missing" "$place/log" || fail "meson's summary does not say that $part: left out"
done
for part in tools benchmarks tests; do
    ! setup -D$part=enabled "$place/$part" || fail "meson setup -D$part=enabled succeeds without what it needs"
    grep -Eq 'ERROR: .*(json-c|nettle|cmocka)' "$place/log" || fail "meson setup -D$part=enabled does not name what is missing"
done
{ ninja -C "$place/build" && "$place/meson.pyz" install -C "$place/build"; } >"$place/log" 2>&1 || fail "the build or its installation fails"
libdir=$(dirname "$(find "$place/prefix" -name libuat.so)")
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # words
cc -std=gnu11 -O2 "$hello" $(pkg-config --cflags --libs uat) -Wl,-rpath,"$libdir" -o "$place/hello" >"$place/log" 2>&1 || fail "hello.c: cc fails"
[ "$("$place/prefix/bin/uatrun" -n 2 "$place/hello")" = "fib(20) = 6765 on 2" ] || fail "hello: wrong output"
echo "library and uatrun without json-c, nettle and cmocka; three parts refused by name"
