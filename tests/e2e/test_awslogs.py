# SPDX-License-Identifier: Apache-2.0
"""Containers with the log driver awslogs: their lines are in CloudWatch Logs, once and in order."""
import os
import subprocess
import uuid

import pytest

from support.cluster import REGION
from support.waiting import eventually

AWS = "/usr/bin/aws"  # Debian's; the machine may have another version
GROUP_MISSING = (
    "CannotStartContainerError: Error response from daemon: failed to initialize logging driver: failed to create "
    "Cloudwatch log stream: ResourceNotFoundException: The specified log group does not exist."
)


@pytest.fixture
def box(fleet, driver):
    return fleet.add("box-" + driver, driver=driver)


@pytest.fixture
def group(fleet, box):
    name = "/ecs/" + uuid.uuid4().hex[:8]
    fleet.client("logs").create_log_group(logGroupName=name)
    return name


def awslogs(group, **options):
    chosen = {"awslogs-group": group, "awslogs-region": REGION, "awslogs-stream-prefix": "test"}
    chosen.update({name.replace("_", "-"): value for name, value in options.items()})
    return {"logConfiguration": {"logDriver": "awslogs", "options": {k: v for k, v in chosen.items() if v is not None}}}


def stream_of(task):
    return "test/main/" + task["taskArn"].rsplit("/", 1)[1]


def read(fleet, group, stream):
    """All messages of a stream."""
    logs, messages, token = fleet.client("logs"), [], None
    while True:
        more = {"nextToken": token} if token else {}
        page = logs.get_log_events(logGroupName=group, logStreamName=stream, startFromHead=True, **more)
        messages += [event["message"] for event in page["events"]]
        if page["nextForwardToken"] == token:
            return messages
        token = page["nextForwardToken"]


def read_all(fleet, group, stream, count):
    """All messages of a stopped task's stream. A slow machine reports the end before it has sent the last of them."""

    def complete():
        messages = read(fleet, group, stream)
        return messages if len(messages) >= count else None

    return eventually(complete)


def test_lines_are_in_the_stream_when_the_task_has_stopped(fleet, driver, group):
    task = fleet.run(fleet.define("echo one; echo; echo two >&2; printf three", driver=driver, **awslogs(group)))
    fleet.wait_for(task, "STOPPED")
    messages = read_all(fleet, group, stream_of(task), 3)
    assert sorted(messages) == ["one", "three", "two"]
    assert messages.index("one") < messages.index("three")
    (shown,) = fleet.client("logs").describe_log_streams(logGroupName=group)["logStreams"]
    assert shown["logStreamName"] == stream_of(task)


def test_without_a_prefix_the_stream_has_the_containers_id(fleet, driver, group):
    task = fleet.run(fleet.define("echo hello", driver=driver, **awslogs(group, awslogs_stream_prefix=None)))
    done = fleet.wait_for(task, "STOPPED")
    assert read_all(fleet, group, done["containers"][0]["runtimeId"], 1) == ["hello"]


def test_lines_arrive_while_the_task_runs(fleet, driver, group):
    gate = fleet.gate(driver)
    definition = fleet.define(f"echo first; {gate.shell}; echo second", **gate.arguments, **awslogs(group))
    task = fleet.run(definition)
    eventually(lambda: read_or_none(fleet, group, task) == ["first"])
    gate.open()
    fleet.wait_for(task, "STOPPED")
    assert read_all(fleet, group, stream_of(task), 2) == ["first", "second"]


def read_or_none(fleet, group, task):
    logs = fleet.client("logs")
    try:
        return read(fleet, group, stream_of(task))
    except logs.exceptions.ResourceNotFoundException:
        return None


@pytest.mark.parametrize("mode", ["blocking", "non-blocking"])
def test_a_missing_group_fails_the_start(fleet, driver, box, mode):
    task = fleet.run(fleet.define("echo never", driver=driver, **awslogs("/missing", mode=mode)))
    done = fleet.wait_for(task, "STOPPED")
    assert done["stopCode"] == "TaskFailedToStart"
    assert done["containers"][0]["reason"] == GROUP_MISSING
    assert "exitCode" not in done["containers"][0]


def test_create_group_creates_the_group(fleet, driver, box):
    definition = fleet.define("echo hello", driver=driver, **awslogs("/made/here", awslogs_create_group="true"))
    task = fleet.run(definition)
    fleet.wait_for(task, "STOPPED")
    assert read_all(fleet, "/made/here", stream_of(task), 1) == ["hello"]


def test_another_region_is_honoured(fleet, driver, box):
    options = awslogs("/elsewhere", awslogs_create_group="true", awslogs_region="eu-west-1")
    task = fleet.run(fleet.define("echo hello", driver=driver, **options))
    fleet.wait_for(task, "STOPPED")
    assert fleet.client("logs").describe_log_groups()["logGroups"] == []


def test_lines_are_joined_by_a_pattern(fleet, driver, group):
    shell = "echo '[Nov 16, 2026 10:00:00] one'; echo '  at x'; echo '[Nov 16, 2026 10:00:01] two'"
    options = awslogs(group, awslogs_datetime_format=r"\[%b %d, %Y %H:%M:%S\]")
    task = fleet.run(fleet.define(shell, driver=driver, **options))
    fleet.wait_for(task, "STOPPED")
    messages = read_all(fleet, group, stream_of(task), 2)
    assert messages == ["[Nov 16, 2026 10:00:00] one\n  at x\n", "[Nov 16, 2026 10:00:01] two\n"]


def test_every_line_arrives_once_and_in_order_whatever_is_killed(fleet, driver, box, group):
    gate, count = fleet.gate(driver), 25_000
    inside = "/gate" if driver == "docker" else str(gate.folder)
    steps = []
    for i in range(4):
        first, last = i * count, (i + 1) * count - 1
        steps.append(f"until [ -e {inside}/{i} ]; do sleep 0.1; done; seq {first} {last}; touch {inside}/done{i}")
    definition = fleet.define("; ".join(steps), **gate.arguments, **awslogs(group, max_buffer_size="64m"))
    task = fleet.run(definition)

    def burst(i):
        (gate.folder / str(i)).touch()

    def written(i):
        eventually((gate.folder / f"done{i}").exists)

    def kill_server():
        fleet.server.listen = f"127.0.0.1:{fleet.server.port}"
        fleet.server.kill()

    eventually(lambda: read_or_none(fleet, group, task) is not None)
    burst(0)
    eventually(lambda: read(fleet, group, stream_of(task)))  # some of it was sent
    kill_server()
    burst(1)
    written(1)
    fleet.server.start()
    box.kill()
    burst(2)
    written(2)
    box.start()
    eventually(lambda: len(read(fleet, group, stream_of(task))) > count)
    burst(3)
    kill_server()
    written(3)
    fleet.server.start()
    box.wait_connected()
    fleet.wait_for(task, "STOPPED")
    eventually(lambda: len(read(fleet, group, stream_of(task))) >= 4 * count)
    assert read(fleet, group, stream_of(task)) == [str(i) for i in range(4 * count)]


def test_stoker_logs_reads_cloudwatch_logs_after_the_machine_is_gone(fleet, driver, box, group):
    task = fleet.run(fleet.define("echo one; echo two", driver=driver, **awslogs(group)))
    fleet.wait_for(task, "STOPPED")
    read_all(fleet, group, stream_of(task), 2)
    box.stop()
    assert fleet.logs(task) == "one\ntwo\n"
    assert fleet.logs(task, "--tail", "1") == "two\n"
    fleet.ecs.deregister_container_instance(containerInstance=box.arn, force=True)
    assert fleet.logs(task, "-f") == "one\ntwo\n"


def test_stoker_logs_follows_a_running_task(fleet, driver, box, group):
    gate = fleet.gate(driver)
    task = fleet.run(fleet.define(f"echo first; {gate.shell}; echo second", **gate.arguments, **awslogs(group)))
    follower = fleet.follow(task)
    assert follower.stdout.readline() == "first\n"
    gate.open()
    assert follower.stdout.read() == "second\n"
    assert follower.wait() == 0


def test_aws_logs_tail_follows_a_running_task(fleet, driver, box, group):
    gate = fleet.gate(driver)
    inside = "/gate" if driver == "docker" else str(gate.folder)
    script = f"echo first; {gate.shell}; echo second; until [ -e {inside}/read ]; do sleep 0.1; done"
    task = fleet.run(fleet.define(script, **gate.arguments, **awslogs(group)))
    eventually(lambda: read_or_none(fleet, group, task) == ["first"])
    key = fleet.server.root_key
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": key.id, "AWS_SECRET_ACCESS_KEY": key.secret, "PYTHONUNBUFFERED": "1"}
    command = [AWS, "--endpoint-url", fleet.server.endpoint, "--region", REGION, "logs", "tail", group, "--follow"]
    with subprocess.Popen(command + ["--format", "short"], stdout=subprocess.PIPE, text=True, env=environment) as tail:
        try:
            assert tail.stdout.readline().endswith(" first\n")
            gate.open()
            assert tail.stdout.readline().endswith(" second\n")
        finally:
            (gate.folder / "read").touch()
            tail.kill()
