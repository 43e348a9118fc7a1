#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A steady load, and the server's memory over time. STOKER_SOAK_SECONDS sets its length, STOKER_BIN the program.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.. /usr/bin/python3 soak.py
