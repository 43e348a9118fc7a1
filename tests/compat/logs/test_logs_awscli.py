# SPDX-License-Identifier: Apache-2.0
"""Amazon's own command line, with `aws logs tail`."""
import os
import pathlib
import subprocess

import pytest

AWS = "/usr/bin/aws"  # Debian's; the machine may have another version


@pytest.fixture(scope="module")
def start(server):
    """start(argument...) -> the running command, with its output as a pipe."""
    if not pathlib.Path(AWS).exists():
        pytest.skip("needs Debian's awscli")
    key = server.root_key
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(server.folder),
        "AWS_ACCESS_KEY_ID": key.id,
        "AWS_SECRET_ACCESS_KEY": key.secret,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_PAGER": "",
        "PYTHONUNBUFFERED": "1",
    }

    def run(*arguments):
        return subprocess.Popen([AWS, "--endpoint-url", server.endpoint, *arguments], env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    return run


def test_tail_shows_recent_lines(start, group):
    group.put("one", "two")
    output, errors = start("logs", "tail", group.name, "--format", "short").communicate(timeout=300)
    assert [line.split(" ", 1)[1] for line in output.splitlines()] == ["one", "two"], errors


def test_tail_follows_lines_that_are_written_after_it_started(start, group):
    group.put("before")
    tail = start("logs", "tail", group.name, "--follow", "--format", "short")
    try:
        assert tail.stdout.readline().endswith("before\n")  # it runs, and polls from here on
        group.put("after")
        assert tail.stdout.readline().endswith("after\n")
    finally:
        tail.kill()
        tail.communicate()


def test_tail_filters(start, group):
    group.put("ok", "ERROR 1", "ok", "ERROR 2")
    command = start("logs", "tail", group.name, "--filter-pattern", "ERROR", "--format", "short")
    output, errors = command.communicate(timeout=300)
    assert [line.split(" ", 1)[1] for line in output.splitlines()] == ["ERROR 1", "ERROR 2"], errors


def test_operations_work_from_the_command_line(start, logs, group):
    done = start("logs", "put-retention-policy", "--log-group-name", group.name, "--retention-in-days", "3")
    assert done.communicate(timeout=300)[1] == ""
    assert logs.describe_log_groups(logGroupNamePrefix=group.name)["logGroups"][0]["retentionInDays"] == 3
