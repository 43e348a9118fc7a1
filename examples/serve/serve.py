#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A process for `stoker work --serve`: one JSON line in per item, one JSON line out.

    stoker work --queue texts --serve 'python3 serve.py' --batch 8 --linger 20ms

Replace count_words by your own function. It gets the path of the item's file and returns anything that is JSON.
"""
import json
import os
import sys


def count_words(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return {"words": len(text.split()), "characters": len(text)}


def serve(function):
    # Whatever prints to stdout by mistake goes to the log: stdout is for answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        item = json.loads(line)
        try:
            answer = {"id": item["id"], "result": function(item["input"])}
        except Exception as error:  # this item failed; the process goes on
            answer = {"id": item["id"], "error": {"type": type(error).__name__, "message": str(error)}}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(count_words)
