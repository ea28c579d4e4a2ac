#!/bin/bash
# The requests of a call, one on each line. Fails if the stream breaks off before its summary.
set -euo pipefail

curl -sSN --fail-with-body "$POSTILION/v1/apps/$APP/render" -H "Authorization: Bearer $SENDER" \
  -H 'Accept: application/x-ndjson' -H 'Content-Type: application/json' --data-binary "@$1" |
  awk '{ print; last = $0 } END { exit last !~ /^[{]"summary":/ }'
