# SPDX-License-Identifier: Apache-2.0
"""A server and machines: agent processes with simulated GPUs."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import uuid

import boto3
import botocore.config

from support import server
from support.waiting import PATIENCE_SECONDS, eventually

REGION = "us-east-1"
TEST_IMAGE = "stoker-test:latest"  # created by tools/docker.sh


def docker_answers():
    done = subprocess.run(["docker", "version"], capture_output=True, check=False)
    return done.returncode == 0


class Gate:
    """Holds a task up until the test opens the gate, so that the test knows what the task has done.

    `shell` goes before the task's own command; `arguments` go to Cluster.define. `mark` makes a file when the
    command gets there, `reached` waits for it.
    """

    def __init__(self, folder, driver):
        self.folder = folder
        inside = "/gate" if driver == "docker" else str(folder)
        # Ten minutes at most: a task that outlives its test must not burden the machine for ever.
        self.shell = f"n=0; until [ -e {inside}/open ] || [ $((n += 1)) -gt 6000 ]; do sleep 0.1; done"
        self.mark = f"touch {inside}/mark"
        self.arguments = {"driver": driver}
        if driver == "docker":
            self.arguments["task"] = {"volumes": [{"name": "gate", "host": {"sourcePath": str(folder)}}]}
            self.arguments["mountPoints"] = [{"sourceVolume": "gate", "containerPath": "/gate"}]

    def open(self):
        (self.folder / "open").touch()

    def reached(self):
        eventually((self.folder / "mark").exists)


class Machine:
    """An agent. `wrapper` goes before its command: ("ip", "netns", "exec", "box-a")."""

    def __init__(self, cluster, name, gpus="none", driver="process", arguments=(), wrapper=(), url=None):
        self.cluster, self.name, self.gpus, self.driver = cluster, name, gpus, driver
        self.arguments, self.wrapper, self.url = list(arguments), list(wrapper), url
        self.data = cluster.folder / name
        self.log = cluster.folder / (name + ".log")
        self.process = None

    def start(self, wait=True):
        command = [*self.wrapper, server.binary(), "agent", "--join", self.url or self.cluster.server.endpoint]
        command += ["--data", str(self.data), "--name", self.name, "--gpus", self.gpus, "--driver", self.driver]
        command += self.arguments
        if "--image-pull" not in self.arguments:  # the test image is in no registry
            command += ["--image-pull", "prefer-cached"]
        environment = {**os.environ, "STOKER_TOKEN": self.cluster.token}
        with open(self.log, "ab") as log:
            before = log.tell()
            self.process = server.start_process(command, stdout=log, stderr=log, env=environment)
        if wait:
            self.wait_connected(before)
        return self

    def instance(self):
        return next((one for one in self.cluster.instances() if one["ec2InstanceId"] == self.name), None)

    def wait_connected(self, since=0):
        """Waits until the server reports the agent as connected and the agent has logged it, after byte `since` of its
        log: the server may still report the connection of the agent's predecessor."""
        def connected():
            assert self.process.poll() is None, self.log.read_text()[-2000:]
            if b" connected server=" not in self.log.read_bytes()[since:]:
                return None
            found = self.instance()
            return found if found and found["agentConnected"] else None

        return eventually(connected)

    @property
    def arn(self):
        return self.instance()["containerInstanceArn"]

    @property
    def gpu_ids(self):
        return next((r["stringSetValue"] for r in self.instance()["registeredResources"] if r["name"] == "GPU"), [])

    @property
    def alive(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def stop(self):
        if not self.alive:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the agent {self.name} did not end within {PATIENCE_SECONDS} s of SIGTERM") from None


class Cluster:
    def __init__(self, arguments=(), listen="127.0.0.1:0", wrapper=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stoker-e2e-"))
        self.server = server.Server(
            data=self.folder / "server", listen=listen, arguments=["--no-agent", *arguments], wrapper=wrapper
        )
        # For files that tasks read and write: each has a user of its own, and a /tmp of its own.
        self.common = pathlib.Path(tempfile.mkdtemp(prefix="stoker-e2e-", dir="/dev/shm"))
        self.common.chmod(0o777)
        self.machines = []
        self._token = None

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, failed, *_):
        try:
            for machine in self.machines:
                if not machine.alive and machine.process:
                    machine.start(wait=False)
            if self.server.alive:
                self.stop_all()
        finally:
            # In reverse order, and each of them even if another one fails.
            with contextlib.ExitStack() as ends:
                ends.callback(self.server.remove)
                ends.callback(shutil.rmtree, self.common, ignore_errors=True)
                if failed:
                    print(f"logs are in {self.folder}")
                else:
                    ends.callback(shutil.rmtree, self.folder, ignore_errors=True)
                if self.server.alive:
                    ends.callback(self.server.kill if failed else self.server.stop)
                ends.callback(remove_containers, str(self.folder))
                for machine in self.machines:
                    ends.callback(machine.stop)

    def stop_all(self):
        """Deletes all services and stops all tasks, so that none outlives the test."""
        if not self.instances():
            return
        for arn in self.ecs.list_services(maxResults=100)["serviceArns"]:
            self.ecs.delete_service(service=arn, force=True)
        for arn in self.list_tasks():
            self.ecs.stop_task(task=arn)
        eventually(lambda: not self.list_tasks(desiredStatus="STOPPED", live=True) or None)

    def list_tasks(self, live=False, **filters):
        arns = [arn for page in self.ecs.get_paginator("list_tasks").paginate(**filters) for arn in page["taskArns"]]
        if not live:
            return arns
        return [task["taskArn"] for task in self.describe_all(arns) if task["lastStatus"] != "STOPPED"]

    def describe_all(self, arns):
        tasks = []
        for at in range(0, len(arns), 100):
            tasks += self.ecs.describe_tasks(tasks=arns[at : at + 100])["tasks"]
        return tasks

    @property
    def token(self):
        if not self._token:
            done = server.run_stoker("token", "--data", self.server.data, "--uses", "1000", "--json")
            assert done.returncode == 0, done.stderr
            self._token = json.loads(done.stdout)["token"]
        return self._token

    def renew_token(self):
        """Machines that were removed need a new one."""
        self._token = None

    def add(self, name, gpus="none", driver="process", arguments=(), **more):
        machine = Machine(self, name, gpus, driver, arguments, **more)
        self.machines.append(machine)
        return machine.start()

    def client(self, service):
        key = self.server.root_key
        return boto3.client(
            service,
            endpoint_url=self.server.endpoint,
            region_name=REGION,
            aws_access_key_id=key.id,
            aws_secret_access_key=key.secret,
            config=botocore.config.Config(retries={"max_attempts": 2}, connect_timeout=30, read_timeout=PATIENCE_SECONDS),
        )

    @property
    def ecs(self):
        return self.client("ecs")

    def instances(self):
        ecs = self.ecs
        try:
            arns = ecs.list_container_instances()["containerInstanceArns"]
        except ecs.exceptions.ClusterNotFoundException:
            return []
        return ecs.describe_container_instances(containerInstances=arns)["containerInstances"] if arns else []

    def define(self, shell, gpus=None, driver="process", family=None, task=None, **container):
        """Registers a task definition with one container `main` that runs a shell command; returns its ARN."""
        definition = {"name": "main", "image": TEST_IMAGE if driver == "docker" else "process", "memory": 64}
        definition["entryPoint"] = ["/bin/sh", "-c"]
        definition["command"] = [shell]
        definition["stopTimeout"] = 2  # a shell that is a container's first process ignores SIGTERM
        if gpus:
            definition["resourceRequirements"] = [{"type": "GPU", "value": str(gpus)}]
        definition.update(container)
        family = family or "test-" + uuid.uuid4().hex[:12]
        answer = self.ecs.register_task_definition(family=family, containerDefinitions=[definition], **(task or {}))
        return answer["taskDefinition"]["taskDefinitionArn"]

    def common_folder(self, name):
        """A folder that all tasks may use."""
        folder = self.common / name
        folder.mkdir()
        folder.chmod(0o777)
        return folder

    def gate(self, driver="process"):
        return Gate(self.common_folder("gate-" + uuid.uuid4().hex), driver)

    def run(self, definition, **more):
        """Runs one task, which must be placed."""
        answer = self.ecs.run_task(taskDefinition=definition, **more)
        assert answer["failures"] == [], answer["failures"]
        return answer["tasks"][0]

    def describe(self, task):
        arn = task if isinstance(task, str) else task["taskArn"]
        return self.ecs.describe_tasks(tasks=[arn])["tasks"][0]

    def wait_for(self, task, status):
        def reached():
            now = self.describe(task)
            assert status == "STOPPED" or now["lastStatus"] != "STOPPED", now
            return now if now["lastStatus"] == status else None

        return eventually(reached)

    def logs(self, task, *arguments):
        arn = task if isinstance(task, str) else task["taskArn"]
        done = server.run_stoker("logs", "--data", self.server.data, *arguments, arn.rsplit("/", 1)[1])
        assert done.returncode == 0, done.stderr
        return done.stdout

    def follow(self, task):
        """`stoker logs -f` of a task; its standard output is a pipe."""
        command = [server.binary(), "logs", "--data", str(self.server.data), "-f", task["taskArn"].rsplit("/", 1)[1]]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def stop(self, task, **more):
        self.ecs.stop_task(task=task["taskArn"], **more)
        return self.wait_for(task, "STOPPED")


def gpus_of(task):
    return [gpu for container in task["containers"] for gpu in container.get("gpuIds", [])]


def set_gpu_load(agent_data, load):
    """Writes gpus.json of an agent's simulated GPUs, which has a whole document at every moment. Nothing is written
    without a change: a machine that is being removed must not get new files."""
    script = agent_data / "gpus/gpus.json"
    text = json.dumps(load)
    if script.exists() and script.read_text() == text:
        return
    new = script.with_name("gpus.json.new")
    new.write_text(text)
    new.replace(script)


def remove_containers(folder):
    """Removes the stopped containers that the agents of a cluster keep for hours, for inspection."""
    if not docker_answers():
        return

    def none_left():
        listed = subprocess.run(
            ["docker", "ps", "-a", "--format", '{{.ID}} {{.Label "stoker.agent"}}', "--filter", "label=stoker.agent"],
            capture_output=True, text=True, check=True,
        )
        ids = [line.split(" ", 1)[0] for line in listed.stdout.splitlines() if folder in line]
        # It fails for those whose removal is in progress.
        return not ids or subprocess.run(["docker", "rm", "-f", *ids], capture_output=True, check=False).returncode == 0

    eventually(none_left)


def leftover_containers(name):
    """Containers that an agent of this name created."""
    if not docker_answers():
        return []
    shown = '{{.ID}} {{.Label "stoker.agent"}}'  # the agent's name and its folder
    done = subprocess.run(
        ["docker", "ps", "-a", "--filter", "label=stoker.agent", "--format", shown],
        capture_output=True, text=True, check=True,
    )
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    return [container for container, agent in lines if agent.startswith(f"{name}:")]


def processes_with(text):
    """Other processes whose command line contains this text."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line:
            found.append((int(entry.name), line))
    return found
