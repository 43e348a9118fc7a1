#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs all examples side by side, each with a server of its own. The output of one that fails is printed.
set -uo pipefail
cd "$(dirname "$0")" || exit 1
unset AWS_ENDPOINT_URL STOKER_DATA
logs=$(mktemp -d)
running=()
# Each example cleans up after itself.
finish() {
  trap '' INT TERM
  [ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2> /dev/null
  wait
  rm -rf "$logs"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

run_example() {
  local began=$SECONDS status
  "$1/run.sh" > "$logs/$1" 2>&1 &
  # A signal interrupts `wait`; the example still has to clean up.
  trap 'kill $! 2> /dev/null' TERM
  while true; do
    wait $!
    status=$?
    kill -0 $! 2> /dev/null || break
  done
  if [ "$status" -ne 0 ]; then
    cat "$logs/$1"
    echo "FAILED $1 in $((SECONDS - began)) s"
  else
    echo "passed $1 in $((SECONDS - began)) s"
  fi
  return "$status"
}

for example in gpu-autoscaling ocr-service multi-gpu-training image-queue; do
  run_example $example &
  running+=($!)
done
failed=0
for job in "${running[@]}"; do wait "$job" || failed=1; done
running=()
exit $failed
