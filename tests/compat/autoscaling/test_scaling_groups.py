# SPDX-License-Identifier: Apache-2.0
"""Auto Scaling groups, with stock boto3."""
import datetime

import pytest
from botocore import xform_name
from botocore.exceptions import ClientError

from support.queues import refused, unique_name


def error_of(info):
    error = info.value.response["Error"]
    return error["Code"], error["Message"]


def test_a_group_is_described_with_amazons_defaults(autoscaling, make_group, describe, template, account):
    name = make_group(MaxSize=3)
    group = describe(name)
    assert group["AutoScalingGroupARN"].startswith(f"arn:aws:autoscaling:us-east-1:{account}:autoScalingGroup:")
    assert group["AutoScalingGroupARN"].endswith(f":autoScalingGroupName/{name}")
    assert (group["MinSize"], group["MaxSize"], group["DesiredCapacity"]) == (0, 3, 0)
    assert group["DefaultCooldown"] == 300
    assert group["HealthCheckType"] == "EC2" and group["HealthCheckGracePeriod"] == 0
    assert group["TerminationPolicies"] == ["Default"]
    assert group["AvailabilityZones"] == ["us-east-1a"]
    assert group["LaunchTemplate"]["LaunchTemplateName"] == template
    assert group["LaunchTemplate"]["LaunchTemplateId"].startswith("lt-")
    assert group["NewInstancesProtectedFromScaleIn"] is False
    assert group["Instances"] == [] and group["SuspendedProcesses"] == [] and group["EnabledMetrics"] == []


def test_a_name_is_taken_once(autoscaling, make_group):
    name = make_group()
    with pytest.raises(autoscaling.exceptions.AlreadyExistsFault) as info:
        make_group(AutoScalingGroupName=name)
    assert error_of(info)[0] == "AlreadyExists"
    assert "AutoScalingGroup by this name already exists" in error_of(info)[1]


def test_an_unknown_group_is_a_validation_error(autoscaling):
    with pytest.raises(ClientError) as info:
        autoscaling.set_desired_capacity(AutoScalingGroupName="missing", DesiredCapacity=1)
    code, message = error_of(info)
    assert code == "ValidationError" and "AutoScalingGroup name not found" in message
    assert autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=["missing"])["AutoScalingGroups"] == []


@pytest.mark.parametrize(
    "members, text",
    [
        ({"DesiredCapacity": 15}, "Desired capacity:15 must be between the specified min size:0 and max size:2"),
        ({"MaxInstanceLifetime": 5}, "maxInstanceLifetime must be between 86400 and 31536000 seconds (inclusive)"),
        ({"HealthCheckType": "EC2,ELB"}, "Specifying EC2 in addition to other health check types is not supported"),
    ],
)
def test_invalid_members_have_amazons_texts(make_group, members, text):
    with pytest.raises(ClientError) as info:
        make_group(**members)
    code, message = error_of(info)
    assert code == "ValidationError" and text in message


def test_members_of_spot_instances_are_rejected_by_name(autoscaling, make_group, describe):
    """There are none at Stoker."""
    with refused("ValidationError", "CapacityRebalance"):
        make_group(CapacityRebalance=True)
    name = make_group(CapacityRebalance=False)
    with refused("ValidationError", "CapacityRebalance"):
        autoscaling.update_auto_scaling_group(AutoScalingGroupName=name, CapacityRebalance=True)
    assert describe(name)["CapacityRebalance"] is False


GROUP = {"AutoScalingGroupName": "g"}
SOME_TIME = datetime.datetime(2026, 11, 1)


@pytest.mark.parametrize(
    "operation, request_",
    [
        ("AttachLoadBalancers", {**GROUP, "LoadBalancerNames": ["web"]}),
        ("AttachLoadBalancerTargetGroups", {**GROUP, "TargetGroupARNs": ["arn:aws:elasticloadbalancing:web"]}),
        ("AttachTrafficSources", {**GROUP, "TrafficSources": [{"Identifier": "web"}]}),
        ("DeleteWarmPool", GROUP),
        ("DescribeWarmPool", GROUP),
        ("DetachLoadBalancers", {**GROUP, "LoadBalancerNames": ["web"]}),
        ("DetachLoadBalancerTargetGroups", {**GROUP, "TargetGroupARNs": ["arn:aws:elasticloadbalancing:web"]}),
        ("DetachTrafficSources", {**GROUP, "TrafficSources": [{"Identifier": "web"}]}),
        ("GetPredictiveScalingForecast", {**GROUP, "PolicyName": "p", "StartTime": SOME_TIME, "EndTime": SOME_TIME}),
        ("PutWarmPool", GROUP),
    ],
)
def test_operations_that_stoker_does_not_have_are_rejected_by_name(autoscaling, operation, request_):
    with refused("UnsupportedOperation", operation):
        getattr(autoscaling, xform_name(operation))(**request_)


def test_desired_capacity_stays_between_min_and_max(autoscaling, make_group):
    name = make_group()
    with pytest.raises(ClientError) as info:
        autoscaling.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=5)
    assert "New SetDesiredCapacity value 5 is above max value 2 for the AutoScalingGroup." in error_of(info)[1]


def test_an_update_changes_what_it_names(autoscaling, make_group, describe):
    name = make_group()
    autoscaling.update_auto_scaling_group(
        AutoScalingGroupName=name, MaxSize=7, DefaultCooldown=60, TerminationPolicies=["OldestInstance", "Default"]
    )
    group = describe(name)
    assert group["MaxSize"] == 7 and group["DefaultCooldown"] == 60 and group["MinSize"] == 0
    assert group["TerminationPolicies"] == ["OldestInstance", "Default"]


def test_processes_are_suspended_and_resumed(autoscaling, make_group, describe):
    name = make_group()
    autoscaling.suspend_processes(AutoScalingGroupName=name, ScalingProcesses=["Launch", "Terminate"])
    suspended = describe(name)["SuspendedProcesses"]
    assert {one["ProcessName"] for one in suspended} == {"Launch", "Terminate"}
    assert suspended[0]["SuspensionReason"].startswith("User suspended at ")
    autoscaling.resume_processes(AutoScalingGroupName=name)
    assert describe(name)["SuspendedProcesses"] == []
    types = [one["ProcessName"] for one in autoscaling.describe_scaling_process_types()["Processes"]]
    assert {"Launch", "Terminate", "HealthCheck", "AlarmNotification"} <= set(types)


def test_tags_filters_and_pages(autoscaling, make_group):
    value = unique_name()
    names = sorted(
        make_group(Tags=[{"Key": "team", "Value": value, "PropagateAtLaunch": True}]) for _ in range(3)
    )
    filters = [{"Name": "tag:team", "Values": [value]}]
    pages = autoscaling.get_paginator("describe_auto_scaling_groups").paginate(
        Filters=filters, PaginationConfig={"PageSize": 2}
    )
    assert [group["AutoScalingGroupName"] for page in pages for group in page["AutoScalingGroups"]] == names
    tag = {"ResourceId": names[0], "ResourceType": "auto-scaling-group", "Key": "team"}
    autoscaling.delete_tags(Tags=[tag])
    found = autoscaling.describe_tags(Filters=[{"Name": "value", "Values": [value]}])["Tags"]
    assert [one["ResourceId"] for one in found] == names[1:]
    assert found[0]["PropagateAtLaunch"] is True


def test_unknown_filters_are_rejected_without_a_match_too(autoscaling):
    with refused("ValidationError", "Filter type size is not correct. Allowed Filter types are: auto-scaling-group key value"):
        autoscaling.describe_tags(Filters=[{"Name": "size", "Values": ["1"]}])
    with refused("ValidationError", "Filter type size is not correct. Allowed Filter types are: tag-key tag-value tag:<key>"):
        autoscaling.describe_auto_scaling_groups(
            AutoScalingGroupNames=[unique_name()], Filters=[{"Name": "size", "Values": ["1"]}])


def test_metrics_collection(autoscaling, make_group, describe):
    name = make_group()
    autoscaling.enable_metrics_collection(
        AutoScalingGroupName=name, Granularity="1Minute", Metrics=["GroupDesiredCapacity"]
    )
    assert describe(name)["EnabledMetrics"] == [{"Metric": "GroupDesiredCapacity", "Granularity": "1Minute"}]
    with pytest.raises(ClientError) as info:
        autoscaling.enable_metrics_collection(AutoScalingGroupName=name, Granularity="5Minute")
    assert "Valid metrics granularity type is: [1Minute]" in error_of(info)[1]
    autoscaling.disable_metrics_collection(AutoScalingGroupName=name)
    assert describe(name)["EnabledMetrics"] == []


def test_launch_configurations(autoscaling, make_group):
    name = unique_name()
    autoscaling.create_launch_configuration(
        LaunchConfigurationName=name, ImageId="ami-0123456789abcdef0", InstanceType="g4dn.xlarge"
    )
    found = autoscaling.describe_launch_configurations(LaunchConfigurationNames=[name])["LaunchConfigurations"][0]
    assert found["InstanceType"] == "g4dn.xlarge" and found["InstanceMonitoring"] == {"Enabled": True}
    group = make_group(LaunchConfigurationName=name)
    with pytest.raises(autoscaling.exceptions.ResourceInUseFault) as info:
        autoscaling.delete_launch_configuration(LaunchConfigurationName=name)
    assert f"Cannot delete launch configuration {name} because it is attached to AutoScalingGroup {group}" in error_of(info)[1]
    autoscaling.delete_auto_scaling_group(AutoScalingGroupName=group)
    autoscaling.delete_launch_configuration(LaunchConfigurationName=name)
    with pytest.raises(ClientError) as info:
        autoscaling.delete_launch_configuration(LaunchConfigurationName=name)
    assert "Launch configuration name not found" in error_of(info)[1]


def test_limits_and_types(autoscaling):
    limits = autoscaling.describe_account_limits()
    assert limits["MaxNumberOfAutoScalingGroups"] >= limits["NumberOfAutoScalingGroups"]
    assert "OldestInstance" in autoscaling.describe_termination_policy_types()["TerminationPolicyTypes"]
    assert len(autoscaling.describe_lifecycle_hook_types()["LifecycleHookTypes"]) == 2


def test_a_group_without_load_balancers(autoscaling, make_group):
    name = make_group()
    assert autoscaling.describe_load_balancers(AutoScalingGroupName=name)["LoadBalancers"] == []
    groups = autoscaling.describe_load_balancer_target_groups(AutoScalingGroupName=name)
    assert groups["LoadBalancerTargetGroups"] == []
