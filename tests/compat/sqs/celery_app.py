# SPDX-License-Identifier: Apache-2.0
"""A plain Celery application; test_celery.py runs its worker."""
import os
import pathlib
import urllib.parse

import celery

key, secret = (urllib.parse.quote(os.environ[name], safe="") for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"))
address = urllib.parse.urlsplit(os.environ["AWS_ENDPOINT_URL"]).netloc

app = celery.Celery("celery_app", broker=f"sqs://{key}:{secret}@{address}//")
app.conf.update(
    broker_transport_options={"region": "us-east-1", "is_secure": False, "wait_time_seconds": 5},
    broker_connection_retry_on_startup=True,
    task_default_queue=os.environ["TASK_QUEUE"],
    task_acks_late=True,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
)


def write_result(name, text):
    """Writes a result for the test; appends, so that a second execution is visible."""
    with open(pathlib.Path(os.environ["TASK_RESULTS"], name), "a") as out:
        out.write(text)


@app.task(name="add")
def add(a, b):
    write_result(f"{a}+{b}", str(a + b))


@app.task(bind=True, name="second_try", max_retries=1)
def second_try(self):
    """Fails once: the retry is a message with a delay."""
    if self.request.retries == 0:
        raise self.retry(countdown=1)
    write_result("second_try", "done")
