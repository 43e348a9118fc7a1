#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: new_pytest.sh ARGUMENT...
# Runs Debian's pytest with the machine's own `python3` if that has a boto3 which speaks JSON to
# SQS (1.28 and later); otherwise succeeds at once. Links only pytest and its dependencies, so that
# Debian's boto3 is not used.
set -euo pipefail
python=$(command -v python3 || true)
newer='import boto3, sys; sys.exit(tuple(map(int, boto3.__version__.split(".")[:2])) < (1, 28))'
if [ -z "$python" ] || ! "$python" -c "$newer" 2>/dev/null; then exit 0; fi

links=$(mktemp -d)
trap 'rm -rf "$links"' EXIT
if ! "$python" -c 'import pytest' 2>/dev/null; then
  for name in pytest _pytest pluggy iniconfig packaging attr attrs py.py py tomli exceptiongroup; do
    if [ -e "/usr/lib/python3/dist-packages/$name" ]; then ln -s "/usr/lib/python3/dist-packages/$name" "$links"; fi
  done
  PYTHONPATH="$links" "$python" -c 'import pytest' 2>/dev/null || exit 0
fi
PYTHONPATH="$links${PYTHONPATH:+:$PYTHONPATH}" "$python" -m pytest "$@"
