#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The whole of it, from a client's call to a container with its GPUs. Arguments go to pytest.
# STOKER_CHAOS_SECONDS makes the chaos test longer.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q -p no:cacheprovider . "$@"
