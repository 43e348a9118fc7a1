#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: setup.sh [demo]
# Installs the Debian 12 packages that building and testing need, or only those of `make demo`. Returns at once if all
# are installed.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

# building, and what stoker-ocr runs with
packages=(
  g++ cmake ninja-build ccache mold pkg-config
  libboost1.81-dev libboost-json1.81-dev libssl-dev libsqlite3-dev libpq-dev zlib1g-dev libzstd-dev libre2-dev
  tzdata libjemalloc-dev libpugixml-dev libspdlog-dev libfmt-dev libcli11-dev libyaml-cpp-dev prometheus-cpp-dev
  libgtest-dev libgmock-dev
  libtesseract-dev libleptonica-dev tesseract-ocr-eng poppler-utils
)
# the demo's documents and clients
packages+=(python3 python3-pil fonts-dejavu-core fonts-liberation python3-boto3 awscli)
if [ "${1:-}" != demo ]; then
  packages+=(
    # testing
    postgresql python3-pytest python3-celery python3-kombu python3-pycurl python3-yaml
    # containers in tests; tools/docker.sh starts the engine
    docker.io busybox-static iptables iproute2 openmpi-bin
    # examples
    redis-server python3-redis tesseract-ocr curl
    # instances as jobs; tests/e2e/slurm.sh starts the daemons
    slurm-wlm munge
    # address and undefined-behaviour sanitizers, fuzzing
    clang-19 libclang-rt-19-dev
  )
  # Node.js and npm may be installed without a Debian package.
  command -v node > /dev/null || packages+=(nodejs)
  command -v npm > /dev/null || packages+=(npm)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing: ${missing[*]}"
sudo=""
[ "$(id -u)" -eq 0 ] || sudo="sudo"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" > build/setup.log 2>&1 || {
  tail -n 30 build/setup.log
  exit 1
}
