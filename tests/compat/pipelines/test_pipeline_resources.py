# SPDX-License-Identifier: Apache-2.0
"""A pipeline's resources, as stock clients see and change them."""
import json
import uuid

import pytest

from support.pipelines import Pipelines, Refused
from support.waiting import eventually

ECS = {"ServiceNamespace": "ecs"}


@pytest.fixture(scope="session")
def pipelines(server):
    return Pipelines(server.data)


@pytest.fixture
def clients(connect):
    names = ["s3", "sqs", "ecs", "cloudwatch", "logs", "application-autoscaling"]
    return {name: connect(name) for name in names}


@pytest.fixture
def name(pipelines):
    made = "p" + uuid.uuid4().hex[:12]
    yield made
    if made in pipelines.names():
        pipelines.delete(made, "--delete-data", "--yes")
    eventually(lambda: made not in pipelines.names())


def tags_of(pairs):
    return {one.get("Key", one.get("key")): one.get("Value", one.get("value")) for one in pairs}


def test_every_resource_is_visible_and_tagged(pipelines, clients, name, account):
    made = pipelines.create(name, "--max", "4", "--retention", "30d", "--retries", "4")
    pipeline, tag = made["pipeline"], {"stoker:pipeline": name}
    bucket, queue = f"stoker-{name}-{account}", f"stoker-{name}"
    assert pipeline["bucket"] == bucket

    s3 = clients["s3"]
    assert tags_of(s3.get_bucket_tagging(Bucket=bucket)["TagSet"]) == tag
    [notification] = s3.get_bucket_notification_configuration(Bucket=bucket)["QueueConfigurations"]
    assert notification["QueueArn"].endswith(":" + queue)
    assert notification["Filter"]["Key"]["FilterRules"] == [{"Name": "Prefix", "Value": "in/"}]
    rules = s3.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"]
    assert {rule["Filter"]["Prefix"]: rule["Expiration"]["Days"] for rule in rules} == {
        "in/": 30, "out/": 30, "errors/": 30}

    sqs = clients["sqs"]
    url = sqs.get_queue_url(QueueName=queue)["QueueUrl"]
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    redrive = json.loads(attributes["RedrivePolicy"])
    assert redrive["deadLetterTargetArn"].endswith(queue + "-failed") and int(redrive["maxReceiveCount"]) == 15
    [statement] = json.loads(attributes["Policy"])["Statement"]
    assert statement["Condition"]["ArnEquals"] == {"aws:SourceArn": f"arn:aws:s3:::{bucket}"}
    assert statement["Condition"]["StringEquals"] == {"aws:SourceAccount": account}
    for one in (queue, queue + "-failed"):
        assert sqs.list_queue_tags(QueueUrl=sqs.get_queue_url(QueueName=one)["QueueUrl"])["Tags"] == tag

    ecs = clients["ecs"]
    [service] = ecs.describe_services(services=[queue], include=["TAGS"])["services"]
    assert service["desiredCount"] == 0 and tags_of(service["tags"]) == tag
    described = ecs.describe_task_definition(taskDefinition=service["taskDefinition"], include=["TAGS"])
    [container] = described["taskDefinition"]["containerDefinitions"]
    assert tags_of(described["tags"]) == tag
    assert container["dockerLabels"] == {"stoker.worker": "1"}
    assert container["entryPoint"] == ["/stoker/stoker-work"]
    assert container["logConfiguration"]["options"]["awslogs-group"] == f"/stoker/pipelines/{name}"
    assert described["taskDefinition"]["taskRoleArn"] == f"arn:aws:iam::{account}:role/stoker-pipeline-{name}"

    [group] = clients["logs"].describe_log_groups(logGroupNamePrefix=f"/stoker/pipelines/{name}")["logGroups"]
    assert group["retentionInDays"] == 30
    scaling = clients["application-autoscaling"]
    resource = f"service/default/{queue}"
    [target] = scaling.describe_scalable_targets(**ECS, ResourceIds=[resource])["ScalableTargets"]
    assert (target["MinCapacity"], target["MaxCapacity"]) == (0, 4)
    policies = scaling.describe_scaling_policies(**ECS, ResourceId=resource)["ScalingPolicies"]
    assert {one["PolicyName"] for one in policies} == {queue + "-scale-out", queue + "-scale-in"}
    alarms = clients["cloudwatch"].describe_alarms(AlarmNamePrefix=queue)["MetricAlarms"]
    assert {one["AlarmName"] for one in alarms} == {
        f"{queue}-scale-out-1", f"{queue}-scale-out-2", f"{queue}-scale-out-4", f"{queue}-scale-in"}


def test_an_object_in_the_bucket_becomes_a_message(pipelines, clients, name):
    bucket = pipelines.create(name)["pipeline"]["bucket"]
    pipelines.run("pause", name)
    clients["s3"].put_object(Bucket=bucket, Key="in/a/b.png", Body=b"pixels")
    clients["s3"].put_object(Bucket=bucket, Key="elsewhere.png", Body=b"pixels")
    assert pipelines.show(name)["items"]["queued"] == 1


def test_drift_is_shown_and_repaired(pipelines, clients, name):
    spec = {"name": name, "max": 2}
    pipelines.apply(spec)
    assert pipelines.diff(spec) == (0, [])
    sqs, scaling = clients["sqs"], clients["application-autoscaling"]
    url = sqs.get_queue_url(QueueName="stoker-" + name)["QueueUrl"]
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "7"})
    scaling.register_scalable_target(**ECS, ResourceId=f"service/default/stoker-{name}", MaxCapacity=9,
                                     ScalableDimension="ecs:service:DesiredCount")
    status, changes = pipelines.diff(spec)
    assert status == 1
    assert {(one["field"], one["before"], one["after"]) for one in changes} == {
        ("VisibilityTimeout", "7", "120"), ("MaxCapacity", "9", "2")}
    assert pipelines.apply(spec)["changes"] == changes
    assert pipelines.diff(spec) == (0, [])
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])["Attributes"]
    assert attributes["VisibilityTimeout"] == "120"


def test_a_changed_worker_is_a_new_revision_of_the_service(pipelines, clients, name):
    pipelines.apply({"name": name, "image": "busybox", "exec": "cat {input}"})
    changes = pipelines.apply({"name": name, "image": "busybox", "exec": "wc {input}", "gpus": 1})["changes"]
    assert {one["field"] for one in changes} == {"command", "resourceRequirements"}
    [service] = clients["ecs"].describe_services(services=["stoker-" + name])["services"]
    assert service["taskDefinition"].endswith(f"stoker-{name}:2")


def test_a_worker_can_have_a_share_of_a_gpu(pipelines, clients, name):
    spec = {"name": name, "image": "model", "serve": "python3 /serve.py", "gpu_memory": 4096}
    pipelines.apply(spec)
    definition = clients["ecs"].describe_task_definition(taskDefinition=f"stoker-{name}")["taskDefinition"]
    [requirement] = definition["containerDefinitions"][0]["resourceRequirements"]
    assert requirement["type"] == "GPU" and "value" not in requirement  # older clients do not show the strategy
    assert pipelines.diff(spec) == (0, [])


def test_deleting_keeps_data_unless_told_otherwise(pipelines, clients, name):
    bucket = pipelines.create(name)["pipeline"]["bucket"]
    pipelines.run("pause", name)
    s3 = clients["s3"]
    s3.put_object(Bucket=bucket, Key="in/a.png", Body=b"pixels")
    assert pipelines.delete(name)["keptBucket"] == bucket
    assert [one["Key"] for one in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["in/a.png"]
    assert clients["cloudwatch"].describe_alarms(AlarmNamePrefix=f"stoker-{name}")["MetricAlarms"] == []
    with pytest.raises(clients["sqs"].exceptions.QueueDoesNotExist):
        clients["sqs"].get_queue_url(QueueName="stoker-" + name)
    ecs = clients["ecs"]
    eventually(lambda: ecs.describe_services(services=["stoker-" + name])["services"][0]["status"] == "INACTIVE")
    assert pipelines.create(name)["pipeline"]["bucket"] == bucket
    pipelines.delete(name, "--delete-data", "--yes")
    eventually(lambda: name not in pipelines.names())
    with pytest.raises(s3.exceptions.ClientError, match="404"):
        s3.head_bucket(Bucket=bucket)


def test_a_name_that_is_taken_is_an_error(pipelines, clients, name):
    clients["logs"].create_log_group(logGroupName=f"/stoker/pipelines/{name}")
    try:
        with pytest.raises(Refused, match="exists already and does not belong to the pipeline"):
            pipelines.create(name)
        assert name not in pipelines.names()
    finally:
        clients["logs"].delete_log_group(logGroupName=f"/stoker/pipelines/{name}")


def test_errors_of_a_spec_name_the_value(pipelines, name):
    with pytest.raises(Refused, match=r"max is 0, but must be 1 to 1000; timeout 'soon' is not a duration"):
        pipelines.create(name, "--max", "0", "--timeout", "soon")
    with pytest.raises(Refused, match=r"standard input:2: unknown key 'gpu'"):
        pipelines.run("apply", "-f", "-", text=f"name: {name}\ngpu: 1\n")
