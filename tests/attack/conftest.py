# SPDX-License-Identifier: Apache-2.0
"""Fixtures of all attacks. Those of one kind are in its own file."""
import pytest

from support.cluster import Cluster


@pytest.fixture
def fleet():
    with Cluster() as made:
        yield made
