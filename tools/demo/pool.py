#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shows how the workers of the pipeline follow its work, with ECS's own DescribeServices.

usage: pool.py grow FOLDER ITEMS COMMAND   runs the command, which writes ITEMS results into FOLDER/results
       pool.py shrink FOLDER               waits until there are no workers

FOLDER/pool gets a line of JSON for each change: {"at", "workers"}; FOLDER/times.json when the command began and ended.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

import boto3

SERVICE, MOST = "stoker-ocr", 2
PAUSE = 0.1  # seconds
BAR = 34
PATIENCE = 900  # seconds; on a machine that does ten other things


class Pool:
    def __init__(self, folder):
        self.client = boto3.client("ecs", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
        self.folder, self.began, self.workers, self.shown = folder, time.time(), None, None

    def look(self):
        workers = self.client.describe_services(services=[SERVICE])["services"][0]["runningCount"]
        if workers != self.workers:
            with open(self.folder / "pool", "a", encoding="utf-8") as file:
                file.write(json.dumps({"at": time.time(), "workers": workers}) + "\n")
        self.workers = workers

    def show(self, state, rest):
        """Prints a line if the workers or this state have changed."""
        if (self.workers, state) != self.shown:
            self.shown = (self.workers, state)
            squares = "#" * self.workers + "." * (MOST - self.workers)
            print(f"{time.time() - self.began:8.1f} s  {squares} {self.workers} of {MOST}  {rest}".rstrip(), flush=True)


def grow(folder, items, command):
    pool = Pool(folder)
    print("      time  workers    results")

    def show():
        results = len(list((folder / "results").glob("*.json")))
        pool.look()
        pool.show(results * 8 // items, f"[{'#' * (BAR * results // items):{BAR}}] {results} of {items}")

    show()
    begin = pool.began = time.time()
    with subprocess.Popen(["bash", "-c", command]) as process:
        while process.poll() is None:
            if time.time() - begin > PATIENCE:
                print(f"not finished after {PATIENCE} s")
                process.kill()
            show()
            time.sleep(PAUSE)
    end = time.time()
    show()
    (folder / "times.json").write_text(json.dumps({"begin": begin, "end": end}))
    return process.returncode


def shrink(folder):
    pool, deadline = Pool(folder), time.time() + PATIENCE
    print("      time  workers")
    while True:
        pool.look()
        pool.show(None, "")
        if pool.workers == 0:
            return 0
        if time.time() > deadline:
            print(f"there are still {pool.workers} workers after {PATIENCE} s")
            return 1
        time.sleep(PAUSE)


def main():
    folder = pathlib.Path(sys.argv[2])
    return grow(folder, int(sys.argv[3]), sys.argv[4]) if sys.argv[1] == "grow" else shrink(folder)


if __name__ == "__main__":
    sys.exit(main())
