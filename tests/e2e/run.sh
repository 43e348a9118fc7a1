#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# End-to-end tests, from a client's call to a container with its GPUs. Arguments go to pytest.
# STOKER_CHAOS_SECONDS sets the length of the chaos test, STOKER_SERVICE_UPDATES the number of updates of a service.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q -p no:cacheprovider . "$@"
