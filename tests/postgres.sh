#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command with a PostgreSQL server of its own and STOKER_TEST_STORE=postgresql://... (unit tests),
# STOKER_STORE=postgresql://... (tests that start servers):
#   tests/postgres.sh build/release/src/services_sqs_test --gtest_brief=1
# Without a command: the unit tests of every module that has tables, from $BUILD (build/release).
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${POSTGRES_PROGRAMS:-/usr/lib/postgresql/15/bin}
modules="state services telemetry control services_pipelines services_sqs services_s3 services_ecs services_cloudwatch services_logs services_stoker webhooks_sender doors_objects"

if [ ! -x "$programs/initdb" ]; then
  echo "PostgreSQL is not installed: missing $programs/initdb" >&2
  exit 1
fi
folder=$(mktemp -d /tmp/stoker-postgres-XXXXXX)
as_user=()
if [ "$(id -u)" = 0 ]; then  # PostgreSQL refuses to run as root
  chown postgres "$folder"
  as_user=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi
stop() {
  "${as_user[@]}" "$programs/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap stop EXIT
# The locale orders text by language, so that a test fails if a column does not order it by bytes.
(cd / && "${as_user[@]}" "$programs/initdb" -D "$folder/data" -U postgres --auth=trust --encoding=UTF8 \
  --locale=C.UTF-8 --locale-provider=icu --icu-locale=en --no-sync >"$folder/initdb.log" 2>&1) || {
  cat "$folder/initdb.log" >&2
  exit 1
}
# No durability: the data lives as long as the command.
(cd / && "${as_user[@]}" "$programs/pg_ctl" -D "$folder/data" -l "$folder/data/log" -w -t 300 -o \
  "-k $folder -c listen_addresses= -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
   -c max_connections=200" start >/dev/null) || {
  cat "$folder/data/log" >&2
  exit 1
}
export STOKER_TEST_STORE="postgresql://postgres@/postgres?host=$folder"
export STOKER_STORE=$STOKER_TEST_STORE

if [ $# -gt 0 ]; then
  "$@"
  exit
fi
for module in $modules; do
  "${BUILD:-build/release}/src/${module}_test" --gtest_brief=1
done
