# SPDX-License-Identifier: Apache-2.0
"""Sessions as SSM shows them. tests/e2e/test_exec.py has sessions that run."""
import botocore.exceptions
import pytest

from support.queues import refused


@pytest.fixture(scope="module")
def ssm(connect):
    return connect("ssm")


def test_an_unknown_session_does_not_exist(ssm):
    with refused("DoesNotExistException"):
        ssm.resume_session(SessionId="ecs-execute-command-0123456789abcdefghijklmnop")


def test_there_are_no_sessions(ssm):
    assert ssm.describe_sessions(State="Active", Filters=[{"key": "Target", "value": "ecs:a_b_c"}])["Sessions"] == []
    assert ssm.describe_sessions(State="History", Filters=[{"key": "Target", "value": "ecs:a_b_c"}])["Sessions"] == []


def test_invalid_requests_are_named(ssm, connect):
    with pytest.raises(botocore.exceptions.ClientError, match="ValidationException"):
        connect("ssm", checked=False).describe_sessions(State="Odd")
    with refused("InvalidNextToken"):
        ssm.describe_sessions(State="Active", NextToken="odd")


def test_other_operations_are_named(ssm, server):
    with pytest.raises(botocore.exceptions.ClientError, match="does not support the operation GetParameter of Systems"):
        ssm.get_parameter(Name="/aws/service/ecs/optimized-ami/amazon-linux-2/recommended")
