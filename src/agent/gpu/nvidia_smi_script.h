// SPDX-License-Identifier: Apache-2.0
// The nvidia-smi script without its first lines, which set `data`. POSIX sh and builtins only. Texts
// and exit codes are nvidia-smi's: 2 for an invalid argument, 6 for a missing GPU.
#pragma once

namespace agent::gpu {

inline constexpr const char* kNvidiaSmiScript = R"script(
help() {
  cat_ "NVIDIA System Management Interface -- look-alike for simulated GPUs" "" \
    "nvidia-smi [OPTION1 [ARG1]] [OPTION2 [ARG2]] ..." "" \
    "    -h,   --help                Print usage information and exit." \
    "    -L,   --list-gpus           Display a list of GPUs." \
    "    -i,   --id=                 Target a specific GPU: index or UUID." \
    "          --query-gpu=          index, name, uuid, memory.total, memory.used, memory.free," \
    "                                utilization.gpu, utilization.memory, temperature.gpu," \
    "                                power.draw, power.limit, driver_version, count" \
    "          --format=             csv[,noheader][,nounits]"
}
cat_() { for line in "$@"; do printf '%s\n' "$line"; done; }
bad() { printf '%s\n' "$1"; exit 2; }

# Is the first argument in the comma-separated list of the second?
listed() { case ",$2," in *",$1,"*) return 0 ;; esac; return 1; }

# Runs "$1" for each visible GPU, with its values in variables.
each_gpu() {
  at=0
  while IFS=, read -r host_index uuid name total used busy memory_busy celsius watts max_watts; do
    if [ "$visible" != all ]; then
      listed "$host_index" "$visible" || listed "$uuid" "$visible" || continue
      index=$at
    else
      index=$host_index
    fi
    at=$((at + 1))
    if [ -n "$wanted" ]; then
      listed "$index" "$wanted" || listed "$uuid" "$wanted" || continue
    fi
    "$1"
  done < "$data"
}

count_one() { count=$((count + 1)); }
list_one() { printf 'GPU %s: %s (UUID: %s)\n' "$index" "$name" "$uuid"; }

header_of() {
  case $1 in
    memory.*) unit=' [MiB]' ;;
    utilization.*) unit=' [%]' ;;
    power.*) unit=' [W]' ;;
    *) unit= ;;
  esac
  header=$1$unit
}
value_of() {
  unit=
  case $1 in
    index) value=$index ;;
    name | gpu_name) value=$name ;;
    uuid | gpu_uuid) value=$uuid ;;
    memory.total) value=$total unit=' MiB' ;;
    memory.used) value=$used unit=' MiB' ;;
    memory.free) value=$((total - used)) unit=' MiB' ;;
    utilization.gpu) value=$busy unit=' %' ;;
    utilization.memory) value=$memory_busy unit=' %' ;;
    temperature.gpu) value=$celsius ;;
    power.draw) value=$watts unit=' W' ;;
    power.limit) value=$max_watts unit=' W' ;;
    driver_version) value=simulated ;;
    count) value=$count ;;
    *) return 1 ;;
  esac
  if [ "$units" = no ]; then unit=; fi
}
# Sets `line` to the results of "$1" for each field of the query, joined by ", ".
line_of() {
  line= rest=$query,
  while [ -n "$rest" ]; do
    field=${rest%%,*} rest=${rest#*,}
    while [ "${field# }" != "$field" ]; do field=${field# }; done
    "$1" "$field" || bad "Field \"$field\" is not a valid field to query."
    case $1 in header_of) part=$header ;; *) part=$value$unit ;; esac
    line="${line:+$line, }$part"
  done
}
query_one() { line_of value_of; printf '%s\n' "$line"; }

query() {
  listed csv "$format" || bad '"--format=" switch is missing. Please run '\''nvidia-smi -h'\'' for help.'
  units=yes
  if listed nounits "$format"; then units=no; fi
  index=0 uuid= name= total=0 used=0 busy=0 memory_busy=0 celsius=0 watts=0 max_watts=0
  line_of value_of
  line_of header_of
  listed noheader "$format" || printf '%s\n' "$line"
  each_gpu query_one
}

rule() { printf '%s\n' "+-----------------------------------------+----------------------+----------------------+"; }
table_one() {
  printf '| %3s  %-24.24s       Off | %20s | %20s |\n' "$index" "$name" "N/A  Off" "N/A"
  printf '| N/A  %3sC    P0   %9s / %9s | %6sMiB /%6sMiB | %6s%%      Default |\n' \
    "$celsius" "${watts%.*}W" "${max_watts%.*}W" "$used" "$total" "$busy"
  rule
}
table() {
  date 2> /dev/null
  rule
  printf '| %-85s |\n' "NVIDIA-SMI simulated    Driver Version: simulated    CUDA Version: N/A"
  rule
  printf '| %-39s | %-20s | %-20s |\n' "GPU  Name             Persistence-M" "Bus-Id       Disp.A" "Volatile Uncorr. ECC"
  printf '| %-39s | %-20s | %-20s |\n' "Fan  Temp  Perf       Pwr:Usage/Cap" "        Memory-Usage" "GPU-Util  Compute M."
  rule
  each_gpu table_one
}

mode=table wanted= query= format=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) help; exit 0 ;;
    -L | --list-gpus) mode=list ;;
    -i | --id)
      [ $# -gt 1 ] || bad "Option $1 requires an argument. Please run 'nvidia-smi -h'."
      wanted=$2
      shift ;;
    -i=* | --id=*) wanted=${1#*=} ;;
    --query-gpu=*) mode=query query=${1#*=} ;;
    --format=*)
      format=${1#*=}
      rest=$format,
      while [ -n "$rest" ]; do
        listed "${rest%%,*}" csv,noheader,nounits || bad "Option --format=${rest%%,*} is not recognized. Please run 'nvidia-smi -h'."
        rest=${rest#*,}
      done ;;
    *) bad "Invalid combination of input arguments: $1. Please run 'nvidia-smi -h' for help." ;;
  esac
  shift
done
# Like the NVIDIA runtime: GPUs keep the driver's order and are renumbered.
visible=${NVIDIA_VISIBLE_DEVICES-all}
case $visible in void | none | '') visible=void ;; esac
if [ ! -r "$data" ]; then
  printf '%s\n' "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver: $data is missing."
  exit 9
fi
count=0
wanted_first=$wanted wanted=
each_gpu count_one
wanted=$wanted_first matched=$count
if [ -n "$wanted" ]; then
  all=$count count=0
  each_gpu count_one
  matched=$count count=$all
fi
if [ "$matched" = 0 ]; then
  printf '%s\n' "No devices were found"
  exit 6
fi
case $mode in
  list) each_gpu list_one ;;
  query) query ;;
  table) table ;;
esac
)script";

}  // namespace agent::gpu
