#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: sudo ./install.sh [server|agent]   installs the folder of this script to /opt/stoker, links the programs into
#                                           /usr/local/bin and, with an argument, installs that systemd unit
#        sudo ./install.sh --remove         removes all of it, except data and settings
# Running it again upgrades. Tasks that run keep running.
set -eu
from=$(cd "$(dirname "$0")" && pwd)
target=/opt/stoker
units=${STOKER_UNITS:-/etc/systemd/system}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

reload() {
  [ ! -d /run/systemd/system ] || systemctl "$@"
}

remove() {
  for unit in server agent; do
    [ ! -e "$units/stoker-$unit.service" ] || reload disable --now "stoker-$unit"
    rm -f "$units/stoker-$unit.service"
  done
  reload daemon-reload
  rm -f /usr/local/bin/stoker /usr/local/bin/stoker-ocr /usr/local/bin/stoker-work
  rm -rf "$target" "$target.old"
  echo "Removed. Data stays in /var/lib/stoker and /var/lib/stoker-agent, settings in /etc/default and /etc/stoker."
}

# A running program keeps the files that it has open, so the old folder can go.
copy() {
  [ "$from" != "$target" ] || return 0
  rm -rf "$target.new" "$target.old"
  mkdir -p "$(dirname "$target")"
  cp -R "$from" "$target.new"
  chown -R 0:0 "$target.new"
  [ ! -e "$target" ] || mv "$target" "$target.old"
  mv "$target.new" "$target"
  rm -rf "$target.old"
}

link() {
  mkdir -p /usr/local/bin
  for program in stoker stoker-ocr stoker-work; do
    ln -sf "$target/bin/$program" "/usr/local/bin/$program"
  done
}

add_user() {
  ! id stoker > /dev/null 2>&1 || return 0
  useradd --system --home-dir /var/lib/stoker --no-create-home --shell /usr/sbin/nologin stoker
}

install_unit() {
  mkdir -p "$units" /etc/default
  sed "s|/usr/bin/stoker|$target/bin/stoker|" "$target/systemd/stoker-$1.service" > "$units/stoker-$1.service"
  if [ ! -e "/etc/default/stoker-$1" ]; then
    cp "$target/systemd/stoker-$1.default" "/etc/default/stoker-$1"
    chmod 640 "/etc/default/stoker-$1"
  fi
  [ "$1" != server ] || add_user
  [ "$1" != agent ] || { mkdir -p /etc/stoker && chmod 700 /etc/stoker; }
  reload daemon-reload
  reload enable "stoker-$1"
  reload restart "stoker-$1"
  echo "Installed the unit stoker-$1; its settings are in /etc/default/stoker-$1."
}

[ "$(id -u)" -eq 0 ] || fail "run it as root: sudo $0 $*"
case ${1:-} in
  --remove) remove && exit ;;
  "" | server | agent) ;;
  *) fail "unknown argument '$1': expected server, agent or --remove" ;;
esac
[ "$(uname -m)" = x86_64 ] || fail "these programs are for x86_64, not $(uname -m)"
copy
link
[ -z "${1:-}" ] || install_unit "$1"
/usr/local/bin/stoker --version
