#!/bin/sh
# SPDX-License-Identifier: MIT
# Description: compiles header.c, which includes nothing but uat's headers, without a warning.
# usage: compile.sh COMPILER LANGUAGE STANDARD INCLUDE-FOLDER FILE
if ! command -v "$1" >/dev/null; then
    echo "no $1 on this machine"
    exit 77
fi
exec "$1" -x "$2" "-std=$3" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$4" "$5"
