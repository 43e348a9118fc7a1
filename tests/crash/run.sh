#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kills the server under load and checks what it had acknowledged. See crash.py for its settings.
set -euo pipefail
exec env PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$(dirname "$0")/crash.py" "$@"
