# SPDX-License-Identifier: Apache-2.0
"""Our own metric type SQSBacklogPerTask: a queue fills, tasks are requested."""
from support.waiting import ALARM_PATIENCE_SECONDS, eventually


def test_messages_start_tasks(server, connect, target, desired, make_queue):
    queue = make_queue()
    name = queue.url.rsplit("/", 1)[1]
    scaling = connect("application-autoscaling", checked=False)
    metric = {"PredefinedMetricType": "SQSBacklogPerTask", "ResourceLabel": name}
    policy = scaling.put_scaling_policy(
        **target, PolicyName="backlog", PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={"TargetValue": 10.0, "PredefinedMetricSpecification": metric})
    assert len(policy["Alarms"]) == 2
    assert desired() == 0
    queue.send("job")
    eventually(lambda: desired() >= 1 or None, ALARM_PATIENCE_SECONDS)
    activities = scaling.describe_scaling_activities(**target)["ScalingActivities"]
    assert activities[-1]["Description"] == "Setting desired count to 1."
    assert "AlarmHigh" in activities[-1]["Cause"]
