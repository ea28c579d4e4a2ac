"""Calls the real service in every way that openapi.yaml allows and forbids, and feeds it JSON.

Environment:

- `POSTILION_PROGRAM`: the program under test; `.build/release/postilion` unless set.
- `EXAMPLES`: generated calls of each operation and phase; 50 unless set.
- `SEED`: of the generated calls; another one each time unless set.
- `PHASES`: of Schemathesis; all four unless set.
- `OPERATIONS`: only those whose id is in this regular expression.

The exit status is 1 when a check fails.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "Faults"))

import fixtures  # pylint: disable=wrong-import-position
import json_table  # pylint: disable=wrong-import-position
from client import Broken  # pylint: disable=wrong-import-position
from cluster import hand_over  # pylint: disable=wrong-import-position
from service import ROOT, ROOT_KEY, Service  # pylint: disable=wrong-import-position

# Calls that read a body of JSON, each with another reader behind it.
READERS = (("POST", "/v1/languages/match"), ("PUT", f"/v1/apps/{fixtures.APP}/messages/table"),
           ("PUT", f"/v1/apps/{fixtures.APP}/installations/{fixtures.INSTALLATION}"),
           ("POST", f"/v1/apps/{fixtures.APP}/feedback"))


# MARK: The table of JSON


def wrong(group, status, problem):
    """What is wrong with an answer to an input of a group; nothing if it is right."""
    if status is None or status >= 500:
        return "the service failed"
    if group == "no" and (status, problem) != (400, "malformed_json"):
        return "it has to be malformed_json"
    if group == "yes" and status == 400:
        return "it is JSON"
    if group == "duplicate" and (status, problem) != (400, "duplicate_member"):
        return "it has to be duplicate_member"
    return None


def answer(connection, method, path, body, kind="application/json"):
    """The status of a call, and the code of its problem."""
    try:
        reply = connection.request(method, path, body, key=ROOT_KEY, kind=kind)
    except Broken:
        return None, None
    problem = reply.json().get("code") if b'"code"' in reply.body else None
    return reply.status, problem


def run_table(service):
    """Sends each input of the table to each reader, and as a line of an import."""
    groups = {"no": json_table.NO, "yes": json_table.YES, "open": json_table.OPEN,
              "duplicate": json_table.DUPLICATE}
    connection, cases, failures = service.connect(), 0, []
    imports = f"/v1/apps/{fixtures.APP}/installations/import?dry_run=true"
    for group, inputs in groups.items():
        for name, body in inputs.items():
            for method, path in READERS:
                cases += 1
                status, problem = answer(connection, method, path, body)
                if fault := wrong(group, status, problem):
                    failures.append(f"{group}, {name}: {method} {path} answered {status}"
                                    f" {problem}: {fault}; {body[:60]!r}")
            cases += 1
            status, problem = answer(connection, "POST", imports, body, "application/x-ndjson")
            if status is None or status >= 500:
                failures.append(f"{group}, {name}: the import answered {status} {problem}")
    return cases, failures


# MARK: Schemathesis


def run_schemathesis(service, folder):
    """Runs Schemathesis; gives its exit status, the cases, the failures, and what was counted."""
    counts = folder / "counts.json"
    report = ROOT / ".build/api-fuzz/report.json"
    command = [
        str(pathlib.Path(sys.executable).parent / "schemathesis"),
        "--config-file", str(FOLDER / "schemathesis.toml"), "run", str(ROOT / "openapi.yaml"),
        "--url", f"http://127.0.0.1:{service.port}",
        "--header", f"Authorization: Bearer {ROOT_KEY}",
        "--checks", "all", "--max-examples", os.environ.get("EXAMPLES") or "50",
        "--phases", os.environ.get("PHASES") or "examples,coverage,fuzzing,stateful",
        "--seed", os.environ.get("SEED") or str(random.randrange(1 << 30)),
        "--report", "json", "--report-json-path", str(report)]
    if operations := os.environ.get("OPERATIONS"):
        command += ["--include-operation-id-regex", operations]
    process = subprocess.Popen(
        command, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "API_FUZZ_COUNTS": str(counts), "PYTHONDONTWRITEBYTECODE": "1"})
    lines = []
    for line in process.stdout:
        lines.append(line)
        print(line, end="", flush=True)
    status = process.wait()
    summary = re.search(r"(\d+) generated", "".join(lines))
    seen = json.loads(counts.read_text(encoding="utf-8")) if counts.exists() else {}
    return status, int(summary[1]) if summary else 0, seen


def main():
    """Starts the service, makes the app, and runs both parts."""
    with tempfile.TemporaryDirectory(prefix="postilion-api-fuzz-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        hand_over(folder / "var")
        service = Service(None, folder).start()
        try:
            os.environ |= {"API_FUZZ_URL": f"http://127.0.0.1:{service.port}",
                           "API_FUZZ_KEY": ROOT_KEY}
            keys = fixtures.need("GET", "/v1/keys")["items"]
            os.environ["API_FUZZ_KEY_ID"] = keys[0]["id"]
            fixtures.restore()
            cases, failures = run_table(service)
            fixtures.restore()
            status, generated, seen = run_schemathesis(service, folder)
        finally:
            service.terminate()
    for failure in failures:
        print(f"FAILED  {failure}")
    print(f"JSON: {cases} cases, {len(failures)} failures")
    print(f"Schemathesis: {generated} cases, {'0' if status == 0 else 'some'} failures;"
          f" {seen.get('lines', 0)} lines of {seen.get('streams', 0)} streams")
    for rule, count in sorted(seen.get("refusals", {}).items()):
        print(f"  refused beyond the schema: {rule} {count}")
    return 1 if failures or status else 0


if __name__ == "__main__":
    sys.exit(main())
