#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kills the server under load and checks all acknowledged messages, objects, log events and metric points. crash.py,
# object_crash.py and telemetry_crash.py list their settings.
set -euo pipefail
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 crash.py "$@"
/usr/bin/python3 object_crash.py "$@"
/usr/bin/python3 telemetry_crash.py "$@"
