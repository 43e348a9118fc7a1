# SPDX-License-Identifier: Apache-2.0
"""A client that behaves as Amazon's ECS agent 1.105 does off EC2, where it differs from ours: how it joins, what it signs, what
it reads of a payload."""
import base64
import json
import os

import boto3
import botocore.config
import botocore.exceptions
import pytest

from support import sigv4
from support.raw import Caller, Connection, request_bytes
from support.server import Key, Server, run_stoker
from support.waiting import eventually
from support.websocket import Socket

REGION, GPU = "us-east-1", "GPU-0d5f1c6a"
VERSIONS = "agentHash=9f3b0b1d&agentVersion=1.105.0&dockerVersion=DockerVersion%3A+20.10.24"


@pytest.fixture(scope="module")
def server():
    with Server() as running:
        yield running


def ecs_of(server, key):
    config = botocore.config.Config(retries={"max_attempts": 1})
    return boto3.client("ecs", endpoint_url=server.endpoint, region_name=REGION, aws_access_key_id=key.id,
                        aws_secret_access_key=key.secret, config=config)


class StockSocket(Socket):
    """The query is sent as a form: a space is a plus. It is signed as %20."""

    def __init__(self, caller, target):
        fields = {"Host": caller.host, "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                  "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()}
        self.caller, self.target = caller, target
        fields = sigv4.signed_headers(caller.scope("ecs"), "GET", target.replace("+", "%20"), fields, b"")
        self.connection = Connection(caller.port)
        answer = self.connection.exchange(request_bytes("GET", target, fields))
        self.refusal = None if answer is not None and answer.status == 101 else answer

    def send_signed(self, kind, key=None, **members):
        """Telemetry: the lines of a signature precede the JSON."""
        text = json.dumps({"type": kind, "message": members})
        scope = Caller(self.caller, key or self.caller.key).scope("ecs")
        fields = sigv4.signed_headers(scope, "GET", self.target.replace("+", "%20"), {"Host": self.caller.host}, text.encode())
        lines = "".join(f"{name}: {fields[name]}\r\n" for name in ("Authorization", "Host", "X-Amz-Date"))
        self.send(lines + "\r\n" + text)


class StockAgent:
    """A machine with one GPU. Nothing but its data folder, and its key, names it."""

    def __init__(self, server):
        made = run_stoker("key", "create", "--agent", "--data", server.data, "--json")
        assert made.returncode == 0, made.stderr
        key = json.loads(made.stdout)["key"]
        self.caller = Caller(server, Key(key["id"], key["secret"]))
        self.ecs = ecs_of(server, self.caller.key)

    def register(self):
        resources = [{"name": name, "type": "INTEGER", "integerValue": 4096} for name in ("CPU", "MEMORY")]
        # `execution-role-awslogs` with ECS_ENABLE_AWSLOGS_EXECUTIONROLE_OVERRIDE, the driver with ECS_AVAILABLE_LOGGING_DRIVERS.
        capabilities = ("task-iam-role", "task-iam-role-network-host", "privileged-container", "logging-driver.awslogs",
                        *(f"docker-remote-api.1.{minor}" for minor in range(17, 45)))
        names = ["ecs.capability.external", "ecs.capability.execution-role-awslogs", "ecs.capability.network.container-port-range",
                 *("com.amazonaws.ecs.capability." + name for name in capabilities)]
        answer = self.ecs.register_container_instance(
            cluster="default", totalResources=resources, attributes=[{"name": name} for name in names],
            platformDevices=[{"id": GPU, "type": "GPU"}], versionInfo={})
        self.arn = answer["containerInstance"]["containerInstanceArn"]
        return self.arn

    def report(self, task, status):
        container = {"containerName": "c", "status": status, "runtimeId": "af30a887006c"}
        self.ecs.submit_task_state_change(cluster="default", task=task, status=status, containers=[container])

    def work(self, more=""):
        return StockSocket(self.caller, f"/ws?{VERSIONS}&clusterArn=default&containerInstanceArn={self.arn}"
                                        f"&protocolVersion=2&seqNum=1{more}")

    def telemetry(self):
        versions = VERSIONS.replace("DockerVersion%3A+", "")
        return StockSocket(self.caller, f"/ws?{versions}&cluster=default&containerInstance={self.arn}")


@pytest.fixture(scope="module")
def operator(server):
    return ecs_of(server, server.root_key)


def instance(operator, agent):
    answer = operator.describe_container_instances(containerInstances=[agent.arn], include=["CONTAINER_INSTANCE_HEALTH"])
    return answer["containerInstances"][0]


def agree(operator, agent, session):
    assert session.refusal is None, session.refusal
    session.send_message("AckRequest", messageId=session.next_message("TaskManifestMessage")["messageId"])
    eventually(lambda: instance(operator, agent)["agentConnected"])


@pytest.fixture(scope="module")
def agent(server, operator):
    """It has joined, as the first one, and creates the cluster."""
    joined = StockAgent(server)
    with pytest.raises(botocore.exceptions.ClientError) as refused:
        joined.register()
    assert refused.value.response["Error"] == {"Code": "ClientException", "Message": "Cluster not found."}
    joined.ecs.create_cluster(clusterName="default")
    joined.register()
    operator.register_task_definition(
        family="stock", taskRoleArn="worker", executionRoleArn="starter", networkMode="host",
        requiresCompatibilities=["EXTERNAL"],
        containerDefinitions=[{
            "name": "c", "image": "busybox", "memory": 16, "privileged": True,
            "logConfiguration": {"logDriver": "awslogs", "options": {
                "awslogs-group": "g", "awslogs-region": REGION, "awslogs-stream-prefix": "web"}}}])
    return joined


def test_it_connects_and_its_session_names_its_versions(operator, agent):
    with agent.work() as session:
        agree(operator, agent, session)
        versions = instance(operator, agent)["versionInfo"]
        assert versions["agentVersion"] == "1.105.0" and versions["dockerVersion"] == "DockerVersion: 20.10.24", versions


def test_what_it_reads_of_a_payload_and_its_credentials(server, operator, agent):
    with agent.work() as session:
        agree(operator, agent, session)
        answer = operator.run_task(taskDefinition="stock", launchType="EXTERNAL")
        assert not answer["failures"], answer["failures"]
        started = answer["tasks"][0]
        payload = session.next_message("PayloadMessage")
        task = payload["tasks"][0]
        assert task["arn"] == started["taskArn"] and "stokerObjects" not in task
        host = json.loads(task["containers"][0]["dockerConfig"]["hostConfig"])
        assert host["NetworkMode"] == "host" and host["Privileged"] is True, host
        options = host["LogConfig"]["Config"]
        assert options["awslogs-stream"] == "web/c/" + task["arn"].rsplit("/", 1)[1], options
        assert "awslogs-stream-prefix" not in options
        # Docker's driver writes the log, with credentials that it gets from the agent; otherwise to Amazon.
        assert options["awslogs-endpoint"] == server.endpoint, options
        assert task["containers"][0]["logsAuthStrategy"] == "ExecutionRole"
        assert task["executionRoleCredentials"]["credentialsId"] != task["roleCredentials"]["credentialsId"]
        assert task["containers"][0]["environment"]["AWS_ENDPOINT_URL"] == server.endpoint
        session.send_message("AckRequest", messageId=payload["messageId"])
    with agent.work("&sendCredentials=true") as session:  # after a restart it has none, and requests them once
        assert session.next_message("TaskManifestMessage") is not None
    for _ in range(2):  # until it acknowledges them
        with agent.work("&sendCredentials=false") as session:
            agree(operator, agent, session)
            sent = [session.next_message("IAMRoleCredentialsMessage") for _ in range(2)]
            assert [one["roleType"] for one in sent] == ["TaskApplication", "TaskExecution"]
            for one, kind in zip(sent, ("roleCredentials", "executionRoleCredentials")):
                assert one["taskArn"] == task["arn"]
                assert one["roleCredentials"]["credentialsId"] == task[kind]["credentialsId"]


def test_what_it_cannot_do_is_an_error_that_names_it(server, operator, agent):
    container = {"name": "c", "image": "busybox", "memory": 16}  # without awslogs, whose log group could be read
    operator.register_task_definition(family="silent", containerDefinitions=[container])
    with agent.work() as session:
        agree(operator, agent, session)
        task = operator.run_task(taskDefinition="silent")["tasks"][0]["taskArn"]
        shown = run_stoker("logs", task.rsplit("/", 1)[1], "--data", server.data)
        assert shown.returncode != 0 and "provides no log stream" in shown.stderr, shown
        agent.report(task, "RUNNING")
        shown = run_stoker("exec", task.rsplit("/", 1)[1], "--data", server.data, "ls")
        assert shown.returncode != 0 and "runs Amazon's ECS agent, which cannot run commands" in shown.stderr, shown


def test_a_task_names_its_service_in_the_metadata(operator, agent):
    with agent.work() as session:
        agree(operator, agent, session)
        operator.create_service(serviceName="web", taskDefinition="silent", desiredCount=1)
        tasks = []
        while not any(task.get("serviceName") == "web" for task in tasks):
            payload = session.next_message("PayloadMessage")
            session.send_message("AckRequest", messageId=payload["messageId"])
            tasks += payload["tasks"]
        operator.delete_service(service="web", force=True)


def test_its_signed_telemetry(operator, agent):
    with agent.work() as session, agent.telemetry() as telemetry:
        agree(operator, agent, session)
        telemetry.send_signed("PublishInstanceStatusRequest", statuses=[{"type": "ContainerRuntime", "status": "IMPAIRED"}])
        assert telemetry.next_message("AckPublishInstanceStatus") is not None
        assert instance(operator, agent)["versionInfo"]["dockerVersion"] == "DockerVersion: 20.10.24"
        health = instance(operator, agent)["healthStatus"]
        assert health["overallStatus"] == "IMPAIRED", health
        forged = Key(agent.caller.key.id, "another secret")
        telemetry.send_signed("PublishInstanceStatusRequest", forged, statuses=[{"type": "ContainerRuntime", "status": "OK"}])
        assert telemetry.next_message("BadRequestException") is not None
        assert instance(operator, agent)["healthStatus"]["overallStatus"] == "IMPAIRED"
        telemetry.send_signed("PublishInstanceStatusRequest", statuses=[{"type": "ContainerRuntime", "status": "OK"}])
        assert telemetry.next_message("AckPublishInstanceStatus") is not None
        assert instance(operator, agent)["healthStatus"]["overallStatus"] == "OK"


def test_after_the_loss_of_its_data_folder_it_takes_its_gpu_over(operator, agent):
    former = agent.arn
    with agent.work() as session:
        agree(operator, agent, session)
        with pytest.raises(botocore.exceptions.ClientError) as refused:
            agent.register()
        assert "which is connected" in refused.value.response["Error"]["Message"]
    eventually(lambda: not instance(operator, agent)["agentConnected"])
    assert agent.register() != former
    left = operator.describe_container_instances(containerInstances=[former])["containerInstances"][0]
    assert left["status"] == "INACTIVE"
    with agent.work() as session:
        agree(operator, agent, session)
        resources = {one["name"]: one for one in instance(operator, agent)["registeredResources"]}
        assert resources["GPU"]["stringSetValue"] == [GPU]
