#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Attacks from the inside: tasks, agents and neighbours that try what they must not be able to do. Arguments go to pytest.
# STOKER_BIN selects the program.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q -p no:cacheprovider . "$@"
