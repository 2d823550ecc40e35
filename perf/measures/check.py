# SPDX-License-Identifier: MIT
"""What the checks of docs/check.md and the profile of docs/slow.md cost, on one worker: processor time and memory.

    perf/measure check [--rounds 5] [--build build]

uatcc -check compiles the programs with the detector, and uatcc without. For the profile they are compiled as pkg-config says, and run under
uatrun. All are compiled with -O2. In a round each variant of each program runs once. A ratio compares the processor time of a process and
its children with that of the plain program in the same round, for the profile with that of the plain program under uatrun. The start of a
worker is in all times. The last row is what a worker of a larger job does at its start so that malloc() gives it addresses
of its own, in a process that does nothing else.
"""
import os
import shlex
import tempfile
from pathlib import Path

import runs

SOURCE = Path(__file__).resolve().parent.parent.parent
BENCH = [f"perf/{name}.c" for name in ("bench", "bench_options", "bench_report", "main", "progress", "progress_line", "report", "samples")]
PROGRAMS = {  # program: source files, arguments, does it look inside the library (so the plain program needs the static one)?
    "docs/examples/fib.c": (["docs/examples/fib.c"], [], False),
    "uat-cilksort 1000000": ([*BENCH, "perf/cilksort.c", "32.c", "64.c"], ["1000000"], True),
    "examples/small/nbody": (["examples/small/nbody.cpp"], [], False),
}
HEAP = """#include <stdio.h>
#include <time.h>
void uat_torture_heap_move(int rank, int size);
void uat_torture_heap_settle(void);
int main(void)
{
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    uat_torture_heap_move(1, 4);
    uat_torture_heap_settle();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return printf("%f", (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec)) < 0;
}
"""
# Runs a command, and prints its use. A child of Python would count Python's memory, which it has until it executes the command.
USE = """#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct rusage use;
    int status = argc;
    pid_t pid = fork();
    if (pid == 0)
        execv(argv[1], argv + 1);
    if (pid <= 0 || wait4(pid, &status, 0, &use) != pid)
        return 127;
    fprintf(stderr, "\\n%f %ld\\n", (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec)
            + 1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec), use.ru_maxrss);
    return status != 0;
}
"""
VARIANTS = ["plain", "check", "profile", "statics"]


def profile_words(build):
    """The flags of pkg-config, and its libraries, those of uat as they are in the build folder."""
    place = {"PKG_CONFIG_PATH": str(build / "meson-uninstalled")}
    flags, libraries = (shlex.split(runs.run(["pkg-config", part, "uat-profile-uninstalled"], place).stdout) for part in ("--cflags", "--libs"))
    archives = {"-luat_profile": build / "profile" / "libuat_profile.a", "-l:libuat.a": build / "include" / "libuat.a"}
    return [*flags, f"-I{SOURCE}/include"], [archives.get(word, word) for word in libraries]


def compile_all(build, folder):
    """{(program, variant): path}"""
    made = {}
    flags, libraries = profile_words(build)
    static = [word for word in libraries if "profile" not in str(word) and not str(word).startswith("-Wl,--wrap")]
    for bits in (32, 64):
        (folder / f"{bits}.c").write_text(f'#define CILKSORT_BITS {bits}\n#include "perf/cilksort_elements.c"\n')
    for name, (files, _, inside) in PROGRAMS.items():
        compiler = "g++" if files[-1].endswith(".cpp") else "gcc"
        common = ["-O2", "-std=c++17" if compiler == "g++" else "-std=gnu11", "-D_GNU_SOURCE", f"-I{SOURCE}", f"-I{SOURCE}/perf",
                  *(SOURCE / file if (SOURCE / file).exists() else folder / file for file in files)]
        uatcc = [build / "races" / "uatcc-here", f"-cc={compiler}"]
        plain = ([compiler, f"-I{SOURCE}/include"], static) if inside else (uatcc, [])
        for variant, (before, after) in {"plain": plain, "check": ([*uatcc, "-check"], []), "profile": ([compiler, *flags], libraries)}.items():
            made[name, variant] = folder / f"{len(made)}"
            runs.run([*before, *common, "-o", made[name, variant], *after, "-lm"])
        if not inside:
            made[name, "statics"] = made[name, "plain"]
    return made


def use_of(made, command, settings=None):
    """Processor seconds, and the most MiB of memory, of a process and its children."""
    said = runs.run([made["use"], *command], settings).stderr.splitlines()[-1].split()
    return float(said[0]), int(said[1]) / 1024


def of_program(name, made):
    """The figures of a program in one round: {title: value}."""
    arguments = PROGRAMS[name][1]
    figures, plain = {}, None
    for variant in [variant for variant in VARIANTS if (name, variant) in made]:
        settings = {"statics": {"UAT_TORTURE": "statics=protected"}}.get(variant)
        launcher = [made["uatrun"], f"--profile={made['folder']}/profile", "-n", 1] if variant == "profile" else []
        seconds, mib = use_of(made, [*launcher, made[name, variant], *arguments], settings)
        if variant == "plain":
            plain = figures["seconds"] = seconds
        elif variant == "profile":
            figures[variant] = seconds / use_of(made, [made["uatrun"], "-n", 1, made[name, "plain"], *arguments])[0]
        else:
            figures[variant] = seconds / plain
        figures[f"MiB, {variant}"] = mib
    return figures


def seconds_of_heap(made):
    """Processor seconds that moving the heap takes."""
    return float(runs.run([made["heap"]]).stdout)


def cell_of(taken, title):
    values = [figures[title] for figures in taken if title in figures]
    return runs.spread(values, ".0f" if title.startswith("MiB") else ".3g") if values else ""


def add_options(parser):
    parser.add_number("--rounds", 5, "rounds")
    parser.add_build()


def measure(options):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = compile_all(options.build, folder) | {"uatrun": options.build / "launcher" / "uatrun", "folder": folder}
        for program, text in (("use", USE), ("heap", HEAP)):
            (folder / f"{program}.c").write_text(text)
            made[program] = folder / program
        runs.run(["gcc", folder / "use.c", "-o", made["use"]])
        runs.run(["gcc", folder / "heap.c", "-o", made["heap"],
                  *(word for word in profile_words(options.build)[1] if not str(word).startswith("-Wl,--wrap"))])
        print(f"load {os.getloadavg()[0]:.0f}", flush=True)
        taken = runs.in_turn(options.rounds, PROGRAMS, lambda program: of_program(program, made))
        heap = [seconds_of_heap(made) * 1000 for _ in range(2 * options.rounds)]
    titles = ["seconds", "check", "profile", "statics", *(f"MiB, {variant}" for variant in VARIANTS[:3])]
    runs.print_titles(["program", *titles])
    for program, rounds in taken.items():
        runs.print_cells([program, *(cell_of(rounds, title) for title in titles)])
    print(f"malloc() of its own addresses: {runs.spread(heap)} ms")
