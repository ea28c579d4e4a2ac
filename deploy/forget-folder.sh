#!/bin/bash
# Copies a program without the hashes of its modules, which depend on the folder in which it was
# built and are read by nobody: forget-folder.sh PROGRAM COPY
set -euo pipefail
section=$(mktemp)
trap 'rm -f "$section"' EXIT
objcopy -O binary --only-section=.swift_modhash --set-section-flags .swift_modhash=alloc \
  "$1" "$section"
if [[ -s $section ]]; then
  head -c "$(stat -c %s "$section")" /dev/zero > "$section.zeros"
  objcopy --update-section ".swift_modhash=$section.zeros" "$1" "$2"
  rm "$section.zeros"
else
  cp "$1" "$2"
fi
