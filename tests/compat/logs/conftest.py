# SPDX-License-Identifier: Apache-2.0
"""A client of Logs, and groups that are deleted when the test ends."""
import time

import pytest

from support.queues import unique_name


class Group:
    """A group with a stream "s"."""

    def __init__(self, client, name, **more):
        self.client, self.name = client, name
        client.create_log_group(logGroupName=name, **more)
        self.create_stream("s")

    def create_stream(self, name):
        self.client.create_log_stream(logGroupName=self.name, logStreamName=name)

    def put(self, *messages, stream="s", start=None):
        """One event per message, a millisecond apart; -> the answer."""
        start = now() if start is None else start
        events = [{"timestamp": start + i, "message": message} for i, message in enumerate(messages)]
        return self.client.put_log_events(logGroupName=self.name, logStreamName=stream, logEvents=events)

    def filter(self, **more):
        """All pages of FilterLogEvents."""
        pages = self.client.get_paginator("filter_log_events").paginate(logGroupName=self.name, **more)
        return [event for page in pages for event in page["events"]]

    def messages(self, **more):
        return [event["message"] for event in self.filter(**more)]

    def get(self, stream="s", **more):
        return self.client.get_log_events(logGroupName=self.name, logStreamName=stream, **more)


def now():
    return int(time.time() * 1000)


@pytest.fixture(scope="session")
def logs(connect):
    return connect("logs")


@pytest.fixture
def make_group(logs):
    """make_group(member=...) -> a new group."""
    made = []

    def make(name=None, client=None, **more):
        group = Group(client or logs, name or unique_name(), **more)
        made.append(group)
        return group

    yield make
    for group in made:
        try:
            group.client.delete_log_group(logGroupName=group.name)
        except group.client.exceptions.ClientError:
            pass  # the test deleted it


@pytest.fixture
def group(make_group):
    return make_group()
