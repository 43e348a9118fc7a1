# SPDX-License-Identifier: Apache-2.0
"""The Celery application: `ocr` reads a document and stores its text, then `deliver` posts the result to another API.

  BROKER_URL     sqs://@HOST:PORT// (Stoker, with the task's own credentials), or redis://HOST:PORT/0
  TASK_QUEUE     the queue's name
  BUCKET         the bucket of documents and results
  CALLBACK_URL   receives each result as JSON
"""
import json
import os
import subprocess
import tempfile
import urllib.request

import boto3
import celery

broker = os.environ["BROKER_URL"]
on_redis = broker.startswith("redis:")
app = celery.Celery("tasks", broker=broker)
app.conf.update(
    task_default_queue=os.environ["TASK_QUEUE"],
    task_acks_late=True,  # a message is deleted when its task is done, so a lost worker loses no document
    worker_prefetch_multiplier=1,
    # Remote control and events need a broker that can broadcast, which SQS can't.
    worker_enable_remote_control=on_redis,
    worker_send_task_events=on_redis,
)
if on_redis:
    app.conf.broker_transport_options = {"visibility_timeout": 300}
else:
    app.conf.broker_transport_options = {"region": os.environ["AWS_REGION"], "is_secure": False, "wait_time_seconds": 5}


def objects():
    return boto3.client("s3", endpoint_url=os.environ.get("AWS_ENDPOINT_URL"))


def result_key(task_id):
    return f"results/{task_id}.json"


def read_text(document):
    """Tesseract's text of an image."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(document)
        file.flush()
        done = subprocess.run(["tesseract", file.name, "stdout"], capture_output=True, text=True, check=True,
                              env={**os.environ, "OMP_THREAD_LIMIT": "1"})
    return " ".join(done.stdout.split())


@app.task(name="ocr")
def ocr(task_id, key):
    document = objects().get_object(Bucket=os.environ["BUCKET"], Key=key)["Body"].read()
    result = {
        "task_id": task_id, "text": read_text(document), "gpu": os.environ.get("CUDA_VISIBLE_DEVICES"),
        "version": os.environ.get("VERSION"), "broker": broker.split(":")[0],
    }
    objects().put_object(Bucket=os.environ["BUCKET"], Key=result_key(task_id), Body=json.dumps(result),
                         ContentType="application/json")
    deliver.delay(task_id)


@app.task(name="deliver", autoretry_for=(OSError,), retry_backoff=1, retry_backoff_max=60, max_retries=20)
def deliver(task_id):
    """Repeated with growing pauses until the other API accepts the result; it may receive one twice."""
    body = objects().get_object(Bucket=os.environ["BUCKET"], Key=result_key(task_id))["Body"].read()
    request = urllib.request.Request(os.environ["CALLBACK_URL"], data=body, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10):
        pass
