#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tests that mean harm. Arguments go to pytest. STOKER_BIN chooses the binary: one
# built with sanitizers is held to a silent end, too. As root it also tests a full disk.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q -p no:cacheprovider . "$@"
