# SPDX-License-Identifier: Apache-2.0
"""Commands in running containers: by `aws ecs execute-command` with a stand-in for session-manager-plugin, and by
`stoker exec`, `attach` and `cp`."""
import hashlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import uuid

import boto3
import pytest

from support import cluster, server
from support.terminal import Terminal
from support.waiting import PATIENCE_SECONDS, eventually

ROLE = "arn:aws:iam::000000000000:role/exec"
PLUGIN = pathlib.Path(__file__).resolve().parents[1] / "support" / "session_manager_plugin.py"
MEGABYTES = 10


class Box:
    """A machine with one task that can be entered."""

    def __init__(self, fleet, driver, folder):
        self.fleet, self.driver, self.folder = fleet, driver, folder
        self.machine = fleet.add("box", driver=driver)
        definition = fleet.define("while :; do sleep 1; done", driver=driver, task={"taskRoleArn": ROLE})
        self.task = fleet.run(definition, enableExecuteCommand=True)
        eventually(lambda: self.agent_status() == "RUNNING")
        self.id = self.task["taskArn"].rsplit("/", 1)[1]
        program = folder / "session-manager-plugin"
        program.write_text(f"#!/bin/sh\nexec {sys.executable} {PLUGIN} \"$@\"\n")
        program.chmod(0o755)

    def agent_status(self):
        containers = self.fleet.describe(self.task)["containers"]
        return [agent["lastStatus"] for one in containers for agent in one.get("managedAgents", [])][0]

    def environment(self, **more):
        key = self.fleet.server.root_key
        return {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "AWS_ACCESS_KEY_ID": key.id,
                "AWS_SECRET_ACCESS_KEY": key.secret, "AWS_DEFAULT_REGION": cluster.REGION, "TERM": "xterm", **more}

    def aws(self, command, columns=80, rows=24, **variables):
        words = ["aws", "--endpoint-url", self.fleet.server.endpoint, "ecs", "execute-command", "--cluster", "default"]
        words += ["--task", self.id, "--interactive", "--command", command]
        return Terminal(words, columns, rows, env=self.environment(**variables))

    def stoker_words(self, *words):
        return [server.binary(), words[0], "--data", str(self.fleet.server.data), *words[1:]]

    def stoker(self, *words, **more):
        return subprocess.run(self.stoker_words(*words), capture_output=True, timeout=300, **more)

    def marked(self, mark):
        """Processes of commands with this mark, other than clients."""
        return [line for _, line in cluster.processes_with(mark) if " exec" not in line and "execute-command" not in line
                and "session_manager_plugin" not in line]

    def gone(self, mark):
        eventually(lambda: not self.marked(mark))

    def ended_sessions(self):
        """Ids of the sessions whose end the agent has logged."""
        lines = self.machine.log.read_text(errors="replace").splitlines()
        return {word.split("=", 1)[1] for line in lines if "command in a container ended" in line
                for word in line.split() if word.startswith("session=")}

    def run_here(self, *words, **more):
        """`stoker run` with input or a terminal, on the machine of this test."""
        image = cluster.TEST_IMAGE if self.driver == "docker" else "process"
        return self.stoker_words("run", *words[: words.index("--")], "--memory", "64", image, *words[words.index("--") :])

    def only_docker(self):
        if self.driver != "docker":
            pytest.skip("a process has no input to attach to")


@pytest.fixture(scope="module")
def box(driver, tmp_path_factory):
    with cluster.Cluster() as fleet:
        yield Box(fleet, driver, tmp_path_factory.mktemp("plugin"))


# Prints "going", which its own echo does not contain, and can be interrupted from then on. A shell that forks to run
# `sleep` itself loses a Ctrl-C that arrives between the fork and the exec.
GOING = "sh -c \"echo go''ing; exec sleep 100000\""


def new_mark():
    return "mark" + uuid.uuid4().hex[:12]


def sleeper_script(mark):
    """Lives until it is killed, and can be found by its mark."""
    return f"echo started; while :; do sleep 1; done; : {mark}"


def sleeper(mark):
    return f"sh -c '{sleeper_script(mark)}'"


def test_a_shell(box):
    with box.aws("/bin/sh") as shell:
        shell.type("echo $((6 * 7)) ready\r")
        shell.expect("42 ready")
        shell.type("stty size; echo size\r")
        shell.expect("24 80")
        shell.resize(132, 43)
        shell.type("until [ \"$(stty size)\" = '43 132' ]; do sleep 0.1; done; echo resi''zed\r")
        shell.expect("resized")
        shell.type(GOING + "\r")
        shell.expect("going")
        shell.type(b"\x03")
        shell.type("\recho al''ive\r")
        shell.expect("alive")
        shell.type("exit 3\r")
        shell.expect("The command ended with exit code 3.")
        assert shell.wait() == 0
        assert shell.is_restored()


def test_full_screen_redraws(box):
    if box.driver == "docker":
        pytest.skip("the test image has no watch")
    with box.aws("watch -n0.1 date +%s.%N") as screen:
        for _ in range(30):
            screen.expect(b"\x1b[")
        screen.type(b"\x03")
        assert screen.wait() == 0


def test_ten_megabytes(box):
    with box.aws(f"sh -c 'stty raw; head -c {MEGABYTES}000000 /dev/zero | tr \"\\000\" x; echo; echo EOT'") as client:
        client.expect("EOT")
        assert client.wait() == 0
        assert client.output.count(b"x") >= MEGABYTES * 1000000


def test_a_command_that_does_not_exist(box):
    with box.aws("/no/such/program") as client:
        client.expect("SessionId: ")
        assert client.wait() == 0


def test_a_signed_upgrade(box):
    with box.aws("echo signed-by-the-plugin", STANDIN_SIGN="1") as client:
        client.expect("signed-by-the-plugin")
        assert client.wait() == 0


def test_a_connection_that_is_cut_is_resumed(box):
    with box.aws("sh -c 'for i in $(seq 300); do echo line $i; sleep 0.01; done; echo EOT'", STANDIN_CUT="20") as client:
        client.expect("EOT")
        assert client.wait() == 0
        numbers = [int(word) for word in client.output.replace(b"line ", b" L").split() if word[:1] == b"L"
                   for word in [word[1:]]]
        assert numbers == list(range(1, 301))


def test_two_terminals_at_once(box):
    with box.aws("/bin/sh") as one, box.aws("/bin/sh") as two:
        one.type("X=first; echo $X-ready\r")
        two.type("X=second; echo $X-ready\r")
        one.expect("first-ready")
        two.expect("second-ready")
        one.type("exit\r")
        assert one.wait() == 0
        two.type("echo still-$X\r")
        two.expect("still-second")
        two.type("exit\r")
        assert two.wait() == 0


def test_binary_data_through_the_plugin(box):
    place, data = "/tmp/" + new_mark(), random.randbytes(200_000)
    assert box.stoker("exec", "-i", box.id, "--", "sh", "-c", f"cat > {place}", input=data).returncode == 0
    words = ["aws", "--endpoint-url", box.fleet.server.endpoint, "ecs", "execute-command", "--task", box.id, "--interactive"]
    command = f"sh -c 'stty raw -echo; echo ready; head -c 5000 > {place}-in; cat {place}; echo; echo EOT'"
    with subprocess.Popen([*words, "--command", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=box.environment()) as client:
        while client.stdout.readline() != b"ready\n":
            assert client.poll() is None
        client.stdin.write(data[:5000])
        client.stdin.flush()
        assert client.stdout.read(len(data)) == data
        assert b"EOT" in client.stdout.read()
        assert client.wait() == 0
    assert box.stoker("exec", box.id, "--", "cat", f"{place}-in").stdout == data[:5000]
    box.stoker("exec", box.id, "--", "rm", place, f"{place}-in")


def test_errors_of_execute_command(box):
    ecs = box.fleet.ecs
    with pytest.raises(ecs.exceptions.InvalidParameterException, match="Interactive is the only mode"):
        ecs.execute_command(task=box.id, command="ls", interactive=False)
    with pytest.raises(ecs.exceptions.ClusterNotFoundException):
        ecs.execute_command(cluster="other", task=box.id, command="ls", interactive=True)
    other = box.fleet.run(box.fleet.define("while :; do sleep 1; done", driver=box.driver))
    box.fleet.wait_for(other, "RUNNING")
    with pytest.raises(ecs.exceptions.InvalidParameterException, match="was not enabled when the task was run"):
        ecs.execute_command(task=other["taskArn"], command="ls", interactive=True)
    box.fleet.stop(other)


def test_sessions_of_another_account_do_not_exist(box):
    stranger = server.create_key(box.fleet.server.data, "222222222222")
    ecs, ssm = [boto3.client(service, endpoint_url=box.fleet.server.endpoint, region_name=cluster.REGION,
                             aws_access_key_id=stranger.id, aws_secret_access_key=stranger.secret)
                for service in ("ecs", "ssm")]
    opened = box.fleet.ecs.execute_command(task=box.id, command="cat", interactive=True)["session"]
    ecs.create_cluster()
    for task in (box.id, box.task["taskArn"]):
        with pytest.raises(ecs.exceptions.InvalidParameterException, match="was not found"):
            ecs.execute_command(task=task, command="ls", interactive=True)
    for call in (ssm.resume_session, ssm.terminate_session):
        with pytest.raises(ssm.exceptions.ClientError, match="DoesNotExistException"):
            call(SessionId=opened["sessionId"])
    assert ssm.describe_sessions(State="Active")["Sessions"] == []
    box.fleet.client("ssm").terminate_session(SessionId=opened["sessionId"])


def test_a_terminated_session_leaves_no_process(box):
    mark = new_mark()
    ssm = box.fleet.client("ssm")
    with box.aws(sleeper(mark)) as client:
        client.expect("started")
        session = client.output.split(b"SessionId: ")[1].split()[0].decode()
        assert box.marked(mark)
        listed = ssm.describe_sessions(State="Active", Filters=[{"key": "SessionId", "value": session}])["Sessions"]
        assert listed[0]["Status"] == "Connected"
        ssm.terminate_session(SessionId=session)
        client.expect("Exiting session")
        assert client.wait() == 0
    box.gone(mark)
    history = lambda: ssm.describe_sessions(State="History", Filters=[{"key": "SessionId", "value": session}])["Sessions"]
    assert eventually(history)[0]["Status"] == "Terminated"


def test_stoker_exec_passes_bytes_and_exit_codes(box):
    data = random.randbytes(3_000_000)
    done = box.stoker("exec", "-i", box.id, "--", "cat", input=data)
    assert done.returncode == 0, done.stderr
    assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(data).digest()
    done = box.stoker("exec", box.id, "--", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"out\n", b"err\n")
    done = box.stoker("exec", box.id, "--", "/no/such/program")
    assert done.returncode in (126, 127), done
    assert b"no such file" in (done.stdout + done.stderr).lower(), "Docker's text comes as output"
    done = box.stoker("exec", box.id, "--", "cat")
    assert done.returncode == 0, "without -i the command has no input"


def test_stoker_exec_in_a_terminal(box):
    with Terminal(box.stoker_words("exec", "-it", box.id, "--", "/bin/sh"), 100, 40, env=box.environment()) as shell:
        shell.type("stty size\r")
        shell.expect("40 100")
        shell.resize(120, 50)
        shell.type("until [ \"$(stty size)\" = '50 120' ]; do sleep 0.1; done; echo resi''zed\r")
        shell.expect("resized")
        shell.type(GOING + "\r")
        shell.expect("going")
        shell.type(b"\x03")
        shell.type("\rexit 5\r")
        assert shell.wait() == 5
        assert shell.is_restored()


def test_a_closed_pipe_ends_stoker_exec(box):
    mark = new_mark()
    command = box.stoker_words("exec", box.id, "--", "sh", "-c", f"while :; do echo line; done; : {mark}")
    client = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert client.stdout.readline() == b"line\n"
    client.stdout.close()
    assert client.wait(PATIENCE_SECONDS) != 0
    box.gone(mark)


def test_an_interrupted_stoker_exec_ends_a_command_that_does_not_read(box, tmp_path):
    mark, big = new_mark(), tmp_path / "big"
    with open(big, "wb") as file:
        file.truncate(100_000_000)
    with open(big, "rb") as data:
        client = subprocess.Popen(box.stoker_words("exec", "-i", box.id, "--", "sh", "-c", sleeper_script(mark)),
                                  stdin=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert client.stdout.readline() == b"started\n"
        read = []

        def full():
            """It has not read on for a while: the window is full. If it was only slow, this tests less."""
            read.append(os.lseek(data.fileno(), 0, os.SEEK_CUR))
            return read[-1] > 0 and len(read) > 40 and len(set(read[-40:])) == 1

        eventually(full)
        client.send_signal(signal.SIGINT)
        _, errors = client.communicate(timeout=PATIENCE_SECONDS)
    assert client.returncode == 130
    assert errors == b""
    box.gone(mark)


def test_standard_streams_that_the_caller_closed(box):
    command = box.stoker_words("exec", box.id, "--", "sh", "-c", "echo lost; exit 3")
    done = subprocess.run(["sh", "-c", '"$@" >&- 2>&-', "sh", *command], timeout=300)
    assert done.returncode == 3


@pytest.mark.parametrize("way", ["interrupt", "closed pipe", "terminate"])
def test_detaching_leaves_the_container_running(box, way):
    started = box.fleet.describe(box.task)["startedAt"]
    ssm, known = box.fleet.client("ssm"), set()
    for state in ("Active", "History"):
        known |= {one["SessionId"] for one in ssm.describe_sessions(State=state)["Sessions"]}

    def connected():
        active = ssm.describe_sessions(State="Active")["Sessions"]
        return [one["SessionId"] for one in active if one["SessionId"] not in known and one["Status"] == "Connected"]

    client = subprocess.Popen(box.stoker_words("attach", "--no-stdin", box.id), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    session = eventually(connected)[0]
    if way == "interrupt":
        client.send_signal(signal.SIGINT)
    elif way == "closed pipe":
        client.stdout.close()
    else:
        ssm.terminate_session(SessionId=session)
    client.wait(PATIENCE_SECONDS)
    client.stderr.close()
    client.stdout.close()
    eventually(lambda: session in box.ended_sessions())
    assert box.stoker("exec", box.id, "--", "echo", "alive").stdout == b"alive\n"
    task = box.fleet.describe(box.task)
    assert (task["lastStatus"], task["startedAt"]) == ("RUNNING", started)


def test_stoker_run_with_a_terminal(box):
    box.only_docker()
    # The engine's log has whole lines only.
    script = 'echo "name?"; read x; echo hello $x; stty size; exit 4'
    words = box.run_here("-it", "--rm", "--name", "terminal", "--", "sh", "-c", script)
    with Terminal(words, 100, 40, env=box.environment()) as client:
        client.expect("name?")
        client.type("bob\r")
        client.expect("hello bob")
        client.expect("40 100")
        assert client.wait() == 4
        assert client.is_restored()
    assert box.fleet.ecs.list_task_definitions(familyPrefix="terminal")["taskDefinitionArns"] == []


def test_stoker_run_with_input_from_a_pipe(box):
    box.only_docker()
    data = b"a\x10\x11b" + random.randbytes(100_000)
    done = subprocess.run(box.run_here("-i", "--", "cat"), input=data, capture_output=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, data), done.stderr


def test_stoker_run_shows_all_output_of_a_short_command(box):
    box.only_docker()
    done = subprocess.run(box.run_here("-i", "--", "sh", "-c", "echo quick; exit 6"), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=300)
    assert (done.returncode, done.stdout) == (6, b"quick\n"), done.stderr


def test_a_detached_task_is_attached_to_again(box):
    box.only_docker()
    known = set(box.fleet.list_tasks())
    script = "echo first; read x; echo got $x; read x; echo got $x; exit 5"
    with Terminal(box.run_here("-it", "--", "sh", "-c", script), env=box.environment()) as client:
        client.expect("first")
        client.type("one\r")
        client.expect("got one")
        client.type(b"\x10\x11")
        client.expect("the task goes on; `stoker attach ")
        assert client.wait() == 0
        assert client.is_restored()
    (arn,) = set(box.fleet.list_tasks()) - known
    assert box.fleet.describe(arn)["lastStatus"] == "RUNNING"
    with Terminal(box.stoker_words("attach", arn.rsplit("/", 1)[1]), env=box.environment()) as client:
        client.type("two\r")
        client.expect("got two")
        assert client.wait() == 5
        assert client.is_restored()


def test_input_is_refused_where_only_processes_run(box):
    if box.driver != "process":
        pytest.skip("containers have an input")
    tasks, families = box.fleet.list_tasks(), box.fleet.ecs.list_task_definition_families()["families"]
    done = subprocess.run(box.run_here("-i", "--", "cat"), input=b"x", capture_output=True, timeout=300)
    assert done.returncode != 0
    assert b"driver docker" in done.stderr
    assert box.fleet.list_tasks() == tasks
    assert box.fleet.ecs.list_task_definition_families()["families"] == families


def test_a_session_sees_the_gpus_of_its_task(box):
    """The others of the machine are not in its variables, either."""
    machine = box.fleet.add("gpus", gpus="fake:3xV100", driver=box.driver)
    show = "env | grep VISIBLE_DEVICES | sort; echo END"
    definition = box.fleet.define(f"{show}; while :; do sleep 1; done", gpus=2, driver=box.driver)
    task = box.fleet.run(definition)
    box.fleet.wait_for(task, "RUNNING")
    eventually(lambda: "END" in box.fleet.logs(task))
    seen = box.fleet.logs(task)
    done = box.stoker("exec", task["taskArn"].rsplit("/", 1)[1], "--", "sh", "-c", show)
    assert done.stdout.decode() == seen
    assert all(gpu in seen for gpu in cluster.gpus_of(box.fleet.describe(task)))
    box.fleet.stop(task)
    machine.stop()


def test_copies_keep_modes_in_both_directions(box, tmp_path):
    place = "/tmp/" + new_mark()
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "run.sh").write_bytes(b"#!/bin/sh\n")
    (source / "deep" / "run.sh").chmod(0o750)
    (source / "data").write_bytes(random.randbytes(100_000))
    done = box.stoker("cp", str(source), f"{box.id}:{place}")
    assert done.returncode == 0, done.stderr
    done = box.stoker("cp", f"{box.id}:{place}", str(tmp_path / "back"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "back" / "data").read_bytes() == (source / "data").read_bytes()
    assert (tmp_path / "back" / "deep" / "run.sh").stat().st_mode & 0o777 == 0o750
    done = box.stoker("cp", f"{box.id}:{place}/data", "-")
    assert subprocess.run(["tar", "-t"], input=done.stdout, capture_output=True, check=True).stdout == b"data\n"
    assert box.stoker("cp", f"{box.id}:{place}/missing", str(tmp_path)).returncode != 0
    box.stoker("exec", box.id, "--", "rm", "-rf", place)


def test_output_is_logged_where_the_cluster_says(box):
    name = new_mark()
    logs, s3 = box.fleet.client("logs"), box.fleet.client("s3")
    logs.create_log_group(logGroupName=name)
    s3.create_bucket(Bucket=name)
    override = {"logging": "OVERRIDE", "logConfiguration": {
        "cloudWatchLogGroupName": name, "s3BucketName": name, "s3KeyPrefix": "exec"}}
    box.fleet.ecs.update_cluster(cluster="default", configuration={"executeCommandConfiguration": override})
    try:
        assert box.stoker("exec", box.id, "--", "echo", "logged").returncode == 0
        stream = eventually(lambda: logs.describe_log_streams(logGroupName=name)["logStreams"])[0]["logStreamName"]
        events = eventually(lambda: logs.get_log_events(logGroupName=name, logStreamName=stream)["events"])
        assert [event["message"] for event in events] == ["logged"]
        listed = eventually(lambda: s3.list_objects_v2(Bucket=name).get("Contents"))
        assert [one["Key"] for one in listed] == [f"exec/{stream}.log"]
        assert s3.get_object(Bucket=name, Key=listed[0]["Key"])["Body"].read() == b"logged\n"
    finally:
        box.fleet.ecs.update_cluster(
            cluster="default", configuration={"executeCommandConfiguration": {"logging": "NONE"}})


def test_a_server_that_stops_stores_the_logs_of_its_sessions(box):
    name, mark = new_mark(), new_mark()
    logs = box.fleet.client("logs")
    logs.create_log_group(logGroupName=name)
    override = {"logging": "OVERRIDE", "logConfiguration": {"cloudWatchLogGroupName": name}}
    box.fleet.ecs.update_cluster(cluster="default", configuration={"executeCommandConfiguration": override})
    box.fleet.server.listen = f"127.0.0.1:{box.fleet.server.port}"  # the next one has the same address
    with subprocess.Popen(box.stoker_words("exec", box.id, "--", "sh", "-c", sleeper_script(mark)),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as client:
        assert client.stdout.readline() == b"started\n"
        box.fleet.server.stop()
        box.fleet.server.start()
        assert client.wait(PATIENCE_SECONDS) == 1
    stream = logs.describe_log_streams(logGroupName=name)["logStreams"][0]["logStreamName"]
    events = logs.get_log_events(logGroupName=name, logStreamName=stream)["events"]
    assert [event["message"] for event in events] == ["started"]
    box.fleet.ecs.update_cluster(cluster="default", configuration={"executeCommandConfiguration": {"logging": "NONE"}})
    box.gone(mark)
    box.machine.wait_connected()


def test_a_killed_agent_ends_its_sessions(box):
    mark = new_mark()
    with box.aws(sleeper(mark)) as client:
        client.expect("started")
        box.machine.kill()
        client.expect("The connection to the machine was lost.")
        assert client.wait() == 0
    box.machine.start()
    box.gone(mark)


def test_a_killed_server_ends_its_sessions(box):
    mark = new_mark()
    box.fleet.server.listen = f"127.0.0.1:{box.fleet.server.port}"  # the next one has the same address
    with box.aws(sleeper(mark), STANDIN_RESUME_TRIES="100") as client:
        client.expect("started")
        box.fleet.server.kill()
        box.fleet.server.start()
        client.expect("timed out.")
        assert client.wait() == 0
    box.gone(mark)
    box.machine.wait_connected()
