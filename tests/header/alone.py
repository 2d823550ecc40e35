#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: each public header compiles alone, and all compile together. They do so in every standard of each
language that they support, without any of the warnings that users turn on. uat.hpp includes all other headers. Every struct that the
headers show to C programs has a typedef that ends in _t. The headers of the core have at most 80 functions. A
function's name begins with its object, then `try_` if the call does not wait, then the verb, and each object that is made can be ended.
Functions of the shared library are visible also if the program hides its own.
usage: alone.py C-COMPILER C++-COMPILER INCLUDE-FOLDER"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror -fsyntax-only".split()
# Options with which users compile C++, besides the warnings.
CHOICES = [["-Wold-style-cast", "-Wcast-qual", "-Wzero-as-null-pointer-constant"], ["-fno-exceptions"], ["-fno-exceptions", "-fno-rtti"]]
STANDARDS = {"c": ["c11", "c17", "c2x"], "c++": ["c++17", "c++20", "c++2b"]}
CORE = ["uat.h", "uat/stats.h", "uat/sync.h", "uat/global.h", "uat/pattern.h"]  # uat.h includes uat/stats.h
CORE_MOST = 80  # docs/patterns.md says how many there are
# A function's name begins with its object: a type, or one of these. Functions of the job, the calling task and arrays have none.
OBJECTS = {"atomic", "checkpoint", "concurrency", "global", "global_object", "global_temporary", "replicate"}
NO_OBJECT = set("""init finalize rank size resize workers run spawn spawn_on join migrate yield sleep_for is_running in_task cancelled restarted
    work_wanted barrier setting time_ns sim_work stats replicate checkpoint select try_select select_for
    for for_near for_each_block reduce reduce_near reduce_deterministic scan scan_near find invoke sort""".split())


# What may follow the object and `try_`: a verb, or what a function looks up or makes ready.
VERBS = set("""acquire add alloc begin broadcast call cancel checkin checkout close cmp_swap count_down create destroy detail end fetch
    free freeze get give home is keep left load lock make merge named near next open poll post prefetch put read receive register release
    run send set signal spawn store swap take test thaw total unlock view wait""".split())
# What ends that which a function of this verb makes or takes.
ENDS = {"create": ["destroy"], "alloc": ["free"], "lock": ["unlock"], "acquire": ["release"], "freeze": ["thaw"], "checkout": ["checkin"],
        "begin": ["end", "wait", "take"]}


def functions(text):
    """The names of the functions that a header declares."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#(?:.*\\\n)*.*|\btypedef\b[^;{]*;", "", text, flags=re.M)
    return set(re.findall(r"^(?:UAT_INLINE )?[\w ]+[ *](uat_\w+)\([^;{]*\);", text, re.M))


def faults_of_names(texts):
    """The functions that are not named uat_<object>_<verb>()."""
    objects = OBJECTS | {name for text in texts for name in re.findall(r"^\} uat_(\w+)_t;", text, re.M)}
    names = {name.removeprefix("uat_") for text in texts for name in functions(text)}
    return [f"uat_{name}() begins with no object: see CONTRIBUTING.md" for name in sorted(names - NO_OBJECT)
            if not any(name.startswith(known + "_") for known in objects)] + [f"there is no uat_{name}()" for name in sorted(NO_OBJECT - names)]


def faults_of_order(texts):
    """The functions with other words after their object, and those that make what no function ends."""
    types = OBJECTS | {name for text in texts for name in re.findall(r"^\} uat_(\w+)_t;", text, re.M)}
    names = {name.removeprefix("uat_") for text in texts for name in functions(text)}
    for name in sorted(names - NO_OBJECT):
        known = max((known for known in types if name.startswith(known + "_")), key=len, default="")
        words = name.removeprefix(known + "_").removeprefix("try_")
        verb = next((verb for verb in VERBS if words == verb or words.startswith(verb + "_")), None)
        if known and (not verb or "try" in words.split("_")):
            yield f"uat_{name}(): {words} begins with no verb of VERBS, or `try` stands elsewhere than before it"
        kind = "_shared" if verb and words.startswith(f"{verb}_shared") else ""
        if verb in ENDS and not any(f"{known}_{end}{kind}" in names for end in ENDS[verb]):
            yield f"uat_{name}(): nothing ends what it makes"


def included(include, name, found):
    """All headers of uat that this one includes."""
    if name not in found:
        found.add(name)
        for other in re.findall(r'^#include "(?:\.\./)?(?:uat/)?([\w./]+)"', (include / name).read_text(), re.M):
            included(include, other if other == "uat.h" else "uat/" + other, found)
    return found


def choices(compiler, include):
    """What the compiler says about uat.hpp with each of the choices."""
    runs = [subprocess.run([compiler, "-x", "c++", "-std=c++17", *WARNINGS, *choice, "-I", include, "-"], input="#include <uat.hpp>\n",
                           stderr=subprocess.PIPE, text=True) for choice in CHOICES]
    return [f"{choice}: {run.stderr}" for choice, run in zip(CHOICES, runs) if run.returncode]


def refused(compiler, include, headers):
    """The C++ headers that C++14 does not refuse by one error that names the standard."""
    faults = []
    for name in [name for name in headers if name.endswith(".hpp")]:
        run = subprocess.run([compiler, "-x", "c++", "-std=c++14", "-fsyntax-only", "-I", include, "-"], input=f"#include <{name}>\n",
                             stderr=subprocess.PIPE, text=True)
        errors = re.findall("error: .*", run.stderr)
        if len(errors) != 1 or "uat needs C++17" not in errors[0]:
            faults.append(f"C++14: {name}: {errors[:2]}")
    return faults


def main():
    compilers, include = dict(zip(STANDARDS, sys.argv[1:3])), Path(sys.argv[3])
    if not all(shutil.which(compiler) for compiler in compilers.values()):
        print(f"no {' or no '.join(compilers.values())} on this machine")
        return 77
    headers = sorted(str(path.relative_to(include)) for path in [*include.glob("*.h*"), *include.glob("uat/**/*.h*")])
    faults = [f"uat.hpp does not include {name}" for name in headers if name not in included(include, "uat.hpp", set())]
    faults += [f"{name}: {text} without a typedef" for name in headers if "/detail/" not in name and name.endswith(".h")
               for text in re.findall(r"^(?:struct|union) \w+ \{", (include / name).read_text(), re.M)]
    faults += faults_of_names([(include / name).read_text() for name in headers if "/detail/" not in name and name.endswith(".h")])
    faults += faults_of_order([(include / name).read_text() for name in headers if "/detail/" not in name and name.endswith(".h")])
    faults += [f"{name}: nothing makes its functions visible" for name in headers if name.endswith(".h") and name != "uat/detail/profile.h" and
               functions(text := (include / name).read_text()) and "visibility" not in text]  # the profile is a static library
    core = sum(len(functions((include / name).read_text())) for name in CORE)
    faults += [f"the core has {core} functions"] if not 0 < core <= CORE_MOST else []
    started = []
    for language, standards in STANDARDS.items():
        own = [[name] for name in headers if name.endswith(".hpp") == (language == "c++")]
        together = [name for name in headers if language == "c++" or name.endswith(".h")]
        public = [[name] for name in together if "/detail/" not in name]  # C++ programs include those of C, too
        alone = {standards[0]: own + [names for names in public if names not in own], **{standard: public for standard in standards[1:]}}
        for standard, texts in [*alone.items(), *((standard, [together]) for standard in standards)]:
            for names in texts:
                command = [compilers[language], "-x", language, "-std=" + standard, *WARNINGS, "-I", include, "-"]
                with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as compiler:
                    # ISO C forbids a source without a declaration, and some headers have none.
                    said = compiler.communicate("".join(f"#include <{name}>\n" for name in names) + "extern int more;\n")[1]
                started.append(names)
                if compiler.returncode:
                    faults.append(f"{standard}: {' '.join(names)}: {said}")
    faults += choices(compilers["c++"], include) + refused(compilers["c++"], include, headers)
    print(f"{len(headers)} headers, {len(started)} times compiled by {sys.argv[1]}, {core} functions in the core, {len(faults)} faults")
    print("\n".join(faults))
    return 1 if faults or len(headers) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
