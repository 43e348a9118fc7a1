# SPDX-License-Identifier: Apache-2.0
"""tools/demo/verdict.py: the demo fails if anything is wrong."""
import base64
import hashlib
import hmac
import importlib.util
import json
import pathlib
import time

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/demo/verdict.py"
SPEC = importlib.util.spec_from_file_location("verdict", TOOL)
verdict = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(verdict)

KEY = b"k" * 32


def deliver(folder, number, key=KEY, kind="job.succeeded"):
    body = json.dumps({"type": kind, "data": {"task_id": str(number), "status": "SUCCEEDED", "result": None}})
    now = time.time()
    text = f"msg_{number}.{int(now)}.{body}".encode()
    signature = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    headers = {"webhook-id": f"msg_{number}", "webhook-timestamp": str(int(now)), "webhook-signature": signature}
    with open(folder / "deliveries", "a", encoding="utf-8") as file:
        file.write(json.dumps({"at": now, "headers": headers, "body": body}) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two files, recognised; no deliveries yet."""
    monkeypatch.setattr(verdict, "PATIENCE", 0)
    (tmp_path / "in").mkdir()
    (tmp_path / "results").mkdir()
    (tmp_path / "in/texts.json").write_text(json.dumps({"a.png": ["one two"], "b.pdf": ["three", "four"]}))
    write_result(tmp_path, "a.png", ["one\ntwo\n"])
    write_result(tmp_path, "b.pdf", ["three\n", "four\n"])
    (tmp_path / "secret").write_text("whsec_" + base64.b64encode(KEY).decode() + "\n")
    return tmp_path


def write_result(folder, name, pages):
    (folder / f"results/{name}.json").write_text(json.dumps({"pages": [{"text": text} for text in pages]}))


def test_right_texts_pass(folder):
    assert verdict.check_texts(folder)


@pytest.mark.parametrize("pages", [["three\n", "fuor\n"], ["three\n"], ["three\n", "four\n", "five\n"], []])
def test_a_wrong_text_fails(folder, pages):
    write_result(folder, "b.pdf", pages)
    assert not verdict.check_texts(folder)


def test_a_missing_result_fails(folder):
    (folder / "results/a.png.json").unlink()
    assert not verdict.check_texts(folder)


def test_signed_webhooks_pass_also_if_one_comes_twice(folder):
    for number in (1, 2, 2):
        deliver(folder, number)
    assert verdict.check_webhooks(folder)


def test_a_missing_webhook_fails(folder):
    assert not verdict.check_webhooks(folder)
    deliver(folder, 1)
    deliver(folder, 1)
    assert not verdict.check_webhooks(folder)


def test_a_wrong_signature_fails(folder):
    deliver(folder, 1)
    deliver(folder, 2, key=b"x" * 32)
    assert not verdict.check_webhooks(folder)


def test_a_failed_job_fails(folder):
    deliver(folder, 1)
    deliver(folder, 2, kind="job.failed")
    assert not verdict.check_webhooks(folder)


@pytest.mark.parametrize("workers, passes", [([0, 2, 0], True), ([2, 0], False)])
def test_the_pool_must_begin_at_zero(folder, workers, passes):
    now = time.time()
    (folder / "times.json").write_text(json.dumps({"begin": now - 5, "end": now}))
    lines = [json.dumps({"at": now + number, "workers": count}) for number, count in enumerate(workers)]
    (folder / "pool").write_text("\n".join(lines) + "\n")
    assert verdict.print_table(folder, "10s") == passes
