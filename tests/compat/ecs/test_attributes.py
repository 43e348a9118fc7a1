# SPDX-License-Identifier: Apache-2.0
"""Attributes of container instances: those that agents register, and those that users put."""
import pytest

from support.queues import refused

TARGET = "container-instance"
NO_ID = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def cluster(make_cluster):
    return make_cluster()["clusterName"]


@pytest.fixture
def machine(cluster, add_machine):
    return add_machine(cluster, attributes=[{"name": "ecs.os-type", "value": "linux"}])["containerInstanceArn"]


def put(ecs, cluster, target, **attributes):
    wanted = [{"name": name, "value": value, "targetId": target} for name, value in attributes.items()]
    return ecs.put_attributes(cluster=cluster, attributes=wanted)["attributes"]


def listed(ecs, cluster, **more):
    pages = ecs.get_paginator("list_attributes").paginate(cluster=cluster, targetType=TARGET, **more)
    return [attribute for page in pages for attribute in page["attributes"]]


def test_an_attribute_is_put_changed_listed_and_deleted(ecs, cluster, machine):
    production = {"name": "stack", "value": "production", "targetId": machine}
    assert put(ecs, cluster, machine, stack="production") == [production]
    assert listed(ecs, cluster, attributeName="stack", attributeValue="production") == [production]
    assert listed(ecs, cluster, attributeName="stack", attributeValue="test") == []
    assert {"name": "ecs.os-type", "value": "linux", "targetId": machine} in listed(ecs, cluster)
    put(ecs, cluster, machine, stack="test")
    shown = ecs.describe_container_instances(cluster=cluster, containerInstances=[machine])["containerInstances"][0]
    assert {"name": "stack", "value": "test"} in shown["attributes"]
    gone = ecs.delete_attributes(cluster=cluster, attributes=[{"name": "stack", "targetId": machine}])
    assert gone["attributes"] == [dict(production, value="test")]
    assert listed(ecs, cluster, attributeName="stack") == []


def test_an_attribute_may_have_no_value(ecs, cluster, machine):
    wanted = [{"name": "ssd", "targetId": machine}]
    assert ecs.put_attributes(cluster=cluster, attributes=wanted)["attributes"] == wanted


def test_a_filter_matches_a_new_attribute_at_once(ecs, cluster, machine):
    put(ecs, cluster, machine, stack="production")
    query = {"cluster": cluster, "filter": "attribute:stack == production"}
    assert ecs.list_container_instances(**query)["containerInstanceArns"] == [machine]


def test_a_short_id_needs_its_type(ecs, cluster, machine):
    attribute = {"name": "stack", "value": "a", "targetId": machine.rsplit("/", 1)[1]}
    with refused("InvalidParameterException", "targetType"):
        ecs.put_attributes(cluster=cluster, attributes=[attribute])
    answer = ecs.put_attributes(cluster=cluster, attributes=[dict(attribute, targetType=TARGET)])
    assert answer["attributes"] == [{"name": "stack", "value": "a", "targetId": machine}]


def test_a_missing_target_is_rejected(ecs, cluster, machine):
    for target in (NO_ID, machine.rsplit("/", 1)[0] + "/" + NO_ID):
        attributes = [{"name": "stack", "targetId": target, "targetType": TARGET}]
        with refused("TargetNotFoundException"):
            ecs.put_attributes(cluster=cluster, attributes=attributes)
        with refused("TargetNotFoundException"):
            ecs.delete_attributes(cluster=cluster, attributes=attributes)


@pytest.mark.parametrize("name", ["with space", "a" * 129, "a:b", "ümlaut"])
def test_invalid_names_are_rejected(ecs, cluster, machine, name):
    with refused("InvalidParameterException", "name"):
        put(ecs, cluster, machine, **{name: "v"})


@pytest.mark.parametrize("value", ["", " v", "v ", "a" * 129, "a,b"])
def test_invalid_values_are_rejected(ecs, cluster, machine, value):
    with refused("InvalidParameterException", "value"):
        put(ecs, cluster, machine, n=value)


def test_at_most_ten_attributes_per_call_and_per_instance(ecs, cluster, machine):
    ten = {f"n{i}": "v" for i in range(10)}
    with refused("InvalidParameterException", "10"):
        put(ecs, cluster, machine, n10="v", **ten)
    assert len(put(ecs, cluster, machine, **ten)) == 10
    put(ecs, cluster, machine, n0="w")
    with refused("AttributeLimitExceededException"):
        put(ecs, cluster, machine, n10="v")


@pytest.mark.parametrize("name", ["ecs.os-type", "com.amazonaws.ecs.capability.privileged-container"])
def test_users_cannot_change_the_attributes_of_agents(ecs, cluster, machine, name):
    with refused("InvalidParameterException"):
        put(ecs, cluster, machine, **{name: "v"})
    with refused("InvalidParameterException"):
        ecs.delete_attributes(cluster=cluster, attributes=[{"name": name, "targetId": machine}])


def test_pages(ecs, cluster, machine, add_machine):
    other = add_machine(cluster)["containerInstanceArn"]
    put(ecs, cluster, machine, a="1", b="2", c="3")
    put(ecs, cluster, other, a="1")
    pages = list(
        ecs.get_paginator("list_attributes").paginate(
            cluster=cluster, targetType=TARGET, PaginationConfig={"PageSize": 2}
        )
    )
    assert all(len(page["attributes"]) <= 2 for page in pages)
    assert len([one for page in pages for one in page["attributes"]]) == len(listed(ecs, cluster)) == 7
    assert len(listed(ecs, cluster, attributeName="a")) == 2
    with refused("InvalidParameterException", "attributeName"):
        ecs.list_attributes(cluster=cluster, targetType=TARGET, attributeValue="1")
