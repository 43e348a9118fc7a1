# SPDX-License-Identifier: Apache-2.0
"""The command line against a real server and a machine with two simulated GPUs, in pipes and in terminals."""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import urllib.request

import pytest

from support import cluster, server, terminal
from support.waiting import PATIENCE_SECONDS, eventually

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def fleet():
    with cluster.Cluster() as made:
        made.add("box-a", gpus="fake:2xV100")
        yield made


def with_data(fleet, *arguments):
    """The arguments with the data folder of the server, before the command of a container."""
    words = list(arguments)
    at = words.index("--") if "--" in words else len(words)
    return words[:at] + ["--data", str(fleet.server.data)] + words[at:]


def stoker(fleet, *arguments, status=0, **more):
    done = server.run_stoker(*with_data(fleet, *arguments), **more)
    assert done.returncode == status, (arguments, done.stdout, done.stderr)
    return done.stdout


class Terminal:
    """A command in a terminal of so many columns."""

    def __init__(self, command, columns, **variables):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm", **variables}
        environment.pop("COLUMNS", None)
        self.process = server.start_process(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.text = b""

    def read_until(self, wanted):
        while wanted not in self.text:
            ready, _, _ = select.select([self.master], [], [], PATIENCE_SECONDS)
            assert ready, self.text
            self.text += os.read(self.master, 65536)

    def read_all(self):
        try:
            while piece := os.read(self.master, 65536):
                self.text += piece
        except OSError:  # the other end is closed
            pass
        assert self.process.wait(PATIENCE_SECONDS) is not None
        os.close(self.master)
        return self.text.decode()


def in_terminal(fleet, columns, *arguments, **variables):
    return Terminal([server.binary(), *with_data(fleet, *arguments)], columns, **variables).read_all()


def test_usage_errors_exit_with_2_and_name_the_nearest(fleet):
    done = server.run_stoker("pss")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "stoker: unknown command 'pss'; did you mean 'ps'?")
    done = server.run_stoker("run", "--gpu", "1", "x")
    assert done.returncode == 2 and "unknown option '--gpu'; did you mean '--gpus'?" in done.stderr
    for words in (["run", "--gpus", "x", "process"], ["run", "-v", "bad", "process"], ["run", "-p", "bad", "process"],
                  ["run", "--count", "2", "process"], ["run", "-it", "process"], ["ps", "--filter", "bad"],
                  ["ps", "--format", "{{.Bad}}"], ["group", "set", "gpu"], ["cp", "a", "b"]):
        done = server.run_stoker(*with_data(fleet, *words))
        assert done.returncode == 2 and done.stderr.startswith("stoker: "), (words, done)
    task = stoker(fleet, "run", "-d", "process", "--", "true").strip()
    assert "--since bad" in server.run_stoker(*with_data(fleet, "logs", task, "--since", "bad")).stderr
    stoker(fleet, "logs", task, "--since", "bad", status=2)
    stoker(fleet, "exec", "-t", task, "--", "sh", status=2)


def test_output_passes_byte_by_byte_and_the_exit_status_is_the_tasks(fleet):
    script = r"printf '\033[31mred\033[0m\n 10%%\r 20%%\r\377\nno end'; exit 3"
    done = subprocess.run([server.binary(), "run", "--data", str(fleet.server.data), "process", "--", "sh", "-c", script],
                          capture_output=True, timeout=PATIENCE_SECONDS, check=False)
    assert done.stdout == b"\x1b[31mred\x1b[0m\n 10%\r 20%\r\xff\nno end", done
    assert done.returncode == 3


def test_a_line_without_an_end_is_shown_at_once(fleet):
    terminal = Terminal([server.binary(), "run", "--data", str(fleet.server.data), "process", "--", "sh", "-c",
                         "printf ' 50%%\\r'; sleep 1000"], 80)
    terminal.read_until(b" 50%\r")
    terminal.process.send_signal(signal.SIGINT)
    terminal.read_until(b"stopping the task")
    assert "stopping" in terminal.read_all()


def test_a_closed_pipe_ends_the_command_and_its_task(fleet):
    run = subprocess.Popen([server.binary(), "run", "--data", str(fleet.server.data), "--name", "piped", "process", "--",
                            "sh", "-c", "echo one; sleep 1000"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert run.stdout.readline() == b"one\n"
    run.stdout.close()
    assert run.wait(PATIENCE_SECONDS) == 141
    eventually(lambda: "STOPPED" in stoker(fleet, "ps", "-a", "--filter", "family=piped"))
    watch = subprocess.Popen([server.binary(), "nodes", "-w", "--data", str(fleet.server.data)], stdout=subprocess.PIPE)
    watch.stdout.readline()
    watch.stdout.close()
    assert watch.wait(PATIENCE_SECONDS) == 141


def test_a_full_disk_is_reported(fleet):
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([server.binary(), "nodes", "--data", str(fleet.server.data)], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "standard output cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize("columns", [80, 120])
def test_tables_fit_the_terminal(fleet, columns):
    family = "a-family-with-a-name-that-is-much-too-long-for-a-table"
    stoker(fleet, "run", "-d", "--gpus", "1", "--name", family, "process", "--", "sleep", "1000")
    stoker(fleet, "run", "-d", "--name", "broken", "process", "--", "/no/such/program")
    eventually(lambda: "STOPPED" in stoker(fleet, "ps", "-a", "--filter", "family=broken"))
    eventually(lambda: "RUNNING" in stoker(fleet, "ps", "--filter", f"family={family}"))
    for arguments in (["ps"], ["ps", "-a"], ["gpus"], ["nodes"], ["cluster", "list"], ["explain", "broken"], ["queue", "ls"]):
        shown = in_terminal(fleet, columns, *arguments)
        for line in ESCAPES.sub("", shown).splitlines():
            assert len(line.rstrip("\r")) <= columns, (arguments, line)
    assert "\x1b[32mRUNNING\x1b[0m" in in_terminal(fleet, columns, "ps")
    assert "\x1b[" not in in_terminal(fleet, columns, "ps", NO_COLOR="1")
    reason = " ".join(ESCAPES.sub("", in_terminal(fleet, columns, "ps", "-a")).split())
    assert "/no/such/program" in reason, reason
    stoker(fleet, "stop", *stoker(fleet, "ps", "-q").split())


def test_nothing_is_cut_in_a_pipe(fleet):
    family = "another-family-with-a-name-that-is-much-too-long-for-a-table-of-80-columns"
    task = stoker(fleet, "run", "-d", "--name", family, "process", "--", "/no/such/program/" + "x" * 100).strip()
    stoker(fleet, "wait", task)
    row = next(line for line in stoker(fleet, "ps", "-a").splitlines() if line.startswith(task[:12]))
    assert family + ":1" in row and "x" * 100 in row, row


@pytest.mark.parametrize("columns", [80, 120])
def test_watches_fit_the_terminal(fleet, columns):
    task = stoker(fleet, "run", "-d", "--name", "watched", "process", "--", "sleep", "1000").strip()
    for words, end in ((["ps", "-w"], "\x03"), (["top"], "q")):
        with terminal.Terminal([server.binary(), *with_data(fleet, *words)], columns) as shown:
            shown.expect("box-a")
            shown.type(end)
            shown.wait()
            assert shown.is_restored()
            for line in ESCAPES.sub("\n", shown.output.decode()).splitlines():
                assert len(line.rstrip("\r")) <= columns, (words, line)
    stoker(fleet, "stop", task)


@pytest.mark.parametrize("columns", [80, 120])
def test_up_shows_one_line_and_what_goes_on(columns, tmp_path):
    data = tmp_path / "up"
    machine = ["--driver", "process", "--gpus", "fake:1xT4", "--name", "box-up", "--metrics-listen", "none", "--pool-gpus", "none",
               "--max-connections", "1000"]  # more than the limit of open files would be a warning
    with terminal.Terminal([server.binary(), "up", "--data", str(data), "--listen", "127.0.0.1:0", *machine], columns) as shown:
        shown.expect(" ms)\r\n")
        assert shown.output.count(b"\n") == 1, shown.output
        eventually(lambda: "ACTIVE" in server.run_stoker("nodes", "--data", data).stdout)
        done = server.run_stoker("run", "-d", "--name", "going", "--data", data, "process", "--", "sleep", "1000")
        assert done.returncode == 0, done
        shown.type("\x03")
        shown.expect(f"1 task goes on: {done.stdout[:12]} of going:1; the server finds it")
        assert shown.wait() == 0
    with server.Server(data=data, arguments=machine, agent=True):  # finds the task again
        server.run_stoker("stop", done.stdout.strip(), "--data", data)
        assert server.run_stoker("wait", done.stdout.strip(), "--data", data).returncode == 0


def test_input_is_rejected_before_a_task_starts_where_only_processes_run(fleet):
    with terminal.Terminal([server.binary(), *with_data(fleet, "run", "-it", "--name", "refused", "process", "--", "sh")]) as shown:
        assert shown.wait() == 1
        assert b"-i needs a machine with the driver docker" in shown.output
    with terminal.Terminal([server.binary(), *with_data(fleet, "run", "-t", "--name", "refused", "process", "--", "sh")]) as shown:
        assert shown.wait() == 1
        assert b"-t needs a machine with the driver docker" in shown.output
    assert fleet.ecs.list_task_definitions(familyPrefix="refused")["taskDefinitionArns"] == []


def test_draining_waits_for_the_tasks_of_the_machine(fleet):
    task = stoker(fleet, "run", "-d", "--name", "drained", "process", "--", "sleep", "1000").strip()
    with terminal.Terminal([server.binary(), *with_data(fleet, "drain", "box-a", "--wait")]) as drain:
        drain.expect("still on it")
        stoker(fleet, "stop", *stoker(fleet, "ps", "-q").split())
        drain.expect("it has no tasks")
        assert drain.wait() == 0
    stoker(fleet, "nodes", "activate", "box-a")
    assert task not in stoker(fleet, "ps", "-q")


def test_logs_since_and_tail(fleet):
    task = stoker(fleet, "run", "-d", "process", "--", "sh", "-c", "echo one; echo two; echo three").strip()
    stoker(fleet, "wait", task)
    assert stoker(fleet, "logs", task, "--tail", "2") == "two\nthree\n"
    assert stoker(fleet, "logs", task, "--since", "1h") == "one\ntwo\nthree\n"
    assert stoker(fleet, "logs", task, "--since", "1h", "--tail", "1") == "three\n"
    assert stoker(fleet, "logs", task, "--since", "2100-01-01T00:00:00Z") == ""


def test_tasks_wait_for_gpus_in_a_queue(fleet):
    sleep = ["process", "--", "sleep", "1000"]
    eventually(lambda: stoker(fleet, "ps", "-q") == "")
    holder = stoker(fleet, "run", "-d", "--gpus", "2", *sleep).strip()
    rejected = server.run_stoker(*with_data(fleet, "run", "-d", "--gpus", "2", "--name", "rejected", *sleep))
    assert rejected.returncode == 1 and "can't be placed" in rejected.stderr
    assert fleet.ecs.list_task_definitions(familyPrefix="rejected")["taskDefinitionArns"] == []
    assert fleet.ecs.list_task_definitions(familyPrefix="rejected", status="INACTIVE")["taskDefinitionArns"] == []
    first = stoker(fleet, "run", "-d", "--wait", "--gpus", "2", *sleep).strip()
    second = Terminal([server.binary(), "run", "--wait", "--gpus", "1", "--data", str(fleet.server.data), "process", "--",
                       "echo", "done"], 80)
    second.read_until(b"waiting at position 2 of 2; before it: " + first[:12].encode())
    second.read_until(b"The nearest is box-a: no GPU free: 2 of 2 held by task " + holder[:12].encode())
    stoker(fleet, "stop", holder)
    second.read_until(b"waiting at position 1 of 1")
    shown = stoker(fleet, "ps", "--filter", f"id={first}")
    assert "RUNNING" in shown or "PENDING" in shown, shown
    stoker(fleet, "stop", first)
    assert "done\r\n" in second.read_all()


def test_options_of_docker_run(fleet, tmp_path):
    (tmp_path / "env").write_text("# comment\nFROM_FILE=1\n")
    printed = stoker(fleet, "run", "--env-file", str(tmp_path / "env"), "-e", "A=2", "--workdir", "/tmp", "--rm", "--name", "once",
                     "process", "--", "sh", "-c", "echo $FROM_FILE $A $(pwd)")
    assert printed == "1 2 /tmp\n"
    assert fleet.ecs.list_task_definitions(familyPrefix="once")["taskDefinitionArns"] == []
    ids = stoker(fleet, "run", "-d", "--count", "3", "--on", "box-a", "process", "--", "true").split()
    assert len(ids) == 3
    assert stoker(fleet, "wait", *ids) == "0\n0\n0\n"
    done = server.run_stoker("run", "--constraint", "ec2InstanceId == other", "process", "--data", str(fleet.server.data))
    assert done.returncode == 1


def test_a_remote_server_by_endpoint_profile_and_context(fleet, tmp_path):
    key = json.loads(stoker(fleet, "key", "create", "--json"))["key"]
    (tmp_path / "config").write_text("[profile lab]\nservices = lab\nregion = us-east-1\n"
                                     f"[services lab]\necs =\n  endpoint_url = {fleet.server.endpoint}\n")
    (tmp_path / "credentials").write_text(f"[lab]\naws_access_key_id = {key['id']}\naws_secret_access_key = {key['secret']}\n")
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "AWS_CONFIG_FILE": str(tmp_path / "config"),
            "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials")}
    keys = {"AWS_ACCESS_KEY_ID": key["id"], "AWS_SECRET_ACCESS_KEY": key["secret"]}

    def remote(*arguments, status=0, **variables):
        done = subprocess.run([server.binary(), *arguments], env={**home, **variables}, capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS, check=False)
        assert done.returncode == status, (arguments, done.stdout, done.stderr)
        return done.stdout + done.stderr

    assert "no Stoker data" in remote("nodes", status=1)
    assert "box-a" in remote("nodes", "--endpoint", fleet.server.endpoint, **keys)
    assert "box-a" in remote("nodes", AWS_ENDPOINT_URL=fleet.server.endpoint, **keys)
    assert "box-a" in remote("nodes", "--profile", "lab")
    assert "box-a" in remote("nodes", AWS_PROFILE="lab")
    assert "could not be found" in remote("nodes", "--profile", "absent", status=1)
    remote("context", "add", "lab", "--endpoint", fleet.server.endpoint, "--profile", "lab", "--cluster", "default")
    assert "lab *" in remote("context", "list")
    assert "box-a" in remote("nodes")
    assert "hello" in remote("run", "process", "--", "echo", "hello")
    assert "default in us-east-1 (1 machine)" in remote("ps", "--region", "eu-west-1", status=1)
    assert "default in us-east-1 (1 machine)" in remote("ps", "--cluster", "absent", status=1)
    remote("context", "use", "local")
    assert "no Stoker data" in remote("nodes", status=1)


def test_clusters_queues_and_objects(fleet, tmp_path):
    assert "`stoker token --cluster lab --region eu-west-1`" in stoker(fleet, "cluster", "create", "lab", "--region", "eu-west-1")
    listed = json.loads(stoker(fleet, "cluster", "list", "--json"))["clusters"]
    assert ("lab", "eu-west-1") in [(one["name"], one["region"]) for one in listed]
    stoker(fleet, "cluster", "delete", "lab", "--region", "eu-west-1")
    sqs = fleet.client("sqs")
    url = sqs.create_queue(QueueName="cli")["QueueUrl"]
    stoker(fleet, "queue", "send", "cli", "hello")
    assert stoker(fleet, "queue", "peek", "cli") == "hello\n"
    queues = json.loads(stoker(fleet, "queue", "ls", "--json"))["queues"]
    assert [(one["name"], one["visible"], one["url"]) for one in queues] == [("cli", 1, url)]
    stoker(fleet, "queue", "purge", "cli")
    fleet.client("s3").create_bucket(Bucket="cli-objects")
    (tmp_path / "one").write_bytes(b"\x00\xff bytes")
    stoker(fleet, "object", "put", str(tmp_path / "one"), "cli-objects/folder/")
    assert [one["Key"] for one in json.loads(stoker(fleet, "object", "ls", "cli-objects", "-r", "--json"))["Contents"]] == ["folder/one"]
    assert "folder/" in stoker(fleet, "object", "ls", "cli-objects")
    stoker(fleet, "object", "get", "s3://cli-objects/folder/one", str(tmp_path / "two"))
    assert (tmp_path / "two").read_bytes() == b"\x00\xff bytes"
    stoker(fleet, "object", "rm", "cli-objects/folder/one")
    assert "NoSuchKey" in server.run_stoker("object", "get", "cli-objects/folder/one", "-", "--data", str(fleet.server.data)).stderr


def test_events_and_inspect(fleet):
    events = subprocess.Popen([server.binary(), "events", "--json", "--data", str(fleet.server.data)], stdout=subprocess.PIPE)

    def run_until_an_event():
        # The command shows what changes after its first look, whenever that is.
        stoker(fleet, "wait", stoker(fleet, "run", "-d", "process", "--", "sh", "-c", "exit 7").strip())
        return select.select([events.stdout], [], [], 0)[0]

    try:
        eventually(run_until_an_event)
        for line in events.stdout:
            event = json.loads(line)
            if event["status"] == "STOPPED":
                assert "exit 7" in event["text"] and event["kind"] == "task"
                break
    finally:
        events.kill()
        events.wait()
    task = stoker(fleet, "run", "-d", "process", "--", "true").strip()
    inspected = json.loads(stoker(fleet, "inspect", task, "box-a"))
    assert inspected[0]["taskArn"].endswith(task) and inspected[1]["ec2InstanceId"] == "box-a"


def test_the_reference_is_current():
    printed = server.run_stoker("man", "--markdown").stdout
    assert (server.ROOT / "docs/cli.md").read_text() == printed, "run: stoker man --markdown > docs/cli.md"


def test_every_command_has_examples_of_its_own():
    sections = server.run_stoker("man", "--markdown").stdout.split("\n## ")[2:]
    assert len(sections) > 50
    for section in sections:
        name, blocks = section.split("\n", 1)[0], section.split("```")
        assert len(blocks) == 5 and name in blocks[3], section


def test_completion_in_zsh_from_the_first_tab(tmp_path):
    if not shutil.which("zsh"):
        pytest.skip("no zsh here")
    (tmp_path / "_stoker").write_text(server.run_stoker("completion", "zsh").stdout)
    with terminal.Terminal(["zsh", "-f", "-i"], env={**os.environ, "TERM": "dumb", "HOME": str(tmp_path)}) as shell:
        shell.type(f"fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -d {tmp_path}/dump; PS1='ready''>'\n")
        shell.expect("ready>")
        shell.type("stoker pipel\t")
        shell.expect("ine ")  # what is added to the typed keys


def test_completion_in_bash():
    script = server.run_stoker("completion", "bash").stdout
    script += """
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _stoker; echo "${COMPREPLY[*]}"; }
complete_words stoker no
complete_words stoker nodes dr
complete_words stoker nodes drain --wai
complete_words stoker run --gpu
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["nodes", "drain", "--wait", "--gpus --gpu-memory --gpu-compute"], done
    for shell in ("zsh", "fish"):
        if shutil.which(shell):
            subprocess.run([shell, "-n"], input=server.run_stoker("completion", shell).stdout, text=True, check=True)


def test_the_manual_page_is_valid():
    page = server.run_stoker("man").stdout
    assert page.startswith(".TH STOKER 1") and ".SS stoker run " in page
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-ww", "-z"], input=page, text=True, capture_output=True, check=True)
        assert done.stderr == ""


def test_the_dashboard_uses_metrics_that_exist(fleet):
    stoker(fleet, "inspect", "nothing", status=1)  # errors have no series before the first one
    with urllib.request.urlopen(fleet.server.endpoint + "/metrics") as response:
        page = response.read().decode()
    known = set(re.findall(r"^# TYPE (\S+)", page, re.MULTILINE))
    known |= {name + suffix for name in known for suffix in ("_bucket", "_count", "_sum")}
    dashboard = json.loads((server.ROOT / "docs/grafana-dashboard.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    used = {name for query in queries for name in re.findall(r"stoker_\w+", query)}
    assert used and used <= known, used - known


def test_down_stops_the_server_and_says_what_goes_on():
    with server.Server(arguments=["--no-agent"]) as running:
        done = server.run_stoker("down", "--data", str(running.data))
        assert done.returncode == 0 and "no tasks are running" in done.stdout
        assert running.process.wait(PATIENCE_SECONDS) == 0
        done = server.run_stoker("down", "--data", str(running.data))
        assert done.returncode == 1 and "no Stoker runs with the data folder" in done.stderr
