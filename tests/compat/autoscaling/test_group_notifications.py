# SPDX-License-Identifier: Apache-2.0
"""Notifications of groups. Their topics are SQS queues, which is Stoker's own."""
import json

from support.queues import refused


def received(queue):
    message = queue.receive_one()
    queue.delete(message)
    return json.loads(message["Body"])


def test_a_queue_gets_a_test_notification(autoscaling, make_group, queue):
    group = make_group()
    types = ["autoscaling:EC2_INSTANCE_LAUNCH", "autoscaling:EC2_INSTANCE_TERMINATE"]
    autoscaling.put_notification_configuration(AutoScalingGroupName=group, TopicARN=queue.arn, NotificationTypes=types)
    message = received(queue)
    assert message["Event"] == "autoscaling:TEST_NOTIFICATION" and message["AutoScalingGroupName"] == group
    shown = autoscaling.describe_notification_configurations(AutoScalingGroupNames=[group])
    assert sorted(one["NotificationType"] for one in shown["NotificationConfigurations"]) == types
    autoscaling.delete_notification_configuration(AutoScalingGroupName=group, TopicARN=queue.arn)
    shown = autoscaling.describe_notification_configurations(AutoScalingGroupNames=[group])
    assert shown["NotificationConfigurations"] == []


def test_topics_of_other_services_are_rejected(autoscaling, make_group, account):
    with refused("ValidationError", "does not support the service sns"):
        autoscaling.put_notification_configuration(
            AutoScalingGroupName=make_group(), TopicARN=f"arn:aws:sns:us-east-1:{account}:topic",
            NotificationTypes=["autoscaling:EC2_INSTANCE_LAUNCH"],
        )


def test_a_missing_queue_is_rejected(autoscaling, make_group, account):
    with refused("ValidationError", "Unable to publish test message to notification target"):
        autoscaling.put_notification_configuration(
            AutoScalingGroupName=make_group(), TopicARN=f"arn:aws:sqs:us-east-1:{account}:missing",
            NotificationTypes=["autoscaling:EC2_INSTANCE_LAUNCH"],
        )


def test_notification_types(autoscaling):
    types = autoscaling.describe_auto_scaling_notification_types()["AutoScalingNotificationTypes"]
    assert "autoscaling:EC2_INSTANCE_LAUNCH_ERROR" in types and len(types) == 5
