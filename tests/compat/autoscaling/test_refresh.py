# SPDX-License-Identifier: Apache-2.0
"""Instance refreshes of groups without instances, with stock boto3."""
import pytest

from support.queues import refused
from support.waiting import eventually


def refresh_of(autoscaling, group):
    return autoscaling.describe_instance_refreshes(AutoScalingGroupName=group)["InstanceRefreshes"][0]


def test_a_refresh_of_an_empty_group_succeeds(autoscaling, make_group):
    group = make_group()
    id_ = autoscaling.start_instance_refresh(AutoScalingGroupName=group)["InstanceRefreshId"]
    eventually(lambda: refresh_of(autoscaling, group)["Status"] == "Successful")
    shown = refresh_of(autoscaling, group)
    assert shown["InstanceRefreshId"] == id_ and shown["PercentageComplete"] == 100 and "EndTime" in shown
    assert shown["Preferences"]["MinHealthyPercentage"] == 90 and shown["Preferences"]["SkipMatching"] is False
    with pytest.raises(autoscaling.exceptions.ActiveInstanceRefreshNotFoundFault):
        autoscaling.cancel_instance_refresh(AutoScalingGroupName=group)


def test_a_second_refresh_is_rejected_and_the_first_cancelled(autoscaling, make_group):
    group = make_group()
    autoscaling.suspend_processes(AutoScalingGroupName=group, ScalingProcesses=["InstanceRefresh"])
    autoscaling.start_instance_refresh(AutoScalingGroupName=group)
    with pytest.raises(autoscaling.exceptions.InstanceRefreshInProgressFault):
        autoscaling.start_instance_refresh(AutoScalingGroupName=group)
    autoscaling.cancel_instance_refresh(AutoScalingGroupName=group)
    eventually(lambda: refresh_of(autoscaling, group)["Status"] == "Cancelled")


def test_invalid_preferences_are_rejected(autoscaling, make_group):
    group = make_group()
    known = autoscaling.meta.service_model.shape_for("RefreshPreferences").members
    for preferences in [
        {"CheckpointDelay": 5},
        {"CheckpointPercentages": [50, 20]},
        {"AutoRollback": True},
    ]:
        if not set(preferences) <= set(known):
            continue
        with refused("ValidationError"):
            autoscaling.start_instance_refresh(AutoScalingGroupName=group, Preferences=preferences)
