# SPDX-License-Identifier: Apache-2.0
"""The progress of a pull reaches the people who wait for it."""
import json
import os
import re

import pytest

from support.cluster import docker_answers
from support.registry import Registry, layer_with
from support.server import binary, run_stoker
from support.terminal import Terminal
from support.waiting import eventually

BIG = 4 << 20


@pytest.fixture
def registry():
    if not docker_answers():
        pytest.skip("no Docker engine answers here")
    with Registry() as made:
        yield made


def stoker(fleet, *arguments):
    done = run_stoker(*arguments, "--data", fleet.server.data)
    assert done.returncode == 0, done.stderr
    return done.stdout


def explained(fleet, task):
    return json.loads(stoker(fleet, "explain", task["taskArn"].rsplit("/", 1)[1], "--json"))


def pulls_of(fleet, task):
    return explained(fleet, task)["state"].get("pulls")


def held(pulls):
    """The layers below the one that is held are unpacked, and its own size is known."""
    return pulls and pulls[0]["layersDone"] == 2 and pulls[0]["totalBytes"] >= BIG and pulls


def test_the_layers_and_bytes_of_a_pull_are_shown_to_all_who_wait(registry, fleet):
    fleet.add("box-a", driver="docker")
    small, big = layer_with("small", os.urandom(1024)), layer_with("big", os.urandom(BIG))
    gate = registry.hold_layer(big)
    registry.publish("layers", "one", layers=[small, big])
    image = registry.image("layers")

    def run(*options):
        return Terminal([binary(), "run", *options, "--data", str(fleet.server.data), image, "--", "sh", "-c", "echo hello"])

    with run() as plain, run("-it") as attached:
        for terminal in (plain, attached):
            terminal.expect("pulling the image: 2 of 3 layers, ")
        tasks = fleet.describe_all(fleet.list_tasks())
        assert len(tasks) == 2
        for task in tasks:
            pull = eventually(lambda task=task: held(pulls_of(fleet, task)))[0]
            assert (pull["image"], pull["layers"], pull["phase"]) == (image, 3, "DOWNLOADING")
            # The engine reports ten times a second, and not the last bytes before it has to wait.
            assert BIG // 2 <= pull["totalBytes"] - pull["downloadedBytes"] < len(big), pull
            sentences = explained(fleet, task)["sentences"]
            assert re.fullmatch(r"It has been PENDING for .*: box-a has been pulling its images for .*\.", sentences[0])
            assert re.fullmatch(rf"The image {image}: 2 of 3 layers, [0-9.]+ .iB of [0-9.]+ MiB\.", sentences[1])
        reasons = stoker(fleet, "ps", "--format", "{{.Status}} {{.Reason}}").splitlines()
        assert len(reasons) == 2
        for reason in reasons:
            assert re.fullmatch(r"PENDING pulling the image: 2 of 3 layers, .*", reason)
        gate.set()
        for terminal in (plain, attached):
            terminal.expect("pulled the image in ")
            terminal.expect("hello")
            assert terminal.wait() == 0
            lines = terminal.output.decode().replace("\x1b[K", "").split("\r")
            assert all(len(line) < 80 for line in lines), lines
    for task in tasks:
        assert pulls_of(fleet, task) is None
