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
typed tidy postilion app delete hello --confirm hello \
  --url http://127.0.0.1:8080 --key-file /etc/postilion/root_key
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
tell "journal of threads" "$(journalctl --namespace='*' --output=cat --no-pager |
  grep -c 'Failed to set thread priority')"
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

# A new root key.
rm /etc/postilion/root_key
typed "new key" dpkg-reconfigure postilion
tell "new key ready" "$(ready)"
tell "new key opens" "$(status "$APP")"
tell "new key is" "$([[ $key == "$(cat /etc/postilion/root_key)" ]] && echo old || echo new)"

# An update of PostgreSQL, whose programs the embedded one has to run.
before=$(property MainPID)
typed "postgresql update" apt-get install --yes --reinstall \
  "postgresql-$(cat /var/lib/postilion/cluster/PG_VERSION)"
tell "postgresql update restarts" "$([[ $before == "$(property MainPID)" ]] || ready)"
# The account of the service puts a pipe where root might read.
mv /var/lib/postilion/cluster/PG_VERSION /version
mkfifo /var/lib/postilion/cluster/PG_VERSION
dpkg-trigger --by-package=postgresql-common /usr/lib/postgresql
typed "trigger beside a pipe" timeout 300 dpkg --triggers-only --pending
rm /var/lib/postilion/cluster/PG_VERSION
mv /version /var/lib/postilion/cluster/PG_VERSION
systemctl restart postilion
ready > /dev/null

# A key is for the process of the unit alone. Where another program has its address, it is not told.
systemctl stop postilion
perl -MIO::Socket -e '$| = 1; $s = IO::Socket::INET->new(
  LocalAddr => "127.0.0.1:8080", Listen => 5) or die;
  while ($c = $s->accept) { print while <$c> }' > /stranger &
timeout 8 postilion-console > /dev/null 2>&1
timeout 8 /usr/share/postilion/first-payload > /dev/null 2>&1
tell "stranger heard" "$(wc --bytes < /stranger) bytes"
kill %1
# Another port, in a form that systemd reads, and a profile of root's own that leads elsewhere.
mkdir -p /etc/systemd/system/postilion.service.d ~root/.config/postilion
printf '[Service]\nSocketBindAllow=tcp:9090\nEnvironment="X=two words" POSTILION_LOG_LEVEL=info\n' \
  > /etc/systemd/system/postilion.service.d/port.conf
(umask 077; echo '{"default": {"url": "https://elsewhere.invalid"}}' \
  > ~root/.config/postilion/profiles.json)
cp /etc/postilion/postilion.env /kept.env
sed -i 's/^POSTILION_LISTEN=.*/ POSTILION_LISTEN="127.0.0.1:9090"/' /etc/postilion/postilion.env
systemctl daemon-reload
systemctl start postilion
typed "console elsewhere" postilion-console
tell "console elsewhere" "$(sed 's/pst_root_.*/KEY/' "/console elsewhere")"
typed "payload elsewhere" /usr/share/postilion/first-payload
tell "doctor elsewhere" "$(postilion-doctor | grep " listen  ")"
# A database that the unit does not let the service call.
echo "DATABASE_URL = 'postgresql://postilion@192.0.2.7/postilion'" >> /etc/postilion/postilion.env
tell "doctor closed" "$(postilion-doctor 2>&1 | grep '^postilion-doctor: ')"
echo IPAddressAllow=192.0.2.7 >> /etc/systemd/system/postilion.service.d/port.conf
systemctl daemon-reload
tell "doctor open" "$(postilion-doctor 2>&1 | grep '^postilion-doctor: ')"
rm /etc/systemd/system/postilion.service.d/port.conf ~root/.config/postilion/profiles.json
mv /kept.env /etc/postilion/postilion.env
systemctl daemon-reload

# A wrong setting is told once.
systemctl stop postilion
sed -i 's/^POSTILION_LISTEN=.*/POSTILION_LISTEN=nowhere/' /etc/postilion/postilion.env
systemctl start postilion 2> /dev/null
tell "wrong setting starts" "$?"
for _ in {1..600}; do [[ $(property ActiveState) == failed ]] && break; sleep 0.1; done
tell "wrong setting" "$(property ActiveState), $(property ExecMainStatus)," \
  "$(property NRestarts) restarts"
sed -i 's/^POSTILION_LISTEN=.*/POSTILION_LISTEN=127.0.0.1:8080/' /etc/postilion/postilion.env

# The cluster of Debian's own PostgreSQL instead, without what only the embedded one needs, but with
# all that it knows. With Debian 13 the journal of a unit refuses a sixth start within ten seconds.
sleep 10
systemctl reset-failed postilion
systemctl start postilion
ready > /dev/null
typed dump runuser -u postilion -- pg_dump --format=custom \
  "postgresql:///postilion?host=/var/lib/postilion&user=postilion"
systemctl stop postilion
su postgres -c 'createuser postilion && createdb --owner=postilion --encoding=UTF8 \
  --template=template0 postilion'
tell restore "$(runuser -u postilion -- pg_restore --exit-on-error --single-transaction --no-owner \
  --no-acl --dbname="postgresql:///postilion?host=/var/run/postgresql" < /dump 2>&1; echo $?)"
sed -i 's/^#\(DATABASE_URL=postgresql:\/\/\/\)/\1/' /etc/postilion/postilion.env
mkdir -p /etc/systemd/system/postilion.service.d
ln -s /dev/null /etc/systemd/system/postilion.service.d/embedded.conf
systemctl daemon-reload
tell exposure "$(systemd-analyze security --no-pager postilion.service | tail -1)"
systemctl start postilion
tell "doctor external database" "$(postilion-doctor | grep " database  ")"
exercise external

# Two roles, and once a day as the owner of the tables.
(cd /usr/share/postilion && 
  su postgres -c 'psql --quiet -v ON_ERROR_STOP=1 --dbname=postilion --file=roles.sql')
su postgres -c 'psql --quiet' <<< "ALTER ROLE postilion_owner PASSWORD 'o';
  ALTER ROLE postilion_service PASSWORD 's';"
sed -i 's/^DATABASE_URL=.*/DATABASE_URL=postgresql:\/\/postilion_service:s@localhost\/postilion/' \
  /etc/postilion/postilion.env
sed -i 's/^#DATABASE_URL.*/DATABASE_URL=postgresql:\/\/postilion_owner:o@localhost\/postilion/' \
  /etc/postilion/owner.env
sleep 10
systemctl start postilion
tell "roles ready" "$(ready)"
tell "roles doctor" "$(postilion-doctor | grep " rights  ")"
systemctl start postilion-maintain
tell maintain "$(systemctl show --property=Result --value postilion-maintain)"
# With the settings of the service, of which one is wrong here.
echo POSTILION_RETENTION_MONTHS=ever >> /etc/postilion/postilion.env
systemctl start postilion-maintain
tell "maintain settings" "$(systemctl show --property=ExecMainStatus --value postilion-maintain)"
sed -i '/^POSTILION_RETENTION_MONTHS/d' /etc/postilion/postilion.env

# The schema of a release whose package is not installed yet.
dpkg-deb --extract /postilion.deb /new
typed migrate setpriv --reuid=postilion --regid=postilion --init-groups \
  env "$(grep ^DATABASE_URL= /etc/postilion/owner.env)" /new/usr/bin/postilion migrate

# A removal keeps data, settings and key; a purge removes them, also where the data have a disk of
# their own.
systemctl start postilion
systemctl enable --quiet --now postilion-maintain.timer
typed remove apt-get remove --yes postilion
tell "remove leaves" "$(ls /usr/bin/postilion 2>/dev/null)" \
  "$(systemctl is-active postilion postilion-maintain.timer | tr '\n' ' ')"
tell "remove keeps" "$(find /etc/postilion/root_key /etc/postilion/postilion.env \
  /var/lib/postilion/cluster/PG_VERSION | wc -l) files"
mount --bind /var/lib/postilion /var/lib/postilion
typed purge apt-get purge --yes postilion
umount /var/lib/postilion
rmdir /var/lib/postilion
tell "purge leaves" "$(find /var/lib /etc /var/log/journal /usr -path '*postilion*' \
  -not -path '/etc/systemd/system/postilion.service.d*' -not -path '/var/lib/postgresql/*' |
  tr '\n' ' ')"
tell "account" "$(getent passwd postilion)"
