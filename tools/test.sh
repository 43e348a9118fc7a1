#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs all tests, step by step. build/test/<step>.log holds each step's output; a failing step
# ends with the names of its failed cases and their reasons.
#
#   STEPS="unit compat"      runs only these steps
#   REPEAT=50                runs the steps 50 times and stops at the first failure
#   FUZZ_SECONDS=600         seconds for each fuzz target (10)
#   STOKER_CRASH_ROUNDS=1000, STOKER_CHAOS_SECONDS=600   longer crash and chaos tests
#   STOKER_POSTGRES=all      runs everything that has a store on PostgreSQL, not a selection
#
# The black-box steps leave the processors idle for more than half of their time, so they run in three lanes, and the
# builds with sanitizers beside them, with the lowest priority. A step waits for its own build.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc)
logs=build/test
mkdir -p "$logs"
steps=${STEPS:-demo tour docs compat e2e scaling examples packages hostile crash unit postgres asan tsan fuzz}

# Modules that start threads; `unit` runs them under asan, `tsan` runs them again.
threaded() {
  local folder
  for folder in base http objects store api control control/providers agent/gpu agent $(cd src && ls -d doors/* 2> /dev/null); do
    [ -z "$(find "src/$folder" -name '*_test.cc' -print -quit)" ] || echo "${folder//\//_}"
  done
}

# The build that a step needs.
preset_of() {
  case $1 in
    unit | asan | postgres | fuzz) echo asan ;;
    tsan) echo tsan ;;
    *) echo release ;;
  esac
}
targets_of() {
  case $1 in
    release) echo stoker stoker-ocr ;;
    asan) echo all ;;
    tsan) echo stoker && threaded | sed 's/$/_test/' ;;
  esac
}
# Builds `preset` as far as it can, so that all errors show, and records the exit status for await_build.
build() {
  local preset=$1 began=$SECONDS status=0
  # shellcheck disable=SC2046
  { cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" --target $(targets_of "$preset") -- -k 0; } \
    > "$logs/build-$preset.log" 2>&1 || status=1
  printf '%-8s %s in %d s\n' "$preset" "$([ "$status" -eq 0 ] && echo built || echo "did not build")" $((SECONDS - began))
  echo "$status" > "$logs/build-$preset.status"
}
await_build() {
  while [ ! -e "$logs/build-$1.status" ]; do
    kill -0 "$builder" 2> /dev/null || [ -e "$logs/build-$1.status" ] || return 1
    sleep 0.2
  done
  [ "$(cat "$logs/build-$1.status")" -eq 0 ] || { cat "$logs/build-$1.log" && return 1; }
}

unit() {
  ctest --test-dir build/asan -j "$jobs" --output-on-failure
}
compat() {
  tests/compat/run.sh
}
hostile() {
  tests/hostile/run.sh && tests/attack/run.sh
}
crash() {
  tests/crash/run.sh
}
e2e() {
  tests/e2e/run.sh --ignore-glob='*test_scaling_*'
}
scaling() {
  tests/e2e/run.sh -k test_scaling_
}
examples() {
  SHORT=1 examples/run_all.sh
}
demo() {
  tools/demo.sh build/release/src/stoker
}
tour() {
  tools/tour.sh build/release/src/stoker
}
docs() {
  /usr/bin/python3 -B -m pytest -q -p no:cacheprovider tests/docs
}
packages() {
  tests/packages/run.sh build/release/src
}
# The services' own tests and the compatibility tests once more, on PostgreSQL.
postgres() {
  await_build release || return 1
  local programs='store|telemetry|services_(sqs|ecs|cloudwatch|logs|events|ec2|autoscaling|application_autoscaling|pipelines|ssm)|control'
  local cases=(sqs/test_{send,receive,fifo,long_poll,dead_letters}.py events/test_{rules,buses}.py)
  if [ "${STOKER_POSTGRES:-}" = all ]; then
    programs='store|state|telemetry|webhooks.*|services.*|api|doors.*|control.*'
    cases=(sqs sts ecs s3 cloudwatch logs events ec2 autoscaling application_autoscaling pipelines ssm)
  fi
  tests/postgres.sh ctest --test-dir build/asan -j "$jobs" --output-on-failure -R "^unit\.($programs)\$" &&
    tests/postgres.sh /usr/bin/python3 -B -m pytest -q -p no:cacheprovider "${cases[@]/#/tests/compat/}"
}
asan() {
  STOKER_BIN=build/asan/src/stoker tests/hostile/run.sh
}
tsan() {
  ctest --test-dir build/tsan -j "$jobs" --output-on-failure -R "^unit\.($(threaded | paste -sd '|'))\$" &&
    STOKER_BIN=build/tsan/src/stoker STOKER_CRASH_ROUNDS=3 tests/crash/run.sh
}
fuzz() {
  printf '%s\n' build/asan/tests/fuzz/*_fuzz | xargs -P "$jobs" -n 1 tests/fuzz/run.sh
}

# Runs one step and prints its result.
run_step() {
  local step=$1 began verdict=passed
  await_build "$(preset_of "$step")" > "$logs/$step.log" 2>&1 || verdict=FAILED
  began=$SECONDS
  [ "$verdict" = FAILED ] || "$step" >> "$logs/$step.log" 2>&1 || verdict=FAILED
  printf '%-8s %s in %d s\n' "$step" "$verdict" $((SECONDS - began))
  grep -hE '^([0-9]+ (passed|failed|skipped).* in .*|[0-9]+% tests passed.*|ℹ (pass|fail) [0-9]+|crash: [0-9].*)$' "$logs/$step.log" |
    sed 's/^/         /'
  [ "$verdict" = passed ] || { /usr/bin/python3 tools/failures.py "$logs/$step.log" && false; }
}

finish() {
  [ -z "$builder" ] || kill -- "-$builder" 2> /dev/null
}
builder=""
trap finish EXIT

for step in $steps; do
  [ "$(type -t "$step")" = function ] || { echo "there is no step '$step'"; exit 2; }
done
case $PWD in
  /tmp/*) echo "warning: tasks have a /tmp of their own, and do not find the files of this checkout in it" ;;
esac
if [ "$(id -u)" -eq 0 ] && ! runuser -u nobody -- test -r tools/test.sh; then
  echo "warning: tasks run as users of their own, which cannot read the files of this checkout"
fi
rm -f "$logs"/build-*.status
presets=$(for step in $steps; do [ "$step" != postgres ] || echo release; preset_of "$step"; done | awk '!seen[$0]++')
if grep -qx release <<< "$presets"; then
  build release
fi
set -m
(
  renice -n 19 "$BASHPID" > /dev/null
  for preset in $presets; do [ "$preset" = release ] || build "$preset"; done
) &
builder=$!
set +m

tools/docker.sh > "$logs/docker.log" 2>&1 ||
  echo "no Docker engine, so tests with one are skipped: $logs/docker.log has the reason"

# Runs the steps of a lane one after the other; a step that fails adds its name to $logs/failed. Each prints its result
# in one piece.
run_lane() {
  local step report
  for step in "$@"; do
    [ ! -s "$logs/failed" ] || [ "${REPEAT:-1}" -eq 1 ] || return
    report=$(run_step "$step") || echo " $step" >> "$logs/failed"
    printf '%s\n' "$report"
  done
}

# Black-box steps mostly wait, so those with containers run beside those with clients, and scaling and the examples, which
# wait for the periods of alarms, beside both.
containers="" clients="" waits="" programs=""
for step in $steps; do
  case $step in
    demo | tour | docs | e2e) containers+=" $step" ;;
    compat | hostile | crash) clients+=" $step" ;;
    scaling | examples | packages) waits+=" $step" ;;
    *) programs+=" $step" ;;
  esac
done
for round in $(seq "${REPEAT:-1}"); do
  [ "${REPEAT:-1}" -eq 1 ] || echo "round $round of $REPEAT"
  : > "$logs/failed"
  run_lane $containers &
  lanes=$!
  run_lane $waits &
  lanes+=" $!"
  run_lane $clients
  wait $lanes
  run_lane $programs
  [ ! -s "$logs/failed" ] || { printf 'FAILED after %d s:%s\n' "$SECONDS" "$(tr -d '\n' < "$logs/failed")" && exit 1; }
done
printf 'all steps passed in %d s\n' "$SECONDS"
