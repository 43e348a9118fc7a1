#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the peers that bench/queue measures beside Stoker (Debian 12), without
# letting their services start: the benchmark starts its own, on folders of its own.
set -e
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
apt-get install -y --no-install-recommends rabbitmq-server redis-server
