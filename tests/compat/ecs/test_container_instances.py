# SPDX-License-Identifier: Apache-2.0
"""Container instances: registering, describing, listing, draining and deregistering them."""
import pytest

from support.queues import refused, unique_name

NO_ID = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def cluster(make_cluster):
    return make_cluster()["clusterName"]


def describe(ecs, cluster, arn, include=()):
    answer = ecs.describe_container_instances(cluster=cluster, containerInstances=[arn], include=list(include))
    assert answer["failures"] == []
    return answer["containerInstances"][0]


def listed(ecs, cluster, **more):
    return ecs.list_container_instances(cluster=cluster, **more)["containerInstanceArns"]


def resource(instance, kind, name):
    return next(one for one in instance[kind] if one["name"] == name)


def test_a_registered_machine_is_described_as_by_amazon(ecs, cluster, add_machine, account):
    made = add_machine(cluster, gpus=[unique_name("-g0"), unique_name("-g1")], name="i-0a1b2c3d4e5f60718")
    prefix = f"arn:aws:ecs:us-east-1:{account}:container-instance/{cluster}/"
    assert made["containerInstanceArn"].startswith(prefix) and len(made["containerInstanceArn"]) == len(prefix) + 32
    assert made["ec2InstanceId"] == "i-0a1b2c3d4e5f60718"
    assert (made["status"], made["version"], made["agentConnected"]) == ("ACTIVE", 1, False)
    assert made["runningTasksCount"] == made["pendingTasksCount"] == 0
    assert made["attachments"] == made["tags"] == []
    assert made["versionInfo"]["agentVersion"] == "1.90.0"
    assert {"name": "ecs.availability-zone", "value": "us-east-1a"} in made["attributes"]
    assert resource(made, "registeredResources", "CPU") == {
        "name": "CPU", "type": "INTEGER", "doubleValue": 0.0, "longValue": 0, "integerValue": 4096
    }
    assert resource(made, "remainingResources", "MEMORY")["integerValue"] == 8000
    assert len(resource(made, "remainingResources", "GPU")["stringSetValue"]) == 2
    assert describe(ecs, cluster, made["containerInstanceArn"]) == made


def test_each_gpu_is_described_with_its_sharing_mode(raw, cluster, add_machine):
    gpu = unique_name()
    arn = add_machine(cluster, gpus=[gpu])["containerInstanceArn"]
    answer = raw("DescribeContainerInstances", {"cluster": cluster, "containerInstances": [arn]}).json
    device = answer["containerInstances"][0]["gpuDevices"][0]
    assert (device["gpuId"], device["sharingMode"], device["containerCount"]) == (gpu, "IDLE", 0)
    assert {"totalMemoryInMiB", "remainingMemoryInMiB"} <= set(device)


def test_include_selects_tags_and_health(ecs, connect, cluster, add_machine):
    arn = add_machine(cluster, tags=[{"key": "rack", "value": "7"}])["containerInstanceArn"]
    assert describe(ecs, cluster, arn)["tags"] == []
    assert describe(ecs, cluster, arn, ["TAGS"])["tags"] == [{"key": "rack", "value": "7"}]
    health = describe(ecs, cluster, arn, ["CONTAINER_INSTANCE_HEALTH"])["healthStatus"]
    assert health["overallStatus"] == "INSUFFICIENT_DATA"


def test_ids_and_long_and_short_arns_identify_the_same_instance(ecs, cluster, add_machine):
    arn = add_machine(cluster)["containerInstanceArn"]
    prefix, _, instance = arn.rpartition("/")
    for text in (instance, arn, prefix.rsplit("/", 1)[0] + "/" + instance):
        assert describe(ecs, cluster, text)["containerInstanceArn"] == arn


def test_what_is_not_there_is_missing(ecs, cluster, account):
    answer = ecs.describe_container_instances(cluster=cluster, containerInstances=[NO_ID])
    assert answer["containerInstances"] == []
    arn = f"arn:aws:ecs:us-east-1:{account}:container-instance/{cluster}/{NO_ID}"
    assert answer["failures"] == [{"arn": arn, "reason": "MISSING"}]
    with refused("InvalidParameterException", "Container instance cannot be empty."):
        ecs.describe_container_instances(cluster=cluster, containerInstances=[])
    with refused("InvalidParameterException", "instanceId length should be one of [32,36]"):
        ecs.describe_container_instances(cluster=cluster, containerInstances=["None"])
    with refused("InvalidParameterException", "instanceIds can have at most 100 items."):
        ecs.describe_container_instances(cluster=cluster, containerInstances=[NO_ID] * 101)
    with refused("InvalidParameterException", "Identifier is for cluster other"):
        other = arn.replace(cluster, "other")
        ecs.describe_container_instances(cluster=cluster, containerInstances=[other])
    with refused("ClusterNotFoundException", "Cluster not found."):
        ecs.describe_container_instances(cluster=unique_name(), containerInstances=[NO_ID])


def test_instances_are_listed_page_by_page(ecs, cluster, add_machine):
    made = {add_machine(cluster)["containerInstanceArn"] for _ in range(5)}
    pages = list(
        ecs.get_paginator("list_container_instances").paginate(cluster=cluster, PaginationConfig={"PageSize": 2})
    )
    assert [len(page["containerInstanceArns"]) for page in pages] == [2, 2, 1]
    assert {arn for page in pages for arn in page["containerInstanceArns"]} == made
    for size in (0, 101):
        with refused("InvalidParameterException", "maxResults"):
            listed(ecs, cluster, maxResults=size)


def test_instances_are_filtered_by_the_cluster_query_language(ecs, cluster, add_machine):
    def machine(kind, **more):
        attributes = [{"name": "ecs.instance-type", "value": kind}, {"name": "ecs.os-type", "value": "linux"}]
        return add_machine(cluster, attributes=attributes, **more)["containerInstanceArn"]

    small, large = machine("t2.small", name="i-small"), machine("g4dn.xlarge", name="i-large")

    def found(query):
        return set(listed(ecs, cluster, filter=query))

    assert found("attribute:ecs.instance-type == t2.small") == {small}
    assert found("attribute:ecs.instance-type =~ g4dn.*") == {large}
    assert found("attribute:ecs.instance-type in [t2.small, t2.medium]") == {small}
    assert found("attribute:ecs.os-type == linux and not(attribute:ecs.instance-type == t2.small)") == {large}
    assert found("attribute:ecs.instance-type exists") == {small, large}
    assert found("attribute:stack exists") == set()
    assert found("ec2InstanceId == i-large") == {large}
    assert found("agentConnected == true") == set()
    assert found("runningTasksCount == 0") == {small, large}
    with refused("InvalidParameterException"):
        found("attribute:ecs.instance-type ==")


def test_a_machine_is_drained_and_activated(ecs, cluster, add_machine):
    first, second = (add_machine(cluster)["containerInstanceArn"] for _ in range(2))
    answer = ecs.update_container_instances_state(
        cluster=cluster, containerInstances=[first, NO_ID], status="DRAINING"
    )
    assert [one["status"] for one in answer["containerInstances"]] == ["DRAINING"]
    assert answer["containerInstances"][0]["version"] == 2
    assert [failure["reason"] for failure in answer["failures"]] == ["MISSING"]
    assert listed(ecs, cluster, status="DRAINING") == [first]
    assert listed(ecs, cluster, status="ACTIVE") == [second]
    assert set(listed(ecs, cluster)) == {first, second}
    ecs.update_container_instances_state(cluster=cluster, containerInstances=[first], status="ACTIVE")
    assert listed(ecs, cluster, status="DRAINING") == []


def test_an_invalid_state_is_rejected(ecs, unchecked, cluster, add_machine):
    arn = add_machine(cluster)["containerInstanceArn"]
    with refused("InvalidParameterException"):
        ecs.update_container_instances_state(cluster=cluster, containerInstances=[arn], status="REGISTERING")
    with refused("InvalidParameterException", "INACTIVE should be one of"):
        unchecked.update_container_instances_state(cluster=cluster, containerInstances=[arn], status="INACTIVE")
    with refused("InvalidParameterException", "instanceIds can have at most 10 items."):
        ecs.update_container_instances_state(cluster=cluster, containerInstances=[arn] * 11, status="ACTIVE")


def test_a_deregistered_machine_is_inactive_and_not_listed(ecs, cluster, add_machine):
    arn = add_machine(cluster, tags=[{"key": "a", "value": "b"}])["containerInstanceArn"]
    gone = ecs.deregister_container_instance(cluster=cluster, containerInstance=arn)["containerInstance"]
    assert (gone["status"], gone["agentConnected"]) == ("INACTIVE", False)
    assert listed(ecs, cluster) == []
    assert describe(ecs, cluster, arn)["status"] == "INACTIVE"
    answer = ecs.update_container_instances_state(cluster=cluster, containerInstances=[arn], status="DRAINING")
    assert [failure["reason"] for failure in answer["failures"]] == ["INACTIVE"]
    with refused("InvalidParameterException", f"Referenced container instance {NO_ID} not found."):
        ecs.deregister_container_instance(cluster=cluster, containerInstance=NO_ID)


def test_a_cluster_with_machines_cannot_be_deleted(ecs, cluster, add_machine):
    arn = add_machine(cluster)["containerInstanceArn"]
    shown = ecs.describe_clusters(clusters=[cluster])["clusters"][0]
    assert (shown["registeredContainerInstancesCount"], shown["runningTasksCount"]) == (1, 0)
    with refused("ClusterContainsContainerInstancesException"):
        ecs.delete_cluster(cluster=cluster)
    ecs.deregister_container_instance(cluster=cluster, containerInstance=arn)


def test_a_machine_needs_a_cluster(ecs, server):
    with refused("ClientException", "Cluster not found."):  # the text that agents look for
        ecs.register_container_instance(cluster=unique_name())
