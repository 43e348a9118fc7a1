#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that botocore reads our encoding of the public vectors' results.

usage: STOKER_ANSWERS_OUT=DIR build/release/tests/wire/wire_golden_test
       check_answers.py VECTORS DIR    prints one line a difference; exit 1 when there is any
"""
import base64
import json
import math
import pathlib
import sys

from botocore.awsrequest import HeadersDict
from botocore.model import OperationModel, ServiceModel
from botocore.parsers import create_parser


def plain(value):
    """botocore's values in the form the vectors use."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value if v is not None]
    if hasattr(value, "timestamp"):
        return plain(value.timestamp())
    if isinstance(value, (bytes, bytearray)):
        return value.decode()
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return round(value, 6) if value != int(value) else int(value)
    if hasattr(value, "read"):
        return value.read().decode()
    return value


def check(suite, case, answer):
    protocol = suite["metadata"]["protocol"]
    if protocol == "query" and "output" in case["given"]:  # as in every real model of a query service
        case["given"]["output"]["resultWrapper"] = case["given"]["name"] + "Result"
    model = ServiceModel({"metadata": suite["metadata"], "operations": {case["given"]["name"]: case["given"]},
                          "shapes": suite["shapes"]})
    operation = OperationModel(case["given"], model, case["given"]["name"])
    headers = HeadersDict(answer["headers"])
    response = {"status_code": answer["status"], "headers": headers, "body": base64.b64decode(answer["body"])}
    parsed = create_parser(protocol).parse(response, operation.output_shape)
    parsed.pop("ResponseMetadata", None)
    if "errorCode" in case:
        got = parsed.get("Error", {})
        wanted = {"Code": case["errorCode"], "Message": case.get("errorMessage", "")}
        return {k: got.get(k) or "" for k in wanted}, wanted
    return plain(parsed), plain(case["result"])


def main():
    vectors, out = map(pathlib.Path, sys.argv[1:3])
    answers = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    # Cases that botocore itself does not pass on the vectors' own responses.
    ignored = json.loads((vectors / "protocol-tests-ignore-list.json").read_text())["protocols"]
    same = different = passed_over = 0
    for answer in answers:
        listed = ignored.get(pathlib.Path(answer["file"]).stem, {}).get("output", {}).get("cases", [])
        if answer["id"] in listed:
            passed_over += 1
            continue
        for suite in json.loads((vectors / answer["file"]).read_text()):
            for case in suite["cases"]:
                if case["id"] != answer["id"]:
                    continue
                got, wanted = check(suite, case, answer)
                if got == wanted:
                    same += 1
                else:
                    different += 1
                    print(f"{answer['file']} {case['id']}\n  read   {got}\n  wanted {wanted}")
    print(f"botocore read {same} answers as meant, {different} differently; {passed_over} it can't read")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
