#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the tests: plants one fault at a time and expects a test to fail.

tools/mutations.json lists the faults: a name, a file or a folder, an exact text that occurs once in its sources, the
replacement, and the test programs that must notice. The faults are planted in a copy of the tree (build/mutate), never in the tree itself.
A fault is `killed` if a program fails or does not end; it `survived` if all of them pass. A text that does not occur
exactly once, a fault that does not compile, or a program that fails without a fault, is an error.

usage: mutate.py [--only NAME]... [--list] [--check] [--jobs N]
Exit status: 0 if all are killed, 1 if one survived, 2 if one could not be planted or built.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / "build/mutate"
# The configuration of `make test`, so that ccache has all objects but those with a fault.
PRESET = "asan"
TEST_SECONDS = 600
KILLED, SURVIVED = "killed", "survived"
UNPLANTED, UNBUILT, UNSOUND = "did not apply", "did not build", "fails without it"


def load():
    mutations = json.loads((ROOT / "tools/mutations.json").read_text())
    names = [one["name"] for one in mutations]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"names occur twice: {sorted(twice)}")
    return mutations


def find(root, mutation):
    """The source with the text, or None unless it occurs exactly once."""
    place = root / mutation["in"]
    paths = [place] if place.is_file() else [p for p in place.rglob("*") if p.suffix in (".cc", ".h")]
    paths = [path for path in paths if not path.name.endswith("_test.cc")]
    counts = {path: path.read_text().count(mutation["text"]) for path in paths}
    found = [path for path, count in counts.items() if count > 0]
    return found[0] if len(found) == 1 and counts[found[0]] == 1 else None


def copy_tree():
    """Brings the copy up to date. Unchanged files keep their times, so that the build is incremental."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    tree = SCRATCH / "tree"
    tree.mkdir(parents=True, exist_ok=True)
    for path in tree.rglob("*"):
        name = path.relative_to(tree).as_posix()
        if path.is_file() and not name.startswith("build/") and name not in wanted:
            path.unlink()
    for name in wanted:
        source, target = ROOT / name, tree / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
    return tree


def build(tree, programs, jobs, log):
    command = ["cmake", "--build", "--preset", PRESET, "-j", str(jobs), "--target", *programs]
    return subprocess.run(command, cwd=tree, stdout=log, stderr=subprocess.STDOUT).returncode == 0


def run(tree, program, log):
    """Whether the test program passes."""
    path = next((p for p in (tree / "build" / PRESET).rglob(program) if p.is_file() and os.access(p, os.X_OK)), None)
    try:
        done = subprocess.run([path], cwd=tree, stdout=log, stderr=subprocess.STDOUT, timeout=TEST_SECONDS)
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False


def attempt(tree, mutation, jobs):
    path = find(tree, mutation)
    if path is None:
        return UNPLANTED
    original = path.read_text()
    with open(SCRATCH / f"{mutation['name']}.log", "wb") as log:
        path.write_text(original.replace(mutation["text"], mutation["replacement"]))
        try:
            if not build(tree, mutation["tests"], jobs, log):
                return UNBUILT
            passed = all(run(tree, program, log) for program in mutation["tests"])
            return SURVIVED if passed else KILLED
        finally:
            path.write_text(original)


def sound(tree, programs, jobs, known):
    """Whether the programs pass without a fault; `known` remembers each."""
    with open(SCRATCH / "without-faults.log", "ab") as log:
        fresh = [program for program in programs if program not in known]
        if fresh:
            built = build(tree, fresh, jobs, log)
            known.update({program: built and run(tree, program, log) for program in fresh})
    return all(known[program] for program in programs)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", action="append", metavar="NAME", help="plant only this fault; may be repeated")
    options.add_argument("--list", action="store_true", help="print the faults")
    options.add_argument("--check", action="store_true", help="check that all faults apply, and plant none")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    given = options.parse_args()
    mutations = load()
    if given.list:
        for one in mutations:
            print(f"{one['name']:40} {one['in']} ({', '.join(one['tests'])})")
        return 0
    if given.only:
        unknown = set(given.only) - {one["name"] for one in mutations}
        if unknown:
            sys.exit(f"unknown: {sorted(unknown)}")
        mutations = [one for one in mutations if one["name"] in given.only]
    if given.check:
        stale = [one for one in mutations if find(ROOT, one) is None]
        for one in stale:
            print(f"{one['name']}: its text does not occur exactly once in {one['in']}")
        return 2 if stale else 0

    tree = copy_tree()
    with open(SCRATCH / "configure.log", "wb") as log:
        subprocess.run(["cmake", "--preset", PRESET], cwd=tree, stdout=log, stderr=subprocess.STDOUT, check=True)
    results, known = {}, {}
    for one in mutations:
        began = time.monotonic()
        if sound(tree, one["tests"], given.jobs, known):
            result = attempt(tree, one, given.jobs)
        else:
            result = UNSOUND
        results[one["name"]] = result
        print(f"{result:16} {one['name']} ({time.monotonic() - began:.0f} s)", flush=True)
    counts = {kind: sum(result == kind for result in results.values()) for kind in (KILLED, SURVIVED, UNPLANTED, UNBUILT, UNSOUND)}
    print(", ".join(f"{count} {kind}" for kind, count in counts.items() if count))
    if counts[UNPLANTED] or counts[UNBUILT] or counts[UNSOUND]:
        return 2
    return 1 if counts[SURVIVED] else 0


if __name__ == "__main__":
    sys.exit(main())
