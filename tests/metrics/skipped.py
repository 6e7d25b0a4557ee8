# SPDX-License-Identifier: Apache-2.0
"""Ends a test as skipped if a program is absent, and names the program."""
import shutil
import sys

SKIPPED = 77


def need(program):
    found = shutil.which(program)
    if found is None:
        print(f"skipped: {program} is absent (Debian: apt-get install prometheus)")
        sys.exit(SKIPPED)
    return found
