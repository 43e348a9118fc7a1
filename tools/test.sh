#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that must hold, step by step; `make test` has built the release before.
# Each step's output is in build/test/<step>.log, and shown where it fails.
# STEPS="unit compat" runs only those. FUZZ_SECONDS, STOKER_CRASH_ROUNDS, STOKER_CHAOS_SECONDS make it
# longer.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
logs=build/test
mkdir -p "$logs"

build() {
  cmake --preset "$1" && cmake --build --preset "$1" -j "$jobs" --target "${@:2}"
}
unit() {
  ctest --test-dir build/release -j "$jobs" --output-on-failure
}
compat() {
  tests/compat/run.sh
}
hostile() {
  tests/hostile/run.sh
}
crash() {
  tests/crash/run.sh
}
e2e() {
  tests/e2e/run.sh
}
bench() {
  build/release/bench/queue_bench --quick && build/release/bench/objects_bench --quick &&
    build/release/bench/schedule_bench --quick && bench/start/start_bench.py --quick
}
demo() {
  tools/demo.sh build/release/src/stoker
}
asan() {
  build asan all && ctest --test-dir build/asan -j "$jobs" --output-on-failure &&
    STOKER_BIN=build/asan/src/stoker tests/hostile/run.sh
}
# Where there is more than one thread.
tsan() {
  build tsan stoker base_test http_test store_test api_test control_test agent_gpu_test agent_test &&
    ctest --test-dir build/tsan -j "$jobs" --output-on-failure -R '^unit\.(base|http|store|api|control|agent_gpu|agent)$' &&
    STOKER_BIN=build/tsan/src/stoker STOKER_CRASH_ROUNDS=3 tests/crash/run.sh
}
fuzz() {
  build fuzz fuzzers || return 1
  printf '%s\n' build/fuzz/tests/fuzz/*_fuzz | xargs -P "$jobs" -n 1 tests/fuzz/run.sh
}

tools/docker.sh > "$logs/docker.log" 2>&1 ||
  echo "no Docker engine, so tests with one are skipped: $logs/docker.log says why"

passed=0
failed=0
for step in ${STEPS:-unit demo compat e2e hostile crash bench asan tsan fuzz}; do
  began=$SECONDS
  if "$step" > "$logs/$step.log" 2>&1; then
    passed=$((passed + 1))
    verdict=passed
  else
    failed=$((failed + 1))
    verdict=FAILED
    tail -n 120 "$logs/$step.log"
  fi
  printf '%-8s %s in %d s\n' "$step" "$verdict" $((SECONDS - began))
  grep -hE '^(=+ .*(passed|failed).*=+|[0-9]+% tests passed.*|# (pass|fail) [0-9]+|crash: .*)$' "$logs/$step.log" | sed 's/^/         /'
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
