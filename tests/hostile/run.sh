#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests with hostile input. Arguments go to pytest. STOKER_BIN selects the program; a report of a
# sanitizer is a failure, too. As root they also test a full disk.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q -p no:cacheprovider . "$@"
