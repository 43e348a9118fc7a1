# SPDX-License-Identifier: Apache-2.0
"""CloudWatch's clients, and a namespace for each test."""
import datetime

import pytest

from support.queues import unique_name


@pytest.fixture(scope="session")
def cloudwatch(connect):
    return connect("cloudwatch")


@pytest.fixture
def namespace():
    """Metrics can't be deleted, so each test has its own namespace."""
    return unique_name()


@pytest.fixture
def minute():
    """The start of a minute, a few minutes ago: whatever the test takes, it is in the past and within three hours."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return now.replace(second=0, microsecond=0) - datetime.timedelta(minutes=10)
