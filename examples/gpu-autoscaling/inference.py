#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The container of the service. It stands for a model that serves requests: stress.py sets how busy it is.

With torch and a real GPU it computes for that part of each second. A simulated GPU has its load from stress.py.

  BUCKET   the bucket in which the object `share` has the percentage
"""
import os
import time

import boto3

try:
    import torch
    matrix = torch.randn(4096, 4096, device="cuda") if torch.cuda.is_available() else None
except ImportError:
    matrix = None

s3 = boto3.client("s3", endpoint_url=os.environ.get("AWS_ENDPOINT_URL"))


def share():
    try:
        return float(s3.get_object(Bucket=os.environ["BUCKET"], Key="share")["Body"].read())
    except s3.exceptions.NoSuchKey:
        return 0.0  # there is no load yet


def serve_for(seconds):
    ends = time.monotonic() + seconds
    while matrix is not None and time.monotonic() < ends:
        matrix @ matrix
        torch.cuda.synchronize()


before = None
while True:
    percent = share()
    if percent != before:
        print(f"serving at {percent:.0f} %", flush=True)
    before, began = percent, time.monotonic()
    while time.monotonic() < began + 5:
        serve_for(percent / 1000)
        time.sleep(0.1 if matrix is None else 0.1 - percent / 1000)
