# SPDX-License-Identifier: MIT
"""How uat-report and uat-profile write their pages."""
import os
import secrets
import stat

from report_timeline import Refused


def write(path, words):
    """Write the file completely or not at all. Refuse a symbolic link and another user's file, as base/output.h does."""
    part = None
    try:
        there = os.lstat(path)
        if stat.S_ISLNK(there.st_mode):
            raise Refused(f"{path} is a symbolic link; name the file itself")
        if not stat.S_ISCHR(there.st_mode) and there.st_uid != os.geteuid():
            raise Refused(f"{path} belongs to another user")
        stream = not stat.S_ISREG(there.st_mode)
    except FileNotFoundError:
        stream = False
    try:
        flags = os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NOCTTY
        if stream:
            out = os.open(path, flags | os.O_NONBLOCK)
            os.set_blocking(out, True)
        else:
            part = f"{path}.{secrets.token_hex(8)}"
            out = os.open(part, flags | os.O_CREAT | os.O_EXCL, 0o666)
        with open(out, "w", encoding="utf-8") as page_file:
            page_file.write(words)
        if part:
            os.replace(part, path)
    except OSError:
        if part and os.path.exists(part):
            os.unlink(part)
        raise
