# SPDX-License-Identifier: Apache-2.0
"""RunTask, StartTask and related operations without a usable machine: errors, failures, limits."""
import pytest

from support.queues import refused, unique_name

NO_ID = "0123456789abcdef0123456789abcdef"
VPC = {"awsvpcConfiguration": {"subnets": ["subnet-1"], "securityGroups": ["sg-1"]}}


@pytest.fixture
def cluster(make_cluster):
    return make_cluster()["clusterName"]


@pytest.fixture
def web(register):
    return register()["taskDefinitionArn"]


def test_a_task_without_a_machine_is_rejected(ecs, cluster, web):
    with refused("InvalidParameterException", "No Container Instances were found in your cluster."):
        ecs.run_task(cluster=cluster, taskDefinition=web)
    with refused("ClusterNotFoundException", "Cluster not found."):
        ecs.run_task(cluster=unique_name(), taskDefinition=web)


def test_a_disconnected_machine_is_a_failure(ecs, cluster, web, add_machine):
    arn = add_machine(cluster)["containerInstanceArn"]
    answer = ecs.run_task(cluster=cluster, taskDefinition=web)
    assert answer["tasks"] == []
    assert [(failure["arn"], failure["reason"]) for failure in answer["failures"]] == [(arn, "AGENT")]


def test_a_draining_machine_is_no_candidate(ecs, cluster, web, add_machine):
    arn = add_machine(cluster)["containerInstanceArn"]
    ecs.update_container_instances_state(cluster=cluster, containerInstances=[arn], status="DRAINING")
    with refused("InvalidParameterException", "No Container Instances were found in your cluster."):
        ecs.run_task(cluster=cluster, taskDefinition=web)


def test_start_task_reports_a_failure_for_each_machine(ecs, cluster, web, add_machine):
    arn = add_machine(cluster)["containerInstanceArn"]
    answer = ecs.start_task(cluster=cluster, taskDefinition=web, containerInstances=[arn, NO_ID])
    missing = arn.rsplit("/", 1)[0] + "/" + NO_ID
    assert answer["tasks"] == []
    assert [(one["arn"], one["reason"]) for one in answer["failures"]] == [(arn, "AGENT"), (missing, "MISSING")]


def test_start_task_accepts_one_to_ten_machines(ecs, cluster, web):
    with refused("InvalidParameterException", "cannot be empty"):
        ecs.start_task(cluster=cluster, taskDefinition=web, containerInstances=[])
    with refused("InvalidParameterException", "instanceIds can have at most 10 items."):
        ecs.start_task(cluster=cluster, taskDefinition=web, containerInstances=[NO_ID] * 11)
    with refused("InvalidParameterException", "instanceId length should be one of [32,36]"):
        ecs.start_task(cluster=cluster, taskDefinition=web, containerInstances=["box"])


@pytest.mark.parametrize("count", [0, 11])
def test_one_to_ten_tasks_at_once(ecs, cluster, web, count):
    with refused("InvalidParameterException", "between 1 and 10"):
        ecs.run_task(cluster=cluster, taskDefinition=web, count=count)


def test_the_definition_must_exist_and_be_active(ecs, cluster, register):
    with refused("ClientException", "TaskDefinition not found."):
        ecs.run_task(cluster=cluster, taskDefinition=unique_name())
    with refused("InvalidParameterException", "Invalid revision number. Number: latest"):
        ecs.run_task(cluster=cluster, taskDefinition="web:latest")
    arn = register()["taskDefinitionArn"]
    ecs.deregister_task_definition(taskDefinition=arn)
    with refused("InvalidParameterException", "TaskDefinition is inactive"):
        ecs.run_task(cluster=cluster, taskDefinition=arn)


RULES = [
    ({"startedBy": "x" * 129}, "startedBy longer than 128."),
    ({"startedBy": "with space"}, "startedBy"),
    ({"group": "service:web"}, "group"),
    ({"clientToken": "x" * 65}, "clientToken"),
    ({"clientToken": "with space"}, "clientToken"),
    ({"overrides": {"containerOverrides": [{"name": "other"}]}},
     "Override for container named other is not a container in the TaskDefinition."),
    ({"overrides": {"containerOverrides": [{"name": "app", "command": ["x" * 8192]}]}},
     "Container Overrides length must be at most 8192"),
    ({"networkConfiguration": VPC},
     "Network Configuration is not valid for the given networkMode of this task definition."),
    ({"propagateTags": "SERVICE"}, "propagateTags"),
    ({"tags": [{"key": "a", "value": "1"}, {"key": "a", "value": "2"}]}, "Multiple tags contain the same key."),
    ({"tags": [{"key": "aws:a", "value": "1"}]}, "aws:"),
    ({"enableExecuteCommand": True}, "a valid taskRoleArn is not being used"),
    ({"launchType": "EC2", "capacityProviderStrategy": [{"capacityProvider": "p"}]},
     "Specifying both a launch type and capacity provider strategy is not supported."),
    ({"placementConstraints": [{"type": "memberOf", "expression": "attribute:a =="}]}, ""),
    ({"placementConstraints": [{"type": "distinctInstance", "expression": ""}]},
     "distinctInstance expression should not be specified."),
    ({"placementConstraints": [{"type": "sometimes"}]}, "sometimes should be one of"),
    ({"placementConstraints": [{"type": "distinctInstance"}] * 11}, ""),
    ({"placementStrategy": [{"type": "spread", "field": "color"}]}, ""),
    ({"placementStrategy": [{"type": "random"}] * 6}, ""),
]


@pytest.mark.parametrize("members, why", RULES, ids=[f"{next(iter(rule[0]))}-{i}" for i, rule in enumerate(RULES)])
def test_an_invalid_launch_is_rejected(unchecked, server, cluster, web, members, why):
    if "clientToken" in members:
        known = unchecked.meta.service_model.operation_model("RunTask").input_shape.members
        if "clientToken" not in known:
            pytest.skip("this client is older than RunTask's clientToken")
    with refused("InvalidParameterException", why):
        unchecked.run_task(cluster=cluster, taskDefinition=web, **members)


def test_awsvpc_needs_a_network(ecs, cluster, register):
    definition = register(networkMode="awsvpc")["taskDefinitionArn"]
    why = "Network Configuration must be provided when networkMode 'awsvpc' is specified."
    with refused("InvalidParameterException", why):
        ecs.run_task(cluster=cluster, taskDefinition=definition)
    for vpc, why in (({"subnets": []}, "subnets can not be empty."), ({"subnets": [""]}, "subnet cannot be blank.")):
        with refused("InvalidParameterException", why):
            network = {"awsvpcConfiguration": vpc}
            ecs.run_task(cluster=cluster, taskDefinition=definition, networkConfiguration=network)


def test_fargate_is_rejected_by_name(ecs, server, cluster, web):
    with refused("ClientException", "launchType FARGATE is not supported by Stoker"):
        ecs.run_task(cluster=cluster, taskDefinition=web, launchType="FARGATE")


def test_missing_tasks_are_reported(ecs, cluster, account):
    arn = f"arn:aws:ecs:us-east-1:{account}:task/{cluster}/{NO_ID}"
    answer = ecs.describe_tasks(cluster=cluster, tasks=[NO_ID, arn])
    assert (answer["tasks"], answer["failures"]) == ([], [{"arn": arn, "reason": "MISSING"}] * 2)
    with refused("InvalidParameterException", "The referenced task was not found."):
        ecs.stop_task(cluster=cluster, task=NO_ID)
    with refused("InvalidParameterException", "Task Identifier is invalid"):
        ecs.stop_task(cluster=cluster, task=arn.replace(":task/", ":service/"))
    with refused("InvalidParameterException", "Tasks cannot be empty."):
        ecs.describe_tasks(cluster=cluster, tasks=[])
    with refused("InvalidParameterException", "taskIds can have at most 100 items."):
        ecs.describe_tasks(cluster=cluster, tasks=[NO_ID] * 101)
    for call in (lambda: ecs.describe_tasks(cluster=cluster, tasks=["None"]),
                 lambda: ecs.stop_task(cluster=cluster, task="")):
        with refused("InvalidParameterException", "taskId length should be one of [32,36]"):
            call()
    with refused("InvalidParameterException", f"Identifier is for cluster {cluster}. Your cluster is "):
        ecs.create_cluster(clusterName=cluster + "-other")
        try:
            ecs.describe_tasks(cluster=cluster + "-other", tasks=[arn])
        finally:
            ecs.delete_cluster(cluster=cluster + "-other")


def test_invalid_task_filters_are_rejected(ecs, cluster):
    assert ecs.list_tasks(cluster=cluster)["taskArns"] == []
    for status in ("RUNNING", "PENDING", "STOPPED"):
        assert ecs.list_tasks(cluster=cluster, desiredStatus=status)["taskArns"] == []
    with refused("ServiceNotFoundException", "Service not found."):
        ecs.list_tasks(cluster=cluster, serviceName=unique_name())
    with refused("InvalidParameterException", f"Referenced container instance {NO_ID} not found."):
        ecs.list_tasks(cluster=cluster, containerInstance=NO_ID)
    with refused("InvalidParameterException", "startedBy"):
        ecs.list_tasks(cluster=cluster, startedBy="me", family="web")
    with refused("InvalidParameterException", "maxResults"):
        ecs.list_tasks(cluster=cluster, maxResults=101)
    with refused("ClusterNotFoundException"):
        ecs.list_tasks(cluster=unique_name())


def test_protection_of_a_missing_task_is_a_failure(ecs, cluster, account):
    failures = [{"arn": f"arn:aws:ecs:us-east-1:{account}:task/{cluster}/{NO_ID}", "reason": "MISSING"}]
    changed = ecs.update_task_protection(cluster=cluster, tasks=[NO_ID], protectionEnabled=True, expiresInMinutes=2880)
    assert (changed["protectedTasks"], changed["failures"]) == ([], failures)
    shown = ecs.get_task_protection(cluster=cluster, tasks=[NO_ID])
    assert (shown["protectedTasks"], shown["failures"]) == ([], failures)
    for minutes in (0, 2881):
        with refused("InvalidParameterException", "expiresInMinutes"):
            ecs.update_task_protection(
                cluster=cluster, tasks=[NO_ID], protectionEnabled=True, expiresInMinutes=minutes
            )
    with refused("InvalidParameterException", "taskIds can have at most 10 items."):
        ecs.update_task_protection(cluster=cluster, tasks=[NO_ID] * 11, protectionEnabled=False)
    with refused("InvalidParameterException", "taskIds can have at most 100 items."):
        ecs.get_task_protection(cluster=cluster, tasks=[NO_ID] * 101)
    with refused("ClusterNotFoundException"):
        ecs.get_task_protection(cluster=unique_name())
