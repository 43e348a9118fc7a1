#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one fuzz target, for FUZZ_SECONDS. What breaks it is written to build/test.
# It prints when it is done, so that several can run beside each other.
set -uo pipefail
cd "$(dirname "$0")/../.."
name=$(basename "$1")
corpus=build/fuzz/corpus/$name
mkdir -p "$corpus" build/test
output=$("$1" -max_total_time="${FUZZ_SECONDS:-10}" -timeout=10 -rss_limit_mb=2048 \
  -artifact_prefix="build/test/$name-" "$corpus" 2>&1)
status=$?
printf '== %s\n%s\n' "$name" "$(tail -n 40 <<< "$output")"
exit "$status"
