# SPDX-License-Identifier: Apache-2.0
"""Tasks of the process driver: what they can reach of the server, of their agent, and of one another."""
import json
import os
import pathlib
import pwd
import shutil
import tempfile

import pytest

from support.cluster import Cluster
from support.waiting import eventually

INTRUDER = pathlib.Path(__file__).with_name("intruder.py")

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to act as another user")


@pytest.fixture
def elsewhere(monkeypatch):
    """Data folders are not in /tmp, which tasks do not share with the machine anyway."""
    folder = tempfile.mkdtemp(prefix="stoker-attack-", dir="/dev/shm")
    os.chmod(folder, 0o755)
    monkeypatch.setattr(tempfile, "tempdir", folder)
    yield pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)  # an agent's last process may still write there


def pid_of(task, machine):
    """The first process of a task's container."""
    started = machine.data.glob(f"processes/{task['taskArn'].rsplit('/', 1)[1]}-*/started.json")
    return json.loads(next(started).read_text())["pid"]


def secrets_of(fleet, machine):
    data = fleet.server.data
    files = [data / "credentials", data / "stoker.db", *machine.data.glob("tasks/*.json"),
             *machine.data.glob("processes/*/spec.json"), *machine.data.glob("logs/*/*")]
    folders = [data, machine.data / "tasks", machine.data / "processes", *machine.data.glob("work/*")]
    return {"files": [str(path) for path in files], "folders": [str(path) for path in folders]}


def sockets_below(folder):
    """os.walk leaves out what vanishes meanwhile."""
    paths = [pathlib.Path(where, name) for where, _, names in os.walk(folder) for name in names]
    return [str(path) for path in paths if path.is_socket()]


def intrude(fleet, machine, same_user=False):
    """Runs the intruder beside another task; returns what it succeeded with. Files of its own user are open to it."""
    program = fleet.common / "intruder.py"
    shutil.copy(INTRUDER, program)
    program.chmod(0o755)
    setuid = fleet.common / "id"
    shutil.copy("/usr/bin/id", setuid)
    setuid.chmod(0o4755)
    treasure = fleet.common / "treasure"  # in /dev/shm, which all tasks share
    victim = fleet.run(fleet.define(
        f"umask 077; echo x > {treasure}; sleep 300", environment=[{"name": "SECRET", "value": "treasure"}],
        task={"taskRoleArn": "arn:aws:iam::000000000000:role/worker"}))
    fleet.wait_for(victim, "RUNNING")
    eventually(lambda: treasure.exists() and treasure.stat().st_size > 0)
    given = secrets_of(fleet, machine)
    if not same_user:
        given["files"].append(str(treasure))
    given["sockets"] = sockets_below(fleet.server.data)
    assert given["sockets"]
    given["task"] = victim["taskArn"]
    given["processes"] = [fleet.server.process.pid, machine.process.pid, pid_of(victim, machine)]
    given["programs"] = [str(setuid)]
    assert all(pathlib.Path(path).exists() for path in given["files"] + given["folders"]), given
    task = fleet.run(fleet.define(
        "", entryPoint=["/usr/bin/python3", str(program), json.dumps(given)], command=[], memory=256))
    fleet.wait_for(task, "STOPPED")
    lines = fleet.logs(task).splitlines()
    assert lines and lines[-1] == "over", lines
    assert fleet.describe(victim)["lastStatus"] == "RUNNING"
    return lines[:-1], given


def test_a_task_reaches_nothing_of_the_server_the_agent_and_other_tasks(elsewhere, fleet):
    machine = fleet.add("box")
    assert "each task runs as a user of its own" in machine.log.read_text()
    done, given = intrude(fleet, machine)
    assert not done, done
    assert not list(pathlib.Path(given["folders"][0]).glob("intruder"))


def test_a_task_of_an_agent_without_root(elsewhere):
    nobody = pwd.getpwnam("nobody")
    elsewhere.chmod(0o777)
    as_nobody = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
    made = Cluster(wrapper=as_nobody)
    os.chown(made.folder, nobody.pw_uid, nobody.pw_gid)
    with made as fleet:
        machine = fleet.add("box", arguments=["--hide", str(fleet.server.data)], wrapper=as_nobody)
        assert "tasks run as the agent's user" in machine.log.read_text()
        done, _ = intrude(fleet, machine, same_user=True)
        assert not done, done


@pytest.mark.parametrize("user", ["root", "0", "0:0", "daemon"])
def test_a_definition_can_not_raise_the_privileges_of_its_tasks(fleet, user):
    fleet.add("box")
    task = fleet.wait_for(fleet.run(fleet.define("id -u", user=user)), "STOPPED")
    assert task["stopCode"] == "TaskFailedToStart"
    assert "may have more rights than the task's own user" in task["containers"][0]["reason"]


def test_a_definition_can_lower_them_and_an_operator_can_choose(fleet):
    fleet.add("box")
    task = fleet.run(fleet.define("id -u", user="nobody"))
    fleet.wait_for(task, "STOPPED")
    assert int(fleet.logs(task)) >= 2_000_000_000  # its own user: tasks do not share one
    fleet.machines[0].stop()
    fleet.machines[0].arguments = ["--task-user", "root"]
    fleet.machines[0].start()
    assert "tasks run as root" in fleet.machines[0].log.read_text()
    task = fleet.run(fleet.define("id -u"))
    fleet.wait_for(task, "STOPPED")
    assert fleet.logs(task) == "0\n"


def test_a_task_keeps_its_user_when_its_agent_is_killed_and_shares_it_with_no_other(fleet):
    machine = fleet.add("box")
    shell = "id -u; sleep 300"
    before = [fleet.run(fleet.define(shell)) for _ in range(2)]
    for task in before:
        fleet.wait_for(task, "RUNNING")
    machine.kill()
    machine.start()
    other = fleet.add("box-b")  # on the same machine, with the same range
    after = [fleet.run(fleet.define(shell)) for _ in range(4)]
    users = [int(eventually(lambda: fleet.logs(task))) for task in before + after]
    assert len(set(users)) == len(users) and min(users) >= 2_000_000_000
    assert other.alive

