# SPDX-License-Identifier: Apache-2.0
"""A server, agents, and tasks in Docker or as processes. Only GPUs are simulated."""
import pytest

from support import cluster


def pytest_generate_tests(metafunc):
    if "driver" in metafunc.fixturenames:
        metafunc.parametrize("driver", ["process", "docker"], indirect=True, scope="module")


@pytest.fixture(scope="module")
def driver(request):
    if request.param == "docker" and not cluster.docker_answers():
        pytest.skip("no Docker engine answers here")
    return request.param


@pytest.fixture
def fleet():
    with cluster.Cluster() as made:
        yield made
