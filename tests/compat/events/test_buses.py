# SPDX-License-Identifier: Apache-2.0
"""Event buses, their rules, and who may send events to them."""
import json

import pytest

from support.events import Rule
from support.queues import refused, unique_name

PATTERN = {"source": ["shop"]}


def put(events, bus, detail):
    entry = {"Source": "shop", "DetailType": "order", "Detail": json.dumps(detail), "EventBusName": bus}
    answer = events.put_events(Entries=[entry])
    assert answer["FailedEntryCount"] == 0 and "EventId" in answer["Entries"][0]


def name_of(bus):
    return bus.split("/")[-1]


def test_a_bus_is_described_and_listed(events, make_bus, account):
    name = unique_name()
    bus = make_bus(Name=name, Tags=[{"Key": "team", "Value": "a"}])
    assert bus == f"arn:aws:events:us-east-1:{account}:event-bus/{name}"
    for text in (name, bus):
        shown = events.describe_event_bus(Name=text)
        assert shown["Name"] == name and shown["Arn"] == bus and "Policy" not in shown
    [listed] = events.list_event_buses(NamePrefix=name)["EventBuses"]
    assert listed["Name"] == name and listed["Arn"] == bus
    assert events.list_tags_for_resource(ResourceARN=bus)["Tags"] == [{"Key": "team", "Value": "a"}]
    events.tag_resource(ResourceARN=bus, Tags=[{"Key": "team", "Value": "b"}, {"Key": "x", "Value": ""}])
    events.untag_resource(ResourceARN=bus, TagKeys=["x"])
    assert events.list_tags_for_resource(ResourceARN=bus)["Tags"] == [{"Key": "team", "Value": "b"}]


def test_buses_are_listed_in_pages(events, make_bus):
    prefix = unique_name()
    names = sorted(f"{prefix}-{i}" for i in range(3))
    for name in names:
        make_bus(Name=name)
    first = events.list_event_buses(NamePrefix=prefix, Limit=2)
    rest = events.list_event_buses(NamePrefix=prefix, Limit=2, NextToken=first["NextToken"])
    assert [bus["Name"] for bus in first["EventBuses"] + rest["EventBuses"]] == names and "NextToken" not in rest


def test_invalid_buses_are_rejected(events, make_bus):
    name = name_of(make_bus())
    with refused("ResourceAlreadyExistsException", f"Event bus {name} already exists."):
        events.create_event_bus(Name=name)
    with refused("ResourceAlreadyExistsException", "Event bus default already exists."):
        events.create_event_bus(Name="default")
    with refused("ValidationException"):
        events.create_event_bus(Name="a/b")
    with refused("ValidationException", "Cannot delete event bus default."):
        events.delete_event_bus(Name="default")
    with refused("ResourceNotFoundException", "Event bus none does not exist."):
        events.put_rule(Name="r", EventPattern=json.dumps(PATTERN), EventBusName="none")
    events.delete_event_bus(Name=unique_name())


def test_a_bus_with_rules_is_not_deleted(events, make_bus, make_rule):
    name = name_of(make_bus())
    rule = make_rule(PATTERN, EventBusName=name)
    with refused("ValidationException", "EventBus can't be deleted since it has rules."):
        events.delete_event_bus(Name=name)
    rule.remove()
    events.delete_event_bus(Name=name)
    with refused("ResourceNotFoundException", f"Event bus {name} does not exist."):
        events.describe_event_bus(Name=name)


def test_rules_of_buses_are_apart(events, make_bus, make_rule, account):
    bus = make_bus()
    name = name_of(bus)
    rule = make_rule(PATTERN, EventBusName=name)
    assert rule.arn == f"arn:aws:events:us-east-1:{account}:rule/{name}/{rule.name}"
    assert events.describe_rule(Name=rule.name, EventBusName=bus)["EventBusName"] == name
    assert [one["Name"] for one in events.list_rules(EventBusName=name)["Rules"]] == [rule.name]
    assert events.list_rules(NamePrefix=rule.name)["Rules"] == []
    with refused("ResourceNotFoundException", f"Rule {rule.name} does not exist on EventBus default."):
        events.describe_rule(Name=rule.name)
    with refused("ResourceNotFoundException", f"Rule none does not exist on EventBus {name}."):
        events.describe_rule(Name="none", EventBusName=name)
    events.tag_resource(ResourceARN=rule.arn, Tags=[{"Key": "a", "Value": "b"}])
    assert events.list_tags_for_resource(ResourceARN=rule.arn)["Tags"] == [{"Key": "a", "Value": "b"}]
    events.put_rule(Name=rule.name, EventPattern=json.dumps({"source": ["other"]}))
    assert json.loads(events.describe_rule(Name=rule.name, EventBusName=name)["EventPattern"]) == PATTERN
    events.delete_rule(Name=rule.name)


@pytest.mark.parametrize("expression", ["rate(1 minute)", ""])
def test_schedules_are_for_the_default_bus(events, make_bus, expression):
    name = name_of(make_bus())
    with refused("ValidationException", "ScheduleExpression is supported only on the default event bus."):
        events.put_rule(Name="r", EventBusName=name, EventPattern=json.dumps(PATTERN), ScheduleExpression=expression)


def test_an_event_reaches_the_rules_of_its_bus(events, make_bus, make_rule, make_queue):
    bus, mine, others = make_bus(), make_queue(), make_queue()
    make_rule(PATTERN, EventBusName=name_of(bus)).target(mine)
    make_rule(PATTERN).target(others)
    put(events, name_of(bus), {"n": 1})
    put(events, bus, {"n": 2})
    assert sorted(json.loads(mine.receive_one()["Body"])["detail"]["n"] for _ in range(2)) == [1, 2]
    put(events, "default", {"n": 3})
    assert json.loads(others.receive_one()["Body"])["detail"] == {"n": 3}


def test_events_of_a_bus_that_does_not_exist_are_dropped(events):
    put(events, unique_name(), {"n": 1})


def test_a_bus_is_a_target(events, make_bus, make_rule, queue):
    bus = make_bus()
    make_rule(PATTERN, EventBusName=name_of(bus)).target(queue)
    rule = make_rule(PATTERN)
    events.put_targets(Rule=rule.name, Targets=[{"Id": "1", "Arn": bus}])
    put(events, "default", {"n": 1})
    assert json.loads(queue.receive_one()["Body"])["detail"] == {"n": 1}


def test_permissions_are_statements_of_the_policy(events, make_bus, account):
    bus = make_bus()
    name = name_of(bus)
    statement = {"EventBusName": name, "Action": "events:PutEvents", "StatementId": "friend"}
    events.put_permission(**statement, Principal="111111111111")
    policy = json.loads(events.describe_event_bus(Name=name)["Policy"])
    assert policy["Statement"] == [{
        "Sid": "friend", "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::111111111111:root"},
        "Action": "events:PutEvents", "Resource": bus}]
    with refused("ResourceNotFoundException"):
        events.remove_permission(EventBusName=name, StatementId="none")
    events.remove_permission(EventBusName=name, StatementId="friend")
    assert "Policy" not in events.describe_event_bus(Name=name)
    with refused("ResourceNotFoundException"):
        events.remove_permission(EventBusName=name, StatementId="friend")
    with refused("ValidationException"):
        events.put_permission(EventBusName=name, Policy="not JSON")
    events.put_permission(EventBusName=name, Policy=json.dumps(policy))
    events.remove_permission(EventBusName=name, RemoveAllPermissions=True)
    assert "Policy" not in events.describe_event_bus(Name=name)


def test_another_account_needs_a_permission(connect, events, other_key, make_bus, make_rule, queue):
    bus = make_bus()
    make_rule({"account": [other_key.account]}, EventBusName=name_of(bus)).target(queue)
    other = connect("events", other_key)
    with refused("AccessDeniedException", "no resource-based policy allows the events:PutEvents action"):
        put(other, bus, {"n": 1})
    events.put_permission(EventBusName=name_of(bus), Action="events:PutEvents", StatementId="s",
                          Principal=other_key.account)
    put(other, bus, {"n": 2})
    event = json.loads(queue.receive_one()["Body"])
    assert event["detail"] == {"n": 2} and event["account"] == other_key.account
    rule = Rule(other, PATTERN)
    other.put_targets(Rule=rule.name, Targets=[{"Id": "1", "Arn": bus}])
    put(other, "default", {"n": 3})
    rule.remove()
