#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Small items through `stoker work --serve` with a processor that does nothing, next to the same items through Celery
with Redis, in the same run: items/s, CPU time per item, and the time from the submission of an item to its result."""
import argparse
import base64
import concurrent.futures
import gc
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tests"))

from support.job_requests import Jobs, Pipelines  # noqa: E402
from support.raw import Connection  # noqa: E402
from support.server import Server, binary, start_process  # noqa: E402

PIPELINE = "bench"
SUBMITTERS = 8
TARGET_RATIO, TARGET_P50_MS = 5, 30
PATIENCE_SECONDS = 600
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """User and system time of a process, its living descendants, and those it has waited for."""
    children = {}
    times = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        number = int(path.parent.name)
        children.setdefault(int(fields[1]), []).append(number)
        times[number] = sum(map(int, fields[11:15])) / TICKS
    total, left = 0.0, [pid]
    while left:
        one = left.pop()
        total += times.get(one, 0.0)
        left += children.get(one, [])
    return total


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


class Subject:
    """A system under test: submit(), count of finished items, and the processes that are measured."""

    def throughput(self, count):
        """Fills the queue, then measures from the first result to the last."""
        self.fill(count)
        began_at, self.baseline = None, self.finished()
        self.start_worker()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            done = self.finished() - self.baseline
            now = time.monotonic()
            if began_at is None and done > 0:
                began_at, first = now, done
                worker, broker = cpu_seconds(self.worker.pid), cpu_seconds(self.broker_pid)
            if done >= count:
                break
            assert now < deadline, f"{self.name}: {done} of {count} items after {PATIENCE_SECONDS} s"
            time.sleep(0.01)
        items, seconds = count - first, now - began_at
        result = {"items/s": items / seconds,
                  "worker ms": (cpu_seconds(self.worker.pid) - worker) / items * 1000,
                  "broker ms": (cpu_seconds(self.broker_pid) - broker) / items * 1000}
        result["items/s/core"] = 1000 / result["worker ms"]
        result["with broker"] = 1000 / (result["worker ms"] + result["broker ms"])
        return result

    def latency(self, count):
        """One item at a time, with a worker that runs already."""
        for _ in range(10):
            self.submit_and_wait()
        times = []
        for _ in range(count):
            began = time.perf_counter()
            self.submit_and_wait()
            times.append((time.perf_counter() - began) * 1000)
        return {"p50": statistics.median(times), "p95": percentile(times, 0.95)}

    def stop_worker(self):
        if self.worker:
            self.worker.send_signal(signal.SIGTERM)
            try:
                self.worker.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.worker.pid, signal.SIGKILL)
                self.worker.wait()
        self.worker = None


class Stoker(Subject):
    name = "stoker"

    def __init__(self, folder, arguments):
        self.worker, self.folder, self.batch, self.workdir = None, folder, arguments.batch, arguments.workdir
        self.content = os.urandom(arguments.size)
        self.server = Server(data=folder / "stoker").start()
        pipelines = Pipelines(self.server)
        _, secret = pipelines.create(PIPELINE)
        paused = pipelines("PausePipeline", {"name": PIPELINE})  # its own service starts no workers
        assert paused.status == 200, paused
        self.jobs = Jobs(self.server, PIPELINE, secret)
        self.broker_pid = self.server.process.pid
        self.connection = Connection(self.server.port)

    def fill(self, count):
        def submit_some(number):
            with Connection(self.server.port) as connection:
                for _ in range(number, count, SUBMITTERS):
                    answer = connection.exchange(self.jobs.bytes("POST", self.jobs.path + "?filename=item.bin", self.content))
                    assert answer.status == 202, answer

        with concurrent.futures.ThreadPoolExecutor(SUBMITTERS) as pool:
            list(pool.map(submit_some, range(SUBMITTERS)))

    def finished(self):
        answer = self.connection.exchange(self.jobs.bytes("GET", f"/pipelines/{PIPELINE}"))
        assert answer.status == 200 and answer.json["failed"] == 0, answer
        return answer.json["succeeded"]

    def start_worker(self):
        key = self.server.root_key
        environment = {**os.environ, "AWS_ACCESS_KEY_ID": key.id, "AWS_SECRET_ACCESS_KEY": key.secret, "AWS_REGION": "us-east-1",
                       "AWS_ENDPOINT_URL": self.server.endpoint}
        command = [binary(), "work", "--queue", f"stoker-{PIPELINE}", "--serve", f"/usr/bin/python3 {HERE}/noop_serve.py",
                   "--batch", str(self.batch), "--pipeline", PIPELINE, "--workdir", self.workdir]
        with open(self.folder / "worker.log", "ab") as log:
            self.worker = start_process(command, env=environment, stdout=log, stderr=log)

    def submit_and_wait(self):
        data = self.jobs.bytes("POST", self.jobs.path + "?filename=item.bin", self.content, {"Prefer": "wait=30"})
        answer = self.connection.exchange(data)
        assert answer.status in (200, 202) and answer.json["status"] == "SUCCEEDED", answer
        result = self.connection.exchange(self.jobs.bytes("GET", f"/jobs/{answer.json['task_id']}/result"))
        assert result.status == 200, result

    def close(self):
        self.stop_worker()
        self.connection.socket.close()
        self.server.stop()


class Celery(Subject):
    def __init__(self, folder, size, pool):
        self.worker, self.pool, self.name, self.folder = None, pool, f"celery ({' '.join(pool)})", folder
        self.content = base64.b64encode(os.urandom(size)).decode()  # its messages are JSON
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        # Nothing is written to disk: this favours Redis.
        self.redis = start_process(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                                    "--dir", str(folder)], stdout=subprocess.DEVNULL)
        self.broker_pid = self.redis.pid
        os.environ["BENCH_REDIS"] = f"redis://127.0.0.1:{port}/0"
        import redis

        sys.path.insert(0, str(HERE))
        sys.modules.pop("noop_tasks", None)
        import noop_tasks

        self.task = noop_tasks.noop
        self.client = redis.Redis(port=port)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                self.client.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.05)

    def fill(self, count):
        """In a process of its own: a client that submits a task also subscribes to its result."""
        program = ("import sys, noop_tasks\n"
                   "for _ in range(int(sys.argv[1])): noop_tasks.noop.apply_async(('item.bin', sys.argv[2]))")
        subprocess.run(["/usr/bin/python3", "-c", program, str(count), self.content], cwd=HERE, check=True,
                       env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})

    def finished(self):
        """All results are keys of the same database, besides a few of the broker's own."""
        return max(0, self.client.dbsize() - self.other_keys())

    def other_keys(self):
        keys = ("celery", "_kombu.binding.celery", "_kombu.binding.celery.pidbox", "_kombu.binding.celeryev", "unacked", "unacked_index",
                "unacked_mutex")
        return self.client.exists(*keys)

    def start_worker(self):
        environment = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}
        command = ["/usr/bin/python3", "-m", "celery", "-A", "noop_tasks", "worker", "--loglevel", "WARNING", "--without-gossip",
                   "--without-mingle", "--without-heartbeat", *self.pool]
        with open(self.folder / "celery.log", "ab") as log:
            self.worker = start_process(command, env=environment, stdout=log, stderr=log, cwd=self.folder)

    def submit_and_wait(self):
        self.task.apply_async(("item.bin", self.content)).get(timeout=30)

    def close(self):
        self.stop_worker()
        gc.collect()  # results unsubscribe while there is a Redis
        self.client.close()
        self.redis.terminate()
        self.redis.wait()


def measure(subject, items, samples):
    try:
        result = subject.throughput(items)
        result.update(subject.latency(samples))
        return result
    finally:
        subject.close()


def print_table(results):
    columns = ["items/s", "worker ms", "broker ms", "items/s/core", "with broker", "p50", "p95"]
    digits = {"worker ms": 3, "broker ms": 3, "p50": 1, "p95": 1}
    print(f"{'':24}" + "".join(f"{column:>13}" for column in columns))
    for name, result in results.items():
        print(f"{name:24}" + "".join(f"{result[column]:13.{digits.get(column, 0)}f}" for column in columns))


def print_ratios(results):
    """Celery's default pool is prefork; solo has no child processes, and needs the least CPU time."""
    ours = results["stoker"]
    print(f"{'':52}{'target':>8}{'result':>10}")
    for name, peer in results.items():
        if name == "stoker":
            continue
        ratio = ours["items/s/core"] / peer["items/s/core"]
        print(f"{'items/s per core, of ' + name:52}{TARGET_RATIO:>8}{ratio:>10.2f}  {'pass' if ratio >= TARGET_RATIO else 'MISS'}")
        print(f"{'  the same, with server and broker':52}{'':>8}{ours['with broker'] / peer['with broker']:>10.2f}")
        print(f"{'  items/s':52}{'':>8}{ours['items/s'] / peer['items/s']:>10.2f}")
    print(f"{'submit to result, p50, ms':52}{TARGET_P50_MS:>8}{ours['p50']:>10.1f}  {'pass' if ours['p50'] < TARGET_P50_MS else 'MISS'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--samples", type=int, default=200, help="items of the measurement of latency")
    parser.add_argument("--size", type=int, default=1024, help="bytes of an item")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--workdir", default="/dev/shm", help="of the worker, for downloaded items")
    parser.add_argument("--no-peers", action="store_true", help="without Celery")
    parser.add_argument("--json", help="also write the results to this file")
    parser.add_argument("--folder", help="for the data; on a disk, not in memory")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pipeline-bench-", dir=arguments.folder or ROOT / "build"))
    results = {}
    try:
        results["stoker"] = measure(Stoker(folder, arguments), arguments.items, arguments.samples)
        for pool in [] if arguments.no_peers else [["-P", "prefork", "-c", str(os.cpu_count())], ["-P", "solo"]]:
            subject = Celery(folder, arguments.size, pool)
            results[subject.name] = measure(subject, arguments.items, arguments.samples)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{arguments.items} items of {arguments.size} bytes; CPU time per item in ms, p50 and p95 in ms")
    print_table(results)
    if not arguments.no_peers:
        print_ratios(results)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
