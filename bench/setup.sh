#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what bench/queue, bench/objects, bench/telemetry and bench/pipeline compare with Stoker (Debian 12), without
# starting their services: the benchmarks start their own instances, in their own folders.
set -euo pipefail
missing=()
for package in nginx-light prometheus python3-celery python3-redis rabbitmq-server redis-server ripgrep; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
sudo=""
[ "$(id -u)" -eq 0 ] || sudo="sudo"
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" > /dev/null
  $sudo chmod +x "$policy"
  trap '$sudo rm -f "$policy"' EXIT
fi
$sudo apt-get install -y --no-install-recommends "${missing[@]}"
