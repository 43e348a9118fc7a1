# SPDX-License-Identifier: Apache-2.0
"""A service follows the utilization of its GPUs, and a capacity provider gives it machines, from zero."""
import contextlib

import pytest

from support.cluster import set_gpu_load
from support.scaling import POOL, ScalingCluster
from support.waiting import eventually

SECONDS = 600  # fifteen periods of low load, twice, and a busy machine
SERVICE = "service/default/inference"


@pytest.fixture
def fleet():
    with ScalingCluster(arguments=[*POOL, "--tracking-period", "10s"]) as made:
        yield made


def set_load(fleet, percent):
    """The utilization of every simulated GPU of every machine that is there now."""
    load = {str(index): {"utilization": percent} for index in range(8)}
    for folder in fleet.server.data.glob("instances/*/agent"):
        with contextlib.suppress(FileNotFoundError):  # a machine that starts or ends
            set_gpu_load(folder, load)


def create_provider(fleet, group):
    arn = fleet.group(group)["AutoScalingGroupARN"]
    fleet.ecs.create_capacity_provider(
        name="gpu", autoScalingGroupProvider={
            "autoScalingGroupArn": arn, "managedScaling": {"status": "ENABLED", "targetCapacity": 100,
                                                           "instanceWarmupPeriod": 0}})
    fleet.ecs.create_cluster(clusterName="default")
    fleet.ecs.put_cluster_capacity_providers(
        cluster="default", capacityProviders=["gpu"],
        defaultCapacityProviderStrategy=[{"capacityProvider": "gpu", "weight": 1}])


def track_utilization(fleet):
    scaling = fleet.client("application-autoscaling")
    target = {"ServiceNamespace": "ecs", "ResourceId": SERVICE, "ScalableDimension": "ecs:service:DesiredCount"}
    scaling.register_scalable_target(**target, MinCapacity=1, MaxCapacity=3)
    scaling.put_scaling_policy(
        **target, PolicyName="gpu-75", PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={
            "TargetValue": 75, "ScaleInCooldown": 0, "ScaleOutCooldown": 0,
            "CustomizedMetricSpecification": {
                "Namespace": "ECS/ContainerInsights/Prometheus", "MetricName": "DCGM_FI_DEV_GPU_UTIL",
                "Statistic": "Average",
                "Dimensions": [{"Name": "ClusterName", "Value": "default"}, {"Name": "ServiceName", "Value": "inference"}],
            }})
    return scaling


def running(fleet, percent):
    set_load(fleet, percent)
    return fleet.ecs.describe_services(services=["inference"])["services"][0]["runningCount"]


def test_tasks_and_machines_follow_the_utilization_of_gpus(fleet):
    fleet.create_group("gpu", least=0, most=3)
    create_provider(fleet, "gpu")
    definition = fleet.define("exec sleep 100000", gpus=1, family="inference")
    fleet.ecs.create_service(serviceName="inference", taskDefinition=definition, desiredCount=1)
    scaling = track_utilization(fleet)
    eventually(lambda: running(fleet, 50) == 1, SECONDS)
    eventually(lambda: running(fleet, 95) == 3, SECONDS)
    eventually(lambda: len(fleet.in_service("gpu")) == 3)
    eventually(lambda: running(fleet, 10) == 1, SECONDS)
    eventually(lambda: fleet.group("gpu")["DesiredCapacity"] == 1, SECONDS)
    fleet.wait_in_service("gpu", 1)
    eventually(lambda: running(fleet, 10) == 1)  # again, if its task was on a machine that went
    listed = scaling.describe_scaling_activities(ServiceNamespace="ecs", ResourceId=SERVICE)["ScalingActivities"]
    assert any(one["Description"] == "Setting desired count to 3." for one in listed)
    assert all(one["Cause"].startswith(("monitor alarm TargetTracking-" + SERVICE, "minimum capacity")) for one in listed)
