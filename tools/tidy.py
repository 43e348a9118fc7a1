#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the tree to its own rules: who may include whom, how long files and
functions may be, and the co_await shapes that g++ 12 compiles wrongly.

usage: tidy.py [ROOT]   prints one line a finding; exit 1 when there is any
"""
import pathlib
import re
import subprocess
import sys

MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 70
SOURCE = {".cc", ".h", ".py", ".ts", ".tsx", ".sh"}


def modules(root):
    """module(folder DEPS a b LIBS ...) lines -> {folder: {folders it may include}}"""
    text = (root / "src/CMakeLists.txt").read_text()
    found = {}
    for body in re.findall(r"^module\(([^)]*)\)", text, re.M | re.S):
        words = body.split()
        deps, into = {words[0]}, None
        for word in words[1:]:
            if word in ("DEPS", "LIBS"):
                into = word
            elif into == "DEPS":
                deps.add(word)
        found[words[0]] = deps
    return found


def folder_of(path, folders):
    """The module that a path below src/ belongs to: the longest folder that holds it."""
    parts = path.split("/")[:-1]
    while parts:
        if "/".join(parts) in folders:
            return "/".join(parts)
        parts.pop()
    return None


def check_includes(root, path, lines, table):
    relative = path.relative_to(root / "src").as_posix()
    folder = folder_of(relative, table)
    if folder is None:
        if relative != "main.cc":
            yield 1, "belongs to no module() of src/CMakeLists.txt"
        return
    for number, line in enumerate(lines, 1):
        match = re.match(r'#include "([^"]+)"', line)
        if not match:
            continue
        target = folder_of(match[1], table)
        if target is None:
            yield number, f'"{match[1]}" is not written from src/ or belongs to no module()'
        elif target not in table[folder]:
            yield number, f"{folder} may not include {target} (src/CMakeLists.txt)"


def check_functions(lines):
    """A function body opens at column 0 (or in a class, deeper) with `{` at the end of a
    line that is no namespace, class or table, and ends with `}` at the same indent."""
    opener = re.compile(r"^(\s*)(?!namespace|class|struct|enum|union|extern|constexpr|inline constexpr|static const|const)"
                        r"\S.*\)\s*(const|noexcept|override|final|\s)*(->\s*[\w:<>&*, ]+)?\s*\{$")
    start = None
    for number, line in enumerate(lines, 1):
        if start is None:
            match = opener.match(line)
            if match and not re.match(r"\s*(if|for|while|switch|else|TEST|do|try|\}|return|case)\b", line):
                start, indent = number, match[1]
        elif line.startswith(indent + "}"):
            length = number - start + 1
            if length > MAX_FUNCTION_LINES:
                yield start, f"a function of {length} lines; {MAX_FUNCTION_LINES} is the most"
            start = None


AWAIT_SHAPES = [
    (re.compile(r"\b(if|while|switch|for)\s*\(.*\bco_await\b"), "co_await in a condition"),
    (re.compile(r"\?.*\bco_await\b|\bco_await\b[^;]*\?"), "co_await in a ternary"),
    (re.compile(r"\bco_await\b[^;]*\[[&=\w, ]*[&=\w]+[^\]]*\]\s*(\(|\{)"), "a capturing lambda inside co_await"),
    (re.compile(r"\bco_await\b[^;]*\w\s*\{[^;]*\}"), "a brace-made aggregate inside co_await"),
    (re.compile(r"[\w>]\s*\([^;()]*\bco_await\b"), "co_await in another call's arguments"),
    (re.compile(r"\{[^;{}]*\bco_await\b[^;]*\}"), "co_await inside braces"),
]


def check_awaits(lines):
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0]
        if "co_await" not in code:
            continue
        for shape, what in AWAIT_SHAPES:
            if shape.search(code):
                yield number, f"{what}: g++ 12 compiles it wrongly; await into a named local first"


def findings(root):
    table = modules(root)
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True,
                            check=True).stdout.split("\n")
    for name in filter(None, listed):
        path = root / name
        if path.suffix not in SOURCE or not path.exists():
            continue
        lines = path.read_text().split("\n")
        text_top = "\n".join(lines[:3])
        if "SPDX-License-Identifier: Apache-2.0" not in text_top:
            yield name, 1, "no SPDX line"
        if len(lines) > MAX_FILE_LINES + 1:
            yield name, len(lines), f"{len(lines)} lines; {MAX_FILE_LINES} is the most"
        if path.suffix in (".cc", ".h"):
            checks = [check_functions(lines), check_awaits(lines)]
            if name.startswith("src/"):
                checks.append(check_includes(root, path, lines, table))
            for check in checks:
                for number, what in check:
                    yield name, number, what


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    count = 0
    for name, number, what in findings(root):
        print(f"{name}:{number}: {what}")
        count += 1
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
