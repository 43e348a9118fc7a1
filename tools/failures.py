#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the failed cases in a step's log and their reasons: those of GoogleTest, ctest, pytest, node --test,
the sanitizers, libFuzzer and the compiler. A log with none of these ends with its last lines.

usage: failures.py LOG
"""
import re
import sys

MAX_LINES = 30
MAX_REASON_LINES = 6
LAST_LINES = 15
MAX_WIDTH = 240


def googletest(lines):
    """A case's reasons come before its FAILED line. A crash or a timeout leaves a RUN line without an end."""
    reasons, reading, running, listed = [], False, None, set()
    for line in lines:
        run = re.match(r"\[ RUN      \] (\S+)", line)
        ended = re.match(r"\[  (FAILED|     OK|SKIPPED) +\] (\S+).*\(\d+ ms\)", line)
        if run:
            running, reasons, reading = run[1], [], False
        elif re.search(r":\d+: Failure$|^unknown file: Failure$|^C\+\+ exception", line):
            reasons.append(line.strip())
            reading = True
        elif ended:
            if ended[1] == "FAILED" and ended[2] not in listed:
                listed.add(ended[2])
                yield ended[2], reasons
            running, reasons, reading = None, [], False
        elif running and re.match(r"\s*\d+/\d+ Test +#|\s*\d+% tests passed|\s*Start +\d+:", line):
            yield f"{running} did not end", reasons
            running, reasons, reading = None, [], False
        elif reading and line.strip():
            reasons.append("  " + line.strip())


def ctest(lines):
    for line in lines:
        match = re.search(r"Test +#\d+: (\S+) \.*\*\*\*(.*)", line)
        if match:
            yield match[1], ["ctest: " + match[2].strip()]


def pytest(lines):
    """Each failure has a section "____ name ____" with lines "E   reason"; the summary names all cases."""
    sections, name = {}, None
    for line in lines:
        title = re.match(r"_{3,} (.*?) _{3,}$", line)
        if title:
            name = title[1]
            sections[name] = []
        elif re.match(r"={3,} ", line):
            name = None
        elif name and (line.startswith("E  ") or re.match(r"\S+\.py:\d+: ", line)):
            sections[name].append("  " + line.removeprefix("E  ").strip())
    for line in lines:
        match = re.match(r"(FAILED|ERROR) (\S+?)( - .*)?$", line)
        if match:
            case = match[2].split("::")[-1]
            reasons = next((text for title, text in sections.items() if title.split(" of ")[-1].split()[-1].endswith(case)), [])
            yield match[2], reasons[:2] + reasons[-1:] if len(reasons) > 3 else reasons or [(match[3] or "")[3:]]


def node(lines):
    """The reporter `spec` repeats the failures below a line of their own."""
    start = next((i for i, line in enumerate(lines) if "failing tests:" in line), len(lines))
    name, reasons = None, []
    for line in lines[start + 1:]:
        match = re.match(r"\s*✖ (.*?)( \([\d.]+ms\))?$", line)
        if match:
            if name:
                yield name, reasons
            name, reasons = match[1], []
        elif re.match(r"\s*ℹ ", line):
            break
        elif name and line.strip() and not re.match(r"\s*(at|generatedMessage:|code:|operator:|test at|\}$) ?", line):
            reasons.append("  " + line.strip())
    if name:
        yield name, reasons


def sanitizers(lines):
    for number, line in enumerate(lines):
        if re.search(r"ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|runtime error: |ERROR: libFuzzer", line):
            frames = [text.strip() for text in lines[number + 1:number + 60] if re.match(r"\s+#\d+ .*/(src|tests)/", text)]
            yield re.sub(r"^=+\d+=+", "", line).strip(), frames[:4]


def compiler(lines):
    """Errors of g++, clang++, the linker and CMake."""
    for number, line in enumerate(lines):
        if re.search(r"(^|: )(fatal )?error: |^CMake Error|undefined symbol: ", line):
            yield line.strip(), [text.rstrip() for text in lines[number + 1:number + 3]]


def crash(lines):
    """tests/crash: one line a problem, then a verdict."""
    problems = [line for line in lines if line.startswith("crash: ") and not re.match(r"crash: (objects, )?(\d+ rounds|seed)", line)]
    if problems:
        yield "tests/crash", problems


def last_lines(lines):
    yield "the log ends with", [line for line in lines if line.strip()][-LAST_LINES:]


def found(lines):
    for parser in (googletest, pytest, node, crash, sanitizers, compiler):
        yield from parser(lines)


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        lines = log.read().splitlines()
    failures = list(found(lines)) + list(ctest(lines)) or list(last_lines(lines))
    # Many failures: fewer lines for each, so that as many as possible are named.
    each = LAST_LINES if len(failures) == 1 else max(1, min(MAX_REASON_LINES, MAX_LINES // len(failures) - 1))
    printed = 1
    for number, (case, reasons) in enumerate(failures):
        wanted = [f"  {case}", *(f"    {reason}" for reason in reasons[:each])]
        if printed + len(wanted) >= MAX_LINES:
            print(f"  and {len(failures) - number} more failures")
            break
        printed += len(wanted)
        print("\n".join(line[:MAX_WIDTH] for line in wanted))
    print(f"  all of it: {sys.argv[1]}")


if __name__ == "__main__":
    main()
