# SPDX-License-Identifier: Apache-2.0
"""Webhooks as targets of rules, an extension."""
import json

from support.queues import refused
from support.waiting import PATIENCE_SECONDS
from support.webhooks import receiver, verified, webhook  # noqa: F401


def test_a_webhook_receives_what_a_queue_would(events, make_rule, receiver, webhook):  # noqa: F811
    rule = make_rule({"source": ["shop"]})
    events.put_targets(Rule=rule.name, Targets=[{"Id": "1", "Arn": webhook["arn"], "InputPath": "$.detail"}])
    events.put_events(Entries=[{"Source": "shop", "DetailType": "order", "Detail": '{"n": 1}'}])
    headers, body = receiver.received.get(timeout=PATIENCE_SECONDS)
    assert verified(webhook, headers, body) and json.loads(body) == {"n": 1}


def test_settings_of_queues_are_rejected(events, make_rule, receiver, webhook):  # noqa: F811
    rule = make_rule({"source": ["shop"]})
    with refused("ValidationException", "Stoker does not support SqsParameters of a webhook"):
        target = {"Id": "1", "Arn": webhook["arn"], "SqsParameters": {"MessageGroupId": "g"}}
        events.put_targets(Rule=rule.name, Targets=[target])
