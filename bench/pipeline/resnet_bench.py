#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 on a real GPU behind a pipeline, next to the same functions in a plain loop over the same files, in the same
run and as tasks with the same GPU: images/s at batch 64 and 1, with a whole GPU and with two shares of it (NVIDIA MPS).
Needs torch, torchvision and Pillow for `python3`."""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import shutil
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
from support.server import Server, binary  # noqa: E402

TARGET = 0.95
SUBMITTERS = 12
PATIENCE_SECONDS = 120
DISTINCT_IMAGES = 256
# The first and the last part of the items are not measured: workers start, and the last batches are not full.
MEASURED = (0.3, 0.95)
NUMBERS = itertools.count(1)


class Box(Server):
    """A server with an agent for the machine's GPU."""

    def __init__(self, folder):
        super().__init__(data=folder / "data", arguments=["--driver", "process", "--name", "gpu-box"], agent=True)

    def start(self):
        super().start()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while "ACTIVE" not in self.begin("nodes").communicate()[0]:
            assert time.monotonic() < deadline, "the agent has not joined"
            time.sleep(0.1)

    def begin(self, *words):
        environment = {**os.environ, "STOKER_DATA": str(self.data)}
        return subprocess.Popen([binary(), *words], text=True, env=environment, stdout=subprocess.PIPE)

    def run(self, *words):
        process = self.begin(*words)
        text = process.communicate(timeout=PATIENCE_SECONDS)[0]
        assert process.returncode == 0, (words, text)
        return text


def make_image(path, number):
    from PIL import Image

    noise = Image.effect_noise((480, 360), 40 + number % 40)
    gradient = Image.linear_gradient("L").resize((480, 360))
    Image.merge("RGB", (noise, gradient.rotate(number), Image.blend(noise, gradient, 0.5))).save(path, quality=85)


def rate_of_loops(loops):
    """Images/s of all loops together, while all of them ran."""
    begin, end = max(loop["times"][0] for loop in loops), min(loop["times"][-1] for loop in loops)
    assert end > begin, "the loops did not overlap"
    return sum(loop["batch"] * sum(begin < at <= end for at in loop["times"]) for loop in loops) / (end - begin)


def gpu_flags(share, arguments):
    return ["--gpu-memory", str(arguments.share_memory)] if share else ["--gpus", "1"]


def measure_loop(box, folder, batch, share, arguments):
    command = ["run", "process", "--memory", "16384", *gpu_flags(share, arguments), "--", sys.executable, f"{folder}/resnet_loop.py",
               f"{folder}/images", str(batch), str(arguments.seconds)]
    running = [box.begin(*command) for _ in range(2 if share else 1)]
    texts = [process.communicate(timeout=PATIENCE_SECONDS)[0] for process in running]
    return rate_of_loops([json.loads(next(line for line in text.splitlines() if line.startswith("{"))) for text in texts])


def measure_pipeline(box, folder, batch, share, count, arguments):
    name = f"resnet-{next(NUMBERS)}"
    workers = 2 if share else 1
    spec = {"name": name, "image": "process", "serve": f"{sys.executable} {folder}/torch_resnet.py", "batch": batch,
            "memory": 16384, "min": workers, "max": workers,
            **({"gpu_memory": arguments.share_memory} if share else {"gpus": 1})}
    pipelines = Pipelines(box)
    answer = pipelines("ApplyPipeline", {"spec": json.dumps(spec)})
    assert answer.status == 200, answer
    assert pipelines("PausePipeline", {"name": name}).status == 200
    answer = pipelines("CreatePipelineKey", {"pipeline": name})
    jobs = Jobs(box, name, answer.json["secret"])
    images = [path.read_bytes() for path in sorted((folder / "images").iterdir())]

    def submit(first):
        with Connection(box.port) as connection:
            for number in range(first, count, SUBMITTERS):
                sent = connection.exchange(jobs.bytes("POST", jobs.path + "?filename=a.jpg", images[number % len(images)]))
                assert sent.status == 202, sent

    with concurrent.futures.ThreadPoolExecutor(SUBMITTERS) as pool:
        list(pool.map(submit, range(SUBMITTERS)))
    assert pipelines("ResumePipeline", {"name": name}).status == 200
    deadline, samples = time.monotonic() + PATIENCE_SECONDS, []
    with Connection(box.port) as connection:
        while not samples or samples[-1][1] < count:
            state = connection.exchange(jobs.bytes("GET", f"/pipelines/{name}")).json
            assert state["failed"] == 0, state
            samples.append((time.monotonic(), state["succeeded"]))
            if time.monotonic() > deadline:
                print(box.run("pipeline", "show", name), file=sys.stderr)
                raise AssertionError(f"{name}: {samples[-1][1]} of {count} after {PATIENCE_SECONDS} s")
            time.sleep(0.05)
    box.run("pipeline", "delete", name)
    begin, end = (next(sample for sample in samples if sample[1] >= share_of_all * count) for share_of_all in MEASURED)
    wait_for_free_gpu(box)
    return (end[1] - begin[1]) / (end[0] - begin[0])


def wait_for_free_gpu(box):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while json.loads(box.run("ps", "--json"))["tasks"]:
        assert time.monotonic() < deadline, "the GPU is still held"
        time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default="/opt", help="for data and images: the users of tasks must be able to enter it")
    parser.add_argument("--seconds", type=float, default=8, help="of each loop")
    parser.add_argument("--rounds", type=int, default=3, help="pipelines of each kind, each between two loops; medians are compared")
    parser.add_argument("--share-memory", type=int, default=30000, help="MiB of a share")
    parser.add_argument("--no-shares", action="store_true", help="only with a whole GPU")
    parser.add_argument("--json", help="also write the results to this file")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="resnet-bench-", dir=arguments.folder))
    os.chmod(folder, 0o755)
    box, results = Box(folder), {}
    try:
        (folder / "images").mkdir()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda number: make_image(folder / "images" / f"{number:04}.jpg", number), range(DISTINCT_IMAGES)))
        for source in (HERE / "resnet_loop.py", ROOT / "examples/serve/torch_resnet.py"):
            shutil.copy(source, folder)
        box.start()
        print(f"{'':30}{'loop':>12}{'pipeline':>12}{'ratio':>8}   target {TARGET}", flush=True)
        for share in (False,) if arguments.no_shares else (False, True):
            for batch in (64, 1):
                name = f"batch {batch}, {'two shares' if share else 'a whole GPU'}"
                loops, pipelines = [measure_loop(box, folder, batch, share, arguments)], []
                count = max(500, int(loops[0] * arguments.seconds))
                for _ in range(arguments.rounds):
                    pipelines.append(measure_pipeline(box, folder, batch, share, count, arguments))
                    loops.append(measure_loop(box, folder, batch, share, arguments))
                loop, pipeline = statistics.median(loops), statistics.median(pipelines)
                results[name] = {"loops": loops, "pipelines": pipelines, "items": count}
                ratio = pipeline / loop
                print(f"{name:30}{loop:12.0f}{pipeline:12.0f}{ratio:8.2f}   {'pass' if ratio >= TARGET else 'MISS'}"
                      f"   loops {min(loops):.0f} to {max(loops):.0f}, pipelines {min(pipelines):.0f} to {max(pipelines):.0f}", flush=True)
    finally:
        if box.process:
            box.stop()
            print(box.log.read_text()[-3000:], file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
