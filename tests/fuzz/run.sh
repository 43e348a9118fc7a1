#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh FUZZER
# Runs one fuzz target for FUZZ_SECONDS. An input that breaks it is written to build/test. The output is printed at
# the end, so that several targets can run in parallel.
set -uo pipefail
cd "$(dirname "$0")/../.."
name=$(basename "$1")
corpus=build/corpus/$name
mkdir -p "$corpus" build/test
# A report of much memory may hang in the allocator's lock.
output=$(timeout -k 5 $((${FUZZ_SECONDS:-10} + 120)) "$1" -max_total_time="${FUZZ_SECONDS:-10}" -timeout=60 -rss_limit_mb=2048 \
  -artifact_prefix="build/test/$name-" "$corpus" 2>&1)
status=$?
printf '== %s\n%s\n' "$name" "$(tail -n 40 <<< "$output")"
exit "$status"
