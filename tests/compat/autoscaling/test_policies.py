# SPDX-License-Identifier: Apache-2.0
"""Scaling policies, with stock boto3."""
import pytest

from support.queues import refused
from support.waiting import ALARM_PATIENCE_SECONDS, eventually


@pytest.fixture(scope="session")
def cloudwatch(connect):
    return connect("cloudwatch")


def tracking(metric="Backlog", target=50.0, **more):
    specification = {"MetricName": metric, "Namespace": "Jobs", "Statistic": "Average"}
    return {"CustomizedMetricSpecification": specification, "TargetValue": target, **more}


def policies_of(autoscaling, group):
    return autoscaling.describe_policies(AutoScalingGroupName=group)["ScalingPolicies"]


def test_a_simple_policy_is_described_and_keeps_its_arn(autoscaling, make_group, account):
    group = make_group()
    request = dict(AutoScalingGroupName=group, PolicyName="out", AdjustmentType="ChangeInCapacity")
    arn = autoscaling.put_scaling_policy(ScalingAdjustment=1, **request)["PolicyARN"]
    assert arn.startswith(f"arn:aws:autoscaling:us-east-1:{account}:scalingPolicy:")
    assert arn.endswith(f":autoScalingGroupName/{group}:policyName/out")
    assert autoscaling.put_scaling_policy(ScalingAdjustment=2, Cooldown=10, **request)["PolicyARN"] == arn
    (policy,) = policies_of(autoscaling, group)
    assert (policy["PolicyType"], policy["ScalingAdjustment"], policy["Cooldown"]) == ("SimpleScaling", 2, 10)
    assert policy["Alarms"] == [] and policy["StepAdjustments"] == [] and policy["Enabled"] is True


def test_a_step_policy_lists_the_alarms_that_use_it(autoscaling, cloudwatch, make_group):
    group = make_group()
    steps = [
        {"MetricIntervalLowerBound": 0.0, "MetricIntervalUpperBound": 10.0, "ScalingAdjustment": 1},
        {"MetricIntervalLowerBound": 10.0, "ScalingAdjustment": 2},
    ]
    arn = autoscaling.put_scaling_policy(
        AutoScalingGroupName=group, PolicyName="steps", PolicyType="StepScaling", AdjustmentType="ChangeInCapacity",
        StepAdjustments=steps,
    )["PolicyARN"]
    alarm = dict(AlarmName=group + "-busy", MetricName="Backlog", Namespace="Jobs", Statistic="Average", Period=60,
                 EvaluationPeriods=1, Threshold=5.0, ComparisonOperator="GreaterThanThreshold")
    cloudwatch.put_metric_alarm(AlarmActions=[arn], **alarm)
    (policy,) = policies_of(autoscaling, group)
    assert policy["StepAdjustments"] == steps and policy["MetricAggregationType"] == "Average"
    assert [one["AlarmName"] for one in policy["Alarms"]] == [alarm["AlarmName"]]
    autoscaling.delete_policy(PolicyName=arn)
    (left,) = cloudwatch.describe_alarms(AlarmNames=[alarm["AlarmName"]])["MetricAlarms"]
    assert left["AlarmActions"] == [] and left["Threshold"] == 5.0
    cloudwatch.delete_alarms(AlarmNames=[alarm["AlarmName"]])


def test_target_tracking_makes_replaces_and_deletes_its_alarms(autoscaling, cloudwatch, make_group):
    group = make_group()
    request = dict(AutoScalingGroupName=group, PolicyName="track", PolicyType="TargetTrackingScaling")
    answer = autoscaling.put_scaling_policy(TargetTrackingConfiguration=tracking(), **request)
    names = [alarm["AlarmName"] for alarm in answer["Alarms"]]
    assert names[0].startswith(f"TargetTracking-{group}-AlarmHigh-")
    assert names[1].startswith(f"TargetTracking-{group}-AlarmLow-")
    shown = {one["AlarmName"]: one for one in cloudwatch.describe_alarms(AlarmNames=names)["MetricAlarms"]}
    high, low = shown[names[0]], shown[names[1]]
    assert (high["Threshold"], high["EvaluationPeriods"], high["Period"]) == (50.0, 3, 60)
    assert (low["Threshold"], low["EvaluationPeriods"]) == (35.0, 15)
    assert high["AlarmActions"] == [answer["PolicyARN"]]
    autoscaling.put_scaling_policy(TargetTrackingConfiguration=tracking(DisableScaleIn=True), **request)
    assert cloudwatch.describe_alarms(AlarmNames=names)["MetricAlarms"] == []
    (policy,) = policies_of(autoscaling, group)
    assert len(policy["Alarms"]) == 1
    autoscaling.delete_policy(AutoScalingGroupName=group, PolicyName="track")
    assert cloudwatch.describe_alarms(AlarmNamePrefix=f"TargetTracking-{group}")["MetricAlarms"] == []
    with refused("ValidationError", "Policy track not found"):
        autoscaling.delete_policy(AutoScalingGroupName=group, PolicyName="track")


@pytest.mark.parametrize(
    "request_, message",
    [
        (dict(AdjustmentType="ChangeInCapacity", PolicyType="StepScaling", ScalingAdjustment=1),
         "ScalingAdjustment is not supported for a StepScaling policy"),
        (dict(ScalingAdjustment=1), "You must specify an AdjustmentType for policy type: SimpleScaling"),
        (dict(AdjustmentType="ExactCapacity", ScalingAdjustment=-1),
         "The lower range for adjustment is 0 with the specified adjustment type"),
        (dict(PolicyType="TargetTrackingScaling"), "You should provide a TargetTrackingConfiguration"),
        (dict(PolicyType="PredictiveScaling"), "PredictiveScaling"),
        (dict(PolicyType="TargetTrackingScaling", TargetTrackingConfiguration={
            "PredefinedMetricSpecification": {"PredefinedMetricType": "ASGAverageNetworkIn"}, "TargetValue": 5.0}),
         "ASGAverageNetworkIn"),
    ],
)
def test_invalid_policies_are_rejected(autoscaling, make_group, request_, message):
    with refused("ValidationError", message):
        autoscaling.put_scaling_policy(AutoScalingGroupName=make_group(), PolicyName="p", **request_)


def test_zeros_of_other_types_count_as_absent(autoscaling, make_group):
    group = make_group()
    autoscaling.put_scaling_policy(
        AutoScalingGroupName=group, PolicyName="track", PolicyType="TargetTrackingScaling", Cooldown=0,
        ScalingAdjustment=0, TargetTrackingConfiguration=tracking())
    autoscaling.put_scaling_policy(
        AutoScalingGroupName=group, PolicyName="out", AdjustmentType="ChangeInCapacity", ScalingAdjustment=1,
        EstimatedInstanceWarmup=0)
    for policy in policies_of(autoscaling, group):
        assert not {"EstimatedInstanceWarmup", "Cooldown"} & set(policy)


def test_policies_are_filtered_and_paged(autoscaling, make_group):
    group = make_group()
    for name in "abc":
        autoscaling.put_scaling_policy(AutoScalingGroupName=group, PolicyName=name, AdjustmentType="ExactCapacity",
                                       ScalingAdjustment=1)
    first = autoscaling.describe_policies(AutoScalingGroupName=group, MaxRecords=2)
    rest = autoscaling.describe_policies(AutoScalingGroupName=group, MaxRecords=2, NextToken=first["NextToken"])
    names = [policy["PolicyName"] for policy in first["ScalingPolicies"] + rest["ScalingPolicies"]]
    assert names == ["a", "b", "c"] and "NextToken" not in rest
    found = autoscaling.describe_policies(AutoScalingGroupName=group, PolicyNames=["b", "unknown"])["ScalingPolicies"]
    assert [policy["PolicyName"] for policy in found] == ["b"]
    assert autoscaling.describe_policies(AutoScalingGroupName=group, PolicyTypes=["StepScaling"])["ScalingPolicies"] == []
    with refused("InvalidNextToken"):
        autoscaling.describe_policies(NextToken="nonsense")


def test_a_user_executes_a_policy(autoscaling, make_group, describe):
    group = make_group()
    autoscaling.suspend_processes(AutoScalingGroupName=group, ScalingProcesses=["Launch"])
    autoscaling.put_scaling_policy(AutoScalingGroupName=group, PolicyName="two", AdjustmentType="ExactCapacity",
                                   ScalingAdjustment=2)
    autoscaling.execute_policy(AutoScalingGroupName=group, PolicyName="two")
    assert describe(group)["DesiredCapacity"] == 2


def test_an_alarm_scales_the_group_and_its_history_shows_it(autoscaling, cloudwatch, make_group, describe):
    group = make_group()
    autoscaling.suspend_processes(AutoScalingGroupName=group, ScalingProcesses=["Launch"])
    arn = autoscaling.put_scaling_policy(
        AutoScalingGroupName=group, PolicyName="steps", PolicyType="StepScaling", AdjustmentType="ExactCapacity",
        StepAdjustments=[{"MetricIntervalLowerBound": 0.0, "ScalingAdjustment": 2}],
    )["PolicyARN"]
    name = group + "-queue"
    cloudwatch.put_metric_alarm(
        AlarmName=name, MetricName=name, Namespace="Jobs", Statistic="Maximum", Period=10, EvaluationPeriods=1,
        Threshold=5.0, ComparisonOperator="GreaterThanOrEqualToThreshold", AlarmActions=[arn],
    )

    def scaled():
        # An alarm with this period looks at half a minute: a point of a machine that stands still may be too old for it.
        cloudwatch.put_metric_data(Namespace="Jobs", MetricData=[{"MetricName": name, "Value": 7.0, "StorageResolution": 1}])
        return describe(group)["DesiredCapacity"] == 2

    eventually(scaled, ALARM_PATIENCE_SECONDS)
    items = cloudwatch.describe_alarm_history(AlarmName=name, HistoryItemType="Action")["AlarmHistoryItems"]
    assert items and "Successfully executed action" in items[-1]["HistorySummary"]
    cloudwatch.delete_alarms(AlarmNames=[name])


def test_adjustment_types(autoscaling):
    types = autoscaling.describe_adjustment_types()["AdjustmentTypes"]
    assert [one["AdjustmentType"] for one in types] == ["ChangeInCapacity", "ExactCapacity", "PercentChangeInCapacity"]
