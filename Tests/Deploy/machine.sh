#!/bin/bash
# Runs as root in a freshly booted machine that has the program and the files of deploy, and tells
# what it sees as lines "name: value". test_unit.py reads them.
set -uo pipefail

KEY='Authorization: Bearer pst_root_of-the-tests-of-deploy'
APP=http://127.0.0.1:8080/v1/apps/food
INSTALLATION=$APP/installations/5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee
REPORT='{"platform": "ios", "environment": "production", "languages": ["fr"],
  "credentials": {"apns": {"token": "'$(printf 'a%.0s' {1..64})'"}}}'

tell() { echo "$1: ${*:2}"; }
status() { curl --silent --output /dev/null --write-out '%{http_code}' -H "$KEY" "$@"; }
property() { systemctl show --property="$1" --value postilion; }
journal() { journalctl --namespace=postilion --output=cat --no-pager; }
ready() {
  for _ in {1..600}; do
    [[ $(status http://127.0.0.1:8080/readyz) == 200 ]] && { echo yes; return; }
    sleep 0.1
  done
  echo no; systemctl status --no-pager postilion; journal | tail -20
}

# Its memory, its privileges and its root directory, as the kernel has them.
look() {
  local pid; pid=$(property MainPID)
  tell "$1 user" "$(ps -o user= -p "$pid" 2>/dev/null || stat -c %U "/proc/$pid")"
  tell "$1 privileges" "$(grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' "/proc/$pid/status" |
    tr '\t\n' '= ')"
  # shellcheck disable=SC2016
  tell "$1 can write" "$(nsenter --target "$pid" --mount bash -c \
    'for d in / /etc /usr /var/lib /var/lib/postilion /tmp /home; do
       if mkdir "$d/.probe" 2>/dev/null; then rmdir "$d/.probe"; echo -n "$d "; fi; done')"
}

# What stays over a kill: the service comes again, and knows what it acknowledged.
exercise() {
  tell "$1 ready" "$(ready)"
  tell "$1 app" "$(status -X PUT "$APP" --json '{"bundle_id": "com.example.food", "name": "Food"}')"
  tell "$1 registration" "$(status -X PUT "$INSTALLATION" --json "$REPORT")"
  look "$1"
  kill -KILL "$(property MainPID)"
  for _ in {1..600}; do [[ $(property NRestarts) == 1 ]] && break; sleep 0.1; done
  tell "$1 ready after kill" "$(ready)"
  tell "$1 registration after kill" "$(status "$INSTALLATION")"
  local start=$SECONDS
  systemctl stop postilion
  tell "$1 stop" "$(property Result), $(property ExecMainStatus), within $((SECONDS - start + 1)) s"
}

tell verify "$(systemd-analyze verify --man=no postilion.service 2>&1 | tr '\n' ' ')"
tell exposure "$(systemd-analyze security --no-pager postilion.service | tail -1)"

su postgres -c 'createuser postilion && createdb --owner=postilion postilion'
systemctl enable --quiet postilion
systemctl start postilion
exercise external
tell journal "$(journal | grep -c '"event":"listening"') starts," \
  "$(journal | grep -c '"event":"stopped"') stops"
tell "journal of others" "$(journalctl --output=cat --no-pager | grep -c '"event":"listening"')"
tell "journal has the token" "$(journal | grep -c 'aaaaaaaaaaaaaaaa')"
tell warnings "$(journalctl --output=cat --no-pager --unit=postilion --priority=warning |
  grep -v 'SIGKILL\|Failed with result' | sort -u | tr '\n' ' ')"

# A wrong setting is told once.
sed -i 's/^POSTILION_LISTEN=.*/POSTILION_LISTEN=nowhere/' /etc/postilion/postilion.env
systemctl start postilion
for _ in {1..600}; do [[ $(property ActiveState) == failed ]] && break; sleep 0.1; done
tell "wrong setting" "$(property ActiveState), $(property ExecMainStatus)," \
  "$(property NRestarts) restarts"
sed -i 's/^POSTILION_LISTEN=.*/POSTILION_LISTEN=127.0.0.1:8080/' /etc/postilion/postilion.env

# The same unit with a database of its own.
systemctl reset-failed postilion
systemctl stop postgresql
sed -i '/^DATABASE_URL/d' /etc/postilion/postilion.env
mkdir -p /etc/systemd/system/postilion.service.d
cp /embedded.conf /etc/systemd/system/postilion.service.d/
systemctl daemon-reload
tell "embedded exposure" "$(systemd-analyze security --no-pager postilion.service | tail -1)"
systemctl start postilion
exercise embedded
tell "embedded shutdown" "$(tail -1 /var/lib/postilion/server.log)"
tell "embedded processes" "$(pgrep --count --uid postilion)"
