# shellcheck shell=bash
# Commands of other services, as far as docs/moving.md calls them: they answer with the samples beside
# this file. A call that the page does not have fails.

samples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

no_such_call() { echo "docs/moving.md has no such call: $*" >&2; return 1; }

# Two files of a sample, whose last lines have no end.
parts() {
  printf %s "$(head -n 1 "$samples/$1.json")" > "$1-0.txt"
  printf %s "$(tail -n +2 "$samples/$1.json")" > "$1-1.txt"
}

curl() {
  local argument output=/dev/stdout previous='' sample url=''
  for argument; do
    case $argument in http*://*) url=$argument ;; esac
    if [[ $previous == -o ]]; then output=$argument; fi
    previous=$argument
  done
  case $url in
    http://127.0.0.1:*) command curl "$@"; return ;;
    https://iid.googleapis.com/iid/info/*\?details=true) sample=firebase-info.json ;;
    https://go.urbanairship.com/api/channels\?start=*) sample=airship-2.json ;;
    https://go.urbanairship.com/api/channels\?limit=1000) sample=airship-1.json ;;
    https://rest.iad-01.braze.com/users/export/segment) sample=braze-answer.json ;;
    https://export.example.com/braze.zip)
      parts braze && python3 -m zipfile -c "$output" braze-0.txt braze-1.txt &&
        rm braze-0.txt braze-1.txt
      return ;;
    https://api.customer.io/v1/customers\?*) sample=customerio-people.json ;;
    https://api.customer.io/v1/customers/attributes\?*) sample=customerio.json ;;
    https://ups.example.com/rest/export/*/installations/) sample=aerogear.json ;;
    https://parse.example.com/installations) sample=parse-rest.json ;;
    https://api.onesignal.com/players/csv_export\?app_id=*) sample=onesignal-answer.json ;;
    https://export.example.com/onesignal.csv.gz) gzip --stdout "$samples/onesignal.csv"; return ;;
    *) no_such_call curl "$@"; return ;;
  esac
  cat "$samples/$sample" > "$output"
}

aws() {
  case $* in
    "s3 cp --recursive s3://food-pinpoint/endpoints/ pinpoint/")
      mkdir pinpoint && (cd pinpoint && parts pinpoint && gzip ./*.txt) ;;
    "sns list-endpoints-by-platform-application --output json --platform-application-arn arn:"*)
      cat "$samples/sns.json" ;;
    *) no_such_call aws "$@" ;;
  esac
}

# A database with tables of one's own: the last word of the statement names one.
psql() {
  local statement=${!#}
  cat "$samples/${statement##* }.csv"
}

az() {
  case $* in
    "storage blob download "*" --file registrations.xml") cp "$samples/azure.xml" registrations.xml ;;
    *) no_such_call az "$@" ;;
  esac
}

mongoexport() {
  case $* in
    *" --collection _Installation") cat "$samples/parse-mongoexport.json" ;;
    *) no_such_call mongoexport "$@" ;;
  esac
}
