#!/bin/sh
# SPDX-License-Identifier: MIT
# Build libuat-races.a: the detector, and the objects of libuat.a and libuat-adaptive.a. The linker's --wrap replaces calls in all objects
# of a program, so the runtime's own calls are renamed to those of the functions themselves: NAME becomes __real_NAME.
# But its calls of uat_views_add() stay wrapped: while they call functions of the program, nothing is watched. The loops and sorts of
# pattern/ are parts of the program, so they are compiled once more, with the hooks of -DUAT_RACES.
#
# usage: archive.sh OUTPUT FOLDER WRAP-LIST LIBUAT-ARCHIVE OBJECT...
set -e
output=$(realpath -m "$1") folder=$2 list=$3 library=$(realpath "$4")
shift 4
rm -rf "$folder" "$output"
mkdir -p "$folder/runtime"
(cd "$folder/runtime" && ar x "$library" && find . -name "*pattern_*.o" -delete)
cp -- "$@" "$folder"
# The names of meson's objects begin with a dot. An object that defines a function keeps the function's name.
find "$folder" -name "*.o" ! -name "*pattern_*" -exec nm -A -u {} + | awk -v list="$list" '
    BEGIN { while ((getline line < list) > 0) { n = split(line, names, " "); for (i = 1; i <= n; i++) wrapped[names[i]] = names[i] != "uat_views_add" } }
    { object = $1; sub(/:$/, "", object) }
    wrapped[$NF] { renames[object] = renames[object] " --redefine-sym " $NF "=__real_" $NF }
    END { for (object in renames) print renames[object], object }' | xargs -L 1 objcopy
find "$folder" -name "*.o" -exec ar rcs "$output" {} +
rm -rf "$folder"
