#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks programs that a compiler must refuse. Each file of the folder must compile as it is. For every line with a
comment `// refused: <regular expression>`, a compilation with the code of that line must fail with a matching error.

usage: refused.py FOLDER COMPILER INCLUDE_FOLDER [MORE_INCLUDE_FOLDERS]...

Each refused line is in a separate block `#ifdef REFUSED_<name>`.
"""
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"#ifdef (REFUSED_\w+)\n(.*)// refused: (.*)\n#endif")


def errors_of(compiler, folders, source, *definitions):
    command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(source)]
    command += [word for folder in folders for word in ("-I", folder)]
    command += [f"-D{name}" for name in definitions]
    said = subprocess.run(command, capture_output=True, text=True)
    return re.findall(r" error: (.*)", said.stderr)


def main():
    folder, compiler, *folders = sys.argv[1:]
    wrong = tried = 0
    for source in sorted(pathlib.Path(folder).glob("*.cpp")):
        text = source.read_text()
        blocks = BLOCK.findall(text)
        if errors := errors_of(compiler, folders, source):
            print(f"{source}: {errors}")
            wrong += 1
        if not blocks or len(blocks) != text.count("REFUSED_"):
            print(f"{source}: a block without its line")
            wrong += 1
        for name, code, expected in blocks:
            tried += 1
            errors = errors_of(compiler, folders, source, name)
            if not any(re.search(expected, error) for error in errors):
                print(f"{source}: {name}: {code.strip()}: no error \"{expected}\" among {errors}")
                wrong += 1
    print(f"{tried} lines, {wrong} wrong")
    return 1 if wrong or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
