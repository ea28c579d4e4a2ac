#!/bin/bash
# Lines of a rendering in the shape `gorush` to gorush. Its answers about failed pushes go to the
# feedback hook by themselves.
set -euo pipefail

jq -c 'select(.notifications)' | while IFS= read -r body; do
  printf '%s' "$body" | curl -sS --fail-with-body "$GORUSH/api/push" -w '\n' \
    -H 'Content-Type: application/json' --data-binary @-
done
