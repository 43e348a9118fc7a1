# SPDX-License-Identifier: Apache-2.0
"""Short forms of boto3's EventBridge calls, for one rule."""
import json

from support.queues import unique_name


def allow_rule(queue, rule_arn):
    """Lets the rule send to the queue."""
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": queue.arn,
        "Condition": {"ArnEquals": {"aws:SourceArn": rule_arn}},
    }
    queue.set(Policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))


class Rule:
    """Of the bus `EventBusName`; absent: the default bus."""

    def __init__(self, client, pattern, EventBusName="default", **more):
        self.client, self.name, self.bus = client, unique_name(), {"EventBusName": EventBusName}
        self.arn = client.put_rule(Name=self.name, EventPattern=json.dumps(pattern), **self.bus, **more)["RuleArn"]

    def target(self, queue, allow=True, **more):
        """Sends matching events to a queue."""
        if allow:
            allow_rule(queue, self.arn)
        answer = self.client.put_targets(Rule=self.name, **self.bus, Targets=[{"Id": "1", "Arn": queue.arn, **more}])
        assert answer["FailedEntryCount"] == 0

    def remove(self):
        ids = [target["Id"] for target in self.client.list_targets_by_rule(Rule=self.name, **self.bus)["Targets"]]
        if ids:
            self.client.remove_targets(Rule=self.name, **self.bus, Ids=ids)
        self.client.delete_rule(Name=self.name, **self.bus)
