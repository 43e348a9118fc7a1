# SPDX-License-Identifier: Apache-2.0
"""Zones that are balanced, weights, groups of an instance, and members that Amazon accepts."""
import pytest
from botocore.exceptions import ClientError

from support.queues import unique_name
from support.waiting import eventually

IMAGE = "ami-0123456789abcdef0"


def in_service(group):
    return [one for one in group["Instances"] if one["LifecycleState"] == "InService"]


def error_of(call, **request):
    with pytest.raises(ClientError) as info:
        call(**request)
    return info.value.response["Error"]["Code"], info.value.response["Error"]["Message"]


def test_instances_move_to_a_new_zone(autoscaling, make_group, describe):
    name = make_group(DesiredCapacity=2)
    eventually(lambda: len(in_service(describe(name))) == 2)
    autoscaling.update_auto_scaling_group(AutoScalingGroupName=name, AvailabilityZones=["us-east-1a", "us-east-1b"])

    def zones():
        found = describe(name)["Instances"]
        return len(found) == 2 and sorted(one["AvailabilityZone"] for one in found)

    eventually(lambda: zones() == ["us-east-1a", "us-east-1b"])
    causes = [one["Cause"] for one in autoscaling.describe_scaling_activities(AutoScalingGroupName=name)["Activities"]]
    assert any("availability zones us-east-1a us-east-1b had 2 0 instances respectively. An instance was launched to aid "
               "in balancing the group's zones." in cause for cause in causes), causes
    assert any("instances were launched to balance instances in zones us-east-1b with other zones resulting in more than "
               "desired number of instances in the group." in cause for cause in causes), causes


def test_weights_count_units(autoscaling, make_group, describe, template):
    overrides = [{"InstanceType": "g4dn.2xlarge", "WeightedCapacity": "2"},
                 {"InstanceType": "g4dn.xlarge", "WeightedCapacity": "1"}]
    policy = {"LaunchTemplate": {"LaunchTemplateSpecification": {"LaunchTemplateName": template}, "Overrides": overrides}}
    name = make_group(MixedInstancesPolicy=policy, MaxSize=4, DesiredCapacity=3)
    eventually(lambda: len(in_service(describe(name))) == 2)  # four units: three can't be had with the first type
    shown = describe(name)
    assert [one["WeightedCapacity"] for one in shown["Instances"]] == ["2", "2"]
    assert shown["MixedInstancesPolicy"]["LaunchTemplate"]["Overrides"] == overrides
    assert shown["DesiredCapacity"] == 3
    found = autoscaling.describe_auto_scaling_instances(InstanceIds=[shown["Instances"][0]["InstanceId"]])
    assert found["AutoScalingInstances"][0]["WeightedCapacity"] == "2"
    overrides[0]["WeightedCapacity"] = "1000"
    code, text = error_of(autoscaling.update_auto_scaling_group, AutoScalingGroupName=name, MixedInstancesPolicy=policy)
    assert code == "ValidationError" and "WeightedCapacity" in text


def test_a_group_of_an_instance_has_a_launch_configuration_of_its_name(autoscaling, ec2, make_group, describe):
    made = ec2.run_instances(ImageId=IMAGE, InstanceType="t3.micro", MinCount=1, MaxCount=1,
                             UserData="#!/bin/bash\necho ECS_CLUSTER=none >> /etc/ecs/ecs.config\n")["Instances"][0]
    instance = made["InstanceId"]
    name = unique_name()
    autoscaling.create_auto_scaling_group(AutoScalingGroupName=name, InstanceId=instance, MinSize=0, MaxSize=1,
                                          AvailabilityZones=["us-east-1a"])
    assert describe(name)["LaunchConfigurationName"] == name
    shown = autoscaling.describe_launch_configurations(LaunchConfigurationNames=[name])["LaunchConfigurations"][0]
    assert (shown["ImageId"], shown["InstanceType"]) == (IMAGE, "t3.micro")
    assert shown["SecurityGroups"] == [one["GroupId"] for one in made["SecurityGroups"]]
    assert shown["UserData"]
    autoscaling.delete_auto_scaling_group(AutoScalingGroupName=name)
    autoscaling.delete_launch_configuration(LaunchConfigurationName=name)
    ec2.terminate_instances(InstanceIds=[instance])
    code, _ = error_of(autoscaling.create_launch_configuration, LaunchConfigurationName=name,
                       InstanceId="i-0123456789abcdef0")
    assert code == "ValidationError"


def test_members_without_an_effect_here_are_shown(make_group, describe):
    name = make_group(HealthCheckType="ELB", HealthCheckGracePeriod=60, CapacityRebalance=False)
    shown = describe(name)
    assert (shown["HealthCheckType"], shown["HealthCheckGracePeriod"]) == ("ELB", 60)
    assert shown["CapacityRebalance"] is False
    assert shown["VPCZoneIdentifier"] == ""


@pytest.mark.parametrize("metric, namespace", [
    ("ASGAverageCPUUtilization", "AWS/EC2"),
    ("ASGAverageGPUUtilization", "ECS/ContainerInsights/Prometheus"),  # Stoker's own
])
def test_target_tracking_of_a_predefined_metric(autoscaling, connect, make_group, metric, namespace):
    name = make_group()
    specification = {"PredefinedMetricType": metric}
    made = autoscaling.put_scaling_policy(
        AutoScalingGroupName=name, PolicyName="track", PolicyType="TargetTrackingScaling",
        TargetTrackingConfiguration={"PredefinedMetricSpecification": specification, "TargetValue": 50.0})
    names = [one["AlarmName"] for one in made["Alarms"]]
    alarms = connect("cloudwatch").describe_alarms(AlarmNames=names)["MetricAlarms"]
    assert sorted(one["Threshold"] for one in alarms) == [35.0, 50.0]
    for alarm in alarms:
        assert (alarm["Namespace"], alarm["Unit"]) == (namespace, "Percent")
        assert alarm["Dimensions"] == [{"Name": "AutoScalingGroupName", "Value": name}]
    shown = autoscaling.describe_policies(AutoScalingGroupName=name)["ScalingPolicies"][0]
    assert shown["TargetTrackingConfiguration"] == {
        "PredefinedMetricSpecification": specification, "TargetValue": 50.0, "DisableScaleIn": False}


def test_a_detached_instance_must_be_in_service_or_in_standby(autoscaling, make_group, describe):
    name = make_group(DesiredCapacity=1)
    [instance] = [one["InstanceId"] for one in eventually(lambda: in_service(describe(name)))]
    autoscaling.enter_standby(AutoScalingGroupName=name, InstanceIds=[instance], ShouldDecrementDesiredCapacity=True)
    eventually(lambda: describe(name)["Instances"][0]["LifecycleState"] == "Standby")
    autoscaling.detach_instances(AutoScalingGroupName=name, InstanceIds=[instance], ShouldDecrementDesiredCapacity=False)
    eventually(lambda: describe(name)["Instances"] == [])
