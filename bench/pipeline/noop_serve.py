#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A processor of `stoker work --serve` that does nothing: it answers each line with the size of the input's name."""
import json
import sys

for line in sys.stdin:
    item = json.loads(line)
    sys.stdout.write(json.dumps({"id": item["id"], "result": {"size": len(item["input"])}}) + "\n")
    sys.stdout.flush()
