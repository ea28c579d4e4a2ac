#!/bin/bash
# Copies a program without the hashes of its modules, which depend on the folder in which it was
# built and are read by nobody: forget-folder.sh PROGRAM COPY
set -euo pipefail
cp "$1" "$2"
# The offset and the size of the section, in hexadecimal digits; nothing when there is none.
read -r offset size < <(
  readelf --section-headers --wide "$1" |
    sed -nE 's/.* \.swift_modhash +[A-Z]+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/\1 \2/p') || exit 0
dd if=/dev/zero of="$2" bs=1 seek=$((16#$offset)) count=$((16#$size)) conv=notrunc status=none
