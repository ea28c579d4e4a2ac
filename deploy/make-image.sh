#!/bin/bash
# Makes the images of deploy/Containerfile from Debian's packages, as root: what `make image` runs.
#
#   make-image.sh VERSION PROGRAM-FOLDER TARGET-FOLDER
#
# The program comes from its folder, and the base from debootstrap: no image is fetched. The images
# are then known to podman as postilion:VERSION, postilion:VERSION-postgresql and postilion:demo,
# and lie in the target folder as OCI archives.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$1 program=$(realpath "$2") target=$(realpath "$3")
codename=bookworm
base=localhost/debian:$codename
architecture=$(dpkg --print-architecture)
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
released=$(date --utc --date="$(sed -n "s/^## \[$version\] - //p" CHANGELOG.md)" +%s)
# No user namespace, cgroup or network of its own is needed to build.
export BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Runs a command, and shows what it said if it fails.
quietly() { "$@" > "$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; exit 1; }; }

# As slim as the image of the same name: no manual pages, no texts of other languages. And with all
# updates of security.
root=$work/base
quietly debootstrap --variant=minbase "$codename" "$root" "$mirror"
printf 'path-exclude /usr/share/%s/*\n' doc info locale man > "$root/etc/dpkg/dpkg.cfg.d/slim"
echo "deb $mirror-security $codename-security main" > "$root/etc/apt/sources.list.d/security.list"
quietly chroot "$root" apt-get update
quietly chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get upgrade --yes
rm -rf "$root"/usr/share/{doc,info,locale,man}/* "$root"/var/cache/{apt,debconf,ldconfig}/* \
  "$root"/var/lib/apt/lists/* "$root"/var/log/{apt,*.log} \
  "$root"/etc/{hostname,resolv.conf,machine-id}
container=$(buildah from scratch)
quietly buildah add --quiet "$container" "$root" /
quietly buildah commit --quiet --rm --timestamp="$released" "$container" "$base"

# What the first stage makes.
install -D "$program/postilion" "$work/build/image/usr/bin/postilion"
install -D --target-directory="$work/build/image/usr/share/postilion" \
  deploy/first-payload sql/roles.sql

# The image of a stage, with its tag and its archive, and what Debian has in it.
image() {
  local archive=$target/${3}_${version}_$architecture.oci.tar container
  quietly buildah build --layers --pull-never --build-arg="DEBIAN=$base" \
    --build-context="build=$work/build" --timestamp="$released" \
    --file=deploy/Containerfile --target="$1" --tag="localhost/postilion:$2" .
  rm -f "$archive"
  quietly buildah push "localhost/postilion:$2" "oci-archive:$archive:postilion:$2"
  container=$(buildah from "localhost/postilion:$2")
  dpkg-query --admindir="$(buildah mount "$container")/var/lib/dpkg" --show > "$program/$3.packages"
  quietly buildah rm "$container"
}
image service "$version" postilion
image postgresql "$version-postgresql" postilion-postgresql
image demo demo postilion-demo
