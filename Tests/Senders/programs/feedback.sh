#!/bin/bash
# Answers of APNs, one on each line of the standard input, to Postilion: a thousand in a call.
set -euo pipefail

# shellcheck disable=SC2016  # The shell that split starts expands it.
split --lines 1000 --filter '
  jq -sc "{results: .}" | curl -sS --fail-with-body -w "\n" "$POSTILION/v1/apps/$APP/feedback" \
    -H "Authorization: Bearer $SENDER" -H "Content-Type: application/json" --data-binary @-'
