# SPDX-License-Identifier: Apache-2.0
"""Events on their way from PutEvents to a queue."""
import json

from support.events import allow_rule
from support.queues import refused


def put(events, detail, source="shop", kind="order", **more):
    answer = events.put_events(
        Entries=[{"Source": source, "DetailType": kind, "Detail": json.dumps(detail), **more}]
    )
    assert answer["FailedEntryCount"] == 0, answer
    return answer["Entries"][0]["EventId"]


def test_a_matching_event_arrives_whole(events, make_rule, queue, account):
    make_rule({"source": ["shop"], "detail": {"total": [{"numeric": [">", 10]}]}}).target(queue)
    put(events, {"total": 5})
    event_id = put(events, {"total": 20}, Resources=["arn:x"])
    message = queue.receive_one(MessageAttributeNames=["All"])
    event = json.loads(message["Body"])
    assert message["Body"] == json.dumps(event, separators=(",", ":"))
    assert event.pop("time").endswith("Z")
    assert event == {
        "version": "0", "id": event_id, "detail-type": "order", "source": "shop", "account": account,
        "region": "us-east-1", "resources": ["arn:x"], "detail": {"total": 20},
    }
    assert "MessageAttributes" not in message


def test_a_disabled_rule_sends_nothing(events, make_rule, queue):
    rule = make_rule({"source": ["shop"]})
    rule.target(queue)
    events.disable_rule(Name=rule.name)
    put(events, {"n": 1})
    events.enable_rule(Name=rule.name)
    put(events, {"n": 2})
    assert json.loads(queue.receive_one()["Body"])["detail"] == {"n": 2}


def test_a_target_receives_a_part_or_a_text(events, make_rule, make_queue):
    part, text = make_queue(), make_queue()
    make_rule({"source": ["shop"]}).target(part, InputPath="$.detail.item")
    make_rule({"source": ["shop"]}).target(
        text, InputTransformer={"InputPathsMap": {"n": "$.detail.n", "id": "$.detail.item.id"},
                                "InputTemplate": '{"text": "<n> of <id>", "id": <id>}'})
    put(events, {"n": 3, "item": {"id": "x7"}})
    assert part.receive_one()["Body"] == '{"id":"x7"}'
    assert text.receive_one()["Body"] == '{"text": "3 of x7", "id": "x7"}'


def test_a_fifo_queue_gets_its_group(events, make_rule, make_queue):
    queue = make_queue({"ContentBasedDeduplication": "true"}, fifo=True)
    make_rule({"source": ["shop"]}).target(queue, SqsParameters={"MessageGroupId": "g"})
    put(events, {"n": 1})
    assert queue.receive_one(AttributeNames=["All"])["Attributes"]["MessageGroupId"] == "g"


def test_what_a_queue_rejects_goes_to_the_dead_letters(events, make_rule, make_queue):
    queue, letters = make_queue(), make_queue()
    rule = make_rule({"source": ["shop"]})
    allow_rule(letters, rule.arn)
    rule.target(queue, allow=False, DeadLetterConfig={"Arn": letters.arn})
    put(events, {"n": 1})
    letter = letters.receive_one(MessageAttributeNames=["All"])
    assert json.loads(letter["Body"])["detail"] == {"n": 1}
    attributes = {name: value["StringValue"] for name, value in letter["MessageAttributes"].items()}
    assert attributes["RULE_ARN"] == rule.arn and attributes["TARGET_ARN"] == queue.arn
    assert attributes["ERROR_CODE"] == "NO_PERMISSIONS"


def test_invalid_entries_fail_alone(events):
    answer = events.put_events(Entries=[
        {"DetailType": "d", "Detail": "{}"},
        {"Source": "s", "DetailType": "d", "Detail": "["},
        {"Source": "s", "DetailType": "d", "Detail": "{}"},
        {"Source": "aws.ecs", "DetailType": "d", "Detail": "{}"},
    ])
    assert answer["FailedEntryCount"] == 3
    codes = [entry.get("ErrorCode") for entry in answer["Entries"]]
    assert codes == ["InvalidArgument", "MalformedDetail", None, "NotAuthorizedForSourceException"]
    assert answer["Entries"][0]["ErrorMessage"] == "Parameter Source is not valid. Reason: Source is a required argument."


def test_entries_are_limited_together(events):
    with refused("ValidationException", "Total size of the entries in the request is over the limit."):
        put(events, {"text": "x" * (256 << 10)})


def test_a_pattern_is_tested_without_a_rule(events):
    event = {"id": "1", "account": "1", "source": "shop", "time": "2026-11-16T00:00:00Z", "region": "us-east-1",
             "resources": [], "detail-type": "order", "detail": {"state": "open"}}

    def test(pattern):
        return events.test_event_pattern(EventPattern=json.dumps(pattern), Event=json.dumps(event))["Result"]

    assert test({"detail": {"state": [{"prefix": "op"}]}})
    assert not test({"detail": {"state": [{"anything-but": "open"}]}})
    with refused("InvalidEventPatternException", "Unrecognized match type begins"):
        test({"source": [{"begins": "s"}]})
