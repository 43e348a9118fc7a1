# SPDX-License-Identifier: Apache-2.0
"""Machines: what join tokens and keys of machines open, and what they do not."""
import contextlib
import http.server
import json
import os
import threading
import urllib.parse

import boto3
import botocore.exceptions
import pytest

from support import sigv4
from support.raw import Caller, exchange, request_bytes
from support.server import Key, Server, binary, create_key, run_stoker, start_process
from support.waiting import PATIENCE_SECONDS, eventually
from support.websocket import Socket

REGION = "us-east-1"
MANIFEST, PAYLOAD = "TaskManifestMessage", "PayloadMessage"
DENIED = ("AccessDenied", "AccessDeniedException")


@pytest.fixture(scope="module")
def server():
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def operator(server):
    """ECS as the operator sees it, with a cluster and a task definition whose tasks have a role."""
    ecs = client(server, "ecs", server.root_key)
    ecs.create_cluster()
    ecs.register_task_definition(
        family="plain", taskRoleArn="worker", containerDefinitions=[{"name": "c", "image": "busybox", "memory": 16}]
    )
    return ecs


def client(server, service, key):
    return boto3.client(
        service, endpoint_url=server.endpoint, region_name=REGION, aws_access_key_id=key.id,
        aws_secret_access_key=key.secret, aws_session_token=key.token,
        config=botocore.config.Config(retries={"max_attempts": 1}, parameter_validation=False),
    )


@contextlib.contextmanager
def refused(*codes, part=""):
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        yield
    error = raised.value.response["Error"]
    assert error["Code"] in codes and part in error["Message"], error


def stoker(server, *arguments):
    done = run_stoker(*arguments, "--data", server.data, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout or "{}")


def new_token(server, *arguments):
    return stoker(server, "token", *arguments)["token"]


def join(server, token, machine="m" * 40):
    """The response to the exchange of a token."""
    body = json.dumps({"token": token, "machine": machine}).encode()
    headers = {"Host": f"127.0.0.1:{server.port}", "Content-Length": str(len(body)), "Content-Type": "application/json"}
    return exchange(server.port, request_bytes("POST", "/stoker/join", headers, body))


def joined(server, token, machine="m" * 40):
    answer = join(server, token, machine)
    assert answer.status == 200, answer
    return Key(answer.json["accessKeyId"], answer.json["secretAccessKey"])


def rejection(answer):
    assert answer.status == 403 and answer.code == "InvalidJoinTokenException", answer
    return answer.message


def register(ecs, name, **more):
    resources = [{"name": n, "type": "INTEGER", "integerValue": 4096} for n in ("CPU", "MEMORY")]
    attributes = [{"name": "stoker.agent", "value": "1"}, {"name": "com.amazonaws.ecs.capability.task-iam-role"},
                  {"name": "ecs.capability.env-files.s3"}]
    answer = ecs.register_container_instance(
        instanceIdentityDocument=json.dumps({"instanceId": name}), totalResources=resources, attributes=attributes, **more
    )
    return answer["containerInstance"]["containerInstanceArn"]


def session(server, key, arn):
    target = "/ws?" + urllib.parse.urlencode({"clusterArn": "default", "containerInstanceArn": arn, "seqNum": 1})
    return Socket(Caller(server, key), target)


def telemetry(server, key, arn):
    target = "/ws?" + urllib.parse.urlencode({"cluster": "default", "containerInstance": arn})
    return Socket(Caller(server, key), target)


def agree(operator, agent, arn):
    """Acknowledges the manifest: then the machine counts as connected, and gets tasks."""
    agent.send_message("AckRequest", messageId=agent.next_message(MANIFEST)["messageId"])
    instances = lambda: operator.describe_container_instances(containerInstances=[arn])["containerInstances"]
    eventually(lambda: instances()[0]["agentConnected"])


@pytest.fixture
def machine(server, operator, request):
    """A machine that has joined and registered: (key, ARN)."""
    key = joined(server, new_token(server))
    arn = register(client(server, "ecs", key), request.node.name[:60])
    yield key, arn
    operator.deregister_container_instance(containerInstance=arn, force=True)


def task_key(server, operator, key, arn):
    """The credentials of a task on the machine, as its agent receives them."""
    with session(server, key, arn) as agent:
        agree(operator, agent, arn)
        operator.start_task(taskDefinition="plain", containerInstances=[arn])
        task = agent.next_message(PAYLOAD)["tasks"][0]
    role = task["roleCredentials"]
    return task["arn"], Key(role["accessKeyId"], role["secretAccessKey"], token=role["sessionToken"])


def test_a_token_is_for_one_machine(server):
    token = new_token(server)
    joined(server, token)
    assert "was used by 1 machine" in rejection(join(server, token, "another machine " * 3))


def test_a_revoked_token_is_rejected(server):
    token = new_token(server, "--uses", "5")
    assert run_stoker("token", "revoke", token.split(".")[1], "--data", server.data).returncode == 0
    assert "was revoked" in rejection(join(server, token))
    listed = {one["id"]: one for one in stoker(server, "token", "list")["joinTokens"]}
    assert listed[token.split(".")[1]]["status"] == "REVOKED" and token not in json.dumps(listed)


def test_of_a_guessed_token_nothing_is_revealed(server):
    token = new_token(server)
    joined(server, token)  # used
    texts = set()
    for guess in (token[:-1] + ("x" if token[-1] != "x" else "y"), "stk1." + "a" * 12 + "." + "b" * 40, "x", ""):
        texts.add(rejection(join(server, guess)))
    assert len(texts) == 1 and "invalid" in texts.pop()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"token": 1}', b'{"token": "' + b"x" * 5000 + b'"}'])
def test_an_invalid_exchange_is_rejected(server, body):
    headers = {"Host": "localhost", "Content-Length": str(len(body))}
    answer = exchange(server.port, request_bytes("POST", "/stoker/join", headers, body))
    assert 400 <= answer.status < 500, answer
    assert exchange(server.port, request_bytes("GET", "/stoker/join", {"Host": "localhost"})).status == 405


def test_a_repeated_exchange_gets_the_same_key_until_the_machine_has_registered(server, operator):
    token = new_token(server)
    key = joined(server, token)
    assert joined(server, token).id == key.id
    arn = register(client(server, "ecs", key), "repeats")
    assert "has joined with this token before" in rejection(join(server, token))
    operator.deregister_container_instance(containerInstance=arn)
    assert "has joined with this token before" in rejection(join(server, token))


def test_a_machines_key_is_good_for_nothing_but_its_machine(server, operator, machine):
    key, arn = machine
    ecs = client(server, "ecs", key)
    calls = [
        lambda: ecs.list_tasks(),
        lambda: ecs.run_task(taskDefinition="plain"),
        lambda: ecs.deregister_container_instance(containerInstance=arn),
        lambda: ecs.create_cluster(clusterName="mine"),
        lambda: client(server, "sqs", key).list_queues(),
        lambda: client(server, "s3", key).list_buckets(),
        lambda: client(server, "sts", key).get_session_token(),
        lambda: client(server, "ec2", key).describe_instances(),
        lambda: client(server, "logs", key).describe_log_groups(),
        lambda: client(server, "cloudwatch", key).list_metrics(),
    ]
    for call in calls:
        with refused(*DENIED):
            call()
    caller = Caller(server, key)
    for operation in ("CreateKey", "ListKeys", "CreateJoinToken", "ListJoinTokens", "CreateMachineKey"):
        answer = caller.json(operation, {}, scope=caller.scope("stoker"), target="Stoker",
                             headers={"Content-Type": "application/x-amz-json-1.1"})
        assert answer.status >= 400 and answer.code in DENIED, answer
    target = "/stoker/logs?cluster=default&task=x"
    fields = sigv4.signed_headers(caller.scope("ecs"), "GET", target, {"Host": caller.host}, b"")
    assert exchange(caller.port, request_bytes("GET", target, fields)).code in DENIED
    fields = sigv4.signed_headers(caller.scope("pipelines"), "GET", "/jobs", {"Host": caller.host}, b"")
    assert exchange(caller.port, request_bytes("GET", "/jobs", fields)).status == 403


def test_no_other_key_acts_for_a_machine(server, operator, machine):
    key, arn = machine
    task, of_task = task_key(server, operator, key, arn)
    other = joined(server, new_token(server))
    register(client(server, "ecs", other), "other machine")
    others = [server.root_key, create_key(server.data, "000000000000"), other, of_task]
    for stranger in others:
        ecs = client(server, "ecs", stranger)
        for open_session in (session, telemetry):
            with open_session(server, stranger, arn) as opened:
                assert opened.refusal is not None, "a session of another machine"
                assert "AccessDenied" in opened.refusal.body.decode(), opened.refusal
        for call in (
            lambda: ecs.register_container_instance(containerInstanceArn=arn),
            lambda: ecs.submit_task_state_change(task=task, status="STOPPED"),
            lambda: ecs.submit_container_state_change(task=task, containerName="c", status="STOPPED"),
            lambda: ecs.discover_poll_endpoint(containerInstance=arn),
        ):
            with refused(*DENIED):
                call()
    assert operator.describe_tasks(tasks=[task])["tasks"][0]["lastStatus"] != "STOPPED"
    foreign = create_key(server.data, "999999999999")
    client(server, "ecs", foreign).create_cluster()
    with session(server, foreign, arn) as opened:
        assert opened.refusal is not None and opened.refusal.status == 400
    with session(server, key, arn) as agent:
        assert agent.next_message(MANIFEST) is not None


def test_a_machine_has_one_instance(server, operator, machine):
    key, arn = machine
    with session(server, key, arn) as agent:
        agree(operator, agent, arn)
        with refused(*DENIED, part="which is connected"):
            register(client(server, "ecs", key), "a second one")


def test_a_machine_does_not_take_the_places_of_others():
    with Server(arguments=["--max-connections", "120"]) as small:
        client(small, "ecs", small.root_key).create_cluster()
        key = joined(small, new_token(small))
        arn = register(client(small, "ecs", key), "greedy")
        caller = Caller(small, create_key(small.data, "222222222222"))
        held = [telemetry(small, key, arn) for _ in range(200)]
        try:
            assert held[0].refusal is None
            for _ in range(5):
                assert caller.json("ListQueues", {}).status == 200
            assert held[0].close_code() is not None, "it was not replaced"
        finally:
            for one in held:
                one.connection.socket.close()

        def served():
            with telemetry(small, key, arn) as last:
                return last.next_message("HeartbeatMessage") if last.refusal is None else None

        eventually(served)


def test_a_gpu_of_one_account_is_not_taken_by_another(server):
    """Ids of simulated GPUs are chosen: an account must not block, or replace, those of others."""
    registered = []
    for account in ("333333333333", "444444444444"):
        ecs = client(server, "ecs", create_key(server.data, account))
        ecs.create_cluster()
        registered.append((ecs, register(ecs, "box", platformDevices=[{"id": "GPU-the-same", "type": "GPU"}])))
    for ecs, arn in registered:
        shown = ecs.describe_container_instances(containerInstances=[arn])["containerInstances"][0]
        resources = {one["name"]: one for one in shown["registeredResources"]}
        assert shown["status"] == "ACTIVE" and resources["GPU"]["stringSetValue"] == ["GPU-the-same"]


def test_a_token_of_a_cluster_opens_no_other(server, operator):
    operator.create_cluster(clusterName="blue")
    ecs = client(server, "ecs", joined(server, new_token(server, "--cluster", "blue")))
    with refused(*DENIED, part="us-east-1/blue only"):
        register(ecs, "strays")
    arn = register(ecs, "stays", cluster="blue")
    operator.deregister_container_instance(cluster="blue", containerInstance=arn)


def test_a_removed_machine_has_no_key(server, operator):
    key = joined(server, new_token(server))
    arn = register(client(server, "ecs", key), "leaves")
    with session(server, key, arn) as agent:
        agree(operator, agent, arn)
        assert run_stoker("nodes", "remove", "leaves", "--force", "--data", server.data).returncode == 0
        assert agent.next_message("InactiveInstanceException") is not None
    with refused("ExpiredTokenException"):
        register(client(server, "ecs", key), "leaves")
    with session(server, key, arn) as agent:
        assert agent.refusal is not None


def test_a_key_for_amazons_agent_is_a_machines_key(server, operator):
    made = stoker(server, "key", "create", "--agent")["key"]
    key = Key(made["id"], made["secret"])
    ecs = client(server, "ecs", key)
    with refused(*DENIED):
        ecs.list_tasks()
    arn = register(ecs, "stock")
    again = register(ecs, "stock")  # its data folder was lost
    assert arn != again
    assert operator.describe_container_instances(containerInstances=[arn])["containerInstances"][0]["status"] == "INACTIVE"
    operator.deregister_container_instance(containerInstance=again)


def test_no_key_obtains_the_root_key(server, operator, machine):
    key, arn = machine
    _, of_task = task_key(server, operator, key, arn)
    session_key = client(server, "sts", server.root_key).get_session_token()["Credentials"]
    temporary = Key(session_key["AccessKeyId"], session_key["SecretAccessKey"], token=session_key["SessionToken"])
    root = server.root_key
    for stranger in (create_key(server.data, "000000000000"), create_key(server.data, "999999999999"), of_task, key, temporary):
        caller = Caller(server, stranger)
        for operation, members in (
            ("CreateKey", {}), ("ListKeys", {}), ("DeleteKey", {"id": root.id}),
            ("ImportKeys", {"keys": [{"id": root.id, "secret": "guess"}]}),
            ("CreateJoinToken", {"account": "123456789012"}),
        ):
            answer = caller.json(operation, members, scope=caller.scope("stoker"), target="Stoker",
                                 headers={"Content-Type": "application/x-amz-json-1.1"})
            assert answer.status >= 400 and answer.code in DENIED, (operation, answer)
            assert root.secret not in answer.body.decode()
    assert root.secret not in json.dumps(stoker(server, "key", "list"))


def test_who_claims_to_be_our_agent_gets_no_operators_key_and_no_foreign_file(monkeypatch):
    """Attributes are what a machine reports about itself. `register` reports our agent."""
    monkeypatch.setenv("STOKER_OBJECTS_ACCESS_KEY_ID", "OPERATORSKEY")
    monkeypatch.setenv("STOKER_OBJECTS_SECRET_ACCESS_KEY", "operators-secret")
    arguments = ["--objects-endpoint", "http://127.0.0.1:9", "--objects-allow", "000000000000=settings",
                 "--objects-allow", "123456789012=*"]
    files = [f"arn:aws:s3:::{name}" for name in ("settings/a.env", "settings/../payroll/a.env", "payroll/a.env")]
    with Server(arguments=arguments) as elsewhere:
        ecs = client(elsewhere, "ecs", elsewhere.root_key)
        ecs.create_cluster()
        container = {"name": "c", "image": "busybox", "memory": 16,
                     "environmentFiles": [{"type": "s3", "value": value} for value in files]}
        ecs.register_task_definition(family="files", executionRoleArn="worker", containerDefinitions=[container])
        key = joined(elsewhere, new_token(elsewhere))
        arn = register(client(elsewhere, "ecs", key), "claims")
        with session(elsewhere, key, arn) as agent:
            agree(ecs, agent, arn)
            ecs.start_task(taskDefinition="files", containerInstances=[arn])
            payload = agent.next_message(PAYLOAD)
        assert list(payload["tasks"][0]["stokerObjects"]["fileUrls"]) == files[:1]
        for secret in ("operators-secret", elsewhere.root_key.secret, elsewhere.root_key.id):
            assert secret not in json.dumps(payload)


class Agent:
    """`stoker agent` with a data folder of its own."""

    def __init__(self, server, folder, token=None, url=None):
        command = [binary(), "agent", "--join", url or server.endpoint, "--data", str(folder / "agent"), "--name", "box"]
        command += ["--gpus", "none", "--driver", "process", "--metrics-listen", "none"]
        environment = {name: value for name, value in os.environ.items() if name != "STOKER_TOKEN"}
        if token:
            environment["STOKER_TOKEN"] = token
        self.log = folder / "agent.log"
        self.start_of_log = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log:
            self.process = start_process(command, stdout=log, stderr=log, env=environment)

    def text(self):
        return self.log.read_bytes()[self.start_of_log:].decode()

    def connected(self):
        eventually(lambda: " connected server=" in self.text() or self.process.poll() is not None)
        assert self.process.poll() is None, self.text()
        return self

    def ended(self):
        assert self.process.wait(PATIENCE_SECONDS) == 1
        return self.text()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def test_a_removed_machine_does_not_come_back_by_itself(server, operator, tmp_path):
    token = new_token(server, "--uses", "5")
    with Agent(server, tmp_path, token) as agent:
        agent.connected()
        assert oct((tmp_path / "agent/machine_key.json").stat().st_mode)[-3:] == "600"
        assert token.encode() not in open(f"/proc/{agent.process.pid}/cmdline", "rb").read()
        assert run_stoker("nodes", "remove", "box", "--force", "--data", server.data).returncode == 0
        assert "this machine was removed from its cluster" in agent.ended()
    with Agent(server, tmp_path, token) as agent:  # as a service manager would
        assert "has joined with this token before" in agent.ended()
    with Agent(server, tmp_path) as agent:
        assert "this machine has no key" in agent.ended()
    with Agent(server, tmp_path, new_token(server)) as agent:
        agent.connected()
    with Agent(server, tmp_path) as agent:
        agent.connected()  # without a token: it has its key
        assert run_stoker("nodes", "remove", "box", "--force", "--data", server.data).returncode == 0
        agent.ended()


class LostAnswer(http.server.BaseHTTPRequestHandler):
    """Passes the exchange on, and kills the agent before it gets the answer."""

    def do_POST(self):  # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {"Host": "localhost", "Content-Length": str(len(body)), "Content-Type": "application/json"}
        answer = exchange(self.server.behind.port, request_bytes("POST", self.path, headers, body))
        self.server.answers.append(answer.json["accessKeyId"])
        self.server.lost.set()
        self.server.killed.wait(PATIENCE_SECONDS)

    def log_message(self, *_):
        pass


def test_an_agent_that_is_killed_during_the_exchange_uses_its_token_once(server, operator, tmp_path):
    token = new_token(server)
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), LostAnswer)
    proxy.behind, proxy.answers, proxy.lost, proxy.killed = server, [], threading.Event(), threading.Event()
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        with Agent(server, tmp_path, token, f"http://127.0.0.1:{proxy.server_port}"):
            assert proxy.lost.wait(PATIENCE_SECONDS)
    finally:
        proxy.killed.set()
        proxy.shutdown()
        proxy.server_close()
    with Agent(server, tmp_path, token) as agent:
        agent.connected()
        stored = json.loads((tmp_path / "agent/machine_key.json").read_text())
        assert proxy.answers == [stored["accessKeyId"]]
        assert run_stoker("nodes", "remove", "box", "--force", "--data", server.data).returncode == 0
        agent.ended()
