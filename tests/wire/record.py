#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the requests of a real client, byte by byte, in golden/CLIENT/CASE.http.

usage: record.py CLIENT                       drives the boto3 of the python that runs it
       record.py CLIENT -- node record.mjs    runs a command with the server's address in $ENDPOINT

A driver says which case comes next by a GET of /case/NAME. The answers are only good
enough for the client to go on. Dates, signatures and versions stay as they were sent.
"""
import datetime
import os
import pathlib
import socket
import subprocess
import sys
import threading
import urllib.request

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
ANSWER = b"HTTP/1.1 %s\r\nContent-Length: %d\r\nContent-Type: %s\r\n%sConnection: close\r\n\r\n%s"


def answer_to(head, body):
    """A minimal response for each protocol."""
    if b"rpc-v2-cbor" in head:
        return ANSWER % (b"200 OK", 1, b"application/cbor", b"smithy-protocol: rpc-v2-cbor\r\n", b"\xa0")
    if b"x-amz-json" in head:
        return ANSWER % (b"200 OK", 2, b"application/x-amz-json-1.0", b"", b"{}")
    action = next((part[7:] for part in body.split(b"&") if part.startswith(b"Action=")), b"")
    xml = b"<%sResponse><%sResult/></%sResponse>" % (action, action, action) if action else b""
    if head.startswith(b"GET"):
        xml = b"<ListBucketResult/>"
    return ANSWER % (b"200 OK", len(xml), b"text/xml", b"", xml)


class Recorder:
    def __init__(self, client):
        self.folder = GOLDEN / client
        self.folder.mkdir(parents=True, exist_ok=True)
        self.case = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            with connection:
                self.exchange(connection)

    def exchange(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        lowered = head.lower()
        if b"expect: 100-continue" in lowered:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        length = next((int(line[15:]) for line in lowered.split(b"\r\n") if line.startswith(b"content-length:")), 0)
        while len(body) < length:
            body += connection.recv(65536)
        if head.startswith(b"GET /case/"):
            self.case = head.split(b" ")[1].decode().rsplit("/", 1)[1]
            connection.sendall(ANSWER % (b"200 OK", 0, b"text/plain", b"", b""))
            return
        (self.folder / f"{self.case}.http").write_bytes(head + b"\r\n\r\n" + body)
        connection.sendall(answer_to(head, body))


TASK = dict(
    family="ocr", networkMode="host", requiresCompatibilities=["EC2"], cpu="256",
    containerDefinitions=[dict(
        name="worker", image="ocr:latest", memory=512, essential=True, command=["work", "--queue", "jobs"],
        environment=[{"name": "MODEL", "value": "résumé"}],
        resourceRequirements=[{"type": "GPU", "value": "2"}],
        portMappings=[{"containerPort": 8080, "protocol": "tcp"}],
        logConfiguration={"logDriver": "awslogs", "options": {"awslogs-group": "ocr"}})],
    tags=[{"key": "team", "value": "vision"}])
DATUM = dict(
    MetricName="Backlog", Dimensions=[{"Name": "Queue", "Value": "jobs"}], Value=2.5, Unit="Count",
    Timestamp=datetime.datetime(2026, 11, 5, 9, 30, 10, 250000, tzinfo=datetime.timezone.utc), StorageResolution=1)


def drive(recorder):
    import boto3
    from botocore.config import Config
    given = dict(endpoint_url=recorder.endpoint, region_name="us-east-1", aws_access_key_id="AKIDEXAMPLE",
                 aws_secret_access_key="secret", config=Config(retries={"max_attempts": 1}, s3={
                     "addressing_style": "path"}))

    def case(name, call):
        urllib.request.urlopen(f"{recorder.endpoint}/case/{name}").read()
        try:
            call()
        except Exception as error:  # the response is a stub; the request is recorded
            print(f"{name}: {type(error).__name__}: {error}"[:160])

    sqs, s3 = boto3.client("sqs", **given), boto3.client("s3", **given)
    queue = f"{recorder.endpoint}/000000000000/jobs"
    case("sqs_send_message", lambda: sqs.send_message(
        QueueUrl=queue, MessageBody='{"file": "a&b=c.png", "note": "naïve ☕"}', DelaySeconds=5, MessageAttributes={
            "kind": {"DataType": "String", "StringValue": "ocr"}, "raw": {"DataType": "Binary", "BinaryValue": b"\0\xff"}}))
    case("sqs_receive_message", lambda: sqs.receive_message(
        QueueUrl=queue, AttributeNames=["SentTimestamp", "ApproximateReceiveCount"], MessageAttributeNames=["All"],
        MaxNumberOfMessages=10, WaitTimeSeconds=20))
    case("s3_put_object", lambda: s3.put_object(
        Bucket="photos", Key="scans/a b+ü.txt", Body=b"hello, world", ContentType="text/plain",
        Metadata={"Source": "scanner-7"}))
    case("s3_list_objects_v2", lambda: s3.list_objects_v2(
        Bucket="photos", Prefix="scans/a b+ü", Delimiter="/", MaxKeys=7, StartAfter="x&y"))
    cloudwatch = boto3.client("cloudwatch", **given)
    case("cloudwatch_put_metric_data", lambda: cloudwatch.put_metric_data(Namespace="Stoker", MetricData=[DATUM]))
    import botocore.model
    if hasattr(botocore.model, "PRIORITY_ORDERED_SUPPORTED_PROTOCOLS"):
        # CBOR is among CloudWatch's protocols, but not botocore's first choice.
        kept = botocore.model.PRIORITY_ORDERED_SUPPORTED_PROTOCOLS
        botocore.model.PRIORITY_ORDERED_SUPPORTED_PROTOCOLS = ("smithy-rpc-v2-cbor",)
        cbor = boto3.client("cloudwatch", **given)
        case("cloudwatch_put_metric_data_cbor", lambda: cbor.put_metric_data(Namespace="Stoker", MetricData=[DATUM]))
        botocore.model.PRIORITY_ORDERED_SUPPORTED_PROTOCOLS = kept
    case("ecs_register_task_definition", lambda: boto3.client("ecs", **given).register_task_definition(**TASK))


def main():
    recorder = Recorder(sys.argv[1])
    if "--" in sys.argv:
        command = sys.argv[sys.argv.index("--") + 1:]
        subprocess.run(command, env={**os.environ, "ENDPOINT": recorder.endpoint}, check=True)
    else:
        drive(recorder)


if __name__ == "__main__":
    main()
