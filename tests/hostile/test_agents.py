# SPDX-License-Identifier: Apache-2.0
"""/ws and /stoker/logs: agents and readers without permission, or with invalid messages."""
import json
import urllib.parse

import pytest

from expect import refused, plain_rejection
from support import raw, sigv4
from support.raw import Caller, exchange, request_bytes
from support.server import Server, create_key, run_stoker
from support.waiting import eventually
from support.websocket import BINARY, PING, Socket, upgrade_bytes

ECS = "AmazonEC2ContainerServiceV20141113"
MANIFEST, PAYLOAD, BAD = "TaskManifestMessage", "PayloadMessage", "BadRequestException"


def ecs(caller, operation, **members):
    headers = {"Content-Type": "application/x-amz-json-1.1"}
    answer = caller.json(operation, members, scope=caller.scope("ecs"), target=ECS, headers=headers)
    assert answer.status == 200, answer
    return answer.json


def register(caller, name):
    document = json.dumps({"instanceId": name})
    resources = [{"name": n, "type": "INTEGER", "integerValue": 4096} for n in ("CPU", "MEMORY")]
    attributes = [{"name": "stoker.agent", "value": "1"}]  # with messages of our own: logs
    answer = ecs(caller, "RegisterContainerInstance", instanceIdentityDocument=document, totalResources=resources,
                 attributes=attributes)
    return answer["containerInstance"]["containerInstanceArn"]


def work_target(arn, cluster="default"):
    return "/ws?" + urllib.parse.urlencode({"clusterArn": cluster, "containerInstanceArn": arn, "seqNum": 1})


def telemetry_target(arn):
    return "/ws?" + urllib.parse.urlencode({"cluster": "default", "containerInstance": arn})


def connected(caller, arn):
    answer = ecs(caller, "DescribeContainerInstances", containerInstances=[arn])
    return answer["containerInstances"][0]["agentConnected"]


def connect(caller, arn):
    """A session that has acknowledged its manifest."""
    session = Socket(caller, work_target(arn))
    session.send_message("AckRequest", messageId=session.next_message(MANIFEST)["messageId"])
    eventually(lambda: connected(caller, arn))
    return session


@pytest.fixture(scope="module")
def cluster(caller):
    ecs(caller, "CreateCluster")
    ecs(caller, "RegisterTaskDefinition", family="plain",
        containerDefinitions=[{"name": "c", "image": "busybox", "memory": 16}])


@pytest.fixture
def machine(caller, cluster, request):
    arn = register(caller, request.node.name)
    yield arn
    ecs(caller, "DeregisterContainerInstance", containerInstance=arn, force=True)


@pytest.fixture(scope="module")
def stranger(server):
    return Caller(server, create_key(server.data, "999999999999"))


def test_an_upgrade_without_a_signature_is_rejected(caller, send):
    refused(send(request_bytes("GET", "/ws", {"Host": caller.host})), "MissingAuthenticationTokenException", 403)


def test_an_upgrade_signed_for_another_service_is_rejected(caller, machine):
    with Socket(caller, work_target(machine), scope=caller.scope("sqs")) as session:
        refused(session.refusal, ("InvalidSignatureException", "SignatureDoesNotMatch"))


def test_an_upgrade_with_a_changed_query_is_rejected(caller, send, machine):
    data = upgrade_bytes(caller, work_target(machine)).replace(b"seqNum=1", b"seqNum=2", 1)
    refused(send(data), ("InvalidSignatureException", "SignatureDoesNotMatch"))


def test_an_instance_of_another_account_is_rejected(stranger, machine):
    """Neither with the name of its own cluster, nor with ours."""
    ecs(stranger, "CreateCluster")
    for name in ("default", machine.replace(":container-instance/", ":cluster/").rsplit("/", 1)[0]):
        with Socket(stranger, work_target(machine, name)) as session:
            assert session.refusal.status == 400, session.refusal
            assert session.refusal.json["type"] in ("InvalidInstanceException", "ClusterNotFoundException")


def test_an_instance_of_another_region_is_rejected(server, machine):
    with Socket(Caller(server, region="eu-west-1"), work_target(machine)) as session:
        assert session.refusal.status == 400 and session.refusal.json["type"] == "ClusterNotFoundException"


@pytest.mark.parametrize("header", ["Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"])
def test_an_incomplete_upgrade_is_rejected(caller, send, machine, header):
    plain_rejection(send(upgrade_bytes(caller, work_target(machine), drop=[header])), 400, 426)


def test_a_deregistered_instance_is_rejected(caller, cluster):
    arn = register(caller, "gone")
    ecs(caller, "DeregisterContainerInstance", containerInstance=arn)
    with Socket(caller, work_target(arn)) as session:
        assert session.refusal.json["type"] == "InactiveInstanceException"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        '"AckRequest"',
        '{"type": 1}',
        '{"type": "AckRequest", "message": []}',
        '{"type": "AckRequest", "message": {"messageId": 7}}',
        '{"type": "StokerGpus", "message": {"gpus": 1}}',
        '{"type": "StokerGpuSamples", "message": {"samples": [[]]}}',
        '{"type": "StokerLogLines", "message": {"lines": "x"}}',
        '{"type": "TaskStopVerificationMessage", "message": {"stopCandidates": [1]}}',
        '{"type": "IAMRoleCredentialsAckRequest", "message": {"expiration": {}}}',
        '{"type": "StokerGpus", "message": {"gpus": [' + ",".join(['{"id": "g"}'] * 300) + "]}}",
        '{"a":' * 200 + "1" + "}" * 200,
    ],
    ids=range(15),
)
def test_an_invalid_frame_gets_an_error_and_the_session_continues(caller, machine, text):
    with connect(caller, machine) as session:
        session.send(text)
        assert session.next_message(BAD)["message"]
        session.send_message("TaskStopVerificationMessage", messageId="v", stopCandidates=[])
        assert session.next_message("TaskStopVerificationAck")["messageId"] == "v"


@pytest.mark.parametrize("text", ["{", '{"type": "PublishHealthRequest", "message": {"tasks": 1}}'])
def test_invalid_telemetry_gets_an_error_and_the_session_continues(caller, machine, text):
    with Socket(caller, telemetry_target(machine)) as session:
        session.send(text)
        assert session.next_message(BAD)["message"]
        session.send_message("PublishMetricsRequest")
        assert session.next_message("AckPublishMetric") is not None


def test_frames_of_an_unknown_type_are_ignored(caller, machine):
    with connect(caller, machine) as session:
        session.send_message("Nonsense", a=1)
        session.send_message("StokerLogLines", requestId="nobody's", lines=[], end=True)
        assert session.next_message("StokerStopLogs")["requestId"] == "nobody's"
        assert connected(caller, machine)


def test_a_binary_frame_ends_the_session(caller, machine):
    with connect(caller, machine) as session:
        session.send(b"\x00\xff", BINARY)
        assert session.close_code() == 1003
    eventually(lambda: not connected(caller, machine))


def test_a_frame_of_five_mebibytes_ends_the_session(caller, machine):
    with connect(caller, machine) as session:
        session.send(b'"' + b"x" * (5 << 20) + b'"')
        assert session.close_code() in (1009, None)
    eventually(lambda: not connected(caller, machine))


def test_garbage_instead_of_frames_ends_the_session(caller, machine):
    with connect(caller, machine) as session:
        session.connection.send(b"GET / HTTP/1.1\r\n\r\n" * 50)
        assert session.close_code() in (1002, None)
    eventually(lambda: not connected(caller, machine))


def test_a_newer_session_replaces_the_older_one(caller, machine):
    with connect(caller, machine) as old:
        with connect(caller, machine) as new:
            assert old.next_message("Nothing") is None  # it was closed
            assert connected(caller, machine)
            ecs(caller, "StartTask", taskDefinition="plain", containerInstances=[machine])
            assert len(new.next_message(PAYLOAD)["tasks"]) == 1
        eventually(lambda: not connected(caller, machine))


def test_an_unacknowledged_task_is_sent_again(caller, machine):
    with connect(caller, machine) as session:
        ecs(caller, "StartTask", taskDefinition="plain", containerInstances=[machine])
        first = session.next_message(PAYLOAD)
        session.send(b"", PING)
    with connect(caller, machine) as session:
        again = session.next_message(PAYLOAD)
        assert again["tasks"][0]["arn"] == first["tasks"][0]["arn"]
        session.send_message("AckRequest", messageId=again["messageId"])
        ecs(caller, "StopTask", task=again["tasks"][0]["arn"])
        assert session.next_message(PAYLOAD)["tasks"][0]["desiredStatus"] == "STOPPED"


def test_unacknowledged_payloads_are_sent_again_and_unacknowledged_manifests_end_the_session(caller, machine):
    """A payload is sent again. A session that never acknowledges its manifest is closed, whatever else it sends."""
    mute = register(caller, "mute")
    with connect(caller, machine) as session, Socket(caller, work_target(mute)) as silent:
        assert silent.next_message(MANIFEST) is not None
        ecs(caller, "StartTask", taskDefinition="plain", containerInstances=[machine])
        received = []
        while len(received) < 2:
            message = json.loads(session.read()[1])
            if message["type"] == PAYLOAD:
                received.append(message["message"]["tasks"][0]["arn"])
            session.send_message("HeartbeatAckRequest", messageId=message["message"]["messageId"])
            silent.send_message("HeartbeatAckRequest", messageId="x")
        assert received[0] == received[1]
        assert not connected(caller, mute)
        assert silent.next_message("Nothing") is None


def test_a_session_ends_when_its_key_is_deleted(server, caller, machine):
    key = create_key(server.data, "000000000000")
    with connect(Caller(server, key), machine) as session:
        assert run_stoker("key", "delete", "--data", server.data, key.id).returncode == 0
        ecs(caller, "StartTask", taskDefinition="plain", containerInstances=[machine])
        assert session.next_message("AccessDeniedException") is not None


def test_a_deregistered_machine_is_notified(caller, cluster):
    arn = register(caller, "leaves")
    with connect(caller, arn) as session:
        ecs(caller, "DeregisterContainerInstance", containerInstance=arn, force=True)
        assert session.next_message("InactiveInstanceException") is not None


def read_logs(caller, **parameters):
    target = "/stoker/logs?" + urllib.parse.urlencode(parameters)
    fields = sigv4.signed_headers(caller.scope("ecs"), "GET", target, {"Host": caller.host}, b"")
    return exchange(caller.port, request_bytes("GET", target, fields))


def start(caller, machine):
    """Starts a task that its agent has acknowledged: (session, task ARN)."""
    session = connect(caller, machine)
    ecs(caller, "StartTask", taskDefinition="plain", containerInstances=[machine])
    payload = session.next_message(PAYLOAD)
    session.send_message("AckRequest", messageId=payload["messageId"])
    return session, payload["tasks"][0]["arn"]


def test_logs_without_a_signature(caller, send):
    refused(send(request_bytes("GET", "/stoker/logs?task=x", {"Host": caller.host})), None, 403)


def test_logs_of_an_unknown_task(caller, cluster):
    refused(read_logs(caller, cluster="default", task="f" * 32), "ResourceNotFoundException")
    refused(read_logs(caller, cluster="nowhere", task="f" * 32), "ClusterNotFoundException")
    refused(read_logs(caller), "ResourceNotFoundException")


def test_logs_of_a_foreign_accounts_task(caller, stranger, machine):
    ecs(stranger, "CreateCluster")
    session, task = start(caller, machine)
    with session:
        for name in ("default", task.replace(":task/", ":cluster/").rsplit("/", 1)[0]):
            refused(read_logs(stranger, cluster=name, task=task), ("ResourceNotFoundException", "ClusterNotFoundException"))


@pytest.mark.parametrize("tail", ["x", "-1", "1x", "99999999999999999999", "1.5"])
def test_logs_with_an_invalid_tail(caller, machine, tail):
    refused(read_logs(caller, cluster="default", task="f" * 32, tail=tail), "InvalidParameterException")


def test_logs_end_when_the_agent_disconnects(caller, machine):
    session, task = start(caller, machine)
    target = "/stoker/logs?" + urllib.parse.urlencode({"cluster": "default", "task": task, "follow": "true"})
    fields = sigv4.signed_headers(caller.scope("ecs"), "GET", target, {"Host": caller.host}, b"")
    with raw.Connection(caller.port) as reader, session:
        reader.send(request_bytes("GET", target, fields))
        request = session.next_message("StokerReadLogs")
        line = {"container": "c", "at": 1, "stream": "stdout", "text": "hello"}
        session.send_message("StokerLogLines", requestId=request["requestId"], lines=[line])
        assert b"200" in reader.read_until(b"\r\n\r\n")
        session.connection.socket.close()
        assert reader.closed()
        assert b"hello" in reader.buffer and not reader.buffer.endswith(b"0\r\n\r\n")


def test_the_server_stops_while_agents_and_log_readers_are_connected():
    with Server() as server:
        caller = Caller(server)
        ecs(caller, "CreateCluster")
        ecs(caller, "RegisterTaskDefinition", family="plain",
            containerDefinitions=[{"name": "c", "image": "busybox", "memory": 16}])
        arn = register(caller, "a")
        with connect(caller, arn) as session, raw.Connection(caller.port) as reader:
            answer = ecs(caller, "StartTask", taskDefinition="plain", containerInstances=[arn])
            task = answer["tasks"][0]["taskArn"]
            target = "/stoker/logs?" + urllib.parse.urlencode({"cluster": "default", "task": task})
            fields = sigv4.signed_headers(caller.scope("ecs"), "GET", target, {"Host": caller.host}, b"")
            reader.send(request_bytes("GET", target, fields))  # which waits for the task to be delivered
            assert session.next_message(PAYLOAD)
            server.stop()
