# SPDX-License-Identifier: Apache-2.0
"""A machine that has to go while its task holds messages: the activity states how many, of which queue."""
from support.queues import Queue, unique_name
from support.scaling import ScalingCluster
from support.waiting import eventually

# It begins again after an error: boto3 gives a busy machine a few seconds for the credentials of its task.
WORKER = """
import boto3, os, time
held = 0
while held < 2:
    try:
        sqs = boto3.client("sqs", region_name="us-east-1", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
        answer = sqs.receive_message(QueueUrl=os.environ["QUEUE"], MaxNumberOfMessages=10, WaitTimeSeconds=20,
                                     VisibilityTimeout=8000)
        held += len(answer.get("Messages", []))
    except Exception as error:
        print(error, flush=True)
        time.sleep(1)
time.sleep(1000)
"""


def test_an_activity_names_the_messages_that_a_task_holds():
    with ScalingCluster() as fleet:
        queue = Queue(fleet.client("sqs"), unique_name())
        for body in ("one", "two"):
            queue.client.send_message(QueueUrl=queue.url, MessageBody=body)
        fleet.ecs.create_cluster(clusterName="default")
        fleet.create_group("gpu", least=0, most=1, DesiredCapacity=1)
        [instance] = fleet.wait_in_service("gpu", 1)
        fleet.wait_joined(instance)
        fleet.run(fleet.define(
            "", family="holder", entryPoint=["/usr/bin/python3", "-u", "-c"], command=[WORKER],
            environment=[{"name": "QUEUE", "value": queue.url}],
            task={"taskRoleArn": "arn:aws:iam::000000000000:role/worker"}))
        eventually(lambda: int(queue.attribute("ApproximateNumberOfMessagesNotVisible")) == 2)
        fleet.autoscaling.set_desired_capacity(AutoScalingGroupName="gpu", DesiredCapacity=0)
        fleet.wait_in_service("gpu", 0)
        activity = fleet.activities("gpu")[0]
        assert activity["StatusMessage"] == (
            "Tasks were running on the instance when it was selected for termination. They hold messages in flight: 2 of "
            f"{queue.name}.")
