# SPDX-License-Identifier: Apache-2.0
"""A client that puts an id into a dimension: it meets a named limit, and others go on."""
import json

import pytest

from support.raw import Caller, Connection
from support.server import Server

ACTIVE_SERIES = 200_000  # of an account; docs/compatibility.md
BATCH = 1000


def put(caller, connection, names):
    data = [{"MetricName": "m", "Value": 1, "Dimensions": [{"Name": "Request", "Value": name}]} for name in names]
    body = json.dumps({"Namespace": "Many", "MetricData": data}).encode()
    scope, target = caller.scope("monitoring"), "GraniteServiceVersion20100801"
    return connection.exchange(caller.json_bytes("PutMetricData", body, scope=scope, target=target))


@pytest.fixture
def fresh():
    server = Server().start()
    yield server
    server.remove()


def test_millions_of_dimensions_end_at_a_limit(fresh):
    caller = Caller(fresh)
    with Connection(caller.port) as connection:
        for first in range(0, ACTIVE_SERIES, BATCH):
            answer = put(caller, connection, (f"id-{i}" for i in range(first, first + BATCH)))
            assert answer.status == 200, answer
        refused = put(caller, connection, ["one-more"])
        assert refused.status == 400 and refused.code == "LimitExceededFault", refused
        assert "200000" in refused.message.replace(",", ""), refused
        assert put(caller, connection, ["id-0"]).status == 200  # a known series still gets points
    fresh.stop()
