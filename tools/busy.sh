#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: busy.sh N COMMAND [ARGUMENT...]
# Runs the command beside N processes that never rest, so that tests that depend on a fast machine
# fail. Exits with the command's status.
set -uo pipefail
[ $# -ge 2 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
count=$1
shift
loops=()
trap '[ ${#loops[@]} -eq 0 ] || kill "${loops[@]}" 2> /dev/null' EXIT
for _ in $(seq "$count"); do
  (while :; do :; done) &
  loops+=($!)
done
"$@"
