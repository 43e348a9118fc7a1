# SPDX-License-Identifier: Apache-2.0
"""Rules and their targets."""
import json

import pytest

from support.queues import refused, unique_name

PATTERN = {"source": ["shop"]}


def test_a_rule_is_described_as_it_was_put(events, make_rule, account):
    rule = make_rule(PATTERN, Description="orders")
    shown = events.describe_rule(Name=rule.name)
    assert rule.arn == f"arn:aws:events:us-east-1:{account}:rule/{rule.name}"
    assert shown["Arn"] == rule.arn and shown["EventBusName"] == "default" and shown["State"] == "ENABLED"
    assert json.loads(shown["EventPattern"]) == PATTERN and shown["Description"] == "orders"


def test_putting_a_rule_again_replaces_all_but_its_targets(events, make_rule, queue):
    rule = make_rule(PATTERN, Description="orders")
    rule.target(queue)
    events.put_rule(Name=rule.name, EventPattern=json.dumps({"source": ["other"]}), State="DISABLED")
    shown = events.describe_rule(Name=rule.name)
    assert "Description" not in shown and shown["State"] == "DISABLED"
    assert [target["Arn"] for target in events.list_targets_by_rule(Rule=rule.name)["Targets"]] == [queue.arn]


def test_a_rule_is_disabled_and_enabled(events, make_rule):
    rule = make_rule(PATTERN)
    events.disable_rule(Name=rule.name)
    assert events.describe_rule(Name=rule.name)["State"] == "DISABLED"
    events.enable_rule(Name=rule.name)
    assert events.describe_rule(Name=rule.name)["State"] == "ENABLED"


def test_rules_are_listed_by_prefix_and_page(events):
    prefix = unique_name()
    names = [f"{prefix}-{i}" for i in range(3)]
    for name in names:
        events.put_rule(Name=name, EventPattern=json.dumps(PATTERN))
    first = events.list_rules(NamePrefix=prefix, Limit=2)
    rest = events.list_rules(NamePrefix=prefix, Limit=2, NextToken=first["NextToken"])
    assert [rule["Name"] for rule in first["Rules"] + rest["Rules"]] == names
    assert "NextToken" not in rest
    for name in names:
        events.delete_rule(Name=name)
    assert events.list_rules(NamePrefix=prefix)["Rules"] == []


def test_rules_are_found_by_their_target(events, make_rule, queue):
    rule = make_rule(PATTERN)
    rule.target(queue)
    assert events.list_rule_names_by_target(TargetArn=queue.arn)["RuleNames"] == [rule.name]


def test_a_rule_with_targets_is_not_deleted(events, make_rule, queue):
    rule = make_rule(PATTERN)
    rule.target(queue)
    with refused("ValidationException", "Rule can't be deleted since it has targets."):
        events.delete_rule(Name=rule.name)
    removed = events.remove_targets(Rule=rule.name, Ids=["1", "none"])
    assert [entry["TargetId"] for entry in removed["FailedEntries"]] == ["none"]
    events.delete_rule(Name=rule.name)
    events.delete_rule(Name=rule.name)
    with refused("ResourceNotFoundException", f"Rule {rule.name} does not exist on EventBus default."):
        events.describe_rule(Name=rule.name)


def test_invalid_rules_are_rejected(events):
    name = unique_name()
    with refused("ValidationException", "EventPattern or ScheduleExpression must be specified"):
        events.put_rule(Name=name)
    with refused("InvalidEventPatternException", '"source" must be an object or an array'):
        events.put_rule(Name=name, EventPattern='{"source": "shop"}')
    with refused("ValidationException", "[\\.\\-_A-Za-z0-9]+"):
        events.put_rule(Name="a b", EventPattern=json.dumps(PATTERN))
    with refused("ResourceNotFoundException", "Event bus other does not exist"):
        events.put_rule(Name=name, EventPattern=json.dumps(PATTERN), EventBusName="other")


def test_invalid_targets_are_rejected(events, make_rule, queue):
    rule = make_rule(PATTERN)
    with refused("ResourceNotFoundException", "Rule none does not exist on EventBus default."):
        events.put_targets(Rule="none", Targets=[{"Id": "1", "Arn": queue.arn}])
    with refused("ValidationException", "Provided Arn is not in correct format"):
        events.put_targets(Rule=rule.name, Targets=[{"Id": "1", "Arn": "queue"}])
    with refused("ValidationException", "SqsParameters must be specified for target: 1"):
        events.put_targets(Rule=rule.name, Targets=[{"Id": "1", "Arn": queue.arn + ".fifo"}])
    with refused("ValidationException", "Only one of Input, InputPath, or InputTransformer"):
        events.put_targets(Rule=rule.name, Targets=[{"Id": "1", "Arn": queue.arn, "Input": "{}", "InputPath": "$"}])
    with refused("ValidationException", "Value 'a b' at 'targets.1.member.id' failed to satisfy constraint"):
        events.put_targets(Rule=rule.name, Targets=[{"Id": "a b", "Arn": queue.arn}])
    with refused("LimitExceededException", "exceeds the maximum number allowed"):
        events.put_targets(Rule=rule.name, Targets=[{"Id": str(i), "Arn": queue.arn} for i in range(6)])
    assert events.list_targets_by_rule(Rule=rule.name)["Targets"] == []


@pytest.mark.parametrize("operation", ["list_archives", "list_connections", "list_replays"])
def test_what_stoker_does_not_have_is_named(server, events, operation):
    with refused("UnknownOperationException", "Stoker does not support the operation List"):
        getattr(events, operation)()


def test_the_default_bus_is_shown(events, account):
    bus = {"Name": "default", "Arn": f"arn:aws:events:us-east-1:{account}:event-bus/default"}
    for name in ({}, {"Name": "default"}, {"Name": bus["Arn"]}):
        shown = events.describe_event_bus(**name)
        assert {member: shown[member] for member in bus} == bus
    [listed] = events.list_event_buses(NamePrefix="def")["EventBuses"]
    assert {member: listed[member] for member in bus} == bus
    assert events.list_event_buses(NamePrefix=unique_name())["EventBuses"] == []
    with refused("ResourceNotFoundException", "does not exist"):
        events.describe_event_bus(Name=unique_name())


def test_what_a_target_can_not_be_is_named(server, events, make_rule, account):
    rule = make_rule(PATTERN)
    cluster = f"arn:aws:ecs:us-east-1:{account}:cluster/default"
    with refused("ValidationException", "Stoker does not support targets of this kind: " + cluster):
        events.put_targets(Rule=rule.name, Targets=[{"Id": "1", "Arn": cluster, "RoleArn": "arn:aws:iam::1:role/r"}])


def test_a_target_need_not_exist(events, make_rule, account):
    rule = make_rule(PATTERN)
    function = f"arn:aws:lambda:us-east-1:{account}:function:none"
    stream = f"arn:aws:kinesis:us-east-1:{account}:stream/none"
    targets = [{"Id": "f", "Arn": function, "Input": '{"a": 1}'},
               {"Id": "s", "Arn": stream, "RoleArn": f"arn:aws:iam::{account}:role/r",
                "KinesisParameters": {"PartitionKeyPath": "$.id"}}]
    answer = events.put_targets(Rule=rule.name, Targets=targets)
    assert answer["FailedEntryCount"] == 0 and answer["FailedEntries"] == []
    assert events.list_targets_by_rule(Rule=rule.name)["Targets"] == targets
    assert events.list_rule_names_by_target(TargetArn=function)["RuleNames"] == [rule.name]
    with refused("ValidationException", f"RoleArn is required for target {stream}."):
        events.put_targets(Rule=rule.name, Targets=[{"Id": "s", "Arn": stream}])


def test_a_rule_has_a_schedule(events):
    name = unique_name()
    events.put_rule(Name=name, ScheduleExpression="rate(5 minutes)", State="DISABLED", Description="often")
    shown = events.describe_rule(Name=name)
    assert shown["ScheduleExpression"] == "rate(5 minutes)" and shown["State"] == "DISABLED"
    assert "EventPattern" not in shown
    events.put_rule(Name=name, ScheduleExpression="cron(0 9 ? * MON-FRI *)", EventPattern=json.dumps(PATTERN))
    [listed] = events.list_rules(NamePrefix=name)["Rules"]
    assert listed["ScheduleExpression"] == "cron(0 9 ? * MON-FRI *)" and json.loads(listed["EventPattern"]) == PATTERN
    events.delete_rule(Name=name)


@pytest.mark.parametrize("expression", [
    "rate(1 minutes)", "rate(5 minute)", "rate(0 minutes)", "rate(5 seconds)", "5 minutes", "cron(* * * * *)",
    "cron(0 9 * * * *)", "cron(0 25 * * ? *)", "at(2030-01-01T00:00:00)"])
def test_invalid_schedules_are_rejected(events, expression):
    with refused("ValidationException", "Parameter ScheduleExpression is not valid."):
        events.put_rule(Name=unique_name(), ScheduleExpression=expression)


def test_tags_are_added_and_removed(events, make_rule):
    rule = make_rule(PATTERN, Tags=[{"Key": "team", "Value": "a"}])
    events.tag_resource(ResourceARN=rule.arn, Tags=[{"Key": "team", "Value": "b"}, {"Key": "x", "Value": ""}])
    events.untag_resource(ResourceARN=rule.arn, TagKeys=["x"])
    assert events.list_tags_for_resource(ResourceARN=rule.arn)["Tags"] == [{"Key": "team", "Value": "b"}]
