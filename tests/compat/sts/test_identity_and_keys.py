# SPDX-License-Identifier: Apache-2.0
"""The caller's identity, session tokens, creating and deleting keys."""
import datetime

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
