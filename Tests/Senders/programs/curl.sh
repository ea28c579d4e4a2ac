#!/bin/bash
# Sends the lines of the standard input to APNs, one after the other over one connection for each
# environment. Prints the answers, one on each line.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
jq -c 'select(.token)' > "$folder/lines"
[[ -s "$folder/lines" ]] || exit 0

# The options of curl for each line, with "next" in between.
jq -r --arg authorization "bearer $("$(dirname "$0")/provider-token.sh")" '
  def quoted: split("\\") | join("\\\\") | split("\"") | join("\\\"") | "\"\(.)\"";
  {production: "api.push.apple.com", sandbox: "api.sandbox.push.apple.com"}[.environment] as $host
  | "next", "http2", "silent", "show-error",
    "url = \("https://\($host)\(.path)" | quoted)",
    (.headers + {authorization: $authorization, "content-type": "application/json"}
      | to_entries[] | "header = \("\(.key): \(.value)" | quoted)"),
    "data-binary = \(.payload | quoted)",
    "write-out = \"\\t%{http_code}\\n\""
' "$folder/lines" | tail -n +2 > "$folder/options"
sent_at=$(date +%s%3N)
curl --config "$folder/options" > "$folder/answers" || true

# Each line: the body (empty for a 200), a tab, the status. No answer: status 000.
paste "$folder/lines" "$folder/answers" | jq -Rc --argjson sent_at "$sent_at" '
  split("\t") | select(.[2] != "000") | (.[0] | fromjson) as $line
  | {token: $line.token, environment: $line.environment, status: (.[2] | tonumber),
     sent_at: $sent_at} + (if .[1] == "" then {} else .[1] | fromjson end)'
! grep --quiet $'\t000$' "$folder/answers"
