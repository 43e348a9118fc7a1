# SPDX-License-Identifier: Apache-2.0
"""Scalable targets, their bounds, tags and scheduled actions."""
import datetime

from support.queues import refused
from support.waiting import eventually


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def described(scaling, target):
    found = scaling.describe_scalable_targets(ServiceNamespace="ecs", ResourceIds=[target["ResourceId"]])
    return found["ScalableTargets"]


def test_a_target_is_registered_changed_and_removed(scaling, target, account):
    shown = described(scaling, target)[0]
    assert (shown["MinCapacity"], shown["MaxCapacity"]) == (0, 4)
    assert shown["RoleARN"].endswith("/AWSServiceRoleForApplicationAutoScaling_ECSService")
    assert shown["SuspendedState"] == {"DynamicScalingInSuspended": False, "DynamicScalingOutSuspended": False,
                                       "ScheduledScalingSuspended": False}
    scaling.register_scalable_target(**target, MaxCapacity=6, SuspendedState={"DynamicScalingInSuspended": True})
    shown = described(scaling, target)[0]
    assert (shown["MinCapacity"], shown["MaxCapacity"]) == (0, 6)
    assert shown["SuspendedState"]["DynamicScalingInSuspended"] is True
    scaling.deregister_scalable_target(**target)
    assert described(scaling, target) == []
    with refused("ObjectNotFoundException", "No scalable target found for service namespace: ecs"):
        scaling.deregister_scalable_target(**target)


def test_registering_moves_the_desired_count_into_the_bounds(scaling, target, desired):
    scaling.register_scalable_target(**target, MinCapacity=2)
    assert desired() == 2
    activity = scaling.describe_scaling_activities(**target)["ScalingActivities"][0]
    assert activity["Description"] == "Setting desired count to 2."
    assert activity["Cause"] == "minimum capacity was set to 2"
    assert activity["StatusCode"] == "InProgress"


def test_invalid_targets_are_rejected(scaling, target):
    with refused("ValidationException", "Maximum capacity cannot be less than minimum capacity"):
        scaling.register_scalable_target(**target, MinCapacity=9)
    with refused("ValidationException", "ECS service doesn't exist: service/none/absent"):
        scaling.register_scalable_target(**dict(target, ResourceId="service/none/absent"), MinCapacity=0, MaxCapacity=1)
    with refused("ValidationException", "Unsupported service namespace, resource type or scalable dimension"):
        scaling.register_scalable_target(ServiceNamespace="dynamodb", ResourceId="table/t", MinCapacity=1,
                                         ScalableDimension="dynamodb:table:ReadCapacityUnits", MaxCapacity=2)


def test_lists_of_other_namespaces_are_empty(scaling):
    assert scaling.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"] == []
    assert scaling.describe_scaling_policies(ServiceNamespace="rds")["ScalingPolicies"] == []
    assert scaling.describe_scheduled_actions(ServiceNamespace="lambda")["ScheduledActions"] == []
    assert scaling.describe_scaling_activities(
        ServiceNamespace="dynamodb", ScalableDimension="dynamodb:table:ReadCapacityUnits")["ScalingActivities"] == []
    with refused("ValidationException", "Unsupported service namespace, resource type or scalable dimension"):
        scaling.describe_scalable_targets(ServiceNamespace="ecs", ScalableDimension="dynamodb:table:ReadCapacityUnits")


def test_a_scheduled_action_changes_the_bounds(scaling, target, desired):
    action = dict(target, ScheduledActionName="soon")
    with refused("ValidationException", "Invalid CRON expression"):
        scaling.put_scheduled_action(**action, Schedule="cron(0 10 * * * *)", ScalableTargetAction={"MinCapacity": 1})
    with refused("ValidationException", "ScalableTargetAction must be set"):
        scaling.put_scheduled_action(**action, Schedule="rate(1 minute)")

    def put_in_time():
        """A time that passes before the action is stored never comes."""
        time = now() + datetime.timedelta(seconds=5)
        scaling.put_scheduled_action(**action, Schedule=time.strftime("at(%Y-%m-%dT%H:%M:%S)"),
                                     ScalableTargetAction={"MinCapacity": 1, "MaxCapacity": 3})
        return now() < time.replace(microsecond=0)

    eventually(put_in_time)
    shown = scaling.describe_scheduled_actions(**target)["ScheduledActions"]
    assert [one["ScheduledActionName"] for one in shown] == ["soon"]
    eventually(lambda: desired() == 1 or None)
    texts = [one["Description"] for one in scaling.describe_scaling_activities(**target)["ScalingActivities"]]
    # The newest first: an action that is put again although it was in time runs twice.
    assert texts[-2:] == ["Setting desired count to 1.", "Setting min capacity to 1 and max capacity to 3"]
    scaling.delete_scheduled_action(**action)
    with refused("ObjectNotFoundException"):
        scaling.delete_scheduled_action(**action)


def test_lists_have_pages(scaling, target):
    for name in ("a", "b", "c"):
        scaling.put_scheduled_action(**target, ScheduledActionName=name, Schedule="rate(1 day)",
                                     ScalableTargetAction={"MinCapacity": 1})
    first = scaling.describe_scheduled_actions(**target, MaxResults=2)
    rest = scaling.describe_scheduled_actions(**target, MaxResults=2, NextToken=first["NextToken"])
    names = [one["ScheduledActionName"] for one in first["ScheduledActions"] + rest["ScheduledActions"]]
    assert names == ["a", "b", "c"]
    assert "NextToken" not in rest
    with refused("InvalidNextTokenException"):
        scaling.describe_scheduled_actions(**target, NextToken="x")
