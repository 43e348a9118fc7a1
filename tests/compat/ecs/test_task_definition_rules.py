# SPDX-License-Identifier: Apache-2.0
"""Invalid task definitions, and ECS's error texts."""
import pytest

from support.queues import refused, unique_name

BASE = {"image": "busybox", "memory": 16}
AWSVPC = {"networkMode": "awsvpc"}
FARGATE = {"requiresCompatibilities": ["FARGATE"], "networkMode": "awsvpc", "cpu": "256", "memory": "512"}


def ports(**mapping):
    return {"portMappings": [mapping]}


def depends(name, condition):
    return {"dependsOn": [{"containerName": name, "condition": condition}]}


def gpu(value):
    return {"resourceRequirements": [{"type": "GPU", "value": value}]}


def files(*values):
    return {"environmentFiles": [{"type": "s3", "value": value} for value in values]}


# Members of container a, of container b (None: absent), of the task; and the error.
REFUSED = [
    ({"name": ""}, None, {}, "Container.name should not be null or empty."),
    ({"name": "a b"}, None, {}, "Container.name contains invalid characters."),
    ({"image": ""}, None, {}, "Container.image should not be null or empty."),
    ({"name": "b"}, {}, {}, "unique"),
    ({"essential": False}, None, {}, "Task definition doesn't have any essential container."),
    (ports(hostPort=80), None, {}, "Invalid 'containerPort' setting for container 'a'."),
    (ports(containerPort=80, hostPort=81), None, AWSVPC, "the host ports and container ports in port mappings must match."),
    (ports(containerPort=80, hostPort=81), None, {"networkMode": "host"}, "When networkMode=host, the host ports"),
    (ports(containerPort=1, hostPort=80), ports(containerPort=2, hostPort=80), {}, "TCP host port '80' is mapped multiple times in task."),
    ({"links": ["b"]}, {"links": ["a"]}, {}, "Container links should not have a cycle"),
    ({"links": ["b"]}, {}, AWSVPC, "Links are not supported when networkMode=awsvpc."),
    (depends("x", "START"), None, {}, "because it does not exist"),
    (depends("b", "START"), depends("a", "START"), {}, "cycle"),
    (depends("b", "SUCCESS"), {}, {}, "A dependency container with SUCCESS or COMPLETE condition cannot be an essential container"),
    (depends("b", "HEALTHY"), {}, {}, "A dependency container with HEALTHY condition must have health check configured"),
    ({"mountPoints": [{"sourceVolume": "v", "containerPath": "/v"}]}, None, {}, "Unknown volume 'v'."),
    ({}, None, {"volumes": [{"name": "v", "dockerVolumeConfiguration": {"scope": "task", "autoprovision": False}}]},
     "When 'scope' parameter is 'task', 'autoprovision' must either not be specified or set to 'True'."),
    ({"hostname": "h"}, None, AWSVPC, "hostname is not supported on container when networkMode=awsvpc"),
    ({"dnsServers": ["1.1.1.1"]}, None, AWSVPC, "DNS servers are not supported on container when networkMode=awsvpc"),
    ({"extraHosts": [{"hostname": "h", "ipAddress": "1.1.1.1"}]}, None, AWSVPC, "Extra hosts are not supported on container when networkMode=awsvpc"),
    ({"logConfiguration": {"logDriver": "awslogs"}}, None, {}, "Log driver awslogs requires options: awslogs-region, awslogs-group"),
    ({"logConfiguration": {"logDriver": "awslogs", "options": {"awslogs-region": "r", "awslogs-group": "g", "log_key": "x"}}}, None, {},
     "Log driver awslogs disallows options: log_key"),
    ({"logConfiguration": {"logDriver": "awsfirelens"}}, None, {}, "a firelens configuration object must be configured in one of the containers."),
    ({"secrets": [{"name": "S", "valueFrom": "s"}]}, None, {}, "you must also specify a value for 'executionRoleArn'"),
    ({"memoryReservation": 17}, None, {}, "'memoryReservation'"),
    ({"healthCheck": {"command": ["CMD", "a"], "interval": 1}}, None, {}, "interval"),
    ({"ulimits": [{"name": "nofile", "softLimit": 2, "hardLimit": 1}]}, None, {}, "ulimits"),
    ({"ulimits": [{"name": "memory", "softLimit": 1, "hardLimit": 1}]}, None, {}, "Unrecognized ulimit name memory"),
    ({}, None, {"taskRoleArn": "arn:aws:ecs:us-east-1:111111111111:cluster/c"}, "Role is not valid"),
    ({"environment": [{"value": "v"}]}, None, {}, "Environment variable name cannot be null or blank."),
    ({"cpu": 300}, None, {"cpu": "256"}, "The sum of all container 'cpu' values cannot be greater than the value of the task 'cpu'."),
    ({}, None, {"cpu": "1"}, "Invalid 'cpu' setting for task."),
    ({}, None, {"memory": "much"}, "Invalid 'memory' setting for task."),
    ({}, None, {"memory": "8"}, "The 'memory' setting for container 'a' is greater than for the task."),
    (gpu("0"), None, {}, "GPU"),
    (gpu("half"), None, {}, "GPU"),
    (files(*["arn:aws:s3:::b/x.env"] * 11), None, {}, "The maximum number of environment files was exceeded."),
    (files("s3://b/x.env"), None, {}, "Invalid arn syntax."),
    ({}, None, {"requiresCompatibilities": ["FARGATE"]}, "Fargate only supports network mode ‘awsvpc’."),
    ({}, None, {**FARGATE, "memory": "4096"}, "No Fargate configuration exists for given values."),
    ({}, None, {**FARGATE, "pidMode": "host"}, "do not support pidMode 'host'. The supported value for pidMode is 'task'."),
    ({}, None, {"placementConstraints": [{"type": "distinctInstance"}]}, "constraint.type 'distinctInstance' is not supported."),
    ({"privileged": True}, None, FARGATE, "Fargate requires that the 'privileged' setting be 'false'"),
    (gpu("1"), None, FARGATE, "do not support GPU resource requirements"),
    ({}, None, {"ephemeralStorage": {"sizeInGiB": 30}}, "Tasks using the EC2 launch type do not support EphemeralStorage"),
]


@pytest.mark.parametrize("a, b, task, why", REFUSED, ids=[row[3][:50] for row in REFUSED])
def test_an_invalid_definition_is_rejected(ecs, a, b, task, why):
    containers = [{"name": "a", **BASE, **a}] + ([{"name": "b", **BASE, **b}] if b is not None else [])
    with refused("ClientException", why):
        ecs.register_task_definition(family=unique_name(), containerDefinitions=containers, **task)


def test_memory_is_required(ecs, register):
    with refused("ClientException", "Invalid setting for container 'a'. At least one of 'memory' or 'memoryReservation'"):
        register(containers=[{"name": "a", "image": "i"}])
    register(containers=[{"name": "a", "image": "i"}], memory="512")
    register(containers=[{"name": "a", "image": "i", "memoryReservation": 16}])


def test_family_and_containers_are_required(ecs, unchecked):
    with refused("ClientException", "Family contains invalid characters."):
        ecs.register_task_definition(family="a b", containerDefinitions=[{"name": "a", **BASE}])
    with refused("ClientException", "Container list cannot be empty."):
        ecs.register_task_definition(family="f", containerDefinitions=[])
    with refused("ClientException", "Container list cannot be empty."):
        unchecked.register_task_definition(family="f")
    with refused("ClientException", "Too many containers."):
        ecs.register_task_definition(
            family="f", containerDefinitions=[{"name": f"c{i}", **BASE} for i in range(11)]
        )


@pytest.mark.parametrize(
    "member, value",
    [("logConfiguration", {"logDriver": "papyrus"}), ("environmentFiles", [{"type": "ssm", "value": "arn:aws:s3:::b/x.env"}])],
)
def test_an_unknown_name_is_rejected(unchecked, member, value):
    with refused("ClientException", "one of ["):
        unchecked.register_task_definition(family="f", containerDefinitions=[{"name": "a", **BASE, member: value}])


def test_a_definition_has_64_kibibytes_at_most(ecs):
    with refused("ClientException", "Max allowed length is '65536' bytes."):
        ecs.register_task_definition(
            family="f", containerDefinitions=[{"name": "a", **BASE, "command": ["x" * 70000]}]
        )


ABSENT = [
    ({"secrets": [{"name": "S", "valueFrom": "s"}]}, {"executionRoleArn": "r"}, "secrets"),
    ({"repositoryCredentials": {"credentialsParameter": "p"}}, {}, "repositoryCredentials"),
    ({"firelensConfiguration": {"type": "fluentbit"}}, {}, "firelensConfiguration"),
    ({}, {"volumes": [{"name": "v", "efsVolumeConfiguration": {"fileSystemId": "fs-1"}}]}, "efsVolumeConfiguration"),
    ({}, {"proxyConfiguration": {"containerName": "a"}}, "proxyConfiguration"),
    ({}, {"runtimePlatform": {"operatingSystemFamily": "WINDOWS_SERVER_2022_CORE"}}, "WINDOWS_SERVER_2022_CORE"),
]


@pytest.mark.parametrize("container, task, name", ABSENT, ids=[row[2] for row in ABSENT])
def test_unsupported_members_are_rejected_by_name(ecs, server, container, task, name):
    with refused("ClientException", name + " is not supported by Stoker"):
        ecs.register_task_definition(
            family=unique_name(), containerDefinitions=[{"name": "a", **BASE, **container}], **task
        )
