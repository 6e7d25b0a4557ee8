# SPDX-License-Identifier: Apache-2.0
"""Compiles each public header as C++17: the compiler must report one #error that names the required standard, and
stop.

usage: older_language.py COMPILER INCLUDE_FOLDER [MORE_INCLUDE_FOLDERS]...
"""
import pathlib
import re
import subprocess
import sys

LEFT_OUT = {"language.hpp"}


def errors_of(compiler, folders, header):
    command = [compiler, "-std=c++17", "-fsyntax-only", "-x", "c++", "-"]
    command += [word for folder in folders for word in ("-I", folder)]
    said = subprocess.run(command, input=f'#include "{header}"\n', capture_output=True, text=True)
    return re.findall(r" error: (.*)", said.stderr)


def main():
    compiler, *folders = sys.argv[1:]
    public = pathlib.Path(folders[0])
    bad = 0
    headers = sorted(public.rglob("*.hpp"))
    for header in headers:
        if header.name in LEFT_OUT:
            continue
        found = errors_of(compiler, folders, header.relative_to(public).as_posix())
        if len(found) != 2 or "Turnstile needs C++20" not in found[0] or "stop_here" not in found[1]:
            print(f"{header}: {found}")
            bad += 1
    print(f"{len(headers)} headers, {bad} of them without the one error")
    return 1 if bad or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
