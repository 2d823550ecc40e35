#!/bin/sh
# SPDX-License-Identifier: MIT
# Description: installs into an empty folder. With pkg-config, builds a program against that installation, with the
# shared and with the static library. Runs the program alone and under the installed uatrun. The libraries may define
# only global symbols that begin with uat_. Against the same installation, builds docs/examples/project with meson,
# CMake and make, and each whole program of README and docs/ as the document says, also those in Fortran and Python. The
# builds use gcc, clang and gfortran, as far as they are installed.
# usage: install.sh BUILD-FOLDER HELLO.C SOURCE-FOLDER
set -eu
build=$1
hello=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' INT TERM

fail() {
    echo "$*" >&2
    exit 1
}

DESTDIR=$place meson install -C "$build" --no-rebuild --quiet >/dev/null
pc=$(find "$place" -name uat.pc)
[ -n "$pc" ] || fail "no uat.pc is installed"
prefix=$place$(sed -n 's/^prefix=//p' "$pc")
libdir=$(dirname "$(find "$place" -name libuat.a)")
[ -f "$prefix/include/uat.f90" ] || fail "no uat.f90 is installed beside uat.h"
[ -f "$libdir/libuat.so" ] || fail "no libuat.so beside libuat.a"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
flags() {
    pkg-config --define-variable=prefix="@prefix@" "$@"
}
# pkg-config splits at blanks. So a prefix that contains a blank is inserted into the words after the split.
compile() {
    output=$1
    shift
    words=$1
    shift
    set -- "$@"
    for word in $words; do
        set -- "$@" "$(printf '%s' "$word" | sed "s|@prefix@|$prefix|")"
    done
    cc -std=gnu11 -Wall -Werror -o "$place/$output" "$hello" "$@"
}

# The run path must suffice for a private prefix, as README says.
compile hello-runpath "$(flags --cflags --libs uat) -Wl,-rpath,$libdir"
[ "$(env -u LD_LIBRARY_PATH "$place/hello-runpath")" = "fib(20) = 6765 on 1" ] || fail "hello-runpath: wrong output"
compile hello-shared "$(flags --cflags --libs uat)"
compile hello-static "$(flags --static --cflags --libs uat | sed 's/-luat\>/-l:libuat.a/g')"
LD_LIBRARY_PATH=$libdir
export LD_LIBRARY_PATH
# The version is the same in the header, pkg-config, the programs and the library's name, which changes with each
# version that may break programs.
version=$(sed -n 's/^#define UAT_VERSION "\(.*\)"$/\1/p' "$prefix/include/uat.h")
[ "$(pkg-config --modversion uat)" = "$version" ] || fail "uat.h says version $version, pkg-config $(pkg-config --modversion uat)"
[ "$("$prefix/bin/uatrun" --version)" = "uatrun $version" ] || fail "uat.h says version $version, not so uatrun --version"
soname=libuat.so.$(echo "$version" | sed 's/^\(0\.[0-9]*\)\..*/\1/; s/^\([1-9][0-9]*\)\..*/\1/')
readelf -d "$place/hello-shared" | grep -q "NEEDED.*\[$soname\]" || fail "hello-shared does not need $soname"
readelf -d "$place/hello-shared" | grep -q 'NEEDED.*libuat\.so' || fail "hello-shared does not use libuat.so"
! readelf -d "$place/hello-static" | grep -q 'NEEDED.*libuat\.so' || fail "hello-static uses libuat.so"

for program in hello-shared hello-static; do
    [ "$("$place/$program")" = "fib(20) = 6765 on 1" ] || fail "$program alone: wrong output"
    [ "$("$prefix/bin/uatrun" -n 2 "$place/$program")" = "fib(20) = 6765 on 2" ] ||
        fail "uatrun -n 2 $program: wrong output"
done

# Adaptive requests are a library of their own.
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' "$3/docs/man/uat_adaptive.3" | sed '/^\./d; s/\\e/\\/g' >"$place/adaptive.c"
hello=$place/adaptive.c
compile adaptive-shared "$(flags --cflags --libs uat-adaptive)"
compile adaptive-static "-L$libdir -l:libuat-adaptive.a $(flags --static --cflags --libs uat | sed 's/-luat\>/-l:libuat.a/g')"
for program in adaptive-shared adaptive-static; do
    [ "$("$prefix/bin/uatrun" -n 2 "$place/$program")" = 499999500000 ] || fail "uatrun -n 2 $program: wrong output"
done

# The absolute symbol is the name of the node in the version script.
exported=$(nm -D --defined-only "$libdir/libuat.so" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }')
strangers=$(echo "$exported" | grep -v '^uat_' || true)
[ -z "$strangers" ] || fail "libuat.so exports" $strangers
[ "$(echo "$exported" | grep -c '^uat_')" -ge 10 ] || fail "libuat.so exports hardly anything"
exported=$(echo "$exported" | grep -v '^uat_kernel_') # base/kernel.h: for libuat-adaptive.so
# Exported functions that no header declares are for the library's own use.
strangers=$(echo "$exported" | while read -r symbol; do
    grep -qrw "$symbol" "$prefix/include/uat.h" "$prefix/include/uat" || echo "$symbol"
done)
[ -z "$strangers" ] || fail "libuat.so exports what no header declares:" $strangers
# Other languages call the public inline functions, too.
missing=$(sed -n 's/^UAT_INLINE [^(]*[ *]\(uat_[a-z_]*\)(.*/\1/p' "$prefix"/include/uat.h "$prefix"/include/uat/*.h | while read -r symbol; do
    echo "$exported" | grep -qx "$symbol" || echo "$symbol"
done)
[ -z "$missing" ] || fail "libuat.so does not export" $missing
strangers=$(nm -g --defined-only "$libdir/libuat.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^uat_/ { print $3 }')
[ -z "$strangers" ] || fail "libuat.a defines" $strangers
# Build the example project with each build system that it supports.
project() {
    "$@" >"$place/log" 2>&1 || {
        cat "$place/log"
        fail "fails: $*"
    }
}
source=$(cd "$3" && pwd)
cp -r "$source/docs/examples/project" "$place/project"
cd "$place/project"
sed "s|^prefix=.*|prefix=$(printf '%s' "$prefix" | sed 's/ /\\\\ /g')|" "$pc" >"$place/uat.pc.new" && mv "$place/uat.pc.new" "$pc"
project meson setup meson
project ninja -C meson
project cmake -S . -B cmake -DCMAKE_PREFIX_PATH="$prefix" --log-level=ERROR
project cmake --build cmake
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    project make -B CC=$compiler
    mv hello "hello-$compiler"
    # Tasks in a shared library with hidden symbols, which a program with hidden symbols calls.
    # shellcheck disable=SC2046 # words
    project $compiler -O2 -DPART -shared -fPIC -fvisibility=hidden "$source/tests/install/hidden.c" $(pkg-config --cflags --libs uat) -o libpart.so
    # shellcheck disable=SC2046 # words
    project $compiler -O2 -fvisibility=hidden "$source/tests/install/hidden.c" -L. -lpart $(pkg-config --cflags --libs uat) -o hidden
    said=$(LD_LIBRARY_PATH=$LD_LIBRARY_PATH:. "$prefix/bin/uatrun" -n 2 ./hidden)
    [ "$said" = "1024 leaves" ] || fail "hidden symbols, $compiler: $said"
done
for program in meson/hello cmake/hello ./hello-*; do
    [ "$("$prefix/bin/uatrun" -n 2 "$program")" = "42 from 2 workers" ] || fail "$program: wrong output"
    # The makefile stores the library's folder in the program, as meson and CMake do.
    env -u LD_LIBRARY_PATH "$program" >/dev/null || fail "$program does not find the library"
done

# Fortran and Python, as docs/running.md says, with nothing from the build and without LD_LIBRARY_PATH.
languages=
if command -v gfortran >/dev/null; then
    sed -n '/^```fortran$/,/^```$/{/^```/!p}' "$source/docs/running.md" >fib.f90
    # shellcheck disable=SC2046 # words
    project gfortran -frecursive -O2 "$(pkg-config --variable=includedir uat)/uat.f90" fib.f90 $(pkg-config --libs uat) \
        "-Wl,-rpath,$libdir" -o fib
    [ "$(env -u LD_LIBRARY_PATH "$prefix/bin/uatrun" -n 2 ./fib | tr -d ' ')" = 832040 ] || fail "the Fortran program: wrong output"
    languages=" Fortran,"
fi
if command -v python3 >/dev/null; then
    sed -n '/^```c tasks.c$/,/^```$/{/^```/!p}' "$source/docs/running.md" >tasks.c
    # shellcheck disable=SC2046 # words
    project cc -O2 -shared -fPIC tasks.c -o tasks.so $(pkg-config --cflags --libs uat)
    sed -n '/^```python$/,/^```$/{/^```/!p}' "$source/docs/running.md" >program.py
    said=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$prefix/share/uat env -u LD_LIBRARY_PATH "$prefix/bin/uatrun" -n 2 python3 program.py)
    [ "$said" = 332833500.0 ] || fail "the Python program: $said"
    languages="$languages Python,"
fi

# The complete programs in the documents: copied, compiled as the documents say, and run.
mkdir "$place/programs"
cd "$place/programs"
awk '/^```(c|cpp)$/ { suffix = substr($0, 4); text = ""; next }
     /^```$/ { if (suffix != "" && text ~ /int main\(/) {
                   name = FILENAME; gsub(/.*\//, "", name); file = name "-" ++n "." suffix; printf "%s", text > file; close(file) }
               suffix = ""; next }
     { text = text $0 "\n" }' "$source/README.md" "$source"/docs/*.md
set -- *.c *.cpp
[ $# -ge 4 ] || fail "only $# whole programs are in README and docs/"
count=0
for program; do
    for compiler in gcc clang; do
        options=-std=gnu11
        case $program,$compiler in
        *.cpp,gcc) compiler=g++ options=-std=c++17 ;;
        *.cpp,clang) compiler=clang++ options=-std=c++17 ;;
        esac
        command -v $compiler >/dev/null || continue
        # shellcheck disable=SC2046 # words
        project $compiler $options -Wall -Wextra -Werror -O2 "$program" -o program $(pkg-config --cflags --libs uat)
        "$prefix/bin/uatrun" -n 2 ./program >/dev/null || fail "$program of the documents fails, compiled by $compiler"
        count=$((count + 1))
    done
done
[ "$count" -ge 1 ] || fail "no compiler for the programs of README and docs/"
echo "shared, static, alone and by the installed uatrun; projects of meson, CMake and make;$languages $count times a program of the documents"
