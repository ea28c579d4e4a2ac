#!/bin/bash
# Runs as root in a freshly booted machine that has the package's file and nothing of it installed,
# and tells what it sees as lines "name: value". test_package.py reads them.
set -uo pipefail
export DEBIAN_FRONTEND=noninteractive HOME=/root

APP=http://127.0.0.1:8080/v1/apps/food
INSTALLATION=$APP/installations/5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee
REPORT='{"platform": "ios", "environment": "production", "languages": ["fr"],
  "credentials": {"apns": {"token": "'$(printf 'a%.0s' {1..64})'"}}}'

tell() { echo "$1: ${*:2}"; }
status() {
  curl --silent --output /dev/null --write-out '%{http_code}' \
    -H "Authorization: Bearer $(cat /etc/postilion/root_key)" "$@"
}
property() { systemctl show --property="$1" --value postilion; }
journal() { journalctl --namespace=postilion --output=cat --no-pager; }
ready() {
  for _ in {1..600}; do
    [[ $(status http://127.0.0.1:8080/readyz) == 200 ]] && { echo yes; return; }
    sleep 0.1
  done
  echo no; systemctl status --no-pager postilion; journal | tail -20
}
# What a person types, its exit status and its seconds; what it says goes to a file.
typed() {
  local start=${EPOCHREALTIME/./}
  "${@:2}" > "/$1" 2> "/$1-errors" < /dev/null
  local code=$? milliseconds=$(((${EPOCHREALTIME/./} - start) / 1000))
  tell "typed $1" "$code after $((milliseconds / 1000)).$((milliseconds / 100 % 10)) s: ${*:2}"
  [[ $code == 0 ]] || tail -n 20 "/$1" "/$1-errors"
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
  local restarts; restarts=$(property NRestarts)
  kill -KILL "$(property MainPID)"
  for _ in {1..600}; do [[ $(property NRestarts) != "$restarts" ]] && break; sleep 0.1; done
  tell "$1 ready after kill" "$(ready)"
  tell "$1 registration after kill" "$(status "$INSTALLATION")"
  local start=$SECONDS
  systemctl stop postilion
  tell "$1 stop" "$(property Result), $(property ExecMainStatus), within $((SECONDS - start + 1)) s"
}

# From nothing to a localized payload.
typed install apt-get install --yes /postilion.deb
typed start systemctl start postilion
typed payload /usr/share/postilion/first-payload
tell payload "$(grep -o '"payload":{.*}' /payload)"
typed console postilion-console
tell console "$(sed 's/pst_root_.*/KEY/' /console)"
tell "console opens" "$(status "$(sed 's/#.*//' /console)")"
typed doctor postilion-doctor
tell "doctor settings" "$(grep " settings  " /doctor)"
tell "doctor database" "$(grep " database  " /doctor)"
tell version "$(postilion version)"
tell "health version" "$(curl --silent http://127.0.0.1:8080/healthz | tail -1)"
tell "enabled" "$(systemctl is-enabled postilion postilion-maintain.timer | tr '\n' ' ')"
tell "manual" "$(zcat /usr/share/man/man1/postilion.1.gz | sed -n 1p)"
tell "secrets" "$(stat --format='%a %U' /etc/postilion/{root_key,postilion.env,owner.env} |
  sort -u | tr '\n' ' ')"

tell verify "$(systemd-analyze verify --man=no postilion.service postilion-maintain.service \
  postilion-maintain.timer 2>&1 | tr '\n' ' ')"
tell "embedded exposure" "$(systemd-analyze security --no-pager postilion.service | tail -1)"
tell "maintain exposure" \
  "$(systemd-analyze security --no-pager postilion-maintain.service | tail -1)"
exercise embedded
tell "embedded shutdown" "$(tail -1 /var/lib/postilion/server.log)"
typed "doctor alone" postilion-doctor
tell "doctor alone database" "$(grep " database  " "/doctor alone")"
tell "embedded processes" "$(pgrep --count --uid postilion)"
tell journal "$(journal | grep -c '"event":"listening"') starts," \
  "$(journal | grep -c '"event":"stopped"') stops"
tell "journal of others" "$(journalctl --output=cat --no-pager | grep -c '"event":"listening"')"
tell "journal has the token" "$(journal | grep -c 'aaaaaaaaaaaaaaaa')"
tell warnings "$(journalctl --output=cat --no-pager --unit=postilion --priority=warning |
  grep -v 'SIGKILL\|Failed with result' | sort -u | tr '\n' ' ')"

# An update keeps what is there.
systemctl start postilion
tell "ready again" "$(ready)"
key=$(cat /etc/postilion/root_key)
echo '# kept' >> /etc/postilion/postilion.env
typed update apt-get install --yes --reinstall /postilion.deb
tell "update ready" "$(ready)"
tell "update registration" "$(status "$INSTALLATION")"
tell "update keeps" "$([[ $key == "$(cat /etc/postilion/root_key)" ]] && echo key)" \
  "$(grep -c '# kept' /etc/postilion/postilion.env) settings"

# A wrong setting is told once.
systemctl stop postilion
sed -i 's/^POSTILION_LISTEN=.*/POSTILION_LISTEN=nowhere/' /etc/postilion/postilion.env
systemctl start postilion
for _ in {1..600}; do [[ $(property ActiveState) == failed ]] && break; sleep 0.1; done
tell "wrong setting" "$(property ActiveState), $(property ExecMainStatus)," \
  "$(property NRestarts) restarts"
sed -i 's/^POSTILION_LISTEN=.*/POSTILION_LISTEN=127.0.0.1:8080/' /etc/postilion/postilion.env

# The cluster of Debian's own PostgreSQL instead, without what only the embedded one needs.
systemctl reset-failed postilion
sed -i 's/^#\(DATABASE_URL=postgresql:\/\/\/\)/\1/' /etc/postilion/postilion.env
mkdir -p /etc/systemd/system/postilion.service.d
ln -s /dev/null /etc/systemd/system/postilion.service.d/embedded.conf
systemctl daemon-reload
tell exposure "$(systemd-analyze security --no-pager postilion.service | tail -1)"
su postgres -c 'createuser postilion && createdb --owner=postilion --encoding=UTF8 \
  --template=template0 postilion'
systemctl start postilion
tell "doctor external database" "$(postilion-doctor | grep " database  ")"
exercise external

# Once a day as the owner of the tables.
sed -i 's/^#DATABASE_URL.*/DATABASE_URL=postgresql:\/\/\/postilion?host=\/var\/run\/postgresql/' \
  /etc/postilion/owner.env
systemctl start postilion-maintain
tell maintain "$(systemctl show --property=Result --value postilion-maintain)"

# The schema of a release whose package is not installed yet.
dpkg-deb --extract /postilion.deb /new
typed migrate setpriv --reuid=postilion --regid=postilion --init-groups \
  env "$(grep ^DATABASE_URL= /etc/postilion/owner.env)" /new/usr/bin/postilion migrate

# A removal keeps data, settings and key; a purge removes them.
systemctl start postilion
systemctl enable --quiet --now postilion-maintain.timer
typed remove apt-get remove --yes postilion
tell "remove leaves" "$(ls /usr/bin/postilion 2>/dev/null)" \
  "$(systemctl is-active postilion postilion-maintain.timer | tr '\n' ' ')"
tell "remove keeps" "$(find /etc/postilion/root_key /etc/postilion/postilion.env \
  /var/lib/postilion/cluster/PG_VERSION | wc -l) files"
typed purge apt-get purge --yes postilion
tell "purge leaves" "$(find /var/lib /etc /var/log/journal /usr -path '*postilion*' \
  -not -path '/etc/systemd/system/postilion.service.d*' -not -path '/var/lib/postgresql/*' |
  tr '\n' ' ')"
tell "account" "$(getent passwd postilion)"
