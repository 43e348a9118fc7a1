# SPDX-License-Identifier: Apache-2.0
"""Scaling policies, with the alarms of CloudWatch that trigger them."""
import json

import pytest

from support.queues import refused
from support.waiting import eventually

QUEUE_STEPS = [
    {"MetricIntervalLowerBound": 0, "MetricIntervalUpperBound": 1, "ScalingAdjustment": 0},
    {"MetricIntervalLowerBound": 1, "MetricIntervalUpperBound": 100, "ScalingAdjustment": 1},
    {"MetricIntervalLowerBound": 100, "ScalingAdjustment": 2},
]


def put_tracking(scaling, target, name="cpu", value=70.0, **more):
    more.setdefault("PredefinedMetricSpecification", {"PredefinedMetricType": "ECSServiceAverageCPUUtilization"})
    return scaling.put_scaling_policy(**target, PolicyName=name, PolicyType="TargetTrackingScaling",
                                      TargetTrackingScalingPolicyConfiguration=dict(more, TargetValue=value))


def alarms(cloudwatch, names):
    found = cloudwatch.describe_alarms(AlarmNames=names)["MetricAlarms"]
    return {alarm["AlarmName"]: alarm for alarm in found}


def test_a_tracking_policy_owns_two_alarms(scaling, cloudwatch, target):
    policy = put_tracking(scaling, target)
    names = [alarm["AlarmName"] for alarm in policy["Alarms"]]
    high, low = (alarms(cloudwatch, names)[name] for name in names)
    assert names[0].startswith(f"TargetTracking-{target['ResourceId']}-AlarmHigh-")
    assert names[1].startswith(f"TargetTracking-{target['ResourceId']}-AlarmLow-")
    assert (high["Threshold"], high["EvaluationPeriods"], high["ComparisonOperator"]) == (70, 3, "GreaterThanThreshold")
    assert (low["Threshold"], low["EvaluationPeriods"], low["ComparisonOperator"]) == (63, 15, "LessThanThreshold")
    assert high["AlarmActions"][0].startswith(policy["PolicyARN"] + ":createdBy/")
    assert high["AlarmDescription"].startswith("DO NOT EDIT OR DELETE. For TargetTrackingScaling policy ")
    again = put_tracking(scaling, target, value=50.0, DisableScaleIn=True)
    assert again["PolicyARN"] == policy["PolicyARN"]
    assert len(again["Alarms"]) == 1
    assert alarms(cloudwatch, names) == {}
    shown = scaling.describe_scaling_policies(ServiceNamespace="ecs", PolicyNames=["cpu"],
                                              ResourceId=target["ResourceId"])["ScalingPolicies"]
    assert [one["Alarms"] for one in shown] == [again["Alarms"]]
    scaling.delete_scaling_policy(**target, PolicyName="cpu")
    assert alarms(cloudwatch, [again["Alarms"][0]["AlarmName"]]) == {}
    with refused("ObjectNotFoundException", "No scaling policy found for service namespace: ecs"):
        scaling.delete_scaling_policy(**target, PolicyName="cpu")


def test_a_tracking_policy_of_gpus(scaling, cloudwatch, target):
    """Metric types of Stoker's own."""
    def alarm_of(metric):
        policy = put_tracking(scaling, target, PredefinedMetricSpecification={"PredefinedMetricType": metric})
        name = policy["Alarms"][0]["AlarmName"]
        return alarms(cloudwatch, [name])[name]

    alarm = alarm_of("ECSServiceAverageGPUUtilization")
    assert (alarm["Namespace"], alarm["MetricName"]) == ("ECS/ContainerInsights/Prometheus", "DCGM_FI_DEV_GPU_UTIL")
    assert {one["Name"] for one in alarm["Dimensions"]} == {"ClusterName", "ServiceName"}
    metrics = alarm_of("ECSServiceAverageGPUMemoryUtilization")["Metrics"]
    assert [one["MetricStat"]["Metric"]["MetricName"] for one in metrics if "MetricStat" in one] == [
        "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"]
    assert [one["Expression"] for one in metrics if one["ReturnData"]] == ["100 * used / (used + free)"]


def test_metric_math(scaling, cloudwatch, target):
    if "Metrics" not in scaling.meta.service_model.shape_for("CustomizedMetricSpecification").members:
        pytest.skip("this client is too old")
    metrics = [
        {"Id": "depth", "MetricStat": {"Metric": {"Namespace": "Jobs", "MetricName": "Depth"}, "Stat": "Sum"},
         "ReturnData": False},
        {"Id": "half", "Expression": "depth / 2", "ReturnData": True},
    ]
    policy = scaling.put_scaling_policy(
        **target, PolicyName="math", PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={
            "TargetValue": 10.0, "CustomizedMetricSpecification": {"Metrics": metrics}})
    name = policy["Alarms"][0]["AlarmName"]
    assert [one["Id"] for one in alarms(cloudwatch, [name])[name]["Metrics"]] == ["depth", "half"]


def test_a_queue_of_alarms_scales_from_zero_and_back(scaling, cloudwatch, target, desired):
    """One policy for ALARM (empty) and OK (not empty), as in Amazon's guide."""
    policy = scaling.put_scaling_policy(
        **target, PolicyName="queue", PolicyType="StepScaling",
        StepScalingPolicyConfiguration={"AdjustmentType": "ExactCapacity", "StepAdjustments": QUEUE_STEPS, "Cooldown": 0})
    alarm = policy["PolicyARN"].split(":")[6]
    cloudwatch.put_metric_alarm(
        AlarmName=alarm, Namespace="Jobs", MetricName=alarm, Statistic="Average", Period=60, EvaluationPeriods=1,
        Threshold=0, ComparisonOperator="LessThanOrEqualToThreshold", AlarmActions=[policy["PolicyARN"]],
        OKActions=[policy["PolicyARN"]])
    try:
        data = lambda value: json.dumps({"recentDatapoints": [value]})
        for state, value, count in (("OK", 7, 1), ("ALARM", 0, 0), ("OK", 500, 2)):
            cloudwatch.set_alarm_state(AlarmName=alarm, StateValue=state, StateReason="test", StateReasonData=data(value))
            eventually(lambda: desired() == count or None)
        causes = [one["Cause"] for one in scaling.describe_scaling_activities(**target)["ScalingActivities"]]
        assert causes[0] == f"monitor alarm {alarm} in state OK triggered policy queue"
        shown = scaling.describe_scaling_policies(ServiceNamespace="ecs", ResourceId=target["ResourceId"])
        assert [one["AlarmName"] for one in shown["ScalingPolicies"][0]["Alarms"]] == [alarm]
    finally:
        cloudwatch.delete_alarms(AlarmNames=[alarm])


def test_invalid_policies_are_rejected(scaling, target):
    steps = dict(target, PolicyName="steps", PolicyType="StepScaling")
    with refused("ValidationException", "Adjustment type must be specified"):
        scaling.put_scaling_policy(**steps, StepScalingPolicyConfiguration={"StepAdjustments": QUEUE_STEPS})
    with refused("ValidationException", "There must be a step adjustment with an unspecified upper bound"):
        scaling.put_scaling_policy(**steps, StepScalingPolicyConfiguration={
            "AdjustmentType": "ChangeInCapacity", "StepAdjustments": QUEUE_STEPS[:2]})
    put_tracking(scaling, target)
    with refused("ValidationException", "Only one TargetTrackingScaling policy for a given metric specification"):
        put_tracking(scaling, target, name="other")
    scaling.deregister_scalable_target(**target)
    with refused("ObjectNotFoundException", "No scalable target registered for service namespace: ecs"):
        put_tracking(scaling, target)
