#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows Stoker at work with a stock client: starts it, sends and receives over SQS, stops it.
set -euo pipefail
stoker=${1:-build/release/src/stoker}
data=$(mktemp -d)
server=""
finish() {
  [ -z "$server" ] || kill "$server" 2> /dev/null || true
  wait 2> /dev/null || true
  rm -rf "$data"
}
trap finish EXIT
say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }

say "stoker up --data $data --listen 127.0.0.1:0"
"$stoker" up --data "$data" --listen 127.0.0.1:0 > "$data/out" &
server=$!
for _ in $(seq 100); do
  grep -q 'is ready' "$data/out" && break
  kill -0 "$server"
  sleep 0.05
done
cat "$data/out"

eval "$("$stoker" env --data "$data")"
aws_command=/usr/bin/aws
[ -x "$aws_command" ] || aws_command=aws
run() {
  say "aws $*"
  "$aws_command" --endpoint-url "$AWS_ENDPOINT_URL" "$@"
}
export AWS_PAGER=""

run sts get-caller-identity
run sqs create-queue --queue-name demo
queue="$AWS_ENDPOINT_URL/000000000000/demo"
run sqs send-message --queue-url "$queue" --message-body "a file to look at"
run sqs receive-message --queue-url "$queue" --wait-time-seconds 5
say "stoker status --data $data"
"$stoker" status --data "$data"
say "kill -TERM (stoker finishes what it has begun, and stops)"
kill "$server"
wait "$server"
server=""
echo "stopped"
