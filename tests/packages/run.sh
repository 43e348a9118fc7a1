#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh [PROGRAMS]
# Makes the packages and installs, runs, upgrades and removes them: the .deb files in a chroot of Debian 12, the tarball in one
# of Debian 11 (whose glibc is also Ubuntu 20.04's), the image in the engine if one runs. Needs root, for chroots.
set -euo pipefail
cd "$(dirname "$0")/../.."
packaging/setup.sh
programs=${1:-build/release/src}
out=build/test/packages
# Unpacked releases are kept here for the next run.
roots=${XDG_CACHE_HOME:-$HOME/.cache}/stoker/roots
rm -rf "$out"
mkdir -p "$out" "$roots"
packaging/package.sh "$programs" "$out"
version=$("$programs/stoker" --version | sed -n 's/^stoker \([0-9][^ ]*\).*/\1/p')
mounted=()
finish() {
  for place in "${mounted[@]}"; do umount -l "$place" 2> /dev/null || true; done
}
trap finish EXIT

# A run that was killed leaves its mounts, and the host's /dev is one of them.
remove_root() {
  local place
  while read -r place; do umount -l "$place"; done < <(findmnt -rno TARGET | grep "^$1/" | sort -r)
  rm -rf --one-file-system "$1"
}

step() {
  echo "== $1"
}

# A fresh chroot of the Debian release $1 in $root; the unpacked release itself is kept for the next run.
make_root() {
  local base=$roots/$1.tar
  root=$(realpath "$roots")/$1
  if [ ! -s "$base" ]; then
    local tries=0
    until remove_root "$root.new" && debootstrap --variant=minbase "$1" "$roots/$1.new" > "$roots/$1.log" 2>&1; do
      [ $((tries += 1)) -lt 3 ] || { tail -n 20 "$roots/$1.log" && exit 1; }
    done
    tar -C "$roots/$1.new" -cf "$base.part" .
    mv "$base.part" "$base"
    remove_root "$root.new"
  fi
  remove_root "$root"
  mkdir -p "$root"
  tar -C "$root" -xf "$base"
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  mounted+=("$root/proc" "$root/dev")
}
within() {
  chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"
}

# A server and an agent run a task, with the units in the folder $1.
use() {
  cp tests/packages/use.sh "$root/use.sh"
  within sh /use.sh "$1"
}

debian() {
  step "Debian packages in a clean Debian 12"
  make_root bookworm
  cp "$out"/*.deb "$root/"
  within apt-get update -qq -o Acquire::Retries=5
  within env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Acquire::Retries=5 --no-install-recommends \
    "/stoker_${version}_amd64.deb" "/stoker-server_${version}_amd64.deb" "/stoker-agent_${version}_amd64.deb" > "$out/apt.log" 2>&1 ||
    { tail -n 20 "$out/apt.log" && exit 1; }
  within stoker --version
  within sh -c 'getent passwd stoker && test "$(stat -c %U:%a /var/lib/stoker)" = stoker:700'
  within sh -c 'test -s /usr/share/man/man1/stoker.1.gz && bash -n /usr/share/bash-completion/completions/stoker'
  use /usr/lib/systemd/system
  within env DEBIAN_FRONTEND=noninteractive dpkg -i "/stoker-server_${version}_amd64.deb" > /dev/null
  within sh -c 'dpkg -r stoker-agent stoker-server stoker > /dev/null && test -d /var/lib/stoker && ! command -v stoker'
  within sh -c 'dpkg -P stoker-agent stoker-server > /dev/null && test ! -e /var/lib/stoker && test ! -e /etc/default/stoker-server'
}

bundle() {
  step "the tarball in a clean Debian 11"
  make_root bullseye
  tar -C "$root" -xf "$out/stoker-$version-linux-amd64.tar.gz"
  within /stoker/install.sh server
  within /stoker/install.sh agent
  use /etc/systemd/system
  /usr/bin/python3 -c 'import sys; from PIL import Image, ImageDraw, ImageFont
font = ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", 60)
page = Image.new("L", (900, 200), 255)
ImageDraw.Draw(page).text((50, 50), "Stoker reads this", font=font, fill=0)
page.save(sys.argv[1])' "$root/page.png"
  within stoker-ocr --once /page.png | grep 'Stoker reads this'
  step "the tarball again, over itself"
  within /stoker/install.sh server
  within /opt/stoker/install.sh --remove
  within sh -c 'test ! -e /opt/stoker && test ! -e /usr/local/bin/stoker && test -e /etc/default/stoker-server'
}

image() {
  docker version > /dev/null 2>&1 || { echo "no engine: the image is not run" && return; }
  step "the container image"
  docker load -q -i "$out/stoker-$version-linux-amd64.oci.tar"
  docker run --rm --network none "stoker:$version" --version
  local id tries=0
  id=$(docker run -d --network none "stoker:$version" server)
  until docker exec "$id" stoker status > /dev/null 2>&1; do
    [ "$(docker inspect -f '{{.State.Running}}' "$id")" = true ] && [ $((tries += 1)) -le 600 ] || { docker logs "$id" && exit 1; }
    sleep 0.2
  done
  docker exec "$id" stoker status
  docker rm -f "$id" > /dev/null
  docker rmi "stoker:$version" > /dev/null
}

debian
bundle
image
echo "packages: installed, used and removed"
