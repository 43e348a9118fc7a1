#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A plain boto3 worker: it receives the events of a bucket, classifies each image on its GPU, stores the result, and
deletes the message only then. If it dies half-way, the message returns to the queue, and another worker receives it.

  QUEUE   the queue's URL

Region, endpoint and credentials are the task's."""
import io
import json
import os
import pathlib
import subprocess
import urllib.parse

import boto3
from PIL import Image

import classifier

# Clients from mid-2023 on read the endpoint from the environment.
endpoint = os.environ.get("AWS_ENDPOINT_URL")
sqs = boto3.client("sqs", endpoint_url=endpoint)
s3 = boto3.client("s3", endpoint_url=endpoint)


def gpu_name():
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def work(message, layer, gpu):
    """One message may have several records; S3's test event has none."""
    for record in json.loads(message["Body"]).get("Records", []):
        bucket = record["s3"]["bucket"]["name"]
        key = urllib.parse.unquote_plus(record["s3"]["object"]["key"])
        image = Image.open(io.BytesIO(s3.get_object(Bucket=bucket, Key=key)["Body"].read()))
        result = {"image": key, **classifier.classify(layer, image), "gpu": gpu}
        stored = "results/" + pathlib.Path(key).stem + ".json"
        s3.put_object(Bucket=bucket, Key=stored, Body=json.dumps(result), ContentType="application/json")
        print(f"{key} -> {result['label']}", flush=True)


def main():
    layer, gpu = classifier.load(), gpu_name()
    print(f"ready on {gpu}", flush=True)
    while True:
        received = sqs.receive_message(QueueUrl=os.environ["QUEUE"], MaxNumberOfMessages=4, WaitTimeSeconds=20)
        for message in received.get("Messages", []):
            work(message, layer, gpu)
            sqs.delete_message(QueueUrl=os.environ["QUEUE"], ReceiptHandle=message["ReceiptHandle"])


main()
