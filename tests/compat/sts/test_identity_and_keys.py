# SPDX-License-Identifier: Apache-2.0
"""The caller's identity, session tokens, creating and deleting keys."""
import datetime
import re

import pytest

from support.queues import refused
from support.server import Key, create_key, run_stoker

OTHER = "210987654321"


def test_a_key_belongs_to_its_account(sts):
    identity = sts.get_caller_identity()
    assert len(identity["Account"]) == 12 and identity["Account"].isdigit()
    assert identity["Arn"].startswith(f"arn:aws:iam::{identity['Account']}:")
    assert identity["UserId"]


def test_a_key_of_another_account_has_that_account(connect, other_key):
    assert connect("sts", other_key).get_caller_identity()["Account"] == OTHER


def session(sts, **more):
    credentials = sts.get_session_token(**more)["Credentials"]
    assert credentials["Expiration"] > datetime.datetime.now(datetime.timezone.utc)
    return Key(credentials["AccessKeyId"], credentials["SecretAccessKey"], token=credentials["SessionToken"])


def test_session_credentials_belong_to_the_account(connect, sts, account):
    key = session(sts)
    assert key.id.startswith("ASIA")
    assert connect("sts", key).get_caller_identity()["Account"] == account


def test_a_session_sees_the_accounts_queues(connect, sts, queue):
    key = session(sts, DurationSeconds=900)
    assert connect("sqs", key).get_queue_url(QueueName=queue.name)["QueueUrl"] == queue.url


def test_a_sessions_credentials_need_their_token(connect, sts):
    key = session(sts)
    for token in (None, "wrong", key.token[:-4] + "AAAA"):
        for service in ("sts", "sqs"):
            client = connect(service, Key(key.id, key.secret, token=token))
            with refused("InvalidClientTokenId", "The security token included in the request is invalid"):
                client.get_caller_identity() if service == "sts" else client.list_queues()


def test_a_session_cannot_create_a_session(connect, sts):
    with refused("AccessDenied", "Cannot call GetSessionToken with session credentials"):
        connect("sts", session(sts)).get_session_token()


def assume(sts, account, name="role/path/worker", session_name="me@here", **more):
    return sts.assume_role(RoleArn=f"arn:aws:iam::{account}:{name}", RoleSessionName=session_name, **more)


def key_of(credentials):
    return Key(credentials["AccessKeyId"], credentials["SecretAccessKey"], token=credentials["SessionToken"])


def test_a_role_is_assumed(connect, server, account):
    """Not at Amazon, where root users may assume no roles, and roles have to exist."""
    answer = assume(connect("sts"), account)
    user = answer["AssumedRoleUser"]
    assert user["Arn"] == f"arn:aws:sts::{account}:assumed-role/worker/me@here"
    assert re.fullmatch("AROA[A-Z2-7]{17}:me@here", user["AssumedRoleId"])
    left = answer["Credentials"]["Expiration"] - datetime.datetime.now(datetime.timezone.utc)
    assert datetime.timedelta(minutes=50) < left <= datetime.timedelta(hours=1)
    assert answer["Credentials"]["AccessKeyId"].startswith("ASIA")
    client = connect("sts", key_of(answer["Credentials"]))
    identity = client.get_caller_identity()
    assert (identity["Account"], identity["Arn"]) == (account, user["Arn"])
    assert identity["UserId"] == user["AssumedRoleId"]
    assert assume(client, account)["AssumedRoleUser"] == user
    with refused("AccessDenied", "Cannot call GetSessionToken with session credentials"):
        client.get_session_token()


def test_a_role_sees_the_accounts_queues(connect, server, sts, account, queue):
    key = key_of(assume(sts, account)["Credentials"])
    assert connect("sqs", key).get_queue_url(QueueName=queue.name)["QueueUrl"] == queue.url


def test_a_role_of_another_account_is_not_assumed(sts, server):
    with refused("AccessDenied", f"is not authorized to perform: sts:AssumeRole on resource: arn:aws:iam::{OTHER}:role/x"):
        assume(sts, OTHER, "role/x")


def test_invalid_requests_for_a_role(connect, server, account):
    unchecked = connect("sts", checked=False)
    for arguments in (
        {"name": "user/worker-of-another-kind"},
        {"session_name": "x"},
        {"session_name": "a b"},
        {"DurationSeconds": 899},
        {"DurationSeconds": 43201},
    ):
        with refused("ValidationError"):
            assume(unchecked, account, **arguments)
    with refused("ValidationError", "Policy is not supported"):
        assume(unchecked, account, Policy="{}")
    chained = connect("sts", key_of(assume(unchecked, account, DurationSeconds=43200)["Credentials"]))
    with refused("ValidationError", "1 hour session limit for roles assumed by role chaining"):
        assume(chained, account, DurationSeconds=3601)


def test_a_role_ends_with_the_key_that_assumed_it(connect, server):
    key = create_key(server.data, OTHER)
    first = key_of(assume(connect("sts", key), OTHER)["Credentials"])
    second = connect("sts", key_of(assume(connect("sts", first), OTHER)["Credentials"]))
    assert second.get_caller_identity()["Account"] == OTHER
    assert run_stoker("key", "delete", "--data", server.data, key.id).returncode == 0
    with refused("InvalidClientTokenId", "The security token included in the request is invalid"):
        second.get_caller_identity()


@pytest.mark.parametrize("seconds", [899, 129601])
def test_a_session_lasts_15_minutes_to_36_hours(connect, seconds):
    with refused("ValidationError", "durationSeconds"):
        connect("sts", checked=False).get_session_token(DurationSeconds=seconds)


def test_an_unknown_key_is_rejected(connect):
    unknown = Key("AKIAABCDEFGHIJKLMNOP", "secret")
    with refused("InvalidClientTokenId", "The security token included in the request is invalid"):
        connect("sts", unknown).get_caller_identity()
    with refused("InvalidClientTokenId", "The security token included in the request is invalid"):
        connect("sqs", unknown).list_queues()


def test_a_wrong_secret_is_rejected(connect, server):
    wrong = Key(server.root_key.id, "wrong" * 8)
    for service, call in (("sts", "get_caller_identity"), ("sqs", "list_queues")):
        with refused("SignatureDoesNotMatch", "The request signature we calculated does not match"):
            getattr(connect(service, wrong), call)()


def test_a_deleted_key_stops_working_at_once(connect, server):
    key = create_key(server.data, OTHER)
    client = connect("sts", key)
    assert client.get_caller_identity()["Account"] == OTHER
    done = run_stoker("key", "delete", "--data", server.data, key.id)
    assert done.returncode == 0, done.stderr
    with refused("InvalidClientTokenId", "The security token included in the request is invalid"):
        client.get_caller_identity()


def test_an_imported_key_works(connect, server):
    lines = "# keys from elsewhere\nAKIAIMPORTEDKEY00001 an/imported+secret\n"
    done = run_stoker("key", "import", "--data", server.data, "--account", OTHER, text=lines)
    assert done.returncode == 0, done.stderr
    key = Key("AKIAIMPORTEDKEY00001", "an/imported+secret")
    assert connect("sts", key).get_caller_identity()["Account"] == OTHER
    listed = run_stoker("key", "list", "--data", server.data).stdout
    assert key.id in listed and key.secret not in listed


def test_the_root_key_cannot_be_deleted(server):
    done = run_stoker("key", "delete", "--data", server.data, server.root_key.id)
    assert done.returncode == 1
    assert "root key can't be deleted" in done.stderr
