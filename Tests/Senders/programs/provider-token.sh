#!/bin/bash
# A provider token, which APNs believes for an hour: a JSON Web Token, signed with your key.
set -euo pipefail

encoded() { basenc --base64url -w 0 | tr -d =; }

head=$(printf '{"alg":"ES256","kid":"%s"}' "$APNS_KEY_ID" | encoded)
claims=$(printf '{"iss":"%s","iat":%d}' "$APNS_TEAM_ID" "$(date +%s)" | encoded)
# OpenSSL writes the two numbers of a signature in DER; the token has them in 32 bytes each.
signature=$(printf %s "$head.$claims" | openssl dgst -sha256 -sign "$APNS_KEY" |
  openssl asn1parse -inform DER | sed -n 's/.*INTEGER *://p' |
  while read -r number; do printf '%64s' "$number" | tr ' ' 0; done |
  basenc --base16 -d | encoded)
echo "$head.$claims.$signature"
