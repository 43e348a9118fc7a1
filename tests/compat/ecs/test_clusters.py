# SPDX-License-Identifier: Apache-2.0
"""Clusters: creating, describing, listing, changing and deleting them."""
import pytest

from support.queues import refused, unique_name

INSIGHTS = "containerInsights"
INCLUDE = ["ATTACHMENTS", "SETTINGS", "CONFIGURATIONS", "STATISTICS", "TAGS"]
STATISTICS = {
    "runningEC2TasksCount", "runningFargateTasksCount", "pendingEC2TasksCount", "pendingFargateTasksCount",
    "activeEC2ServiceCount", "activeFargateServiceCount", "drainingEC2ServiceCount", "drainingFargateServiceCount",
}


def describe(ecs, name, include=()):
    answer = ecs.describe_clusters(clusters=[name], include=list(include))
    assert answer["failures"] == []
    return answer["clusters"][0]


def test_a_new_cluster_is_active_and_empty(ecs, make_cluster, account):
    name = unique_name()
    made = make_cluster(name)
    assert made["clusterArn"] == f"arn:aws:ecs:us-east-1:{account}:cluster/{name}"
    assert made["status"] == "ACTIVE"
    for count in ("registeredContainerInstancesCount", "runningTasksCount", "pendingTasksCount", "activeServicesCount"):
        assert made[count] == 0
    assert made["settings"] == [{"name": INSIGHTS, "value": "disabled"}]
    assert made["tags"] == made["statistics"] == made["capacityProviders"] == []
    assert made["defaultCapacityProviderStrategy"] == []


def test_include_selects_the_returned_members(ecs, make_cluster):
    name = make_cluster(
        tags=[{"key": "team", "value": "vision"}], configuration={"executeCommandConfiguration": {"logging": "NONE"}}
    )["clusterName"]
    plain = describe(ecs, name)
    assert plain["tags"] == plain["settings"] == plain["statistics"] == []
    assert "configuration" not in plain and "attachments" not in plain
    full = describe(ecs, name, INCLUDE)
    assert full["tags"] == [{"key": "team", "value": "vision"}]
    assert full["settings"] == [{"name": INSIGHTS, "value": "disabled"}]
    assert full["configuration"] == {"executeCommandConfiguration": {"logging": "NONE"}}
    assert STATISTICS <= {pair["name"] for pair in full["statistics"]}
    assert {pair["value"] for pair in full["statistics"]} == {"0"}


def test_a_cluster_is_found_by_name_and_by_arn(ecs, make_cluster):
    made = make_cluster()
    assert describe(ecs, made["clusterArn"])["clusterName"] == made["clusterName"]


def test_what_is_not_there_is_missing(ecs, account):
    name = unique_name()
    answer = ecs.describe_clusters(clusters=[name])
    assert answer["clusters"] == []
    assert answer["failures"] == [{"arn": f"arn:aws:ecs:us-east-1:{account}:cluster/{name}", "reason": "MISSING"}]


def test_the_default_cluster_is_used_if_none_is_named(ecs, make_cluster):
    make_cluster("default")
    assert [c["clusterName"] for c in ecs.describe_clusters()["clusters"]] == ["default"]
    assert ecs.create_cluster()["cluster"]["clusterName"] == "default"


@pytest.mark.parametrize("name", ["with space", "with.dot", "a" * 256, "ümlaut"])
def test_an_invalid_cluster_name_is_rejected(ecs, name):
    with refused("InvalidParameterException", "name"):
        ecs.create_cluster(clusterName=name)


def test_an_invalid_name_in_a_lookup_is_rejected(ecs):
    with refused("InvalidParameterException", "Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was with space"):
        ecs.list_tasks(cluster="with space")


def test_creating_a_cluster_again_succeeds_unless_it_differs(ecs, make_cluster):
    name = make_cluster(settings=[{"name": INSIGHTS, "value": "enabled"}])["clusterName"]
    assert ecs.create_cluster(clusterName=name)["cluster"]["status"] == "ACTIVE"
    with refused("InvalidParameterException", "Arguments on this idempotent request are inconsistent"):
        ecs.create_cluster(clusterName=name, settings=[{"name": INSIGHTS, "value": "disabled"}])


def test_clusters_are_listed_page_by_page(ecs, make_cluster):
    made = {make_cluster()["clusterArn"] for _ in range(5)}
    pages = list(ecs.get_paginator("list_clusters").paginate(PaginationConfig={"PageSize": 2}))
    assert all(len(page["clusterArns"]) <= 2 for page in pages)
    assert made <= {arn for page in pages for arn in page["clusterArns"]}


@pytest.mark.parametrize("size", [0, 101])
def test_a_page_has_1_to_100(ecs, size):
    with refused("InvalidParameterException", "maxResults"):
        ecs.list_clusters(maxResults=size)


def test_settings_are_changed(ecs, make_cluster):
    name = make_cluster()["clusterName"]
    for value in ("enabled", "enhanced", "disabled"):
        setting = [{"name": INSIGHTS, "value": value}]
        assert ecs.update_cluster_settings(cluster=name, settings=setting)["cluster"]["settings"] == setting
        assert ecs.update_cluster(cluster=name, settings=setting)["cluster"]["settings"] == setting
    with refused("InvalidParameterException", "Invalid setting 'value'"):
        ecs.update_cluster_settings(cluster=name, settings=[{"name": INSIGHTS, "value": "on"}])


def test_an_inconsistent_execute_command_configuration_is_rejected(ecs, make_cluster):
    name = make_cluster()["clusterName"]
    with refused("InvalidParameterException", "A CloudWatch log group name or S3 bucket name must be specified"):
        ecs.update_cluster(cluster=name, configuration={"executeCommandConfiguration": {"logging": "OVERRIDE"}})
    logs = {"logging": "DEFAULT", "logConfiguration": {"s3BucketName": "b"}}
    with refused("InvalidParameterException", "You must set logging to 'OVERRIDE'"):
        ecs.update_cluster(cluster=name, configuration={"executeCommandConfiguration": logs})


def test_a_deleted_cluster_is_inactive_and_can_be_created_again(ecs, make_cluster):
    name = make_cluster()["clusterName"]
    assert ecs.delete_cluster(cluster=name)["cluster"]["status"] == "INACTIVE"
    assert describe(ecs, name)["status"] == "INACTIVE"
    with refused("ClusterNotFoundException"):
        ecs.update_cluster_settings(cluster=name, settings=[{"name": INSIGHTS, "value": "enabled"}])
    assert make_cluster(name)["status"] == "ACTIVE"


def test_a_missing_cluster_cannot_be_deleted_or_changed(ecs):
    with refused("ClusterNotFoundException", "Cluster not found."):
        ecs.delete_cluster(cluster=unique_name())
    with refused("ClusterNotFoundException", "Cluster not found."):
        ecs.update_cluster(cluster=unique_name())


def test_capacity_providers_must_exist(ecs, make_cluster):
    name = make_cluster()["clusterName"]
    changed = ecs.put_cluster_capacity_providers(cluster=name, capacityProviders=[], defaultCapacityProviderStrategy=[])
    assert changed["cluster"]["capacityProviders"] == []
    with refused("InvalidParameterException", "was not found"):
        ecs.put_cluster_capacity_providers(
            cluster=name, capacityProviders=[unique_name()], defaultCapacityProviderStrategy=[]
        )
    with refused("InvalidParameterException", "not associated with the cluster"):
        ecs.put_cluster_capacity_providers(
            cluster=name,
            capacityProviders=[],
            defaultCapacityProviderStrategy=[{"capacityProvider": unique_name(), "weight": 1}],
        )


def test_fargate_is_rejected_by_name(ecs, server):
    with refused("InvalidParameterException", "'FARGATE' is not supported by Stoker"):
        ecs.create_cluster(clusterName=unique_name(), capacityProviders=["FARGATE"])


def test_regions_have_separate_clusters(connect, make_cluster):
    name = make_cluster()["clusterName"]
    assert connect("ecs", region="eu-west-1").describe_clusters(clusters=[name])["clusters"] == []


def test_an_unsupported_operation_is_named(ecs, server):
    with refused("UnknownOperationException", "CreateTaskSet"):
        ecs.create_task_set(cluster="default", service="s", taskDefinition="t")


def test_error_types_have_no_namespace(raw):
    answer = raw("DeleteCluster", {"cluster": unique_name()})
    assert (answer.status, answer.json["__type"]) == (400, "ClusterNotFoundException")
