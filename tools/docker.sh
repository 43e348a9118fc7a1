#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Starts a Docker engine unless one runs, and creates the image of the tests unless it exists:
# stoker-test:latest, busybox with its links. Needs no registry.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PATH:/usr/sbin:/sbin"
image=stoker-test:latest
wait_s=120

sudo=""
[ "$(id -u)" -eq 0 ] || sudo="sudo"

answers() {
  docker version --format '{{.Server.Version}}' > /dev/null 2>&1
}

# The engine outlives this script and its caller.
start() {
  command -v dockerd > /dev/null || { echo "dockerd is not installed: run tools/setup.sh" >&2; exit 1; }
  mkdir -p build
  $sudo setsid dockerd < /dev/null > build/dockerd.log 2>&1 &
  for ((tenths = 0; tenths < wait_s * 10; tenths++)); do
    answers && return
    sleep 0.1
  done
  echo "dockerd did not answer within $wait_s s:" >&2
  tail -n 20 build/dockerd.log >&2
  exit 1
}

make_image() {
  local root
  root=$(mktemp -d)
  mkdir -p "$root"/{bin,etc,home,tmp,usr/bin,var/www}
  chmod 1777 "$root/tmp"
  cp "$(command -v busybox)" "$root/bin/busybox"
  for applet in $(busybox --list); do
    [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
  done
  printf 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n' > "$root/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\n' > "$root/etc/group"
  tar -C "$root" --owner=0 --group=0 -c . | docker import -c 'CMD ["/bin/sh"]' -c 'ENV PATH=/usr/bin:/bin' - "$image" > /dev/null
  rm -rf "$root"
}

answers || start
docker image inspect "$image" > /dev/null 2>&1 || make_image
