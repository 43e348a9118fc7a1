# SPDX-License-Identifier: Apache-2.0
"""Scheduled actions, with stock boto3."""
import datetime

import botocore.exceptions
import pytest

from support.queues import refused
from support.waiting import eventually


def later(**delta):
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**delta)


def actions_of(autoscaling, group, **more):
    return autoscaling.describe_scheduled_actions(AutoScalingGroupName=group, **more)["ScheduledUpdateGroupActions"]


def test_a_recurring_action_shows_its_next_run(autoscaling, make_group, account):
    group = make_group()
    autoscaling.put_scheduled_update_group_action(
        AutoScalingGroupName=group, ScheduledActionName="day", Recurrence="0 6 * * 1-5", TimeZone="Europe/Berlin",
        MinSize=1, MaxSize=2, DesiredCapacity=2,
    )
    (action,) = actions_of(autoscaling, group)
    assert action["ScheduledActionARN"].startswith(
        f"arn:aws:autoscaling:us-east-1:{account}:scheduledUpdateGroupAction:")
    assert action["Recurrence"] == "0 6 * * 1-5" and action["TimeZone"] == "Europe/Berlin"
    assert later() < action["StartTime"] < later(days=4) and action["StartTime"].minute == 0
    autoscaling.delete_scheduled_action(AutoScalingGroupName=group, ScheduledActionName="day")
    assert actions_of(autoscaling, group) == []
    with refused("ValidationError", "Scheduled action name not found"):
        autoscaling.delete_scheduled_action(AutoScalingGroupName=group, ScheduledActionName="day")


def put_soon(put):
    """put(a time in two seconds), again where a busy machine lets that pass first."""
    def attempt():
        try:
            return put(later(seconds=2))
        except botocore.exceptions.ClientError as error:
            assert "Given start time is in the past" in str(error), error
            return None

    eventually(attempt)


def test_an_action_runs_at_its_time(autoscaling, make_group, describe):
    group = make_group()
    autoscaling.suspend_processes(AutoScalingGroupName=group, ScalingProcesses=["Launch"])
    put_soon(lambda time: autoscaling.put_scheduled_update_group_action(
        AutoScalingGroupName=group, ScheduledActionName="now", StartTime=time, MaxSize=5, DesiredCapacity=3))
    eventually(lambda: describe(group)["DesiredCapacity"] == 3)
    assert describe(group)["MaxSize"] == 5 and actions_of(autoscaling, group) == []


@pytest.mark.parametrize(
    "request_, message",
    [
        (dict(Recurrence="0 6 * * *"), "At least one of max size, min size, or desired capacity must be specified"),
        (dict(MinSize=1), "Scheduled start time must be specified for non-recurrent future group action"),
        (dict(MinSize=1, Recurrence="cron(0 6 * * ? *)"), "Given recurrence string: cron(0 6 * * ? *) is invalid"),
        (dict(MinSize=1, StartTime=datetime.datetime(2020, 1, 1)), "Given start time is in the past"),
        (dict(DesiredCapacity=3, MaxSize=2, Recurrence="0 6 * * *"),
         "Desired capacity must be less than or equal to max size"),
    ],
)
def test_invalid_actions_are_rejected(autoscaling, make_group, request_, message):
    with refused("ValidationError", message):
        autoscaling.put_scheduled_update_group_action(
            AutoScalingGroupName=make_group(), ScheduledActionName="a", **request_)


def test_batches_report_failures(autoscaling, make_group):
    group = make_group()
    answer = autoscaling.batch_put_scheduled_update_group_action(
        AutoScalingGroupName=group,
        ScheduledUpdateGroupActions=[
            {"ScheduledActionName": "good", "Recurrence": "0 6 * * *", "MinSize": 1},
            {"ScheduledActionName": "bad"},
        ],
    )
    (failed,) = answer["FailedScheduledUpdateGroupActions"]
    assert failed["ScheduledActionName"] == "bad" and failed["ErrorCode"] == "ValidationError"
    answer = autoscaling.batch_delete_scheduled_action(
        AutoScalingGroupName=group, ScheduledActionNames=["good", "unknown"])
    assert [one["ScheduledActionName"] for one in answer["FailedScheduledActions"]] == ["unknown"]
    assert actions_of(autoscaling, group) == []
