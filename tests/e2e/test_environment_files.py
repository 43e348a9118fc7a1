# SPDX-License-Identifier: Apache-2.0
"""Environment files in a bucket, which the agent reads before it creates the container."""
import boto3
import pytest

from support import cluster, server

BUCKET = "settings"
PREFIX = "ResourceInitializationError: failed to download env files: "


def arn(key, bucket=BUCKET):
    return {"type": "s3", "value": f"arn:aws:s3:::{bucket}/{key}"}


def s3_of(at):
    key = at.root_key
    return boto3.client(
        "s3",
        endpoint_url=at.endpoint,
        region_name=cluster.REGION,
        aws_access_key_id=key.id,
        aws_secret_access_key=key.secret,
    )


@pytest.fixture
def box(fleet, driver):
    fleet.add("box-" + driver, driver=driver)
    fleet.s3 = s3_of(fleet.server)
    fleet.s3.create_bucket(Bucket=BUCKET)
    return fleet


ROLE = {"executionRoleArn": "execution"}


def put(box, key, text):
    box.s3.put_object(Bucket=BUCKET, Key=key, Body=text.encode())


def output(box, task):
    done = box.wait_for(task, "STOPPED")
    assert done["stopCode"] == "EssentialContainerExited", done
    return box.logs(task)


def failure(box, definition, **more):
    task = box.wait_for(box.run(definition, **more), "STOPPED")
    assert task["stopCode"] == "TaskFailedToStart"
    assert task["stoppedReason"].startswith(PREFIX)
    assert "exitCode" not in task["containers"][0]
    return task["stoppedReason"]


def test_a_container_has_the_variables_of_its_files(box, driver):
    put(box, "app/one.env", '# settings\r\nWHO=file\r\nPLACE=the first\r\nQUOTED="as it is"\r\nEMPTY=\r\nnothing\r\n')
    put(box, "app/two words+ä.env", "PLACE=the second\nMORE=a=b\n")
    definition = box.define(
        'echo "$WHO|$PLACE|$QUOTED|${EMPTY-unset}|$MORE"',
        driver=driver,
        environment=[{"name": "WHO", "value": "definition"}],
        environmentFiles=[arn("app/one.env"), arn("app/two words+ä.env")],
        task=ROLE,
    )
    assert output(box, box.run(definition)) == 'definition|the first|"as it is"||a=b\n'


def test_an_override_names_other_files(box, driver):
    put(box, "old.env", "OLD=1\nSAME=old\n")
    put(box, "new.env", "SAME=new\n")
    definition = box.define('echo "${OLD-none} $SAME"', driver=driver, environmentFiles=[arn("old.env")], task=ROLE)
    overrides = {"containerOverrides": [{"name": "main", "environmentFiles": [arn("new.env")]}]}
    changed = box.run(definition, overrides=overrides)
    assert output(box, box.run(definition)) == "1 old\n"
    assert output(box, changed) == "none new\n"
    assert box.describe(changed)["overrides"]["containerOverrides"][0]["environmentFiles"] == [arn("new.env")]


def test_the_key_of_the_machine_does_not_read_files(box, driver):
    put(box, "a.env", "A=1\n")
    reason = failure(box, box.define("true", driver=driver, environmentFiles=[arn("a.env")]))
    assert "unable to find execution role credentials" in reason


def test_a_missing_file_is_named_in_the_reason(box, driver):
    reason = failure(box, box.define("true", driver=driver, environmentFiles=[arn("no/such.env")], task=ROLE))
    assert "key no/such.env from bucket settings" in reason
    assert "NoSuchKey" in reason and "404" in reason


def test_a_missing_bucket_is_named_in_the_reason(box, driver):
    reason = failure(box, box.define("true", driver=driver, environmentFiles=[arn("a.env", "no-such-bucket")], task=ROLE))
    assert "key a.env from bucket no-such-bucket" in reason
    assert "NoSuchBucket" in reason


def test_a_file_without_permission_is_named_in_the_reason(box, driver):
    put(box, "a.env", "A=1\n")
    deny = '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"s3:GetObject",'
    deny += '"Resource":"arn:aws:s3:::settings/*"}]}'
    box.s3.put_bucket_policy(Bucket=BUCKET, Policy=deny)
    reason = failure(box, box.define("true", driver=driver, environmentFiles=[arn("a.env")], task=ROLE))
    assert "AccessDenied" in reason and "403" in reason


def test_an_invalid_file_is_named_in_the_reason(box, driver):
    box.s3.put_object(Bucket=BUCKET, Key="odd.env", Body=b"A=1\nB=\xff\n")
    box.s3.put_object(Bucket=BUCKET, Key="large.env", Body=b"# much\n" * 200_000)
    reason = failure(box, box.define("true", driver=driver, environmentFiles=[arn("odd.env")], task=ROLE))
    assert "key odd.env" in reason and "at line 2" in reason
    reason = failure(box, box.define("true", driver=driver, environmentFiles=[arn("large.env")], task=ROLE))
    assert "more than 1048576 bytes" in reason


def test_another_s3_can_hold_the_files(monkeypatch):
    with server.Server() as elsewhere:
        key = elsewhere.root_key
        monkeypatch.setenv("STOKER_OBJECTS_ACCESS_KEY_ID", key.id)
        monkeypatch.setenv("STOKER_OBJECTS_SECRET_ACCESS_KEY", key.secret)
        s3 = s3_of(elsewhere)
        s3.create_bucket(Bucket=BUCKET)
        s3.put_object(Bucket=BUCKET, Key="a.env", Body=b"A=from elsewhere\n")
        settings = ["--objects-endpoint", elsewhere.endpoint, "--objects-allow", f"000000000000={BUCKET}"]
        with cluster.Cluster(arguments=settings) as fleet:
            fleet.add("box-a")
            shell = 'echo "$A, $AWS_ENDPOINT_URL_S3, ${STOKER_OBJECTS_SECRET_ACCESS_KEY-no secret}"'
            task = fleet.run(fleet.define(shell, environmentFiles=[arn("a.env")], task=ROLE))
            assert output(fleet, task) == f"from elsewhere, {elsewhere.endpoint}, no secret\n"


def test_another_s3_is_read_by_the_named_accounts_only(monkeypatch):
    with server.Server() as elsewhere:
        key = elsewhere.root_key
        monkeypatch.setenv("STOKER_OBJECTS_ACCESS_KEY_ID", key.id)
        monkeypatch.setenv("STOKER_OBJECTS_SECRET_ACCESS_KEY", key.secret)
        s3 = s3_of(elsewhere)
        s3.create_bucket(Bucket=BUCKET)
        s3.put_object(Bucket=BUCKET, Key="a.env", Body=b"A=secret\n")
        settings = ["--objects-endpoint", elsewhere.endpoint, "--objects-allow", "000000000000=another"]
        with cluster.Cluster(arguments=settings) as fleet:
            fleet.add("box-a")
            reason = failure(fleet, fleet.define("true", environmentFiles=[arn("a.env")], task=ROLE))
            assert "--objects-allow" in reason and BUCKET in reason


def test_another_s3_needs_keys(monkeypatch):
    monkeypatch.delenv("STOKER_OBJECTS_ACCESS_KEY_ID", raising=False)
    done = server.run_stoker("server", "--objects-endpoint", "https://s3.example.com")
    assert done.returncode == 1
    assert "STOKER_OBJECTS_ACCESS_KEY_ID" in done.stderr
