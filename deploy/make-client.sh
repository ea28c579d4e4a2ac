#!/bin/bash
# Makes the package that apps add: a repository with Sources/AppLibraries at its top.
#
#   make-client.sh VERSION TARGET-FOLDER
#
# The same commit of Postilion makes the same commit of the package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$1 repository=$(realpath "$2")/postilion-client.git

GIT_INDEX_FILE=$(mktemp --dry-run) GIT_COMMITTER_NAME=Postilion GIT_AUTHOR_NAME=Postilion
GIT_COMMITTER_EMAIL= GIT_AUTHOR_EMAIL= GIT_COMMITTER_DATE=$(git log -1 --format=%cI)
GIT_AUTHOR_DATE=$GIT_COMMITTER_DATE
export "${!GIT_@}"
trap 'rm -f "$GIT_INDEX_FILE"' EXIT
git read-tree HEAD:Sources/AppLibraries
git update-index --add --cacheinfo "100644,$(git rev-parse HEAD:LICENSE),LICENSE"
commit=$(git commit-tree "$(git write-tree)" -m "Postilion for apps $version")
rm -rf "$repository"
git init --quiet --bare --initial-branch=main "$repository"
git push --quiet "$repository" "$commit:refs/heads/main" "$commit:refs/tags/$version"
