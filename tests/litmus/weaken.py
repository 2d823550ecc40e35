# SPDX-License-Identifier: MIT
"""Changes of a litmus test's instructions, for check and verbs/check. check says what a change looks like."""
import re


def weaken(text, changes):
    """The test with the changes."""
    head, code = text.split("\n}\n", 1)
    rows = [line.rstrip(" ;").split("|") for line in code.splitlines() if line.endswith(";")]
    column = None
    for change in changes.split(", "):
        named = re.match(r"(?:P(\d+) )?(all )?(.*?)(?: -> (.*))?$", change)
        column = int(named[1]) if named[1] else column
        places = [row for row in rows if len(row) > column and row[column].strip() == named[3]]
        if not places or (len(places) > 1 and not named[2]):
            raise ValueError(f"'{change}' names {len(places)} instructions")
        for row in places:
            row[column] = named[4] or ""
    return head + "\n}\n" + "".join(" | ".join(row) + " ;\n" for row in rows) + code[code.index("exists"):]
