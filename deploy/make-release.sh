#!/bin/bash
# Completes a release whose packages and images are there: what `make release` runs.
#
#   make-release.sh VERSION PROGRAM-FOLDER TARGET-FOLDER
#
# Adds the notes of the version from CHANGELOG.md, the list of parts in the form of SPDX 2.3, and
# the checksums of all files: sha256sum --check SHA256SUMS. The package for apps is a repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$1 program=$2 target=$3

said=$("$program/postilion" version)
if [[ $said != "postilion $version" ]]; then
  echo "The program says \"$said\", and openapi.yaml says $version: build it again." >&2
  exit 1
fi
deploy/make-client.sh "$version" "$target"
sed -n "/^## \[$version\]/,/^## \[/{/^## \[/!p}" CHANGELOG.md > "$target/postilion_${version}.md"
python3 deploy/parts.py "$version" "$program" "$target" > "$target/postilion_${version}.spdx.json"
cd "$target"
sha256sum -- *"_${version}"[._]* > SHA256SUMS
