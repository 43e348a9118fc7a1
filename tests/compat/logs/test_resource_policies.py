# SPDX-License-Identifier: Apache-2.0
"""Resource policies, and the service that they admit: EventBridge, with a log group as target."""
import json

import pytest

from support.events import allow_rule
from support.queues import refused, unique_name
from support.waiting import eventually


def document(actions=("logs:CreateLogStream", "logs:PutLogEvents"), resource="*"):
    statement = {"Sid": "events", "Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"},
                 "Action": list(actions), "Resource": resource}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


@pytest.fixture
def policy(logs):
    name = unique_name()
    yield name
    try:
        logs.delete_resource_policy(policyName=name)
    except logs.exceptions.ResourceNotFoundException:
        pass  # the test deleted it


def described(logs):
    return {one["policyName"]: one for one in logs.describe_resource_policies()["resourcePolicies"]}


def test_a_policy_is_put_replaced_and_deleted(logs, policy):
    made = logs.put_resource_policy(policyName=policy, policyDocument=document())["resourcePolicy"]
    assert made["policyName"] == policy and made["policyDocument"] == document() and made["lastUpdatedTime"] > 0
    other = document(["logs:PutLogEvents"])
    logs.put_resource_policy(policyName=policy, policyDocument=other)
    assert described(logs)[policy]["policyDocument"] == other
    logs.delete_resource_policy(policyName=policy)
    assert policy not in described(logs)
    with refused("ResourceNotFoundException", f"Policy with name [{policy}] does not exist."):
        logs.delete_resource_policy(policyName=policy)


def test_an_account_has_ten_policies(logs):
    prefix = unique_name()
    names = [f"{prefix}-{i}" for i in range(10 - len(described(logs)))]
    for name in names:
        logs.put_resource_policy(policyName=name, policyDocument=document())
    with refused("LimitExceededException", "Resource limit exceeded."):
        logs.put_resource_policy(policyName=prefix, policyDocument=document())
    logs.put_resource_policy(policyName=names[0], policyDocument=document(["logs:*"]))
    first = logs.describe_resource_policies(limit=4)
    assert len(first["resourcePolicies"]) == 4 and first["nextToken"]
    for name in names:
        logs.delete_resource_policy(policyName=name)


def test_an_invalid_document_is_rejected(logs, policy):
    with refused("InvalidParameterException"):
        logs.put_resource_policy(policyName=policy, policyDocument="not JSON")
    with refused("InvalidParameterException"):
        logs.put_resource_policy(policyName=policy, policyDocument="{}")


def test_events_are_written_to_a_log_group(connect, logs, make_group, policy, account):
    events, group, source = connect("events"), make_group().name, unique_name()
    rule = {"Name": unique_name(), "EventPattern": json.dumps({"source": [source]})}
    events.put_rule(**rule)
    arn = f"arn:aws:logs:us-east-1:{account}:log-group:{group}"
    assert events.put_targets(Rule=rule["Name"], Targets=[{"Id": "1", "Arn": arn}])["FailedEntryCount"] == 0
    logs.put_resource_policy(policyName=policy, policyDocument=document(resource=f"{arn}:*"))

    def arrived():
        entry = {"Source": source, "DetailType": "order", "Detail": '{"n": 1}'}
        events.put_events(Entries=[entry])
        return logs.filter_log_events(logGroupName=group)["events"]

    [event, *_] = eventually(arrived)
    assert json.loads(event["message"])["detail"] == {"n": 1}
    events.remove_targets(Rule=rule["Name"], Ids=["1"])
    events.delete_rule(Name=rule["Name"])


def test_without_a_policy_the_dead_letters_have_the_reason(server, connect, make_group, make_queue, account):
    events, group, letters, source = connect("events"), make_group().name, make_queue(), unique_name()
    name = unique_name()
    rule = events.put_rule(Name=name, EventPattern=json.dumps({"source": [source]}))["RuleArn"]
    allow_rule(letters, rule)
    target = {"Id": "1", "Arn": f"arn:aws:logs:us-east-1:{account}:log-group:{group}:*",
              "DeadLetterConfig": {"Arn": letters.arn}}
    events.put_targets(Rule=name, Targets=[target])
    events.put_events(Entries=[{"Source": source, "DetailType": "order", "Detail": "{}"}])
    letter = letters.receive_one(MessageAttributeNames=["All"])
    assert letter["MessageAttributes"]["ERROR_CODE"]["StringValue"] == "NO_PERMISSIONS"
    events.remove_targets(Rule=name, Ids=["1"])
    events.delete_rule(Name=name)
