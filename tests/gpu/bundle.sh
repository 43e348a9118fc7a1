#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts the binary and the libraries that another Linux may lack into a folder, so that it runs there:
# the C and C++ runtime are taken from that machine, which must be as new as Debian 12's.
set -euo pipefail
binary=${1:-build/release/src/stoker}
folder=${2:-build/bundle}
rm -rf "$folder"
mkdir -p "$folder/lib"
cp "$binary" "$folder/stoker.bin"
strip "$folder/stoker.bin"
ldd "$binary" | awk '$3 ~ /^\// { print $3 }' | while read -r library; do
  case $(basename "$library") in
    libc.so.* | libm.so.* | libstdc++.so.* | libgcc_s.so.* | libdl.so.* | libpthread.so.* | librt.so.*) ;;
    *) cp "$library" "$folder/lib/" ;;
  esac
done
cat > "$folder/stoker" <<'SH'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH=$here/lib:$LD_LIBRARY_PATH exec "$here/stoker.bin" "$@"
SH
chmod +x "$folder/stoker"
du -sh "$folder"
