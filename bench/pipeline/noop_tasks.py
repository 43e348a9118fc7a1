# SPDX-License-Identifier: Apache-2.0
"""The same for Celery: the item is in the message, the result goes to Redis."""
import os

import celery

app = celery.Celery("noop", broker=os.environ["BENCH_REDIS"], backend=os.environ["BENCH_REDIS"])
# What makes Celery faster, without a change of its guarantees.
app.conf.update(worker_prefetch_multiplier=64, worker_send_task_events=False, result_expires=None, broker_pool_limit=None)


@app.task(name="noop")
def noop(name, content):
    return {"size": len(content)}
