# Postilion. `make help` lists what there is. Only relative paths here: the directory's own path
# may hold spaces.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run demo build stripped package image release test test-roles test-citus test-console quick lint format goldens reference
.PHONY: bench tsan fuzz bench-filters faults soak api-fuzz linearizability report-races pipeline-cuts deploy-check
.PHONY: test-update test-senders test-pushes push-scale test-generators screenshots swift
.PHONY: dependencies test-dependencies console-dependencies bench-dependencies
.PHONY: faults-dependencies api-fuzz-dependencies deploy-dependencies senders-dependencies
.PHONY: pushes-dependencies package-dependencies image-dependencies generators-dependencies

# Imports that Package.swift does not allow are errors.
STRICT := --explicit-target-dependency-import-check error
# A program that was built in another folder has the same bytes; see `stripped`, too.
ANYWHERE := -Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs \
  -Xcc "-ffile-prefix-map=$(CURDIR)=." -Xlinker --build-id=none
# One binary: Swift's libraries are linked in, which halves the time to start.
RELEASE := -c release --static-swift-stdlib $(STRICT) $(ANYWHERE)
# The release, which is written in one place.
VERSION = $(shell sed -n 's/^  version: //p' openapi.yaml)
# The commit of the last release, from which and back to which an update has to go: `make test-update`.
# Once a release is published, set it to the commit that the release was made of.
LAST_RELEASE := 2ba23da9dbbbac330fec16aa32e572c99b3044bd
PREVIOUS_SOURCES := .build/previous/$(LAST_RELEASE)
PREVIOUS ?= $(PREVIOUS_SOURCES)/.build/release/postilion
SOURCES := Sources Tests Examples Package.swift
# Targets whose tests need no socket, file, clock or database.
PURE := PostilionClient|HTTP|JSON|Zip|APNs|Localization|CatalogFormats|DeviceProfile|Rendering|Registry|Content|CommandLineGrammar
REFERENCE := Sources/Server/Console/Reference
CONSOLE_PYTHON := .build/console/bin/python
API_FUZZ_PYTHON := .build/api-fuzz/bin/python
RIVALS_PYTHON := .build/rivals/bin/python
SENDERS_PYTHON := .build/senders/bin/python
DEPLOY_PYTHON := .build/deploy/bin/python
GENERATORS_PYTHON := .build/generators/bin/python
# Tests that all run at once starve each other: eight at a time, where the toolchain knows how.
WIDTH = $(shell swift test --help-hidden 2>/dev/null \
  | grep -o -m1 -e '--experimental-maximum-parallelization-width' | sed -n '1s/$$/ 8/p')

help: ## List the targets.
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' Makefile | expand -t 26

run: build ## Install what is missing, build and serve.
	@exec .build/release/postilion serve

demo: build ## Install what is missing, build and serve a sample app to look at.
	@exec .build/release/postilion demo

build: dependencies ## Build the release.
	swift build $(RELEASE) --product postilion

# What is installed: the program without its symbols, which are in a file of their own. Debuggers
# find that beside the program or below /usr/lib/debug.
stripped: $(if $(PROGRAM),,build)
	@mkdir -p .build/install .build/dist
	deploy/forget-folder.sh "$(or $(PROGRAM),.build/release/postilion)" .build/install/whole
	objcopy --only-keep-debug .build/install/whole .build/install/postilion.debug
	objcopy --strip-all --add-gnu-debuglink=.build/install/postilion.debug \
	  .build/install/whole .build/install/postilion
	rm .build/install/whole

# Of a program that is built already, also below: make package PROGRAM=.build/debug/postilion.
package: package-dependencies stripped ## Make Debian's packages of the program: .build/dist/*.deb.
	deploy/make-package.sh "$(VERSION)" .build/install .build/dist

# Podman knows them, too: podman run --publish 8080:8080 postilion:demo.
image: image-dependencies stripped ## Make the images, as root: .build/dist/*.oci.tar.
	deploy/make-image.sh "$(VERSION)" .build/install .build/dist

release: package image ## Make a release in .build/dist: packages, images, the package for apps, notes.
	deploy/make-release.sh "$(VERSION)" .build/install .build/dist
	@ls -sh .build/dist

# Failures lie among thousands of lines, and are printed once more at the end.
test: test-dependencies ## Install what is missing and run all tests.
	@mkdir -p .build; set -o pipefail; \
	swift test $(STRICT) $(WIDTH) 2>&1 | tee .build/test.log || { echo; echo "What failed:"; \
	  grep -aE -A 2 'recorded an issue|^(/.*: )?error: |Fatal error: ' .build/test.log; exit 1; }

# The browser and its driver come from Debian, Selenium and axe-core from PyPI.
test-console: console-dependencies ## Run the tests of the console in a real browser (4 minutes).
	swift build $(STRICT) --product postilion
	$(CONSOLE_PYTHON) -m unittest discover --start-directory Tests/Console

# As root: the tests have a network of their own, in which Apple's names lead to this machine. With
# senders of others: make test-senders SENDERS=folder, see Tests/Senders/test_others.py.
test-senders: senders-dependencies ## Send what is rendered to a stand-in for APNs (2 minutes).
	$(if $(POSTILION_PROGRAM),,swift build $(STRICT) --product postilion)
	SENDERS="$(SENDERS)" unshare --net --mount $(SENDERS_PYTHON) -W ignore::ResourceWarning \
	  -m unittest discover --start-directory Tests/Senders

test-pushes: pushes-dependencies ## Compare pushes of every kind with what Apple asks for (2 minutes).
	$(if $(POSTILION_PROGRAM),,swift build $(STRICT) --product postilion)
	python3 -W ignore::ResourceWarning -m unittest discover --start-directory Tests/Pushes

push-scale: dependencies ## Render pushes of all kinds for a million devices (10 minutes; DEVICES=20000).
	$(if $(POSTILION_PROGRAM),,swift build $(RELEASE) --product postilion)
	DEVICES="$(or $(DEVICES),1000000)" python3 -W ignore::ResourceWarning Tests/Pushes/scale.py

# openapi-python-client, and openapi-generator for Python, TypeScript and Go.
test-generators: generators-dependencies ## Have clients generated, compile and use them (3 minutes).
	$(if $(POSTILION_PROGRAM),,swift build $(STRICT) --product postilion)
	$(GENERATORS_PYTHON) -W ignore::ResourceWarning -m unittest discover \
	  --start-directory Tests/Generators

screenshots: console-dependencies ## Make pictures of all pages of the console, three of them for docs.
	swift build $(STRICT) --product postilion
	$(CONSOLE_PYTHON) Tests/Console/screenshots.py .build/screenshots
	for page in overview device message; do \
	  cp ".build/screenshots/$$page-light.png" "docs/images/$$page.png"; done

test-roles: test-dependencies ## Run the tests of the service with the rights that sql/roles.sql gives it.
	POSTILION_TEST_ROLES=1 swift test $(STRICT) $(WIDTH) --filter '^AppTests'

# Of a program that is built already: make deploy-check PROGRAM=.build/debug/postilion.
deploy-check: deploy-dependencies ## Try the files of deploy: unit, image, proxies, alerts, backups.
	$(if $(PROGRAM),,swift build $(RELEASE) --product postilion)
	POSTILION_PROGRAM="$(or $(PROGRAM),.build/release/postilion)" \
	  $(DEPLOY_PYTHON) -W ignore::ResourceWarning \
	  -m unittest discover --verbose --start-directory Tests/Deploy $(addprefix -k ,$(CHECKS))

# Some of them, without those of backups: make test-citus TESTS=AppTests.RegistrationTests.
test-citus: test-dependencies ## Run the tests of the service on a cluster of Citus, where that is installed.
	swift build --build-tests $(STRICT)
	python3 Tests/Citus/citus.py swift test --skip-build $(STRICT) $(WIDTH) \
	  --filter '$(or $(TESTS),^AppTests)'
	$(if $(TESTS),,POSTILION_PROGRAM=.build/debug/postilion python3 -W ignore::ResourceWarning \
	  -m unittest discover --verbose --start-directory Tests/Citus)

quick: dependencies ## Run the tests that need no database: under a minute once built.
	swift test $(STRICT) $(WIDTH) --filter '^($(PURE)|EventLoop|HTTPServer|HTTPClient|Commands|Crypto|Telemetry|Tidy)Tests'

tsan: dependencies ## Run the tests that need no database under the thread sanitizer.
	TSAN_OPTIONS=suppressions=Tests/Fixtures/thread-sanitizer.txt \
	  swift test $(STRICT) --sanitize=thread --scratch-path .build/tsan \
	  --filter '^($(PURE)|EventLoop|HTTPServer|HTTPClient|Commands|Crypto|Telemetry)Tests'

# Seconds for each target, or runs: make fuzz RUNS=1000000 TARGETS="strings xcstrings".
fuzz: dependencies ## Feed the parsers and formatters damaged input (SECONDS=60 each).
	POSTILION_FUZZ=1 swift build -c release --product fuzz --scratch-path .build/fuzz $(STRICT) \
	  --sanitize=address -Xswiftc -sanitize=fuzzer -Xswiftc -use-ld=lld
	@status=0; fixtures=Tests/Fixtures/Fuzz; \
	export SWIFT_BACKTRACE=enable=no SWIFT_DETERMINISTIC_HASHING=1 \
	  ASAN_OPTIONS="quarantine_size_mb=64:$$ASAN_OPTIONS"; \
	for target in $(or $(TARGETS),$$(.build/fuzz/release/fuzz --list)); do \
	  echo "== $$target"; mkdir -p ".build/fuzz/corpus/$$target"; \
	  .build/fuzz/release/fuzz "$$target" \
	    $(if $(RUNS),-runs=$(RUNS),-max_total_time=$(or $(SECONDS),60)) \
	    -max_len=4096 -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
	    -artifact_prefix=".build/fuzz/$$target-" -dict="$$fixtures/$$target.txt" \
	    ".build/fuzz/corpus/$$target" "$$fixtures/$$target" \
	    > ".build/fuzz/$$target.log" 2>&1 </dev/null && { \
	      grep -E 'DONE|stat::(average|peak)' ".build/fuzz/$$target.log"; continue; }; \
	  status=1; grep -E 'BROKEN PROMISE|ERROR|SUMMARY|^    #' ".build/fuzz/$$target.log" | head -30; \
	  finding=$$(sed -n 's/.*Test unit written to //p' ".build/fuzz/$$target.log" | tail -1); \
	  echo "Again: .build/fuzz/release/fuzz $$target $$finding"; \
	done; exit $$status

# Calls of each operation and phase: make api-fuzz EXAMPLES=200 SEED=1 OPERATIONS='^render$$'.
api-fuzz: api-fuzz-dependencies ## Call the service in every way that openapi.yaml allows or forbids.
	$(if $(POSTILION_PROGRAM),,swift build $(RELEASE) --product postilion)
	EXAMPLES="$(EXAMPLES)" SEED="$(SEED)" PHASES="$(PHASES)" OPERATIONS='$(OPERATIONS)' \
	  $(API_FUZZ_PYTHON) Tests/APIFuzz/fuzz.py

# Some of them, and how often: make faults FAULTS="kill drain" RUNS=20. As root all of them run.
faults: faults-dependencies ## Harm service and database in many ways, and count what was lost.
	$(if $(POSTILION_PROGRAM),,swift build $(RELEASE) --product postilion)
	python3 -W ignore -m unittest discover --start-directory Tests/Faults
	FAULTS="$(FAULTS)" RUNS="$(RUNS)" SECONDS="$(SECONDS)" python3 Tests/Faults/faults.py

# Shorter or calmer: make soak MINUTES=5 RATE=20 LAUNCHES=1000 FAULTS="kill storm".
# The picture in docs: make soak SOAK_SVG=docs/images/soak.svg.
soak: faults-dependencies ## An hour of mixed load with a fault a minute; memory as .build/soak.svg.
	$(if $(POSTILION_PROGRAM),,swift build $(RELEASE) --product postilion)
	MINUTES="$(MINUTES)" RATE="$(RATE)" LAUNCHES="$(LAUNCHES)" \
	  $(if $(FAULTS),FAULTS="$(FAULTS)") SOAK_SVG="$(or $(SOAK_SVG),.build/soak.svg)" \
	  python3 Tests/Faults/soak.py

# How often: make test-update RUNS=5. With programs that are built already:
# make test-update PREVIOUS=postilion-1.0 POSTILION_PROGRAM=.build/debug/postilion.
test-update: faults-dependencies $(PREVIOUS) ## Update from the last release and back under load, and count losses (5 minutes).
	$(if $(POSTILION_PROGRAM),,swift build $(RELEASE) --product postilion)
	PREVIOUS="$(PREVIOUS)" RUNS="$(RUNS)" python3 -W ignore::ResourceWarning \
	  -m unittest discover --start-directory Tests/Update

# The last release, built once, in a folder of its own.
$(PREVIOUS_SOURCES)/.build/release/postilion:
	mkdir -p $(PREVIOUS_SOURCES)
	set -o pipefail; git archive $(LAST_RELEASE) | tar --extract --directory $(PREVIOUS_SOURCES)
	swift build $(RELEASE) --product postilion --package-path $(PREVIOUS_SOURCES)

linearizability: test-dependencies ## Compare a million concurrent calls with the model, with kills (OPERATIONS=1000000).
	POSTILION_LINEARIZABILITY=$(or $(OPERATIONS),1000000) \
	  swift test $(STRICT) --filter '^AppTests.LinearizabilityTests/answers'

report-races: test-dependencies ## Have 100,000 reports and answers of APNs meet at three instances (RACES=100000).
	POSTILION_REPORT_RACES=$(or $(RACES),100000) \
	  swift test $(STRICT) --filter '^AppTests.ReportsAcrossInstancesTests/theNewest'

pipeline-cuts: dependencies ## Cut a million connections in the middle of answers (CUTS=1000000).
	POSTILION_PIPELINE_CUTS=$(or $(CUTS),1000000) \
	  swift test $(STRICT) --filter '^PostgresTests.PipelineCutTests/'

lint: swift ## Check the form of the code.
	swift format lint --strict --recursive $(SOURCES)

format: swift ## Bring the code into form.
	swift format --in-place --recursive $(SOURCES)

goldens: reference ## Rewrite Tests/Fixtures from what the code makes now; review the diff.
	POSTILION_UPDATE_GOLDENS=1 swift test $(STRICT) $(WIDTH)

reference: test-dependencies ## Make the page of the API at /docs of openapi.yaml.
	@mkdir -p .build
	/usr/bin/python3 $(REFERENCE)/reference.py < openapi.yaml > .build/reference.html
	mv .build/reference.html $(REFERENCE)

# Rows alone: make bench ROWS="P1 P3", ROWS="micro instructions", ROWS=rivals. The picture in docs:
# make bench SVG=docs/images/benchmarks.svg. One more rival: make bench ROWS=rivals RIVAL=NAME=PROGRAM.
bench: bench-dependencies ## Measure beside pgbench, nginx and the physical bound (20 minutes).
	swift build $(RELEASE) --product postilion
	swift build -c release --product bench $(STRICT)
	.build/release/bench $(if $(POPULATION),--population "$(POPULATION)") \
	  $(if $(SVG),--svg "$(SVG)") $(if $(RIVAL),--rival "$(RIVAL)") $(ROWS)

# Calls of each filter and order, and some filters: make bench-filters CALLS=20 FILTERS='^tag'.
bench-filters: dependencies ## Measure the first page of each filter among a million installations (20 minutes).
	$(if $(POSTILION_PROGRAM),,swift build $(RELEASE) --product postilion)
	CALLS="$(CALLS)" FILTERS='$(FILTERS)' INSTALLATIONS="$(INSTALLATIONS)" python3 bench/filters.py

swift:
	@command -v swift >/dev/null || { \
	  echo "Swift is not installed: get Swift 6.2 or later from https://swift.org/install." >&2; \
	  exit 1; }

# What is missing is installed with apt-get, without asking; what is there is left alone.
dependencies: swift
	@$(missing); $(install)

# The shells that complete command lines, a pooler, what counts instructions, and what the page of
# the API is made with, for the system's own Python.
test-dependencies: dependencies
	@$(missing); need zsh command -v zsh; need fish command -v fish; \
	need pgbouncer pgbouncer_program; need jq command -v jq; need unzip command -v unzip; \
	need python3 command -v python3; need python3-yaml /usr/bin/python3 -c 'import yaml'; \
	need python3-markdown-it /usr/bin/python3 -c 'import markdown_it'; \
	need valgrind test -e /usr/include/valgrind/callgrind.h; $(install)

console-dependencies: dependencies
	@$(missing); need chromium command -v chromium; need chromium-driver command -v chromedriver; \
	need python3-venv python3 -c 'import ensurepip'; need fonts-noto-core noto NotoSansArabic; \
	need fonts-noto-cjk noto NotoSansCJK; $(install)
	@[[ -x $(CONSOLE_PYTHON) ]] || python3 -m venv .build/console
	@$(CONSOLE_PYTHON) -m pip install --quiet --no-deps -r Tests/Console/requirements.txt

senders-dependencies: dependencies
	@$(missing); need python3-venv python3 -c 'import ensurepip'; need curl command -v curl; \
	need golang-go command -v go; need nodejs command -v node; need jq command -v jq; \
	need openssl command -v openssl; need iproute2 command -v ip; \
	need shellcheck command -v shellcheck; $(install)
	@[[ -x $(SENDERS_PYTHON) ]] || python3 -m venv .build/senders
	@$(SENDERS_PYTHON) -m pip install --quiet --no-deps -r Tests/Senders/requirements.txt

generators-dependencies: dependencies
	@$(missing); need python3-venv python3 -c 'import ensurepip'; \
	need default-jre-headless command -v java; need golang-go command -v go; \
	need nodejs command -v node; need node-typescript command -v tsc; $(install)
	@[[ -x $(GENERATORS_PYTHON) ]] || python3 -m venv .build/generators
	@$(GENERATORS_PYTHON) -m pip install --quiet --no-deps -r Tests/Generators/requirements.txt

api-fuzz-dependencies: dependencies
	@$(missing); need python3-venv python3 -c 'import ensurepip'; $(install)
	@[[ -x $(API_FUZZ_PYTHON) ]] || python3 -m venv .build/api-fuzz
	@$(API_FUZZ_PYTHON) -m pip install --quiet --no-deps -r Tests/APIFuzz/requirements.txt

pushes-dependencies: dependencies
	@$(missing); need python3 command -v python3; $(install)

faults-dependencies: dependencies
	@$(missing); need slowhttptest command -v slowhttptest; need python3 command -v python3; $(install)

bench-dependencies: swift
	@$(missing); need wrk command -v wrk; need curl command -v curl; need nginx-light nginx_program; \
	need valgrind command -v valgrind; \
	$(if $(filter rivals,$(ROWS)),need python3-venv python3 -c 'import ensurepip';) $(install)
	$(if $(filter rivals,$(ROWS)),@[[ -x $(RIVALS_PYTHON) ]] || python3 -m venv .build/rivals)
	$(if $(filter rivals,$(ROWS)),@$(RIVALS_PYTHON) -m pip install --quiet --no-deps \
	  -r bench/rivals/requirements.txt)

package-dependencies: dependencies
	@$(missing); need debhelper command -v dh; need dpkg-dev command -v dpkg-buildpackage; $(install)

image-dependencies: dependencies
	@$(missing); need debootstrap command -v debootstrap; need buildah command -v buildah; $(install)

# Where systemd runs, Debian starts haproxy, nginx and prometheus when they are installed.
deploy-dependencies: package-dependencies image-dependencies
	@$(missing); need curl command -v curl; need openssl command -v openssl; \
	need nginx-light nginx_program; need haproxy haproxy_program; \
	need prometheus command -v promtool; need shellcheck command -v shellcheck; \
	need lintian command -v lintian; need systemd-container command -v systemd-nspawn; \
	need podman command -v podman; need runc command -v runc; \
	need golang-github-containernetworking-plugin-dnsname test -e /usr/lib/cni/dnsname; \
	need docker-compose command -v docker-compose; need podman-compose command -v podman-compose; \
	need python3-venv python3 -c 'import ensurepip'; $(install)
	@[[ -x $(DEPLOY_PYTHON) ]] || python3 -m venv .build/deploy
	@$(DEPLOY_PYTHON) -m pip install --quiet --no-deps -r Tests/Deploy/requirements.txt

define missing
packages=(); \
need() { local package=$$1; shift; "$$@" >/dev/null 2>&1 || packages+=("$$package"); }; \
library() { pkg-config --exists "$$1"; }; \
server() { local directory; \
  while IFS= read -r directory; do \
    [[ -x "$$directory/initdb" && -x "$$directory/postgres" ]] && return 0; \
  done < <(pg_config --bindir 2>/dev/null; tr : '\n' <<< "$$PATH"; \
    compgen -G '/usr/lib/postgresql/*/bin'; compgen -G '/usr/pgsql-*/bin'; \
    echo /usr/local/pgsql/bin); \
  return 1; }; \
noto() { compgen -G "/usr/share/fonts/*/noto/$$1*"; }; \
nginx_program() { command -v nginx || [[ -x /usr/sbin/nginx ]]; }; \
pgbouncer_program() { command -v pgbouncer || [[ -x /usr/sbin/pgbouncer ]]; }; \
haproxy_program() { command -v haproxy || [[ -x /usr/sbin/haproxy ]]; }; \
need pkg-config command -v pkg-config; \
need binutils command -v objcopy; \
need libpq-dev library libpq; \
need libssl-dev library libcrypto; \
need zlib1g-dev library zlib; \
need libcurl4-openssl-dev library libcurl; \
need postgresql server
endef

define install
if (( $${#packages[@]} == 0 )); then exit 0; fi; \
if ! command -v apt-get >/dev/null; then \
  echo "Missing: $${packages[*]} (Debian's names). Install them with this system's package manager." >&2; \
  exit 1; \
fi; \
if (( $$(id -u) != 0 )); then \
  echo "Missing: $${packages[*]}. Install them as root: apt-get install $${packages[*]}" >&2; \
  exit 1; \
fi; \
export DEBIAN_FRONTEND=noninteractive; \
apt-get install -y --no-install-recommends "$${packages[@]}" \
  || { apt-get update && apt-get install -y --no-install-recommends "$${packages[@]}"; }
endef
