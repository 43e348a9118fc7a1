#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: demo.sh [--keep] [STOKER]
# A file goes in, its text comes out: starts a server, creates the OCR pipeline, sends it documents whose text is known,
# compares the results, verifies the webhooks, and shows the pool of workers growing from zero and shrinking again.
# Ends with status 0 only if all of it is right. --keep leaves it running until Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")/.."
keep=""
[ "${1:-}" != --keep ] || { keep=yes && shift; }
stoker=$(readlink -f "${1:-build/release/src/stoker}")
idle=10s
python=/usr/bin/python3  # has Debian's packages
export PYTHONDONTWRITEBYTECODE=1

programs=$(dirname "$stoker")
[ -x "$programs/stoker-ocr" ] || { echo "there is no stoker-ocr beside $stoker: make build" >&2 && exit 1; }
DEMO=$(mktemp -d "${TMPDIR:-/tmp}/stoker-demo.XXXXXX")
export DEMO STOKER_DATA=$DEMO/data PATH="$programs:$PATH" AWS_PAGER=""
mkdir "$DEMO/in" "$DEMO/results"

if [ -t 1 ]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; else bold="" dim="" plain=""; fi
heading() { printf '\n%s== %s%s\n' "$bold" "$1" "$plain"; }
note() { printf '%s%s%s\n' "$dim" "$1" "$plain"; }
# Prints a command and runs exactly what it printed.
show() {
  printf '%s$ %s%s\n' "$bold" "$1" "$plain"
  eval "$1"
}

server="" receiver="" started="" failed=yes
finish() {
  trap - EXIT
  [ -z "$receiver" ] || kill "$receiver" 2> /dev/null || true
  [ -z "$server" ] || kill "$server" 2> /dev/null || true
  wait 2> /dev/null || true
  # Workers outlive the agent; after a failure there may be some.
  [ -z "$started" ] || "$stoker" agent --clean-up --driver process --name box --join http://127.0.0.1 \
    --data "$STOKER_DATA/agent" > /dev/null 2>&1 || true
  if [ -n "$failed" ]; then
    printf '\n%sThe demo failed.%s The end of the log of the server, %s:\n' "$bold" "$plain" "$DEMO/log" >&2
    tail -n 20 "$DEMO/log" >&2 2> /dev/null || true
    exit 1
  fi
  rm -rf "$DEMO"
}
trap finish EXIT

# Waits until a command prints something.
await() {
  for _ in $(seq 1200); do
    [ -z "$("$@" 2> /dev/null)" ] || return 0
    sleep 0.1
  done
  echo "not within 120 s: $*" >&2
  return 1
}

heading "A server, and this machine as the first one that works for it"
up='stoker up --driver process --gpus none --name box --webhook-private-networks'
printf '%s$ %s &%s\n' "$bold" "$up" "$plain"
$up --listen 127.0.0.1:0 > "$DEMO/out" 2> "$DEMO/log" &
server=$!
ready_or_ended() { grep 'is ready' "$DEMO/out" || kill -0 "$server" || echo ended; }
await ready_or_ended
kill -0 "$server"
fold -s -w 80 "$DEMO/out"
started=yes
eval "$(stoker env)"
connected() { stoker nodes | grep ACTIVE; }
await connected
note "
To type along, paste this in another terminal:
  export DEMO=$DEMO STOKER_DATA=$STOKER_DATA
  export PATH=$programs:\$PATH
  eval \"\$(stoker env)\"
  stoker top"

heading "A pipeline: bucket, queue, workers from zero, webhook"
"$python" tools/demo/receiver.py "$DEMO/port" "$DEMO/deliveries" &
receiver=$!
await cat "$DEMO/port"
show "stoker pipeline create ocr --builtin ocr --max 2 --idle $idle \\
    --webhook http://127.0.0.1:$(cat "$DEMO/port")/" 2>&1 | tee "$DEMO/created"
grep -o 'whsec_[A-Za-z0-9+/=]*' "$DEMO/created" > "$DEMO/secret"
show "stoker pipeline list"

heading "Documents whose text is known"
show "tools/demo/documents.py \$DEMO/in"

heading "Submit them: the pool grows from zero"
inputs="\$DEMO/in/*.{png,jpg,tif,pdf}"
submit="stoker submit ocr $inputs \\
    --wait --output \$DEMO/results"
printf '%s$ %s%s\n' "$bold" "$submit" "$plain"
items=$(eval "ls $inputs" | wc -l)
"$python" tools/demo/pool.py grow "$DEMO" "$items" "$submit > $DEMO/submitted 2>&1" || { cat "$DEMO/submitted" && exit 1; }
tail -n 1 "$DEMO/submitted" | sed 's/; results in.*//'

heading "The results: jobs, and objects in a bucket"
show "stoker jobs ocr --limit 4"
show "aws --endpoint-url \$AWS_ENDPOINT_URL s3 ls --recursive \\
    s3://stoker-ocr-000000000000/out/ | tail -n 4 | cut -c 21-"
show "head -c 390 \$DEMO/results/sans-22.png.json | fold -w 78; echo"
"$python" tools/demo/verdict.py texts "$DEMO"

heading "The webhook: a signed POST for each job"
"$python" tools/demo/verdict.py webhooks "$DEMO"

heading "Without work the pool returns to zero"
"$python" tools/demo/pool.py shrink "$DEMO"

heading "In numbers"
"$python" tools/demo/verdict.py table "$DEMO" "$idle"
failed=""
if [ -n "$keep" ]; then
  note "It stays up: Ctrl-C ends it and deletes $DEMO."
  trap 'exit 0' INT TERM
  wait "$server"
fi
echo "Every text and every signature was right."
