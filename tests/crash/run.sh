#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kills the server under load and checks what it had acknowledged: messages, then objects. See crash.py and
# object_crash.py for their settings.
set -euo pipefail
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 crash.py "$@"
/usr/bin/python3 object_crash.py "$@"
