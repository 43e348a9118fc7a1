# SPDX-License-Identifier: Apache-2.0
"""Tags of clusters, task definitions and container instances, and the account's settings."""
import pytest

from support.queues import refused, unique_name


@pytest.fixture(params=["cluster", "task definition", "container instance"])
def arn(request, make_cluster, register):
    if request.param == "task definition":
        return register()["taskDefinitionArn"]
    made = make_cluster()
    if request.param == "cluster":
        return made["clusterArn"]
    return request.getfixturevalue("add_machine")(made["clusterName"])["containerInstanceArn"]


def tags_of(ecs, arn):
    return {tag["key"]: tag["value"] for tag in ecs.list_tags_for_resource(resourceArn=arn)["tags"]}


def test_tags_are_added_changed_and_removed(ecs, arn):
    assert tags_of(ecs, arn) == {}
    ecs.tag_resource(resourceArn=arn, tags=[{"key": "a", "value": "1"}, {"key": "b", "value": "2"}])
    ecs.tag_resource(resourceArn=arn, tags=[{"key": "b", "value": "3"}, {"key": "größe", "value": ""}])
    assert tags_of(ecs, arn) == {"a": "1", "b": "3", "größe": ""}
    ecs.untag_resource(resourceArn=arn, tagKeys=["a", "not-there"])
    assert tags_of(ecs, arn) == {"b": "3", "größe": ""}


def test_a_resource_has_50_tags_at_most(ecs, arn):
    ecs.tag_resource(resourceArn=arn, tags=[{"key": f"k{i}", "value": "v"} for i in range(50)])
    with refused("InvalidParameterException", "50"):
        ecs.tag_resource(resourceArn=arn, tags=[{"key": "one-more", "value": "v"}])


@pytest.mark.parametrize("key, value", [("aws:x", "1"), ("AWS:x", "1"), ("k" * 129, "v"), ("k", "v" * 257), ("a&b", "v")])
def test_tags_have_amazons_limits(unchecked, arn, key, value):
    with refused("InvalidParameterException"):
        unchecked.tag_resource(resourceArn=arn, tags=[{"key": key, "value": value}])


def test_tags_of_a_missing_resource_are_not_found(ecs, account):
    prefix = f"arn:aws:ecs:us-east-1:{account}:"
    with refused("ClusterNotFoundException", "Cluster not found."):
        ecs.list_tags_for_resource(resourceArn=prefix + "cluster/" + unique_name())
    with refused("InvalidParameterException"):
        ecs.tag_resource(resourceArn="default", tags=[{"key": "a", "value": "b"}])


def test_a_deleted_cluster_has_no_tags(ecs, make_cluster):
    made = make_cluster(tags=[{"key": "a", "value": "b"}])
    ecs.delete_cluster(cluster=made["clusterName"])
    with refused("InvalidParameterException", "The specified cluster is inactive"):
        ecs.list_tags_for_resource(resourceArn=made["clusterArn"])
    assert make_cluster(made["clusterName"])["tags"] == []


@pytest.mark.parametrize("kind", ["task", "container-instance"])
def test_a_missing_resource_cannot_be_tagged(ecs, make_cluster, account, kind):
    name = make_cluster()["clusterName"]
    missing = f"arn:aws:ecs:us-east-1:{account}:{kind}/{name}/0123456789abcdef0123456789abcdef"
    with refused("InvalidParameterException"):
        ecs.list_tags_for_resource(resourceArn=missing)
    with refused("ResourceNotFoundException"):
        ecs.tag_resource(resourceArn=missing, tags=[{"key": "a", "value": "b"}])


@pytest.mark.parametrize("kind", ["task", "container-instance", "service"])
def test_short_arns_cannot_be_tagged(ecs, account, kind):
    with refused("InvalidParameterException", "Long arn format must be used for tagging operations"):
        ecs.list_tags_for_resource(resourceArn=f"arn:aws:ecs:us-east-1:{account}:{kind}/0123456789abcdef0123456789abcdef")


def test_tags_with_invalid_characters_are_rejected(ecs, make_cluster):
    arn = make_cluster()["clusterArn"]
    with refused("InvalidParameterException", "Some tags contain invalid characters."):
        ecs.tag_resource(resourceArn=arn, tags=[{"key": "step", "value": "process[1]"}])


@pytest.fixture
def settings(connect):
    """A region that no other test uses, so that its settings are unchanged."""
    client = connect("ecs", region="ap-south-1")
    yield client
    for setting in client.list_account_settings()["settings"]:
        client.delete_account_setting(name=setting["name"])


def values(client, **more):
    pages = client.get_paginator("list_account_settings").paginate(**more)
    return {setting["name"]: setting["value"] for page in pages for setting in page["settings"]}


def test_long_arns_are_the_default_setting(settings):
    assert values(settings) == {}
    effective = values(settings, effectiveSettings=True)
    for name in ("serviceLongArnFormat", "taskLongArnFormat", "containerInstanceLongArnFormat"):
        assert effective[name] == "enabled"
    assert effective["containerInsights"] == "disabled"


def test_a_setting_is_put_listed_and_deleted(settings, account):
    put = settings.put_account_setting(name="containerInsights", value="enabled")["setting"]
    assert put["value"] == "enabled" and put["principalArn"] == f"arn:aws:iam::{account}:root"
    settings.put_account_setting_default(name="awsvpcTrunking", value="enabled")
    assert values(settings) == {"containerInsights": "enabled", "awsvpcTrunking": "enabled"}
    assert values(settings, name="awsvpcTrunking") == {"awsvpcTrunking": "enabled"}
    settings.delete_account_setting(name="awsvpcTrunking")
    assert values(settings) == {"containerInsights": "enabled"}


def test_the_container_insights_setting_applies_to_new_clusters(settings):
    settings.put_account_setting(name="containerInsights", value="enabled")
    name = unique_name()
    made = settings.create_cluster(clusterName=name)["cluster"]
    settings.delete_cluster(cluster=name)
    assert made["settings"] == [{"name": "containerInsights", "value": "enabled"}]


def test_invalid_settings_are_rejected(connect, settings):
    unchecked = connect("ecs", region="ap-south-1", checked=False)
    with refused("InvalidParameterException", "unknown should be one of [serviceLongArnFormat,taskLongArnFormat,"):
        unchecked.put_account_setting(name="unknown", value="enabled")
    with refused("InvalidParameterException", "Invalid setting 'value'"):
        settings.put_account_setting(name="containerInsights", value="maybe")
