#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stoker on a machine with a real NVIDIA GPU: discovery, a pinned task, samples, two tasks that share
# the GPU through MPS. Prints its observations; docs/gpu.md has a summary. Needs Python with PyTorch.
#   tests/gpu/run.sh path/to/stoker [path/to/python3]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
stoker=$1
python=${2:-python3}
data=$(mktemp -d)
say() { printf '\n$ %s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; }

"$stoker" up --data "$data" --listen 127.0.0.1:0 --driver process --name gpu-box > "$data/out" 2> "$data/log" &
server=$!
finish() {
  kill "$server" 2> /dev/null
  wait "$server" 2> /dev/null
  printf '\n== the log of agent and server\n'
  tail -n 60 "$data/log"
  rm -rf "$data"
}
trap finish EXIT
for _ in $(seq 200); do
  grep -q 'is ready' "$data/out" && break
  sleep 0.05
done
cat "$data/out"
s() {
  say "stoker $*"
  "$stoker" "$1" --data "$data" "${@:2}"
  local status=$?
  [ $status -eq 0 ] || echo "(exit $status)"
}
for _ in $(seq 100); do
  "$stoker" gpus --data "$data" 2> /dev/null | grep -q GPU- && break
  sleep 0.1
done

step discovery
s nodes
s gpus

step "the page of metrics"
curl -s "$(cat "$data/agent/metrics_url")"

step "a task without GPUs sees none"
s run process --name none --memory 8192 -- "$python" -c 'import torch; print("cuda", torch.cuda.is_available())'

step "a pinned task"
s run process --name pinned --gpus 1 --memory 16384 --detach -- "$python" "$here/multiply.py" 15 8192
sleep 9
s gpus
step "a second one does not fit"
s run process --name second --gpus 1 --memory 16384 -- "$python" "$here/multiply.py" 1 1024
s explain second
task=$("$stoker" ps --data "$data" --json | grep -o 'task/default/[0-9a-f]*' | head -1 | cut -d/ -f3)
s logs -f "$task"
s ps --all

step "two tasks share it"
s run process --name share --gpu-memory 40000 --gpu-compute 30 --memory 16384 --detach -- "$python" "$here/multiply.py" 20 8192 60
s run process --name share --gpu-memory 40000 --gpu-compute 60 --memory 16384 --detach -- "$python" "$here/multiply.py" 20 8192 20
sleep 12
s gpus
pgrep -af nvidia-cuda-mps
nvidia-smi
for task in $("$stoker" ps --data "$data" --json | grep -o 'task/default/[0-9a-f]*' | sort -u | cut -d/ -f3); do
  s logs -f "$task"
done
s ps --all
sleep 2
step "the MPS daemon ends with its last task"
pgrep -af nvidia-cuda-mps || echo "none is left"
s gpus
