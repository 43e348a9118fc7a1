# SPDX-License-Identifier: Apache-2.0
import pytest

from support.events import Rule
from support.queues import unique_name


@pytest.fixture(scope="session")
def events(connect):
    return connect("events")


@pytest.fixture
def make_bus(events):
    """make_bus(...) -> the ARN of a bus, which is deleted after the rules of the test."""
    made = []

    def make(**more):
        made.append(more.pop("Name", None) or unique_name())
        return events.create_event_bus(Name=made[-1], **more)["EventBusArn"]

    yield make
    for name in made:
        events.delete_event_bus(Name=name)


@pytest.fixture
def make_rule(events, make_bus):
    made = []

    def make(pattern, **more):
        made.append(Rule(events, pattern, **more))
        return made[-1]

    yield make
    for rule in made:
        try:
            rule.remove()
        except events.exceptions.ResourceNotFoundException:
            pass  # the test deleted it
