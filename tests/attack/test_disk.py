# SPDX-License-Identifier: Apache-2.0
"""A full disk can be drained: what grows is rejected before the disk is full, and what frees space works, also after a
kill and a start on the full disk."""
import base64
import concurrent.futures
import hashlib
import json
import os
import shutil
import subprocess
import time

import pytest

from support.raw import Caller, Connection, exchange, request_bytes
from support.s3_raw import S3Caller
from support.server import Server, create_key
from support.waiting import eventually

LOGS = ("logs", "Logs_20140328", "application/x-amz-json-1.1")
CLOUDWATCH = ("monitoring", "GraniteServiceVersion20100801", "application/x-amz-json-1.0")
ECS = ("ecs", "AmazonEC2ContainerServiceV20141113", "application/x-amz-json-1.1")
LARGE = 1 << 20
BODY = "x" * 50_000

pytestmark = pytest.mark.skipif(bool(os.environ.get("STOKER_TEST_STORE")), reason="PostgreSQL has its own disk")


@pytest.fixture
def disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small disk")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60m", "none", folder], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture
def server(disk):
    running = Server(data=disk / "data").start()
    yield running
    running.remove()


def call(caller, service, operation, members):
    name, target, content_type = service
    headers = {"Content-Type": content_type}
    return exchange(caller.port, caller.json_bytes(operation, members, scope=caller.scope(name), headers=headers, target=target))


def done(answer):
    assert answer is not None and answer.status in (200, 204), answer
    return answer


def health(server):
    return exchange(server.port, request_bytes("GET", "/health", {"Host": "localhost", "Connection": "close"}))


def fill_with_objects(s3):
    for number in range(200):
        answer = s3.call("PUT", f"/full/large-{number}", os.urandom(LARGE))
        if answer.status != 200:
            assert answer.status == 507 and answer.code == "InsufficientStorage", answer
            return number
    raise AssertionError("200 MB went on a disk of 60")


def fill_with_messages(caller, url):
    with Connection(caller.port) as connection:
        for number in range(2000):
            answer = connection.exchange(caller.json_bytes("SendMessage", {"QueueUrl": url, "MessageBody": f"{number}:{BODY}"}))
            if answer.status != 200:
                assert answer.status == 503 and answer.code == "ServiceUnavailableException", answer
                return number
    raise AssertionError("100 MB went on a disk of 60")


class Shop:
    """Something of each kind."""

    def __init__(self, server):
        self.connect(server)
        self.urls = {name: done(self.sqs.json("CreateQueue", {"QueueName": name})).json["QueueUrl"]
                     for name in ("drained", "purged", "deleted")}
        for url in self.urls.values():
            for number in range(5):
                done(self.sqs.json("SendMessage", {"QueueUrl": url, "MessageBody": f"first {number}"}))
        done(self.s3.call("PUT", "/full"))
        for key in ("small", "small-2", "small-3"):
            done(self.s3.call("PUT", f"/full/{key}", b"x" * 1000))
        started = done(self.s3.call("POST", "/full/parts?uploads"))
        self.upload = started.body.split(b"<UploadId>")[1].split(b"<")[0].decode()
        done(self.s3.call("PUT", f"/full/parts?partNumber=1&uploadId={self.upload}", os.urandom(LARGE)))
        done(call(self.sqs, LOGS, "CreateLogGroup", {"logGroupName": "g"}))
        done(call(self.sqs, LOGS, "CreateLogStream", {"logGroupName": "g", "logStreamName": "s"}))
        done(self.put_event())
        family = {"family": "f", "containerDefinitions": [{"name": "c", "image": "i", "memory": 10}]}
        done(call(self.sqs, ECS, "RegisterTaskDefinition", family))
        done(call(self.sqs, ECS, "CreateCluster", {"clusterName": "c"}))

    def connect(self, server):
        self.sqs, self.s3 = Caller(server), S3Caller(server)

    def put_event(self):
        event = {"timestamp": int(time.time() * 1000), "message": "m"}
        return call(self.sqs, LOGS, "PutLogEvents", {"logGroupName": "g", "logStreamName": "s", "logEvents": [event]})

    def growing(self):
        """One of each kind; the answers."""
        drained = self.urls["drained"]
        yield self.sqs.json("SendMessage", {"QueueUrl": drained, "MessageBody": "x"})
        yield self.sqs.query({"Action": "SendMessage", "QueueUrl": drained, "MessageBody": "x"})
        yield self.sqs.json("CreateQueue", {"QueueName": "new"})
        yield self.s3.call("PUT", "/full/new", b"x")
        yield self.s3.call("PUT", "/full/new", os.urandom(LARGE))
        yield self.s3.call("PUT", "/new-bucket")
        yield self.s3.call("POST", "/full/new?uploads")
        yield self.s3.call("PUT", f"/full/parts?partNumber=2&uploadId={self.upload}", os.urandom(LARGE))
        yield self.s3.call("PUT", "/full/copy", headers={"x-amz-copy-source": "/full/small"})
        yield self.put_event()
        yield call(self.sqs, CLOUDWATCH, "PutMetricData", {"Namespace": "N", "MetricData": [{"MetricName": "m", "Value": 1}]})
        yield call(self.sqs, ECS, "RegisterTaskDefinition", {"family": "f", "containerDefinitions": [{"name": "c", "image": "i", "memory": 10}]})
        yield call(self.sqs, ECS, "RunTask", {"taskDefinition": "f", "cluster": "c"})

    def free_everything(self):
        drained = self.urls["drained"]
        received = done(self.sqs.json("ReceiveMessage", {"QueueUrl": drained, "MaxNumberOfMessages": 10})).json["Messages"]
        first, second = received[0]["ReceiptHandle"], received[1]["ReceiptHandle"]
        done(self.sqs.json("ChangeMessageVisibility", {"QueueUrl": drained, "ReceiptHandle": first, "VisibilityTimeout": 60}))
        done(self.sqs.json("DeleteMessage", {"QueueUrl": drained, "ReceiptHandle": first}))
        done(self.sqs.json("DeleteMessageBatch", {"QueueUrl": drained, "Entries": [{"Id": "a", "ReceiptHandle": second}]}))
        done(self.sqs.json("PurgeQueue", {"QueueUrl": self.urls["purged"]}))
        done(self.sqs.json("DeleteQueue", {"QueueUrl": self.urls["deleted"]}))
        done(self.s3.call("DELETE", "/full/small"))
        keys = b"<Delete><Object><Key>small-2</Key></Object><Object><Key>large-0</Key></Object></Delete>"
        digest = {"Content-MD5": base64.b64encode(hashlib.md5(keys).digest()).decode()}
        done(self.s3.call("POST", "/full?delete", keys, headers=digest))
        done(self.s3.call("DELETE", f"/full/parts?uploadId={self.upload}"))
        done(call(self.sqs, LOGS, "PutRetentionPolicy", {"logGroupName": "g", "retentionInDays": 1}))
        done(call(self.sqs, LOGS, "DeleteLogStream", {"logGroupName": "g", "logStreamName": "s"}))
        done(call(self.sqs, LOGS, "DeleteLogGroup", {"logGroupName": "g"}))
        done(call(self.sqs, ECS, "DeregisterTaskDefinition", {"taskDefinition": "f:1"}))
        stopped = call(self.sqs, ECS, "StopTask", {"cluster": "c", "task": "0" * 32})
        assert stopped.code == "InvalidParameterException", stopped  # Amazon's for a task that does not exist
        done(call(self.sqs, ECS, "DeleteCluster", {"cluster": "c"}))


def test_every_kind_of_call_on_a_full_disk(server):
    shop = Shop(server)
    assert fill_with_objects(shop.s3) > 10
    fill_with_messages(shop.sqs, shop.urls["drained"])
    for answer in shop.growing():
        assert answer.status in (500, 503, 507), answer
        assert b"disk" in answer.body and b"full" in answer.body, answer
    assert done(shop.s3.call("GET", "/full/large-1")).body  # reading needs no space
    sick = health(server)
    assert sick.status == 503 and json.loads(sick.body)["status"] == "full", sick
    assert "full" in json.loads(sick.body)["reason"]
    assert (server.data / "reserve").exists(), "it was not needed"

    server.kill()
    server.start()
    shop.connect(server)
    assert health(server).status == 503
    shop.free_everything()
    for number in range(1, 12):
        done(shop.s3.call("DELETE", f"/full/large-{number}"))
    eventually(lambda: health(server).status == 200)
    done(shop.sqs.json("SendMessage", {"QueueUrl": shop.urls["purged"], "MessageBody": "again"}))
    done(shop.s3.call("PUT", "/full/again", os.urandom(LARGE)))
    assert server.alive
    server.stop()


def delete_marker_requests(caller, s3):
    """A deletion in a versioned bucket stores a row."""
    done(s3.call("PUT", "/versions"))
    enabled = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    done(s3.call("PUT", "/versions?versioning=", enabled))
    for number in range(1000):
        yield lambda: s3.call("DELETE", f"/versions/{number}-{'x' * 900}")


def event_requests(caller, s3):
    """A deletion of keys that do not exist sends an event for each."""
    done(s3.call("PUT", "/announced"))
    url = done(caller.json("CreateQueue", {"QueueName": "events"})).json["QueueUrl"]
    policy = {"Statement": [{"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "sqs:SendMessage",
                             "Resource": "*"}]}
    done(caller.json("SetQueueAttributes", {"QueueUrl": url, "Attributes": {"Policy": json.dumps(policy)}}))
    queue = "<Queue>arn:aws:sqs:us-east-1:111111111111:events</Queue><Event>s3:ObjectRemoved:*</Event>"
    body = f"<NotificationConfiguration><QueueConfiguration>{queue}</QueueConfiguration></NotificationConfiguration>".encode()
    done(s3.call("PUT", "/announced?notification=", body))
    keys = "".join(f"<Object><Key>{number}-{'x' * 900}</Key></Object>" for number in range(1000))
    body = f"<Delete>{keys}</Delete>".encode()
    digest = {"Content-MD5": base64.b64encode(hashlib.md5(body).digest()).decode()}
    for _ in range(20):
        yield lambda: s3.call("POST", "/announced?delete=", body, headers=digest)


def machine_requests(caller, s3):
    """Machines may register on a full disk: those that come back."""
    done(call(caller, ECS, "CreateCluster", {"clusterName": "c"}))
    resources = [{"name": name, "type": "INTEGER", "integerValue": 1} for name in ("CPU", "MEMORY")]
    attributes = [{"name": f"{number}-{'x' * 100}", "value": "v" * 120} for number in range(190)]
    machine = {"cluster": "c", "totalResources": resources, "attributes": attributes}
    for _ in range(400):
        yield lambda: call(caller, ECS, "RegisterContainerInstance", machine)


@pytest.mark.parametrize("requests", [delete_marker_requests, event_requests, machine_requests])
def test_an_account_can_not_use_the_reserve_up(server, requests):
    """By requests that are accepted on a full disk, and grow."""
    shop = Shop(server)
    key = create_key(server.data, "111111111111")
    attack = requests(Caller(server, key), S3Caller(server, key))
    first = next(attack)
    assert fill_with_objects(shop.s3) > 10
    fill_with_messages(shop.sqs, shop.urls["drained"])
    first()
    answers = [send() for send in attack]
    assert any(answer.status != 200 and b"full" in answer.body for answer in answers), "they did not grow"
    assert server.alive
    shop.free_everything()
    server.kill()
    server.start()
    shop.connect(server)
    for number in range(1, 12):
        done(shop.s3.call("DELETE", f"/full/large-{number}"))
    eventually(lambda: health(server).status == 200)
    done(shop.sqs.json("SendMessage", {"QueueUrl": shop.urls["purged"], "MessageBody": "again"}))
    server.stop()


def test_a_disk_that_another_program_fills_can_be_drained(server, disk):
    shop = Shop(server)
    with open(disk / "other", "wb", buffering=0) as other:
        with pytest.raises(OSError):
            while True:
                other.write(b"\0" * 65536)
    with pytest.raises(OSError), open(disk / "other", "ab", buffering=0) as other:
        while True:
            other.write(b"\0" * 512)
    shop.sqs.json("SendMessage", {"QueueUrl": shop.urls["drained"], "MessageBody": BODY})  # it may notice only now
    shop.free_everything()
    assert not (server.data / "reserve").exists()
    assert health(server).status == 503
    server.kill()
    server.start()
    shop.connect(server)
    done(shop.sqs.json("ReceiveMessage", {"QueueUrl": shop.urls["drained"]}))
    done(shop.sqs.json("DeleteQueue", {"QueueUrl": shop.urls["drained"]}))
    os.unlink(disk / "other")
    eventually(lambda: health(server).status == 200)
    done(shop.sqs.json("SendMessage", {"QueueUrl": shop.urls["purged"], "MessageBody": "again"}))
    eventually(lambda: (server.data / "reserve").exists())
    server.stop()


def send_until_full(caller, url):
    entries = [{"Id": str(number), "MessageBody": "x" * 250_000} for number in range(4)]
    with Connection(caller.port) as connection:
        for _ in range(1000):
            answer = connection.exchange(caller.json_bytes("SendMessageBatch", {"QueueUrl": url, "Entries": entries}))
            if answer is None or answer.status != 200:
                return answer
    return None


def test_many_large_batches_at_once_do_not_use_the_reserve(server):
    """All of them were accepted while there was room; together they need more than there is."""
    caller = Caller(server)
    url = done(caller.json("CreateQueue", {"QueueName": "q"})).json["QueueUrl"]
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(lambda _: send_until_full(caller, url), range(24)))
    for answer in answers:
        assert answer.status == 503 and "full" in answer.message, answer
    for _ in range(2):
        received = done(caller.json("ReceiveMessage", {"QueueUrl": url})).json["Messages"]
        done(caller.json("DeleteMessage", {"QueueUrl": url, "ReceiptHandle": received[0]["ReceiptHandle"]}))
        server.kill()
        server.start()
        caller = Caller(server)
    done(caller.json("PurgeQueue", {"QueueUrl": url}))
    eventually(lambda: health(server).status == 200)
    done(caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "again"}))
    server.stop()


def test_messages_of_a_full_disk_leave_room_for_others(server):
    """Deleted rows do not shrink the database, but their space is used again."""
    caller = Caller(server)
    url = done(caller.json("CreateQueue", {"QueueName": "q"})).json["QueueUrl"]
    sent = fill_with_messages(caller, url)
    assert sent > 200
    done(caller.json("PurgeQueue", {"QueueUrl": url}))
    eventually(lambda: health(server).status == 200)
    for number in range(50):
        done(caller.json("SendMessage", {"QueueUrl": url, "MessageBody": f"{number}:{BODY}"}))
    server.kill()
    server.start()
    counts = done(Caller(server).json("GetQueueAttributes", {"QueueUrl": url, "AttributeNames": ["ApproximateNumberOfMessages"]}))
    assert counts.json["Attributes"]["ApproximateNumberOfMessages"] == "50"
    server.stop()
