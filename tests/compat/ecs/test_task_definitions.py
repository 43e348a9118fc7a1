# SPDX-License-Identifier: Apache-2.0
"""Task definitions: registering, describing, listing and deregistering them."""
import datetime

import pytest

from support.queues import refused, unique_name

NONE = "Unable to describe task definition."


def names(arns):
    return [arn.rsplit("/", 1)[1] for arn in arns]


def describe(ecs, name, **more):
    return ecs.describe_task_definition(taskDefinition=name, **more)["taskDefinition"]


def test_amazons_example_is_returned_as_by_amazon(register, account):
    family = unique_name()
    shown = register(
        family,
        [{"name": "sleep", "image": "busybox", "cpu": 10, "command": ["sleep", "360"], "memory": 10, "essential": True}],
    )
    assert datetime.datetime.now(datetime.timezone.utc) - shown.pop("registeredAt") < datetime.timedelta(minutes=1)
    assert shown == {
        "taskDefinitionArn": f"arn:aws:ecs:us-east-1:{account}:task-definition/{family}:1",
        "family": family,
        "revision": 1,
        "status": "ACTIVE",
        "containerDefinitions": [
            {
                "name": "sleep",
                "image": "busybox",
                "cpu": 10,
                "memory": 10,
                "command": ["sleep", "360"],
                "essential": True,
                "environment": [],
                "mountPoints": [],
                "portMappings": [],
                "volumesFrom": [],
                "systemControls": [],
            }
        ],
        "volumes": [],
        "placementConstraints": [],
        "compatibilities": ["EXTERNAL", "EC2"],
        "registeredBy": f"arn:aws:iam::{account}:root",
    }


def test_a_family_means_its_latest_active_revision(ecs, register):
    family = unique_name()
    first, second = register(family), register(family)
    assert (first["revision"], second["revision"]) == (1, 2)
    assert describe(ecs, family) == second
    assert describe(ecs, f"{family}:1") == first
    assert describe(ecs, first["taskDefinitionArn"]) == first
    ecs.deregister_task_definition(taskDefinition=f"{family}:2")
    assert describe(ecs, family) == first


def test_a_deregistered_revision_is_described_and_keeps_its_number(ecs, register):
    family = unique_name()
    register(family)
    ended = ecs.deregister_task_definition(taskDefinition=f"{family}:1")["taskDefinition"]
    assert ended["status"] == "INACTIVE" and "deregisteredAt" in ended
    assert describe(ecs, f"{family}:1") == ended
    with refused("ClientException", NONE):
        describe(ecs, family)
    assert register(family)["revision"] == 2


@pytest.mark.parametrize("name", ["nothing-of-that-name", "nothing-of-that-name:1", "a b", "a:b"])
def test_a_missing_definition_is_not_described(ecs, name):
    with refused("ClientException", NONE):
        describe(ecs, name)


def test_deregistering_needs_a_revision(ecs, register):
    family = register()["family"]
    with refused("ClientException", "Revision is missing."):
        ecs.deregister_task_definition(taskDefinition=family)
    with refused("InvalidParameterException", "Invalid revision number. Number: latest"):
        ecs.deregister_task_definition(taskDefinition=family + ":latest")
    with refused("ClientException", "The specified task definition does not exist."):
        ecs.deregister_task_definition(taskDefinition=family + ":2")


def test_only_inactive_revisions_are_deleted(ecs, register):
    if not hasattr(ecs, "delete_task_definitions"):
        pytest.skip("this boto3 is older than DeleteTaskDefinitions")
    made = register()
    name = f"{made['family']}:1"
    answer = ecs.delete_task_definitions(taskDefinitions=[name])
    assert answer["taskDefinitions"] == []
    assert [failure["arn"] for failure in answer["failures"]] == [made["taskDefinitionArn"]]
    ecs.deregister_task_definition(taskDefinition=name)
    answer = ecs.delete_task_definitions(taskDefinitions=[name])
    assert [d["status"] for d in answer["taskDefinitions"]] == ["DELETE_IN_PROGRESS"] and answer["failures"] == []
    assert "deleteRequestedAt" in describe(ecs, name)
    assert register(made["family"])["revision"] == 2


def test_ten_are_deleted_at_most(unchecked, raw):
    answer = raw("DeleteTaskDefinitions", {"taskDefinitions": [f"f:{i}" for i in range(1, 12)]})
    assert (answer.status, answer.code) == (400, "InvalidParameterException")


def test_revisions_are_listed_up_and_down_page_by_page(ecs, register):
    family = unique_name()
    for _ in range(11):
        register(family)
    paginate = ecs.get_paginator("list_task_definitions").paginate

    def listed(**more):
        pages = paginate(familyPrefix=family, PaginationConfig={"PageSize": 4}, **more)
        return names([arn for page in pages for arn in page["taskDefinitionArns"]])

    up = [f"{family}:{i}" for i in range(1, 12)]
    assert listed() == listed(sort="ASC") == up
    assert listed(sort="DESC") == up[::-1]
    ecs.deregister_task_definition(taskDefinition=f"{family}:3")
    assert listed(status="INACTIVE") == [f"{family}:3"]
    assert listed() == [name for name in up if name != f"{family}:3"]


def test_family_prefix_is_exact_for_revisions_and_a_prefix_for_families(ecs, register):
    prefix = unique_name()
    register(prefix)
    register(prefix + "-more")
    assert names(ecs.list_task_definitions(familyPrefix=prefix)["taskDefinitionArns"]) == [prefix + ":1"]
    assert ecs.list_task_definition_families(familyPrefix=prefix)["families"] == [prefix, prefix + "-more"]


def test_a_family_is_active_while_it_has_an_active_revision(ecs, register):
    prefix = unique_name()
    for name in ("a", "a", "b"):
        register(prefix + name)
    ecs.deregister_task_definition(taskDefinition=f"{prefix}a:1")
    ecs.deregister_task_definition(taskDefinition=f"{prefix}b:1")

    def families(**more):
        pages = ecs.get_paginator("list_task_definition_families").paginate(familyPrefix=prefix, **more)
        return [family.replace(prefix, "") for page in pages for family in page["families"]]

    assert families(status="ACTIVE") == ["a"]
    assert families(status="INACTIVE") == ["b"]
    assert families() == families(status="ALL", PaginationConfig={"PageSize": 1}) == ["a", "b"]


def test_an_unknown_status_is_rejected(unchecked):
    with refused("InvalidParameterException", "GONE should be one of [ACTIVE,INACTIVE"):
        unchecked.list_task_definitions(status="GONE")


def test_tags_are_returned_on_request(ecs):
    family = unique_name()
    tags = [{"key": "team", "value": "vision"}]
    container = {"name": "app", "image": "busybox", "memory": 16}
    made = ecs.register_task_definition(family=family, containerDefinitions=[container], tags=tags)
    assert made["tags"] == tags
    assert ecs.describe_task_definition(taskDefinition=family).get("tags", []) == []
    assert ecs.describe_task_definition(taskDefinition=family, include=["TAGS"])["tags"] == tags
    ecs.deregister_task_definition(taskDefinition=f"{family}:1")
    with refused("ClientException", "Tags can not be empty."):
        ecs.register_task_definition(family=family, containerDefinitions=[container], tags=[])


def test_a_described_definition_can_be_registered_again(ecs, register):
    shown = register(
        container={
            "portMappings": [{"containerPort": 80}],
            "healthCheck": {"command": ["CMD-SHELL", "true"]},
            "resourceRequirements": [{"type": "GPU", "value": "2"}],
            "linuxParameters": {"initProcessEnabled": True, "sharedMemorySize": 64},
            "ulimits": [{"name": "memlock", "softLimit": -1, "hardLimit": -1}],
        },
        networkMode="bridge",
        cpu="1 vCPU",
        memory="2GB",
        volumes=[{"name": "data", "host": {"sourcePath": "/data"}}, {"name": "scratch"}],
    )
    assert (shown["cpu"], shown["memory"]) == ("1024", "2048")
    container = shown["containerDefinitions"][0]
    assert container["portMappings"] == [{"containerPort": 80, "hostPort": 0, "protocol": "tcp"}]
    assert container["healthCheck"] == {"command": ["CMD-SHELL", "true"], "interval": 30, "timeout": 5, "retries": 3}
    assert shown["volumes"][1] == {"name": "scratch", "host": {}}
    again = {
        key: shown[key]
        for key in ("family", "containerDefinitions", "networkMode", "cpu", "memory", "volumes", "placementConstraints")
    }
    second = ecs.register_task_definition(**again)["taskDefinition"]
    assert {key: second[key] for key in again} == again
    assert second["requiresAttributes"] == shown["requiresAttributes"]
    ecs.deregister_task_definition(taskDefinition=second["taskDefinitionArn"])


def test_required_attributes_follow_from_the_definition(register):
    shown = register(
        container={
            "logConfiguration": {"logDriver": "awslogs", "options": {"awslogs-region": "r", "awslogs-group": "g"}},
            "healthCheck": {"command": ["CMD", "true"], "startPeriod": 10},
        },
        networkMode="awsvpc",
        executionRoleArn="arn:aws:iam::123456789012:role/e",
    )
    attributes = {attribute["name"] for attribute in shown["requiresAttributes"]}
    assert attributes >= {
        "com.amazonaws.ecs.capability.logging-driver.awslogs",
        "ecs.capability.execution-role-awslogs",
        "ecs.capability.container-health-check",
        "ecs.capability.task-eni",
    }
    assert shown["compatibilities"] == ["EC2"]


def test_environment_files_are_returned(register):
    files = [{"value": "arn:aws:s3:::settings/app/a.env", "type": "s3"}]
    shown = register(container={"environmentFiles": files})
    assert shown["containerDefinitions"][0]["environmentFiles"] == files
    assert {"name": "ecs.capability.env-files.s3"} in shown["requiresAttributes"]


def test_a_share_of_a_gpu_is_returned(raw):
    share = {"type": "GPU", "sharingStrategy": {"nvidiaMps": {"memory": 4096, "maxComputePercent": 25}}}
    container = {"name": "app", "image": "i", "memory": 16, "resourceRequirements": [share]}
    family = unique_name()
    answer = raw("RegisterTaskDefinition", {"family": family, "containerDefinitions": [container]})
    assert answer.status == 200, answer
    (shown,) = answer.json["taskDefinition"]["containerDefinitions"]
    assert shown["resourceRequirements"] == [share]
    raw("DeregisterTaskDefinition", {"taskDefinition": family + ":1"})
    share["value"] = "1"
    answer = raw("RegisterTaskDefinition", {"family": family, "containerDefinitions": [container]})
    assert (answer.code, "both 'value' and 'sharingStrategy'" in answer.message) == ("ClientException", True)
