#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A Slurm cluster of this one machine, with four GPUs that are device files. Needs root, slurm-wlm and munge.
# usage: slurm.sh start|stop FOLDER CONTROLLER_PORT NODE_PORT
#   clients need SLURM_CONF=FOLDER/slurm.conf
set -euo pipefail
action=$1 folder=$2 controller_port=${3:-6817} node_port=${4:-6818}
host=$(hostname -s)
export SLURM_CONF=$folder/slurm.conf

write_configuration() {
  cat >"$folder/slurm.conf" <<CONF
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
GresTypes=gpu
KillWait=120
MessageTimeout=100
BatchStartTimeout=120
UnkillableStepTimeout=300
SchedulerParameters=sched_min_interval=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=64 RealMemory=262144 Gres=gpu:4 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nConstrainCores=no\nConstrainRAMSpace=no\n' >"$folder/cgroup.conf"
  printf 'AutoDetect=off\nName=gpu File=/dev/null,/dev/zero,/dev/full,/dev/urandom\n' >"$folder/gres.conf"
}

start() {
  mkdir -p "$folder/state" "$folder/spool"
  write_configuration
  head -c 128 /dev/urandom >"$folder/munge.key"
  chmod 0400 "$folder/munge.key"
  munged --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
  slurmctld
  slurmd
  # Until the node has registered.
  for _ in $(seq 1200); do
    if [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; then return; fi
    if grep -qE 'fatal:|Address already in use' "$folder"/slurm*.log; then break; fi
    sleep 0.1
  done
  echo "the node did not become idle" >&2
  sinfo >&2 || true
  tail -n 20 "$folder"/*.log >&2
  exit 1
}

stop() {
  scancel --state=PENDING,RUNNING 2>/dev/null || true
  for name in slurmd slurmctld munged; do
    pid=$(cat "$folder/$name.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 1200); do
      kill -0 "$pid" 2>/dev/null || continue 2
      sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null || true
  done
}

"$action"
