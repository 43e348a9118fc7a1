# SPDX-License-Identifier: Apache-2.0
import pytest

from support.events import Rule


@pytest.fixture(scope="session")
def events(connect):
    return connect("events")


@pytest.fixture
def make_rule(events):
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
