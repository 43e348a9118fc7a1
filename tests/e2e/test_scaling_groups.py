# SPDX-License-Identifier: Apache-2.0
"""Groups of machines: refresh, off and on again, and a hook that delays the end of a machine."""
import datetime
import json

import pytest

from support.queues import Queue, unique_name
from support.scaling import ScalingCluster
from support.waiting import ALARM_PATIENCE_SECONDS, eventually


@pytest.fixture
def fleet():
    with ScalingCluster() as made:
        made.ecs.create_cluster(clusterName="default")
        yield made


def set_sizes(fleet, least, most, desired):
    fleet.autoscaling.update_auto_scaling_group(
        AutoScalingGroupName="gpu", MinSize=least, MaxSize=most, DesiredCapacity=desired)


def test_a_refresh_replaces_every_machine(fleet):
    fleet.create_group("gpu", least=2, most=3, DesiredCapacity=2)
    before = fleet.wait_in_service("gpu", 2)
    for instance in before:
        fleet.wait_joined(instance)
    refresh = fleet.autoscaling.start_instance_refresh(
        AutoScalingGroupName="gpu", Preferences={"MinHealthyPercentage": 50, "InstanceWarmup": 0})["InstanceRefreshId"]

    def status():
        found = fleet.autoscaling.describe_instance_refreshes(
            AutoScalingGroupName="gpu", InstanceRefreshIds=[refresh])["InstanceRefreshes"][0]
        assert found["Status"] not in ("Failed", "Cancelled"), found
        return found["Status"]

    eventually(lambda: status() == "Successful", ALARM_PATIENCE_SECONDS)
    after = fleet.wait_in_service("gpu", 2)
    assert not set(before) & set(after)


def test_a_group_is_turned_off_and_on_again(fleet):
    fleet.create_group("gpu", least=1, most=2, DesiredCapacity=2)
    for instance in fleet.wait_in_service("gpu", 2):
        fleet.wait_joined(instance)
    set_sizes(fleet, 0, 0, 0)
    fleet.wait_in_service("gpu", 0)
    eventually(lambda: not fleet.instances())
    set_sizes(fleet, 1, 2, 1)
    [instance] = fleet.wait_in_service("gpu", 1)
    fleet.wait_joined(instance)
    causes = [one["Cause"] for one in fleet.activities("gpu")]
    assert any("a user request update of AutoScalingGroup constraints to min: 0, max: 0, desired: 0 changing the "
               "desired capacity from 2 to 0" in cause for cause in causes), causes


def test_a_hook_delays_the_end_of_a_machine_until_its_work_is_saved(fleet):
    hooks = Queue(fleet.client("sqs"), unique_name())
    statement = {"Effect": "Allow", "Principal": {"Service": "autoscaling.amazonaws.com"}, "Action": "sqs:SendMessage",
                 "Resource": hooks.arn}
    hooks.set(Policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
    fleet.create_group("gpu", least=0, most=1, DesiredCapacity=1)
    fleet.autoscaling.put_lifecycle_hook(
        AutoScalingGroupName="gpu", LifecycleHookName="save", LifecycleTransition="autoscaling:EC2_INSTANCE_TERMINATING",
        NotificationTargetARN=hooks.arn, RoleARN="arn:aws:iam::000000000000:role/hooks", HeartbeatTimeout=3600)
    test = hooks.receive_one()
    assert json.loads(test["Body"])["Event"] == "autoscaling:TEST_NOTIFICATION"
    hooks.delete(test)
    [instance] = fleet.wait_in_service("gpu", 1)
    fleet.wait_joined(instance)
    task = fleet.run(fleet.define("exec sleep 1000", gpus=1))
    fleet.wait_for(task, "RUNNING")

    fleet.autoscaling.set_desired_capacity(AutoScalingGroupName="gpu", DesiredCapacity=0)
    message = json.loads(hooks.receive_one()["Body"])
    assert message["EC2InstanceId"] == instance and message["LifecycleHookName"] == "save"
    [waiting] = fleet.group("gpu")["Instances"]
    assert waiting["LifecycleState"] == "Terminating:Wait"
    assert fleet.describe(task)["lastStatus"] == "RUNNING", "the machine waits for the hook, and so does its work"
    fleet.stop(task)
    fleet.autoscaling.complete_lifecycle_action(
        AutoScalingGroupName="gpu", LifecycleHookName="save", LifecycleActionToken=message["LifecycleActionToken"],
        LifecycleActionResult="CONTINUE")
    fleet.wait_in_service("gpu", 0)
    fleet.wait_state(instance, "terminated")


def test_a_group_has_the_load_of_its_machines(fleet):
    fleet.create_group("gpu", least=1, most=1)
    [instance] = fleet.wait_in_service("gpu", 1)
    fleet.wait_joined(instance)

    def read(namespace, metric, dimension, value):
        now = datetime.datetime.now(datetime.timezone.utc)
        found = fleet.client("cloudwatch").get_metric_statistics(
            Namespace=namespace, MetricName=metric, Dimensions=[{"Name": dimension, "Value": value}], Period=60,
            StartTime=now - datetime.timedelta(minutes=10), EndTime=now + datetime.timedelta(minutes=1),
            Statistics=["Average"])
        return [one["Average"] for one in found["Datapoints"]]

    def points(*series):
        return eventually(lambda: read(*series), ALARM_PATIENCE_SECONDS)

    assert points("AWS/EC2", "CPUUtilization", "AutoScalingGroupName", "gpu")[0] == 0.0
    assert points("AWS/EC2", "CPUUtilization", "InstanceId", instance)[0] == 0.0
    space = "ECS/ContainerInsights/Prometheus"
    assert 0 <= points(space, "DCGM_FI_DEV_GPU_UTIL", "AutoScalingGroupName", "gpu")[0] <= 100
