#!/bin/bash
# Makes the Debian packages from a program that is built and stripped: what `make package` runs.
#
#   make-package.sh VERSION PROGRAM-FOLDER TARGET-FOLDER
#
# The folder of the program holds postilion and postilion.debug. The same program makes the same
# packages, byte for byte, in whatever folder: all times in them are the release's, of CHANGELOG.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$1 program=$(realpath "$2") target=$(realpath "$3")

released=$(sed -n "s/^## \[$version\] - //p" CHANGELOG.md)
if [[ -z $released ]]; then
  echo "CHANGELOG.md has no line \"## [$version] - DATE\"." >&2
  exit 1
fi
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(date --utc --date="$released" +%s)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$work/postilion-$version
mkdir -p "$source/completions" "$source/grafana"
cp --recursive deploy/debian "$source/debian"
cp "$program/postilion" "$program/postilion.debug" sql/roles.sql deploy/README.md "$source/"
cp deploy/{postilion-console,postilion-doctor,first-payload} "$source/"
cp deploy/{*.env,*.conf,haproxy.cfg,alerts.yml} "$source/"
cp deploy/grafana/postilion.json "$source/grafana/"
cp deploy/postilion.service "$source/debian/postilion.service"
cp deploy/postilion.sysusers.conf "$source/debian/postilion.sysusers"
cp deploy/postilion-maintain.{service,timer} "$source/debian/"
"$program/postilion" man > "$source/postilion.1"
"$program/postilion" completions bash > "$source/completions/postilion"
"$program/postilion" completions zsh > "$source/completions/_postilion"
"$program/postilion" completions fish > "$source/completions/postilion.fish"
printf 'postilion (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' \
  "$version" "$(sed -n 's/^Maintainer: //p' deploy/debian/control)" \
  "$(date --utc --rfc-email --date="$released")" > "$source/debian/changelog"
find "$source" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +

(cd "$source" && dpkg-buildpackage --build=binary --no-sign) > "$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
mv "$work"/*.deb "$target/"
