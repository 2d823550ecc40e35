#!/bin/sh
# SPDX-License-Identifier: MIT
# Description: a C++20 module exports templates that use uat.hpp, and a program imports the module. This needs clang 16 or later.
# usage: module.sh UATRUN SOURCE-FOLDER INCLUDE-FOLDER LIBRARY-FOLDER
set -eu
uatrun=$1 source=$2 include=$3 library=$4
compiler=
for name in clang++ clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16; do
    command -v "$name" >/dev/null || continue
    major=$($name -dumpversion)
    [ "${major%%.*}" -lt 16 ] || compiler=$name
done
[ "$compiler" ] || { echo "no clang 16 or later on this machine"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' INT TERM
"$compiler" -std=c++20 -Werror -I "$include" --precompile "$source/work.cppm" -o "$place/work.pcm"
"$compiler" -std=c++20 -Werror -c "$place/work.pcm" -o "$place/work.o"
"$compiler" -std=c++20 -Werror "-fmodule-file=work=$place/work.pcm" -c "$source/module_main.cpp" -o "$place/main.o"
"$compiler" "$place/main.o" "$place/work.o" -o "$place/program" -L "$library" -luat "-Wl,-rpath,$library"
"$uatrun" -n 2 "$place/program"
echo "$compiler: the module works"
