#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the tree against its own rules:

  module    the edges between modules, in src/CMakeLists.txt
  include   who may include whom
  library   the modules that may include a third-party library
  clock     the modules that may read a clock; code that decides gets the time as an argument
  sleep     no thread sleeps, in tests either
  global    no variables of namespace scope or static locals that can change
  size      the length of files and functions
  await     the co_await expressions that g++ 12 compiles wrongly
  license   the SPDX line

usage: tidy.py [ROOT]   prints "file:line: rule: text" for each finding; exit status 1 if there is any
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 70
SOURCE = {".cc", ".h", ".py", ".ts", ".tsx", ".sh", ".mjs"}
MAINS = {"main.cc", "ocr_main.cc", "work_main.cc", "work_libraries.cc"}  # of programs
TEST = re.compile(r"_test\.cc$|/(test_|fake_)\w+\.h$|_(fixture|test_server)\.h$|/(scripted_\w+|raw_client|self_signed)\.h$")

# Header prefix -> the modules that may include it (patterns), and whether a header of theirs may.
ASYNC = ("http", "signing", "objects", "spool", "api", "webhooks/*", "doors/*", "control", "control/*", "client", "agent", "agent/*", "worker", "cli")
LIBRARIES = {
    "boost/asio": (ASYNC, True),
    "boost/system": (ASYNC, True),
    "boost/beast": (("http",), True),
    # Handlers work on shapes. JSON that they store is parsed in a .cc file.
    "boost/json": (("wire", "services", "services/*", "doors/*", "worker"), False),
    "boost/regex": (("wire",), False),
    "boost/describe": (("wire", "datachannel", "shapes", "services", "services/*", "api", "doors/*", "control/*", "client", "agent", "agent/*", "cli", "worker", "ocr"), True),
    "boost/mp11": (("wire",), True),
    "boost/unordered": (("scheduler",), True),
    "sqlite3.h": (("store",), True),
    "libpq-fe.h": (("store",), True),
    "openssl": (("base", "http", "signing", "services/ec2"), True),
    "zlib.h": (("http", "services/logs"), False),
    "zstd.h": (("telemetry",), False),
    "re2": (("agent/logs", "scheduler", "services/logs"), False),
    "pugixml": (("wire",), False),
    "prometheus": (("api",), False),
    "CLI": (("cli", "worker", "ocr_main.cc", "work_main.cc"), True),
    "tesseract": (("ocr",), False),
    "leptonica": (("ocr",), False),
    "yaml-cpp": (("cli",), False),
    "spdlog": (("base", "work_libraries.cc"), False),
    "fmt": (("*",), True),
    "dlfcn.h": (("agent/gpu",), True),
    "gtest": (("*",), True),
    "gmock": (("*",), True),
}
# The agent builds Docker's and the metadata server's documents as JSON values, which its headers pass around.
JSON_HEADERS = ("agent", "agent/*", "services/events")
REGEX_HEADERS = {"scheduler/expression.h", "scheduler/expression_pattern.h"}
SYSTEM = ("sys", "linux", "netinet", "arpa", "net")

CLOCK = re.compile(r"\b\w+_clock::now\s*\(|\bSystemClock\b|\bgettimeofday\s*\(|\bclock_gettime\s*\(|"
                   r"(?<![\w.>])(?:std::|::)?time\s*\(\s*(?:nullptr|NULL|0|&\w+)\s*\)")
CLOCK_MODULES = ("http", "api", "doors/*", "control", "control/*", "client", "agent", "agent/*", "worker", "cli", "ocr")
CLOCK_FILES = {"base/time.h": "the clock itself", "base/server_clock.cc": "the clock itself",
               "base/random.cc": "seeds",
               "store/postgres_writer.cc": "the deadline of a reconnect", "store/work_time.cc": "the time that works take"}

SLEEP = re.compile(r"\bthis_thread::sleep_\w+|(?<![\w.>])(?:std::|::)?(?:usleep|nanosleep|sleep)\s*\(\s*[\w&'(]")
SLEEP_FILES = {
    "agent/drivers/shim.cc": "the shim has no event loop; it retries to write a task's exit status",
    "agent/drivers/cgroup.cc": "a cgroup is busy for a moment after its last process; there is no event",
    "cli/polling.cc": "polls the server, as any client does",
    "cli/awslogs.cc": "polls the server, as any client does: GetLogEvents has no long poll",
    "cli/service_events.cc": "polls the server, as any client does: DescribeServices has no long poll",
    "store/postgres_writer.cc": "pauses between attempts to reconnect",
    "store/postgres_test_server.h": "waits for a process that announces nothing",
    "agent/drivers/docker_fixture.h": "waits for a container",
    "agent/drivers/process_fixture.h": "waits for a file",
    "agent/drivers/process_adoption_test.cc": "waits for a lock and a file of another process",
}

# (file, variable): why it may be global.
GLOBALS = {
    ("base/log.cc", "instance"): "the logger of the process",
    ("base/random.cc", "pool"): "random bytes of a thread",
    ("http/date.cc", "second"): "cache of a thread",
    ("http/date.cc", "text"): "cache of a thread",
    ("store/sqlite_wal_buffer.cc", "vfs"): "SQLite keeps the address of a VFS for the life of the process",
    ("store/postgres_test_server.h", "server"): "one PostgreSQL for all tests of a program",
    ("store/sqlite_store_test.cc", "space_comes_and_goes"): "read by a callback of SQLite that has no argument",
}


class Module:
    def __init__(self, name, line):
        self.name, self.line = name, line
        self.deps, self.folders, self.below = set(), set(), False


def modules(root):
    """The module(...) lines of src/CMakeLists.txt: {folder: Module}, in their order."""
    text = (root / "src/CMakeLists.txt").read_text()
    found = {}
    for match in re.finditer(r"^module\(([^)]*)\)", text, re.M):
        words = match[1].split()
        module = Module(words[0], text.count("\n", 0, match.start()) + 1)
        into = None
        for word in words[1:]:
            if word in ("DEPS", "LIBS", "FOLDERS", "APART", "BELOW"):
                into = word
            elif into == "DEPS":
                module.deps.add(word)
            elif into == "FOLDERS":
                module.folders.add(word)
            module.below = module.below or into == "BELOW"
        found[words[0]] = module
    return found


def check_modules(table):
    above = set()
    for name, module in table.items():
        for dep in sorted(module.deps):
            if dep not in above:
                yield module.line, "module", f"{name} depends on {dep}, which is not above it"
        for group in ("services", "doors"):
            peers = [dep for dep in module.deps if dep.startswith(group + "/")]
            if name.startswith(group + "/") and peers:
                yield module.line, "module", f"{name} depends on {peers[0]}: {group} must not depend on one another"
        if name.startswith("services") and module.deps & {"http", "api"}:
            yield module.line, "module", f"{name} depends on the server: services have no sockets"
        above.add(name)


def module_of(path, table):
    """The module of a path below src/: the longest folder that contains it."""
    parts = path.split("/")[:-1]
    while parts:
        if "/".join(parts) in table:
            return "/".join(parts)
        parts.pop()
    return None


def allowed(module, patterns):
    return any(fnmatch.fnmatchcase(module, pattern) for pattern in patterns)


def blanked(text):
    """The text without its comments, strings and characters; lines keep their numbers and columns."""
    def blank(match):
        if match[0].startswith(("/", '"', "'")) or "R" in match[0][:4]:
            return re.sub(r"[^\n]", " ", match[0])
        return match[0]

    literals = (r'//[^\n]*|/\*.*?\*/|\b(?:u8|u|U|L)?R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'")
    return re.sub(literals, blank, text, flags=re.S)


def check_place(relative, table):
    module = module_of(relative, table)
    if module is None:
        if relative not in MAINS:
            yield 1, "module", "belongs to no module() of src/CMakeLists.txt"
        return
    folder = relative[len(module) + 1:].rpartition("/")[0]
    if folder and folder not in table[module].folders and not table[module].below:
        yield 1, "module", f"the folder {folder} is not among the FOLDERS of {module} (src/CMakeLists.txt)"


def check_includes(relative, lines, table):
    module = module_of(relative, table)
    if module is None:
        return
    reachable = table[module].deps | {module}
    for number, line in enumerate(lines, 1):
        match = re.match(r'#include "([^"]+)"', line)
        if not match:
            continue
        target = module_of(match[1], table)
        if target is None:
            yield number, "include", f'"{match[1]}" is not written from src/ or belongs to no module()'
        elif target not in reachable:
            yield number, "include", f"{module} may not include {target} (src/CMakeLists.txt)"


def check_libraries(relative, lines, table):
    module = module_of(relative, table) or relative
    for number, line in enumerate(lines, 1):
        match = re.match(r"#include <([^>]+)>", line)
        if not match:
            continue
        header = match[1]
        key = next((k for k in LIBRARIES if header == k or header.startswith((k + "/", k + "."))), None)
        if key is None:
            top = header.split("/")[0]
            if "/" in header and top not in SYSTEM:
                yield number, "library", f"<{header}> is not listed in tools/tidy.py"
            continue
        patterns, in_headers = LIBRARIES[key]
        if key == "boost/json" and allowed(module, JSON_HEADERS):
            continue
        if not allowed(module, patterns):
            yield number, "library", f"{module} may not include <{header}>"
        elif not in_headers and relative.endswith(".h") and not header.endswith("fwd.hpp") and \
                relative not in REGEX_HEADERS and not TEST.search("/" + relative):
            yield number, "library", f"<{header}> in a header slows down everybody who includes it"


def check_clocks(relative, lines, table):
    module = module_of(relative, table) or "control"
    if TEST.search("/" + relative) or relative in CLOCK_FILES or allowed(module, CLOCK_MODULES):
        return
    for number, line in enumerate(lines, 1):
        if CLOCK.search(line):
            yield number, "clock", f"{module} may not read a clock; the time is an argument"


def check_sleeps(relative, lines):
    if relative in SLEEP_FILES:
        return
    for number, line in enumerate(lines, 1):
        if SLEEP.search(line):
            yield number, "sleep", "a thread sleeps; wait for an event"


# At column 0: `Type name;`, `Type name = ...`, `Type name{...}`. In a function: `static Type name...`.
NAMESPACE_VARIABLE = re.compile(r"^(?!using|typedef|return|namespace|struct|class|enum|union|template|concept|friend|extern|"
                                r"public|private|protected|goto|case|default|[A-Z_]+\()"
                                r"(?:inline |static |thread_local )*[A-Za-z_][\w:]*(?:<.*>)?(?:::\w+)*[&* ]+(\w+)\s*"
                                r"(?:;|=(?!=)|\{)")
STATIC_LOCAL = re.compile(r"^\s+(?:static|thread_local) (?:static |thread_local )*[A-Za-z_][\w:]*(?:<.*>)?[&* ]+(\w+)\s*(?:;|=(?!=)|\{)")
THREAD_LOCAL = re.compile(r"^\s+thread_local [\w:<>, ]+[&* ](\w+)\s*\(")


def check_globals(relative, lines):
    for number, line in enumerate(lines, 1):
        if re.search(r"\b(const|constexpr|constinit const)\b", line.split("=")[0]):
            continue
        match = NAMESPACE_VARIABLE.match(line) or STATIC_LOCAL.match(line) or THREAD_LOCAL.match(line)
        if match and (relative, match[1]) not in GLOBALS and "operator" not in line:
            yield number, "global", f"{match[1]} is a variable that outlives its function; make it const or a member"


def check_functions(lines):
    """A function's body begins with a line that ends with `{` and is no namespace, class or table, and ends with
    `}` at the same indentation."""
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
                yield start, "size", f"a function of {length} lines; the limit is {MAX_FUNCTION_LINES}"
            start = None


AWAIT_SHAPES = [
    # The condition alone: `if (due) co_await f();` is right.
    (re.compile(r"\b(if|while|switch|for)\s*\((?:[^()]|\([^()]*\)|\((?:[^()]|\([^()]*\))*\))*\bco_await\b"), "co_await in a condition"),
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
        for shape, name in AWAIT_SHAPES:
            if shape.search(code):
                yield number, "await", f"{name}: g++ 12 compiles it wrongly; await into a named local first"


def check_file(root, name, table):
    text = (root / name).read_text()
    lines = text.split("\n")
    if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(lines[:3]):
        yield 1, "license", "no SPDX line"
    generated = "Generated by tools/shapes.py" in "\n".join(lines[:3])  # nobody reads it from top to bottom
    if len(lines) > MAX_FILE_LINES + 1 and not generated:
        yield len(lines), "size", f"{len(lines)} lines; the limit is {MAX_FILE_LINES}"
    if not name.endswith((".cc", ".h")):
        return
    yield from check_functions(lines)
    yield from check_awaits(lines)
    if not name.startswith("src/"):
        return
    relative = name.removeprefix("src/")
    code = blanked(text).split("\n")
    yield from check_place(relative, table)
    yield from check_includes(relative, lines, table)
    yield from check_libraries(relative, lines, table)
    yield from check_clocks(relative, code, table)
    yield from check_sleeps(relative, code)
    yield from check_globals(relative, code)


def findings(root):
    table = modules(root)
    for number, rule, text in check_modules(table):
        yield "src/CMakeLists.txt", number, rule, text
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True,
                            check=True).stdout.split("\n")
    for name in filter(None, listed):
        path = root / name
        if path.suffix in SOURCE and path.exists():
            for number, rule, text in check_file(root, name, table):
                yield name, number, rule, text


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    count = 0
    for name, number, rule, text in findings(root):
        print(f"{name}:{number}: {rule}: {text}")
        count += 1
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
