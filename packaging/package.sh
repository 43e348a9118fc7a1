#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: package.sh [PROGRAMS [OUTPUT]]
# Makes packages of the programs in the folder PROGRAMS (build/release/src) in OUTPUT (build/packages):
#   stoker_VERSION_ARCH.deb, stoker-server_..., stoker-agent_...   for Debian 12
#   stoker-VERSION-linux-ARCH.tar.gz   with its libraries, for every distribution with glibc; installs to /opt/stoker
#   stoker-VERSION-linux-ARCH.oci.tar  the same as a container image: docker load -i FILE
# Files have the time of the commit, so that packages of one build are equal.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=$(realpath "${1:-build/release/src}")
output=${2:-build/packages}
version=$("$programs/stoker" --version | sed -n 's/^stoker \([0-9][^ ]*\).*/\1/p')
arch=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$output"
output=$(realpath "$output")
tessdata=$(dirname "$(dpkg -L tesseract-ocr-eng | grep '/eng\.traineddata$')")

# Copies the programs, stripped, to the folder $1.
copy_programs() {
  install -d "$1"
  local program
  for program in stoker stoker-ocr stoker-work; do
    install -m 755 "$programs/$program" "$1/$program"
    strip --strip-unneeded "$1/$program"
  done
}

# Man page, completions and documents to the folder $1, in Debian's places.
copy_documents() {
  install -d "$1/share/man/man1" "$1/share/bash-completion/completions" "$1/share/zsh/vendor-completions" \
    "$1/share/fish/vendor_completions.d" "$1/share/doc/stoker"
  "$programs/stoker" man | gzip -9n > "$1/share/man/man1/stoker.1.gz"
  "$programs/stoker" completion bash > "$1/share/bash-completion/completions/stoker"
  "$programs/stoker" completion zsh > "$1/share/zsh/vendor-completions/_stoker"
  "$programs/stoker" completion fish > "$1/share/fish/vendor_completions.d/stoker.fish"
  cp README.md CHANGELOG.md docs/*.md docs/*.json docs/*.yaml "$1/share/doc/stoker/"
  { echo "Stoker is licensed under the Apache License, Version 2.0:" && cat LICENSE; } > "$1/share/doc/stoker/copyright"
}

# The packages that provide the libraries of the programs $@, as dpkg-shlibdeps finds them.
library_packages() {
  mkdir -p "$work/shlibs/debian"
  printf 'Source: stoker\n\nPackage: stoker\nArchitecture: any\n' > "$work/shlibs/debian/control"
  (cd "$work/shlibs" && dpkg-shlibdeps -O "$@" 2> /dev/null) | sed -n 's/^shlibs:Depends=//p'
}

# Builds the package $1 from $work/$1, with the fields on standard input.
build_deb() {
  local root=$work/$1
  install -d "$root/DEBIAN"
  {
    printf 'Package: %s\nVersion: %s\nArchitecture: %s\nSection: admin\nPriority: optional\n' "$1" "$version" "$arch"
    printf 'Maintainer: The Stoker developers <stoker@localhost>\n'
    printf 'Installed-Size: %s\n' "$(du -sk --exclude=DEBIAN "$root" | cut -f1)"
    cat
  } > "$root/DEBIAN/control"
  local script
  for script in postinst prerm postrm; do
    [ ! -e "packaging/deb/$1.$script" ] || install -m 755 "packaging/deb/$1.$script" "$root/DEBIAN/$script"
  done
  [ ! -d "$root/etc" ] || (cd "$root" && find etc -type f | sed 's|^|/|' | sort > DEBIAN/conffiles)
  find "$root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group --build "$root" "$output/${1}_${version}_$arch.deb" > /dev/null
}

# A unit and its settings in the package $1.
copy_unit() {
  install -D -m 644 "packaging/systemd/$1.service" "$work/$1/usr/lib/systemd/system/$1.service"
  install -D -m 640 "packaging/systemd/$1.default" "$work/$1/etc/default/$1"
}

debian_packages() {
  copy_programs "$work/stoker/usr/bin"
  copy_documents "$work/stoker/usr"
  build_deb stoker << END
Depends: $(library_packages "$work"/stoker/usr/bin/stoker "$work"/stoker/usr/bin/stoker-ocr)
Recommends: ca-certificates, poppler-utils, tesseract-ocr-eng
Description: control plane for GPU work that speaks Amazon's protocols
 Stoker runs GPU work on your own machines and speaks the protocols of Amazon
 ECS and of the services around it, so that stock clients work unmodified.
 This package has the programs; stoker-server and stoker-agent have the units.
END
  copy_unit stoker-server
  install -D -m 644 packaging/systemd/stoker.sysusers "$work/stoker-server/usr/lib/sysusers.d/stoker.conf"
  build_deb stoker-server << END
Depends: stoker (= $version), adduser, init-system-helpers
Description: control plane for GPU work: the server as a service
 Runs the Stoker server as a systemd unit with a user of its own.
 Its settings are in /etc/default/stoker-server, its data in /var/lib/stoker.
END
  copy_unit stoker-agent
  install -d -m 700 "$work/stoker-agent/etc/stoker"
  build_deb stoker-agent << END
Depends: stoker (= $version), init-system-helpers
Suggests: docker.io
Description: control plane for GPU work: the agent as a service
 Joins this machine to a Stoker server, which then runs tasks on it.
 The agent starts when /etc/stoker/agent.token exists.
END
}

# The programs with all their libraries, C's too, in $work/bundle/stoker. They start with the loader of that folder,
# whose path is absolute: the folder belongs to /opt/stoker.
bundle() {
  local root=$work/bundle/stoker file
  copy_programs "$root/bin"
  copy_documents "$root"
  install -d "$root/lib" "$root/share/tessdata"
  ldd "$root/bin/stoker" "$root/bin/stoker-ocr" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | sort -u |
    while read -r file; do cp -L "$file" "$root/lib/"; done
  cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib/"
  cp "$tessdata"/{eng,osd}.traineddata "$root/share/tessdata/" 2> /dev/null || cp "$tessdata/eng.traineddata" "$root/share/tessdata/"
  for file in "$root"/lib/*.so*; do
    case $file in */ld-linux-*) ;; *) patchelf --force-rpath --set-rpath '$ORIGIN' "$file" ;; esac
  done
  for file in stoker stoker-ocr; do
    patchelf --force-rpath --set-rpath '$ORIGIN/../lib' --set-interpreter /opt/stoker/lib/ld-linux-x86-64.so.2 "$root/bin/$file"
  done
  install -m 755 packaging/install.sh "$root/install.sh"
  install -d "$root/systemd"
  cp packaging/systemd/* "$root/systemd/"
  cp LICENSE "$root/"
}

tarball() {
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$work/bundle" -c stoker |
    gzip -6n > "$output/stoker-$version-linux-$arch.tar.gz"
}

image() {
  local root=$work/image
  install -d "$root/opt" "$root/etc/ssl/certs" "$root/usr/bin" "$root/var/lib"
  install -d -m 1777 "$root/tmp"
  install -d -m 700 "$root/var/lib/stoker"
  cp -a "$work/bundle/stoker" "$root/opt/stoker"
  ln -s /opt/stoker/bin/stoker "$root/usr/bin/stoker"
  printf 'root:x:0:0:root:/root:/sbin/nologin\nstoker:x:10001:10001:stoker:/var/lib/stoker:/sbin/nologin\n' > "$root/etc/passwd"
  printf 'root:x:0:\nstoker:x:10001:\n' > "$root/etc/group"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2> /dev/null || true
  /usr/bin/python3 -B packaging/oci_image.py "$root" "$output/stoker-$version-linux-$arch.oci.tar" "stoker:$version" "$arch"
}

debian_packages
bundle
tarball
image
(cd "$output" && ls -l -- *"$version"* | awk '{printf "%-44s %6.1f MB\n", $9, $5 / 1e6}')
