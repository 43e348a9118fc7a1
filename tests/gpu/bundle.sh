#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies the program and its libraries into a folder, so that it runs on another Linux. The C and C++
# runtime are that machine's, and must not be older than Debian 12's.
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
