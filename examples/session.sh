# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the examples: finds a server or starts one, prints each command before it runs it, and cleans up.
#
#   start OPTION...    uses the server at $AWS_ENDPOINT_URL (eval "$(stoker env)"), else starts `stoker up OPTION...`
#   run ARGUMENT...    prints and runs `aws ARGUMENT...`; `quiet` does not print it
#   own ARGUMENT...    prints and runs `stoker ARGUMENT...`
#   await COMMAND...   waits until the command succeeds
#   background NAME COMMAND...   starts a process that ends with the example; its output is in $folder/NAME.log
#
# An example defines `turn_off`, which deletes what it has created, and calls it at its end. After a failure and on Ctrl-C
# it is called here, and commands in it may fail; before it, `diagnose` shows what the example waits for.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
stoker=${STOKER_BIN:-$root/build/release/src/stoker}
case $stoker in /*) ;; *) stoker=$root/$stoker ;; esac
# Debian's, whose Python has the packages of tools/setup.sh.
python=/usr/bin/python3
aws_command=/usr/bin/aws
[ -x "$aws_command" ] || aws_command=aws
if [ "$(id -u)" -eq 0 ] && ! runuser -u nobody -- test -r "$root/examples/session.sh"; then
  echo "tasks run as users of their own, which cannot read $root: move it to a folder that they may enter, such as /opt" >&2
  exit 1
fi
folder=$(mktemp -d /tmp/stoker-example-XXXXXX)
patience_seconds=${PATIENCE_SECONDS:-600} # for what must happen, also on a busy machine
server="" children=""

# Words as a shell reads them.
quoted() {
  local word line=""
  for word in "$@"; do
    case $word in
      '' | *[!A-Za-z0-9_./:=,@%+-]*) word="'${word//\'/\'\\\'\'}'" ;;
    esac
    line+=" $word"
  done
  printf '%s' "${line# }"
}
bold="" dim="" plain=""
[ ! -t 1 ] || bold=$'\033[1m' dim=$'\033[2m' plain=$'\033[0m'
say() { printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"; }
note() { printf '\n%s# %s%s\n' "$dim" "$*" "$plain"; }

quiet() { "$aws_command" --endpoint-url "$AWS_ENDPOINT_URL" "$@"; }
run() {
  say "aws $(quoted "$@")"
  quiet "$@"
}
own() {
  say "stoker $(quoted "$@")"
  "$stoker" "$@"
}

await() {
  local deadline=$((SECONDS + patience_seconds))
  until "$@" > /dev/null 2>&1; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "not within $patience_seconds s: $(quoted "$@")" >&2
      return 1
    fi
    sleep 0.5
  done
}

# In a session of its own: on Ctrl-C it must outlive the clean-up.
background() {
  local name=$1
  shift
  setsid "$@" > "$folder/$name.log" 2>&1 &
  children+=" $!"
}

# Below the range of which the kernel gives ports to other programs: they stay free until they are used.
free_ports() { # COUNT
  "$python" -c 'import random, socket, sys
held = []
while len(held) < int(sys.argv[1]):
    one = socket.socket()
    try:
        one.bind(("127.0.0.1", random.randrange(20000, 30000)))
        held.append(one)
    except OSError:
        pass  # in use
print(*(one.getsockname()[1] for one in held))' "$1"
}

has_gpus() { nvidia-smi -L 2> /dev/null | grep -q '^GPU '; }
# The GPUs of a server that the example starts: this machine's, else so many simulated ones.
gpus() { if has_gpus; then echo auto; else echo "fake:$1"; fi; }

start() {
  if [ -n "${AWS_ENDPOINT_URL:-}" ]; then
    note "the server at $AWS_ENDPOINT_URL"
  else
    [ -x "$stoker" ] || { echo "$stoker does not exist: run \`make build\` first" >&2 && exit 1; }
    export STOKER_DATA=$folder/data
    say "stoker up --data $STOKER_DATA --listen 127.0.0.1:0 $(quoted "$@")"
    setsid "$stoker" up --data "$STOKER_DATA" --listen 127.0.0.1:0 "$@" > "$folder/server.out" 2> "$folder/server.log" &
    server=$!
    ready_or_ended() { grep -q 'is ready' "$folder/server.out" || ! kill -0 "$server"; }
    await ready_or_ended
    kill -0 "$server" 2> /dev/null || { cat "$folder/server.log" >&2 && exit 1; }
    cat "$folder/server.out"
    eval "$("$stoker" env)"
    note "for these commands in another shell:"
    echo "export STOKER_DATA=$STOKER_DATA PATH=$(dirname "$stoker"):\$PATH; eval \"\$(stoker env)\""
    echo "alias aws='$aws_command --endpoint-url \$AWS_ENDPOINT_URL'"
  fi
  export AWS_PAGER="" AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1}
  account=$(quiet sts get-caller-identity --query Account --output text)
  arn_base=$AWS_DEFAULT_REGION:$account
}

# Conditions for `await`, by the server's own command line, which costs less than a start of aws.
in_service() { "$stoker" groups --json | "$python" "$root/examples/state.py" group "$1" "$2"; }
service_runs() { "$stoker" services --cluster "$1" --json | "$python" "$root/examples/state.py" service "$2" "$3"; }
no_machines() { [ "$("$stoker" nodes --cluster "$1" --json | "$python" "$root/examples/state.py" machines)" = 0 ]; }
no_tasks() { [ "$("$stoker" ps --cluster "$1" --json | "$python" "$root/examples/state.py" tasks)" = 0 ]; }

finish() {
  local status=$? child
  trap '' INT TERM
  trap - EXIT
  set +eu
  if [ "$status" -ne 0 ]; then
    note "ended with status $status; turning everything off"
    patience_seconds=60
    [ -z "${account:-}" ] || diagnose
    [ -z "${account:-}" ] || turn_off
    [ ! -e "$folder/server.log" ] || tail -n 30 "$folder/server.log"
  fi
  for child in $children $server; do
    kill "$child" 2> /dev/null
    wait "$child" 2> /dev/null
  done
  rm -rf "$folder"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
