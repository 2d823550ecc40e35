# SPDX-License-Identifier: MIT
"""What the scripts that measure have in common: options that are checked, and runs that tell why they fail. Both errors take one line."""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path


class Parser(argparse.ArgumentParser):
    """Its options are described by the script's own text."""

    def __init__(self, text):
        super().__init__(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; see --help\n")

    def add_build(self):
        self.add_argument("--build", default=os.environ.get("VM_BUILD", "build"), type=build_folder, help="build folder (build)")


def build_folder(text):
    if not (Path(text) / "launcher" / "uatrun").exists():
        raise argparse.ArgumentTypeError(f"{text} is not a folder where uat is built")
    return Path(text).resolve()


def number(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def numbers(text):
    return [number(part) for part in text.split(",")]


def words_of(allowed):
    """The type of an option that takes some of these words, with commas."""
    def words(text):
        for word in text.split(","):
            if word not in allowed:
                raise argparse.ArgumentTypeError(f"'{word}' is none of {', '.join(allowed)}")
        return text.split(",")
    return words


def run(command, settings=None):
    """The command that has ended, under more settings of the environment. If it fails the script ends, too, with its last words."""
    command = [str(word) for word in command]
    said = " ".join([*(f"{name}={value}" for name, value in (settings or {}).items()), *command])
    try:
        done = subprocess.run(command, env={**os.environ, **(settings or {})}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
    except OSError as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {command[0]} cannot be started: {error.strerror}")
    if done.returncode:
        sys.exit(f"{Path(sys.argv[0]).name}: status {done.returncode} of {said}: {done.stderr.strip()[-2000:]}")
    return done


def report_of(done):
    """What a benchmark has said with --json."""
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{Path(sys.argv[0]).name}: no report of {' '.join(done.args)}")
