#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: use.sh UNITS, in the chroot. Runs the commands of the units in the folder UNITS as systemd would, with their
# settings, runs a task, and ends both. Only the port differs: a free one.
set -eu
mkdir -p /var/lib/stoker /var/lib/stoker-agent /etc/stoker
export STOKER_DATA=/var/lib/stoker

wait_for() {
  tries=0
  until "$@" > /tmp/wait.out 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || { echo "never: $*" && tail -n 20 /tmp/wait.out /tmp/server.log /tmp/agent.log && exit 1; }
    sleep 0.2
  done
}
start() {
  STOKER_SERVER_OPTIONS="" STOKER_AGENT_OPTIONS=""
  . "/etc/default/stoker-$2"
  command=$(sed -n 's/^ExecStart=//p' "$1/stoker-$2.service")
  eval "exec $command $3" > "/tmp/$2.log" 2>&1
}

# Nothing may hold the chroot after a failure.
finish() {
  kill ${agent:-} ${server:-} 2> /dev/null || true
  wait
}
trap finish EXIT

sed -i 's/--listen [^" ]*/--listen 127.0.0.1:0/' /etc/default/stoker-server
chown root /var/lib/stoker # systemd would start it as its own user
start "$1" server "" &
server=$!
wait_for stoker status
# The agent needs this file alone. The host name in it may be another address than loopback, where this server listens.
(umask 077 && stoker token | sed "s|--join [^ ]*|--join $(cat /var/lib/stoker/endpoint)|" > /etc/stoker/agent.token)
start "$1" agent "--driver process --gpus fake:1xV100 --metrics-listen none" &
agent=$!
wait_for sh -c 'stoker nodes > /tmp/nodes && grep -q ACTIVE /tmp/nodes'
stoker run --gpus 1 process -- sh -c 'echo from a task' > /tmp/run.out
grep 'from a task' /tmp/run.out
kill "$agent"
wait "$agent"
agent=""
kill "$server"
wait "$server"
server=""
