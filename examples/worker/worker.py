#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A worker as people write them with boto3: it waits for messages that say which object was put into
a bucket, reads the object, has a GPU look at it, writes what came out beside it, and only then deletes
the message: a worker that dies half-way leaves it for the next.

  QUEUE     the queue's URL
  MESSAGES  how many to take before it ends; without it there is no end

Region, endpoint and credentials are the task's own."""
import json
import os
import subprocess
import urllib.parse

import boto3

# Clients from mid-2023 on find the endpoint by themselves.
endpoint = os.environ.get("AWS_ENDPOINT_URL")
sqs = boto3.client("sqs", endpoint_url=endpoint)
s3 = boto3.client("s3", endpoint_url=endpoint)


def look_at(body):
    """What your model would do; here: which GPU, and how much there was to look at."""
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    return {"gpu": gpu.stdout.strip(), "bytes": len(body), "words": len(body.split())}


def work(message):
    """One message may tell of several objects, and the one that S3 sends to try a queue out of none."""
    for record in json.loads(message["Body"]).get("Records", []):
        bucket = record["s3"]["bucket"]["name"]
        key = urllib.parse.unquote_plus(record["s3"]["object"]["key"])
        body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        result = "results/" + os.path.basename(key) + ".json"
        s3.put_object(Bucket=bucket, Key=result, Body=json.dumps(look_at(body)), ContentType="application/json")
        print(f"{key} -> {result}", flush=True)


left = int(os.environ.get("MESSAGES", "-1"))
while left != 0:
    received = sqs.receive_message(QueueUrl=os.environ["QUEUE"], WaitTimeSeconds=20)
    for message in received.get("Messages", []):
        work(message)
        sqs.delete_message(QueueUrl=os.environ["QUEUE"], ReceiptHandle=message["ReceiptHandle"])
        left -= 1
