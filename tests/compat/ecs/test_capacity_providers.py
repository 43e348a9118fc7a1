# SPDX-License-Identifier: Apache-2.0
"""Capacity providers, as far as they need no Auto Scaling group."""
import pytest

from support.queues import refused, unique_name


@pytest.fixture
def cluster_name(make_cluster):
    return make_cluster()["clusterName"]


@pytest.mark.parametrize("name", ["aws-gpus", "ecsgpus", "fargate1", "with space"])
def test_a_reserved_or_invalid_name_is_rejected(ecs, name):
    with refused("ClientException", "The specified capacity provider name is invalid"):
        ecs.create_capacity_provider(name=name, autoScalingGroupProvider={"autoScalingGroupArn": "none"})


def test_the_group_must_exist(ecs):
    with refused("ClientException", "Auto Scaling group ARN is invalid"):
        ecs.create_capacity_provider(name=unique_name(), autoScalingGroupProvider={"autoScalingGroupArn": unique_name()})


def test_scaling_steps_are_checked(ecs):
    with refused("ClientException", "The minimum or maximum scaling step size value is invalid"):
        ecs.create_capacity_provider(
            name=unique_name(),
            autoScalingGroupProvider={
                "autoScalingGroupArn": unique_name(),
                "managedScaling": {"status": "ENABLED", "minimumScalingStepSize": 5, "maximumScalingStepSize": 4},
            },
        )


def test_missing_providers_are_failures(ecs, account):
    name = unique_name()
    answer = ecs.describe_capacity_providers(capacityProviders=[name])
    assert answer["capacityProviders"] == []
    arn = f"arn:aws:ecs:us-east-1:{account}:capacity-provider/{name}"
    assert answer["failures"] == [{"arn": arn, "reason": "MISSING"}]


def test_a_missing_provider_is_neither_updated_nor_deleted(ecs):
    with refused("ClientException", "The specified capacity provider does not exist."):
        ecs.update_capacity_provider(name=unique_name(), autoScalingGroupProvider={"managedScaling": {}})
    with refused("ClientException", "The specified capacity provider does not exist."):
        ecs.delete_capacity_provider(capacityProvider=unique_name())


def test_a_cluster_takes_existing_providers_only(ecs, cluster_name):
    with refused("InvalidParameterException", "was not found"):
        ecs.put_cluster_capacity_providers(
            cluster=cluster_name, capacityProviders=[unique_name()], defaultCapacityProviderStrategy=[]
        )
    with refused("InvalidParameterException", "'FARGATE_SPOT' is not supported by Stoker"):
        ecs.put_cluster_capacity_providers(
            cluster=cluster_name, capacityProviders=["FARGATE_SPOT"], defaultCapacityProviderStrategy=[]
        )


def test_attachments_of_a_cluster_without_providers_are_empty(ecs, cluster_name):
    cluster = ecs.describe_clusters(clusters=[cluster_name], include=["ATTACHMENTS"])["clusters"][0]
    assert cluster["attachments"] == []
    assert "attachmentsStatus" not in cluster
