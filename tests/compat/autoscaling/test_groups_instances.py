# SPDX-License-Identifier: Apache-2.0
"""Launches, terminations, hooks and activities of groups."""
import json

import pytest
from botocore.exceptions import ClientError

from support.waiting import eventually


def error_of(info):
    error = info.value.response["Error"]
    return error["Code"], error["Message"]


def instances_of(group):
    return [one["InstanceId"] for one in group["Instances"] if not one["LifecycleState"].startswith("Terminat")]


@pytest.fixture
def launched(autoscaling, make_group, describe):
    """launched(...) -> the name of a group with one launched instance."""

    def make(**more):
        name = make_group(DesiredCapacity=1, **more)
        eventually(lambda: instances_of(describe(name)))
        return name

    return make


def test_a_group_launches_and_its_activity_names_the_cause(autoscaling, launched, describe, template):
    name = launched()
    instance = describe(name)["Instances"][0]
    assert instance["LifecycleState"].startswith("Pending") or instance["LifecycleState"] == "InService"
    assert instance["HealthStatus"] == "Healthy" and instance["AvailabilityZone"] == "us-east-1a"
    assert instance["LaunchTemplate"]["LaunchTemplateName"] == template
    assert instance["LaunchTemplate"]["Version"] == "1"
    activity = autoscaling.describe_scaling_activities(AutoScalingGroupName=name)["Activities"][-1]
    assert activity["Description"].startswith(f"Launching a new EC2 instance: {instance['InstanceId']}")
    assert "a user request created an AutoScalingGroup changing the desired capacity from 0 to 1." in activity["Cause"]
    assert "increasing the capacity from 0 to 1." in activity["Cause"]
    assert json.loads(activity["Details"])["Availability Zone"] == "us-east-1a"


def test_ec2_shows_the_group_and_the_propagated_tags(launched, describe, ec2):
    name = launched(Tags=[{"Key": "team", "Value": "vision", "PropagateAtLaunch": True}])
    found = ec2.describe_instances(InstanceIds=instances_of(describe(name)))["Reservations"][0]["Instances"][0]
    tags = {tag["Key"]: tag["Value"] for tag in found["Tags"]}
    assert tags["team"] == "vision" and tags["aws:autoscaling:groupName"] == name


def test_a_capacity_of_zero_terminates(autoscaling, launched, describe):
    name = launched()
    autoscaling.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=0)
    eventually(lambda: not instances_of(describe(name)))
    causes = [one["Cause"] for one in autoscaling.describe_scaling_activities(AutoScalingGroupName=name)["Activities"]]
    assert any("shrinking the capacity from 1 to 0." in cause for cause in causes)
    assert any("was selected for termination." in cause for cause in causes)


def test_a_group_with_instances_is_only_deleted_by_force(autoscaling, launched, describe):
    name = launched()
    with pytest.raises(autoscaling.exceptions.ResourceInUseFault) as info:
        autoscaling.delete_auto_scaling_group(AutoScalingGroupName=name)
    assert error_of(info)[0] == "ResourceInUse"
    autoscaling.delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)


def test_terminating_an_instance_replaces_it(autoscaling, launched, describe):
    name = launched()
    first = instances_of(describe(name))[0]
    answer = autoscaling.terminate_instance_in_auto_scaling_group(
        InstanceId=first, ShouldDecrementDesiredCapacity=False
    )
    assert answer["Activity"]["Description"] == f"Terminating EC2 instance: {first}"
    eventually(lambda: instances_of(describe(name)) not in ([], [first]))


def test_decrementing_at_the_minimum_is_rejected(autoscaling, launched, describe):
    name = launched(MinSize=1)
    with pytest.raises(ClientError) as info:
        autoscaling.terminate_instance_in_auto_scaling_group(
            InstanceId=instances_of(describe(name))[0], ShouldDecrementDesiredCapacity=True
        )
    assert "Currently, desiredSize equals minSize (1)." in error_of(info)[1]


def test_an_unknown_instance_is_rejected(autoscaling):
    with pytest.raises(ClientError) as info:
        autoscaling.terminate_instance_in_auto_scaling_group(
            InstanceId="i-00000000000000000", ShouldDecrementDesiredCapacity=False
        )
    assert "Instance Id not found" in error_of(info)[1]


def test_instances_are_listed_with_their_group(autoscaling, launched, describe):
    name = launched()
    found = autoscaling.describe_auto_scaling_instances(InstanceIds=instances_of(describe(name)))
    assert found["AutoScalingInstances"][0]["AutoScalingGroupName"] == name
    assert found["AutoScalingInstances"][0]["HealthStatus"] == "HEALTHY"


def test_protection_is_set_and_shown(autoscaling, launched, describe):
    name = launched()
    autoscaling.set_instance_protection(
        AutoScalingGroupName=name, InstanceIds=instances_of(describe(name)), ProtectedFromScaleIn=True
    )
    assert describe(name)["Instances"][0]["ProtectedFromScaleIn"] is True


def test_hooks_are_described_with_amazons_defaults(autoscaling, make_group):
    name = make_group()
    autoscaling.put_lifecycle_hook(
        AutoScalingGroupName=name,
        LifecycleHookName="wait",
        LifecycleTransition="autoscaling:EC2_INSTANCE_TERMINATING",
        HeartbeatTimeout=60,
    )
    hook = autoscaling.describe_lifecycle_hooks(AutoScalingGroupName=name)["LifecycleHooks"][0]
    assert hook["HeartbeatTimeout"] == 60 and hook["GlobalTimeout"] == 6000 and hook["DefaultResult"] == "ABANDON"
    autoscaling.delete_lifecycle_hook(AutoScalingGroupName=name, LifecycleHookName="wait")
    assert autoscaling.describe_lifecycle_hooks(AutoScalingGroupName=name)["LifecycleHooks"] == []


def test_a_hook_has_a_plain_name(autoscaling, make_group):
    with pytest.raises(ClientError) as info:
        autoscaling.put_lifecycle_hook(
            AutoScalingGroupName=make_group(),
            LifecycleHookName="a b",
            LifecycleTransition="autoscaling:EC2_INSTANCE_LAUNCHING",
        )
    assert "Value 'a b' at 'lifecycleHookName' failed to satisfy constraint" in error_of(info)[1]


def test_a_hook_tests_its_queue(autoscaling, make_group, queue):
    name = make_group()
    autoscaling.put_lifecycle_hook(
        AutoScalingGroupName=name,
        LifecycleHookName="wait",
        LifecycleTransition="autoscaling:EC2_INSTANCE_LAUNCHING",
        NotificationTargetARN=queue.arn,
        RoleARN="arn:aws:iam::111111111111:role/hooks",
    )
    body = json.loads(queue.receive_one()["Body"])
    assert body["Event"] == "autoscaling:TEST_NOTIFICATION" and body["AutoScalingGroupName"] == name


def test_an_action_that_does_not_wait_can_not_be_completed(autoscaling, make_group):
    name = make_group()
    with pytest.raises(ClientError) as info:
        autoscaling.complete_lifecycle_action(
            AutoScalingGroupName=name,
            LifecycleHookName="wait",
            InstanceId="i-00000000000000000",
            LifecycleActionResult="CONTINUE",
        )
    assert "No active Lifecycle Action found with instance ID i-00000000000000000" in error_of(info)[1]
