#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Description: the compiler refuses misuses of UAT_TASK and of uat.hpp with a sentence that explains them, in C and in C++.
usage: refused.py COMPILER LANGUAGE STANDARD INCLUDE-FOLDER"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ANY = ("c", "c++")
CASES = [  # a part of the sentence, the languages, the program
    ("aligned to at most 64", ANY, "struct s { double x; } __attribute__((aligned(128)));\n"
     "UAT_TASK_VOID(f, struct s, a) { (void)a; }"),
    ("aligned to at most 64", ANY, "struct s { double x; } __attribute__((aligned(128)));\n"
     "UAT_TASK(struct s, f, struct s *, a) { return *a; }"),
    ("at most eight parameters", ANY,
     "UAT_TASK(int, f, int, a, int, b, int, c, int, d, int, e, int, g, int, h, int, i, int, j) { return a; }"),
    ("at most eight parameters", ANY, "UAT_TASK_VOID(f, " + ", ".join(f"int, a{i}" for i in range(15)) + ") { }"),
    ("pairs of a type and a name", ANY, "UAT_TASK(int, f, int) { return 0; }"),
    ("pairs of a type and a name", ANY, "UAT_TASK_VOID(f, void) { }"),
    ("comma in it needs a typedef", ("c++",), "template <class A, class B> struct pair { A a; B b; };\n"
     "UAT_TASK(int, f, pair<int, int>, a) { return a.a; }"),
    ("parameter cannot be an array", ANY, "typedef int three[3];\nUAT_TASK(int, f, three, a) { return a[0]; }"),
    ("parameter cannot be an array", ANY, "UAT_TASK(int, f, int, n, int[3], a) { return a[n]; }"),
    ("a type and a plain name", ANY, "UAT_TASK(int, f, int, a[3]) { return a[0]; }"),
    ("specialise uat::pack", ("c++",), "#include <uat.hpp>\n#include <string>\nstruct named { std::string name; };\n"
     "int f(named s) { return (int)s.name.size(); }\nint g() { return uat::spawn(f, named()).join(); }"),
    ("specialise uat::pack", ("c++",), "#include <uat.hpp>\n#include <memory>\nstd::unique_ptr<int> f(int) { return {}; }\n"
     "void g() { uat::spawn(f, 1).join(); }"),
    ("specialise uat::pack", ("c++",), "#include <uat.hpp>\n#include <memory>\nvoid g() {\n"
     "uat::spawn([](std::vector<std::unique_ptr<int>>) {}, std::vector<std::unique_ptr<int>>()).join(); }"),
    ("specialise uat::pack", ("c++",), "#include <uat.hpp>\n#include <memory>\nuat::result_group<std::unique_ptr<int>, 9> g;"),
    ("must not capture them", ("c++",), "#include <uat.hpp>\n#include <string>\nvoid g(std::string s) { uat::spawn([s] {}).join(); }"),
    ("cannot travel to another process", ("c++",), "#include <uat.hpp>\n#include <vector>\nvoid g(std::vector<int> v) {\n"
     "uat::parallel_for(0, 9, [v](std::int64_t) {}); }"),
    ("cannot travel to another process", ("c++",), "#include <uat.hpp>\n#include <string>\n"
     "long f(std::int64_t i) { return uat::parallel_reduce(0, i, std::string(),\n"
     "[](std::string a, std::string b) { return a + b; }, [](std::int64_t) { return std::string(); }).size(); }"),
    ("cannot travel to another process", ("c++",), "#include <uat.hpp>\n#include <string>\nuat::global_vector<std::string> v(9);"),
    ("cannot travel to another process", ("c++",), "#include <uat.hpp>\nvoid f(uat::global_vector<int> &v) {\n"
     "uat::spawn([w = std::move(v)]() { }).join(); }"),
    ("cannot travel to another process", ("c++",), "#include <uat.hpp>\n#include <vector>\nvoid f(uat::span<int> s, std::vector<int> v) {\n"
     "uat::sort(s, [v](int a, int b) { return v[0] + a < b; }); }"),
    ("only read", ("c++",), "#include <uat.hpp>\nvoid f(uat::span<const int> s) { s.update(); }"),
    ("only read", ("c++",), "#include <uat.hpp>\nvoid f(uat::span<const int> s) { uat::sort(s); }"),
    ("const", ("c++",), "#include <uat.hpp>\nvoid f(uat::span<int> s) { s.read()[0] = 1; }"),
    ("words of 8 bytes and no others", ("c++",), "#include <uat.hpp>\nvoid f(uat::span<int> s) { s.atomic(0).fetch_add(1); }"),
    ("without const", ("c++",), "#include <uat.hpp>\nlong f(uat::span<const long> s) { return s.atomic(0).load(); }"),
    ("cannot travel to another process", ("c++",), "#include <uat.hpp>\n#include <string>\n"
     "void f(std::string *s) { uat::atomic_ref<std::string> word(s); }"),
    ("adds to numbers and to pointers", ("c++",), "#include <uat.hpp>\nstruct two { int a, b; };\n"
     "void f(uat::span<two> s) { s.atomic(0).fetch_add(two{1, 2}); }"),
    ("of numbers and pointers alone", ("c++",), "#include <uat.hpp>\nstruct two { int a, b; };\n"
     "void f(uat::span<two> s) { s.atomic(0).fetch_max(two{1, 2}); }"),
    ("for integers alone", ("c++",), "#include <uat.hpp>\nvoid f(uat::span<double> s) { s.atomic(0).fetch_or(1); }"),
    ("by padding or floating-point members", ("c++",), "#include <uat.hpp>\nstruct padded { int a; char b; };\n"
     "void f(uat::span<padded> s, padded p) { s.atomic(0).compare_exchange_strong(p, p); }"),
    ("return a value each, or none", ("c++",), "#include <uat.hpp>\nvoid f() { uat::parallel_invoke([] {}, [] { return 1; }); }"),
    ("cannot travel to another process", ("c++",), "#include <uat.hpp>\n#include <vector>\nvoid f(std::vector<int> v) {\n"
     "uat::parallel_invoke([] {}, [v] {}); }"),
    ("only read", ("c++",), "#include <uat.hpp>\nvoid f(uat::span<const int> s) { uat::inclusive_scan(s, s); }"),
    ("take a std::int64_t by value", ("c++",), "#include <uat.hpp>\nvoid f() { uat::parallel_for(0, 9, [](std::int64_t &i) { i = 9; }); }"),
    ("take a std::int64_t by value", ("c++",), "#include <uat.hpp>\nlong f() {\n"
     "return uat::parallel_reduce(0, 9, 0L, std::plus<>(), [](std::int64_t &i) { return ++i; }); }"),
    ("", ("c++",), "#include <uat.hpp>\nvoid f() { uat::parallel_for_ranges(0, 9, [](std::int64_t &i, std::int64_t j) { i = j; }); }"),
    ("one index for each dimension", ("c++",), "#include <uat.hpp>\nvoid f() { uat::parallel_for_box(uat::box<2>{{0, 0}, {9, 9}}, [](long) {}); }"),
    ("take a std::int64_t by value", ("c++",), "#include <uat.hpp>\nvoid f() { uat::parallel_find_if(0, 9, [](std::int64_t &i) { return ++i > 3; }); }"),
    ("neutral value of this operation is unknown", ("c++",), "#include <uat.hpp>\n"
     "struct least { long operator()(long a, long b) const { return a < b ? a : b; } };\nuat::reducer<long, least> low;"),
    ("neutral value of this operation is unknown", ("c++",), "#include <uat.hpp>\nuat::reducer<long, std::minus<>> low;"),
    ("neutral value of this operation is unknown", ("c++",), "#include <uat.hpp>\nvoid f(uat::span<bool> s) {\n"
     "uat::inclusive_scan(s, s, [](bool a, bool b) { return a && b; }); }"),
    ("neutral value of this operation is unknown", ("c++",), "#include <uat.hpp>\nvoid f(uat::span<long> s) {\n"
     "uat::exclusive_scan(s, s, [](long a, long b) { return a * b; }); }"),
    ("must convert to the type of the initial value", ("c++",), "#include <uat.hpp>\nstruct sum { long n; };\n"
     "sum f(uat::span<long> s) {\nreturn uat::transform_reduce(s, sum{0}, [](sum a, sum b) { return sum{a.n + b.n}; }, [](long x) { return x; }); }"),
    ("pairs of a type and a name", ANY, "#include <uat/pattern.h>\nUAT_FOR(f, i, int) { }"),
    ("at most eight parameters", ANY, "#include <uat/pattern.h>\nUAT_REDUCE(int, f, 0, UAT_PLUS, i, " +
     ", ".join(f"int, a{i}" for i in range(9)) + ") { return a0; }"),
    ("value is aligned to at most 16", ANY, "#include <uat/pattern.h>\nstruct s { double x; } __attribute__((aligned(32)));\n"
     "struct s none; struct s first(struct s a, struct s b);\nUAT_REDUCE(struct s, f, none, first, i) { (void)i; return none; }"),
    ("cannot travel to another process", ("c++",), "#include <uat.hpp>\n#include <string>\nuat::channel<std::string> c(1);"),
    ("specialise uat::travels", ("c++",), "#include <uat.hpp>\n#include <string>\n"
     "void f(std::pair<int, std::string> p) { uat::parallel_for(0, 9, [p](std::int64_t) {}); }"),
    ("take a global_vector", ("c++",), "#include <uat.hpp>\nstruct alignas(64) line { char c[64]; };\nauto f() { return uat::make_object<line>(); }"),
    ("for tasks without results", ("c++",), "#include <uat.hpp>\nuat::result_group<void, 9> g;"),
    ("room for at least one task", ("c++",), "#include <uat.hpp>\nuat::result_group<long, 0> g;"),
    ("must convert to the type", ("c++",), "#include <uat.hpp>\n"
     "void f() { uat::result_group<long, 9> g; g.run([] { return nullptr; }); }"),
    ("deleted", ("c++",), "#include <uat.hpp>\nvoid f(uat::mutex &m) { uat::parallel_for(0, 9, [m](std::int64_t) { m.lock(); }); }"),
    ("deleted", ("c++",), "#include <uat.hpp>\nvoid f(uat::future<int> &a) { uat::future<int> b = a; }"),
    ("captures the ref()", ("c++",), "#include <uat.hpp>\nvoid f(uat::latch &l) { uat::spawn([k = std::move(l)] { k.wait(); }).join(); }"),
    ("or its ref()", ("c++",), "#include <uat.hpp>\nuat::global_vector<uat::latch> all(9);"),
    ("take a uat::task_group", ("c++",), "#include <uat.hpp>\n#include <vector>\n"
     "void f() { std::vector<uat::task<long>> v; v.push_back(uat::spawn([] { return 1L; })); }"),
    *(("reference to non-const", ("c++",), f"#include <uat.hpp>\nvoid f(long x) {{ {call}[](long &y) {{ y = 9; }}, x); }}")
      for call in ("(void)uat::spawn(", "(void)uat::spawn_on(0, ", "uat::run(", "uat::task_group().run(", "uat::task_group().run_on(0, ",
                   "uat::flow().spawn(")),
    ("result cannot be an array", ANY, "typedef int three[3];\nUAT_TASK(three, f, int, a) { return 0; }"),
]


def main():
    compiler, language, standard, include = sys.argv[1:]
    if not shutil.which(compiler):
        print(f"no {compiler} on this machine")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        return try_all(compiler, language, standard, include, Path(folder))


def precompile(command, language, folder):
    """Precompile the headers that all programs include, so that the compiler reads them only once. Returns the options
    that use the result."""
    common = folder / "common.h"
    common.write_text("#include <uat.hpp>\n#include <string>\n#include <vector>\n" if language == "c++" else "#include <uat.h>\n")
    subprocess.run([*command, "-x", language + "-header", "-o", f"{common}.gch", common], check=True)
    return ["-include", common]


def try_all(compiler, language, standard, include, folder):
    failed = 0
    command = [compiler, "-std=" + standard, "-I", include]
    common = precompile(command, language, folder)
    for sentence, languages, text in CASES:
        if language not in languages:
            continue
        done = subprocess.run([*command, *common, "-x", language, "-fsyntax-only", "-"],
                              input=f"#include <uat.h>\n{text}\n", text=True, capture_output=True)
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        # The sentence must be the first error, because a user may read only the first error.
        if done.returncode == 0 or not errors or sentence not in errors[0]:
            failed += 1
            print(f"FAILED {text}\n   should say: {sentence}\n   says: {errors[:2]}, status {done.returncode}")
    print(f"{len(CASES)} programs, {failed} not refused as they should")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
