# SPDX-License-Identifier: Apache-2.0
"""Alarms: their errors, their states, their actions."""
import contextlib
import datetime
import json

import botocore.exceptions
import pytest

from support.queues import refused, unique_name
from support.waiting import ALARM_PATIENCE_SECONDS, eventually


@pytest.fixture(scope="session")
def alarms(connect):
    return connect("cloudwatch")


@pytest.fixture
def make_alarm(alarms):
    """make_alarm(**members) -> the name of a new alarm, deleted when the test ends."""
    made = []

    def make(composite=None, **members):
        name = members.pop("AlarmName", unique_name())
        if composite:
            alarms.put_composite_alarm(AlarmName=name, AlarmRule=composite, **members)
        else:
            alarms.put_metric_alarm(**definition(AlarmName=name, **members))
        made.insert(0, name)  # composite alarms before their children
        return name

    yield make
    for name in made:
        try:
            alarms.delete_alarms(AlarmNames=[name])
        except alarms.exceptions.ClientError:
            pass  # the test deleted it


def definition(**members):
    wanted = {
        "MetricName": "Depth",
        "Namespace": "compat-alarms",
        "Statistic": "Maximum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 5.0,
        "ComparisonOperator": "GreaterThanThreshold",
        **members,
    }
    return {key: value for key, value in wanted.items() if value is not None}


def alarm_of(alarms, name):
    answer = alarms.describe_alarms(AlarmNames=[name], AlarmTypes=["MetricAlarm", "CompositeAlarm"])
    return (answer["MetricAlarms"] + answer["CompositeAlarms"])[0]


@contextlib.contextmanager
def not_found():
    """Amazon's error has no message."""
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        yield
    assert caught.value.response["Error"]["Code"] == "ResourceNotFound"
    assert not caught.value.response["Error"].get("Message")


def wait_for_state(alarms, name, state):
    def look():
        alarm = alarm_of(alarms, name)
        return alarm if alarm["StateValue"] == state else None

    return eventually(look, ALARM_PATIENCE_SECONDS)


def put(alarms, namespace, value, minutes_ago=0):
    at = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=minutes_ago)
    alarms.put_metric_data(Namespace=namespace, MetricData=[{"MetricName": "Depth", "Timestamp": at, "Value": value}])


def test_a_new_alarm_is_described_as_it_was_put(alarms, account, make_alarm):
    name = make_alarm(Dimensions=[{"Name": "Queue", "Value": "q"}], TreatMissingData="ignore", Unit="Count")
    alarm = alarm_of(alarms, name)
    assert alarm["AlarmArn"] == f"arn:aws:cloudwatch:us-east-1:{account}:alarm:{name}"
    assert alarm["StateValue"] == "INSUFFICIENT_DATA"
    assert alarm["StateReason"] == "Unchecked: Initial alarm creation"
    assert alarm["OKActions"] == alarm["AlarmActions"] == alarm["InsufficientDataActions"] == []
    assert alarm["Dimensions"] == [{"Name": "Queue", "Value": "q"}]
    assert (alarm["Threshold"], alarm["Period"], alarm["Unit"]) == (5.0, 60, "Count")
    assert alarm["TreatMissingData"] == "ignore"
    assert "DatapointsToAlarm" not in alarm and "AlarmDescription" not in alarm
    assert alarm["ActionsEnabled"] is True


def test_an_alarm_fires_sends_its_message_and_records_it(alarms, sqs, account, make_alarm, make_queue):
    queue = make_queue()
    arn = sqs.get_queue_attributes(QueueUrl=queue.url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    policy = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": "cloudwatch.amazonaws.com"}, "Action": "sqs:*",
                       "Resource": arn}],
    }
    sqs.set_queue_attributes(QueueUrl=queue.url, Attributes={"Policy": json.dumps(policy)})
    namespace = unique_name()
    name = make_alarm(Namespace=namespace, AlarmActions=[arn], AlarmDescription="too deep")
    put(alarms, namespace, 10)
    alarm = wait_for_state(alarms, name, "ALARM")
    assert alarm["StateReason"].startswith("Threshold Crossed: 1 datapoint [10.0 (")
    assert alarm["StateReason"].endswith(")] was greater than the threshold (5.0).")
    assert json.loads(alarm["StateReasonData"])["recentDatapoints"] == [10.0]
    body = json.loads(queue.receive_one()["Body"])
    assert (body["AlarmName"], body["AlarmDescription"], body["AWSAccountId"]) == (name, "too deep", account)
    assert (body["OldStateValue"], body["NewStateValue"]) == ("INSUFFICIENT_DATA", "ALARM")
    assert body["Trigger"]["Statistic"] == "MAXIMUM"

    def executed():
        items = alarms.describe_alarm_history(AlarmName=name, HistoryItemType="Action")["AlarmHistoryItems"]
        return items or None

    (item,) = eventually(executed)
    assert item["HistorySummary"] == f"Successfully executed action {arn}"
    (update,) = alarms.describe_alarm_history(AlarmName=name, HistoryItemType="StateUpdate")["AlarmHistoryItems"]
    assert update["HistorySummary"] == "Alarm updated from INSUFFICIENT_DATA to ALARM"
    assert json.loads(update["HistoryData"])["newState"]["stateValue"] == "ALARM"


def test_points_of_the_past_decide_too(alarms, make_alarm):
    namespace = unique_name()
    # Before the alarm exists: with the first of them alone it would be in ALARM as well.
    for minutes_ago, value in ((3, 10), (2, 1), (1, 10)):
        put(alarms, namespace, value, minutes_ago)
    name = make_alarm(Namespace=namespace, EvaluationPeriods=3, DatapointsToAlarm=2)
    reason = wait_for_state(alarms, name, "ALARM")["StateReason"]
    assert reason.startswith("Threshold Crossed: 2 out of the last 3 datapoints [10.0 (")
    assert reason.endswith("(minimum 2 datapoints for OK -> ALARM transition).")


def test_metric_math_fires(alarms, make_alarm):
    namespace = unique_name()
    metric = {"Metric": {"Namespace": namespace, "MetricName": "Depth"}, "Period": 60, "Stat": "Average"}
    name = make_alarm(
        MetricName=None, Namespace=None, Statistic=None, Period=None, Threshold=15.0,
        Metrics=[
            {"Id": "m1", "MetricStat": metric, "ReturnData": False},
            {"Id": "e1", "Expression": "m1 * 2", "Label": "twice", "ReturnData": True},
        ],
    )
    put(alarms, namespace, 10)
    wait_for_state(alarms, name, "ALARM")


def test_composite_alarms_follow_their_children(alarms, make_alarm):
    child = make_alarm()
    parent = make_alarm(composite=f'ALARM("{child}") AND NOT FALSE')
    wait_for_state(alarms, parent, "OK")
    alarms.set_alarm_state(AlarmName=child, StateValue="ALARM", StateReason="a test")
    alarm = wait_for_state(alarms, parent, "ALARM")
    assert f":alarm:{child} transitioned to ALARM at " in alarm["StateReason"]
    children = alarms.describe_alarms(ChildrenOfAlarmName=parent)["MetricAlarms"]
    assert [one["AlarmName"] for one in children] == [child]
    with refused("ValidationError", "use it"):
        alarms.delete_alarms(AlarmNames=[child])


def test_an_action_without_a_target_is_accepted_and_fails(alarms, account, make_alarm):
    topic = f"arn:aws:sns:us-east-1:{account}:no-such-topic"
    name = make_alarm(AlarmActions=[topic])
    assert alarm_of(alarms, name)["AlarmActions"] == [topic]
    alarms.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="a test")

    def failed():
        return alarms.describe_alarm_history(AlarmName=name, HistoryItemType="Action")["AlarmHistoryItems"] or None

    (item,) = eventually(failed)
    assert item["HistorySummary"].startswith(f"Failed to execute action {topic}. Received error: ")


def test_states_are_set_by_hand(alarms, make_alarm):
    name = make_alarm()
    alarms.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="a test", StateReasonData='{"a": 1}')
    alarm = alarm_of(alarms, name)
    assert (alarm["StateValue"], alarm["StateReason"], alarm["StateReasonData"]) == ("OK", "a test", '{"a": 1}')
    with not_found():
        alarms.set_alarm_state(AlarmName="no such alarm", StateValue="OK", StateReason="x")
    with refused("ValidationError", "Value 'INVALID' at 'stateValue' failed to satisfy constraint: Member must satisfy"
                                    " enum value set: [INSUFFICIENT_DATA, ALARM, OK]"):
        alarms.set_alarm_state(AlarmName=name, StateValue="INVALID", StateReason="x")


def test_lists_are_filtered_and_paged(alarms, make_alarm):
    prefix = unique_name()
    names = sorted(make_alarm(AlarmName=f"{prefix}-{i}") for i in range(5))
    found = []
    for page in alarms.get_paginator("describe_alarms").paginate(
        AlarmNamePrefix=prefix, PaginationConfig={"PageSize": 2}
    ):
        found.append([one["AlarmName"] for one in page["MetricAlarms"]])
        assert page["CompositeAlarms"] == []
    assert found == [names[:2], names[2:4], names[4:]]
    alarms.set_alarm_state(AlarmName=names[3], StateValue="ALARM", StateReason="x")
    states = alarms.describe_alarms(AlarmNamePrefix=prefix, StateValue="ALARM")["MetricAlarms"]
    assert [one["AlarmName"] for one in states] == [names[3]]


def test_actions_are_disabled_and_enabled(alarms, make_alarm):
    name = make_alarm()
    alarms.disable_alarm_actions(AlarmNames=[name])
    assert alarm_of(alarms, name)["ActionsEnabled"] is False
    alarms.enable_alarm_actions(AlarmNames=[name])
    assert alarm_of(alarms, name)["ActionsEnabled"] is True


def test_alarms_of_a_metric_are_found(alarms, make_alarm):
    namespace = unique_name()
    name = make_alarm(Namespace=namespace)
    make_alarm()
    found = alarms.describe_alarms_for_metric(Namespace=namespace, MetricName="Depth")["MetricAlarms"]
    assert [one["AlarmName"] for one in found] == [name]
    other = alarms.describe_alarms_for_metric(Namespace=namespace, MetricName="Depth", Statistic="Sum")
    assert other["MetricAlarms"] == []


def test_tags(alarms, make_alarm):
    name = make_alarm(Tags=[{"Key": "team", "Value": "ml"}])
    arn = alarm_of(alarms, name)["AlarmArn"]
    alarms.tag_resource(ResourceARN=arn, Tags=[{"Key": "stage", "Value": "test"}])
    alarms.untag_resource(ResourceARN=arn, TagKeys=["team"])
    assert alarms.list_tags_for_resource(ResourceARN=arn)["Tags"] == [{"Key": "stage", "Value": "test"}]
    alarms.delete_alarms(AlarmNames=[name])
    assert alarms.list_tags_for_resource(ResourceARN=arn)["Tags"] == []
    with refused("ResourceNotFoundException"):
        alarms.tag_resource(ResourceARN=arn, Tags=[{"Key": "a", "Value": "b"}])


@pytest.mark.parametrize(
    "change, message",
    [
        ({"Period": 45}, "Period must be 10, 20, 30 or a multiple of 60"),
        ({"DatapointsToAlarm": 2}, "DatapointsToAlarm must be less than or equal to EvaluationPeriods"),
        ({"MetricName": None}, "MetricName must not be null"),
        ({"Threshold": None}, "PutMetricAlarm request should have valid Threshold parameter"),
        ({"AlarmActions": ["arn:aws:s3:::bucket"]}, "Unsupported AWS vendor s3"),
        ({"Namespace": "Größe"}, "Namespace must not contain Non-ASCII characters."),
        ({"AlarmActions": ["arn:aws:sqs:us-east-1:111111111111:q"] * 6},
         "failed to satisfy constraint: Member must have length less than or equal to 5"),
        ({"ComparisonOperator": "GreaterThanUpperThreshold"},
         "ComparisonOperators for ranges require ThresholdMetricId to be set"),
    ],
)
def test_invalid_alarms_are_rejected(alarms, change, message):
    with refused("ValidationError", message):
        alarms.put_metric_alarm(**definition(AlarmName="invalid", **change))


def test_invalid_rules_are_rejected(alarms):
    with refused("ValidationError", "Error in AlarmRule [Unsupported token 'GARBAGE' at char 0, must be: '(', 'NOT', "):
        alarms.put_composite_alarm(AlarmName="invalid", AlarmRule="GARBAGE")
    with refused("ValidationError", ":alarm:absent] in the alarm rule do not exist"):
        alarms.put_composite_alarm(AlarmName="invalid", AlarmRule="ALARM(absent)")


def test_alarms_are_deleted_although_other_names_are_wrong(alarms, make_alarm):
    name = make_alarm()
    alarms.delete_alarms(AlarmNames=["no such alarm", name])
    assert alarms.describe_alarms(AlarmNames=[name])["MetricAlarms"] == []
    with not_found():
        alarms.delete_alarms(AlarmNames=[name])


def test_alarms_belong_to_their_account(connect, other_key, alarms, make_alarm):
    name = make_alarm()
    other = connect("cloudwatch", other_key)
    assert other.describe_alarms(AlarmNames=[name])["MetricAlarms"] == []
    with not_found():
        other.delete_alarms(AlarmNames=[name])
