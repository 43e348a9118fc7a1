#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the demo: every text must be the one that was rendered, every webhook must be there and signed.

usage: verdict.py texts FOLDER        compares FOLDER/results with FOLDER/in/texts.json
       verdict.py webhooks FOLDER     waits for a delivery of each file and verifies it with the secret in FOLDER/secret
       verdict.py table FOLDER IDLE   prints the closing table; IDLE is the pipeline's idle time
"""
import base64
import hashlib
import hmac
import json
import pathlib
import sys
import time

PATIENCE = 300  # seconds, for webhooks


def rendered(folder):
    return json.loads((folder / "in/texts.json").read_text())


def check_texts(folder):
    texts, wrong = rendered(folder), 0
    for name, pages in texts.items():
        path = folder / "results" / f"{name}.json"
        if not path.exists():
            print(f"{name}: there is no result")
            wrong += 1
            continue
        found = [" ".join(page["text"].split()) for page in json.loads(path.read_text())["pages"]]
        for number, (expected, got) in enumerate(zip(pages, found + [""] * len(pages)), 1):
            if expected != got:
                print(f"{name}, page {number}:\n  expected  {expected}\n  got       {got}")
        wrong += pages != found
    words = sum(len(page.split()) for pages in texts.values() for page in pages)
    print(f"{len(texts) - wrong} of {len(texts)} files have exactly the text that was rendered ({words} words)")
    return wrong == 0


def deliveries(folder):
    path = folder / "deliveries"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def is_signed(delivery, key):
    """As https://www.standardwebhooks.com describes it."""
    headers = delivery["headers"]
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{delivery['body']}"
    expected = base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()
    return f"v1,{expected}" in headers["webhook-signature"].split() and abs(int(headers["webhook-timestamp"]) - delivery["at"]) < 300


def check_webhooks(folder):
    key = base64.b64decode((folder / "secret").read_text().strip().removeprefix("whsec_"))
    items, deadline = len(rendered(folder)), time.time() + PATIENCE
    while len({one["headers"]["webhook-id"] for one in deliveries(folder)}) < items and time.time() < deadline:
        time.sleep(0.1)
    received = deliveries(folder)
    ids = {one["headers"]["webhook-id"] for one in received}
    signed = sum(is_signed(one, key) for one in received)
    succeeded = sum(json.loads(one["body"])["type"] == "job.succeeded" for one in received)
    if received:
        show_delivery(received[0])
    print(f"{len(ids)} of {items} jobs have called the webhook; {signed} of {len(received)} signatures are valid")
    return len(ids) == items and signed == succeeded == len(received)


def show_delivery(delivery):
    body = json.loads(delivery["body"])
    job = body["data"]
    print("POST / HTTP/1.1")
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        print(f"{name}: {delivery['headers'][name]}")
    pages = (job.get("result") or {}).get("pages", [{"text": ""}])
    print(f"\n  type            {body['type']}\n  data.task_id    {job['task_id']}")
    print(f"  data.result     {' '.join(pages[0]['text'].split())[:58]}...\n")


def pool_changes(folder):
    path = folder / "pool"
    return [json.loads(line) for line in path.read_text().splitlines()]


def print_table(folder, idle):
    times = json.loads((folder / "times.json").read_text())
    results = [path.stat().st_mtime for path in (folder / "results").glob("*.json")]
    items, pages = len(rendered(folder)), sum(map(len, rendered(folder).values()))
    wall, first, last = times["end"] - times["begin"], min(results), max(results)
    changes = pool_changes(folder)
    most = max(change["workers"] for change in changes)
    full = next(change["at"] for change in changes if change["workers"] == most)
    gone = next(change["at"] for change in reversed(changes) if change["workers"] == 0)
    rows = [
        ("items", f"{items} files, {pages} pages"),
        ("wall time", f"{wall:.1f} s from the first upload to the last result"),
        ("items/s", f"{items / wall:.1f} ({pages / wall:.1f} pages/s)"),
        ("time to first result", f"{first - times['begin']:.1f} s, with no worker running before"),
        ("scale-up", f"{full - times['begin']:.1f} s from 0 to {most} workers"),
        ("scale-down", f"{gone - last:.1f} s from the last result to 0 workers (idle: {idle})"),
    ]
    width = max(len(name) for name, _ in rows)
    print("-" * 78)
    for name, value in rows:
        print(f"{name:{width}}  {value}")
    print("-" * 78)
    return changes[0]["workers"] == 0 and gone > last


def main():
    check = {"texts": check_texts, "webhooks": check_webhooks, "table": print_table}[sys.argv[1]]
    sys.exit(0 if check(pathlib.Path(sys.argv[2]), *sys.argv[3:]) else 1)


if __name__ == "__main__":
    main()
