"""nginx and HAProxy with TLS in front of the program, as deploy has them."""

import hashlib
import http.client
import json
import re
import signal
import subprocess
import threading
import time
import unittest

from proxies import GroupedNginx, HAProxy, NAME, Nginx, StandIn, free_port
from service import (
    Cluster, DEADLINE, KEY, PROGRAM, ROOT, Program, call, fill, folder, installation, registration,
    report, request, run, saw, upload)

IMPORT = "/v1/apps/food/installations/import"
MEGABYTE = 1 << 20
ROUTES = ROOT / "Tests/Fixtures/routes.txt"


class WireTests:
    """What a proxy does with bytes, seen by a server in place of the service."""

    def test_clients_get_tls_and_http_2(self):
        with folder() as directory, StandIn() as server:
            with self.kind(directory / "proxy", [server.address]) as proxy:
                connection = proxy.connect(["h2", "http/1.1"])
                connection.connect()
                self.assertIn(connection.sock.version(), ["TLSv1.2", "TLSv1.3"])
                self.assertEqual(connection.sock.selected_alpn_protocol(), "h2")
                version = run([
                    "curl", "--silent", "--show-error", "--http2", "--output", "/dev/null",
                    "--cacert", directory / "proxy/chain.pem", "--resolve",
                    f"{NAME}:{proxy.port}:127.0.0.1", "--write-out", "%{http_version}",
                    f"https://{NAME}:{proxy.port}/"])
                self.assertEqual(version, "2")
                saw(f"{self.kind.__name__}: {connection.sock.version()}, HTTP/{version}")

    def test_the_service_is_told_the_address_that_the_proxy_sees(self):
        forged = {"X-Forwarded-For": "203.0.113.6", "Forwarded": "for=203.0.113.6",
                  "X-Request-Id": "forged", "X-Forwarded-Proto": "http"}
        with folder() as directory, StandIn() as server:
            with self.kind(directory / "proxy", [server.address]) as proxy:
                fields = call(proxy.connect(), "GET", "/v1/echo", fields=forged)
                self.assertEqual(fields["x-forwarded-for"], "127.0.0.1")
                self.assertEqual(fields["forwarded"], "for=127.0.0.1;proto=https")
                self.assertEqual(fields["x-forwarded-proto"], "https")
                self.assertRegex(fields["x-request-id"], r"^[0-9a-f-]{32,36}$")
                self.assertEqual(fields["host"], NAME)
                saw(f"{self.kind.__name__}: {fields['forwarded']}, {fields['x-request-id']}")

    def test_a_stream_leaves_line_by_line(self):
        with folder() as directory, StandIn() as server:
            with self.kind(directory / "proxy", [server.address]) as proxy:
                server.has_first_line.clear()
                connection = proxy.connect()
                connection.request("GET", "/v1/stream")
                answer = connection.getresponse()
                self.assertEqual(answer.readline(), b"1\n")
                server.has_first_line.set()
                self.assertEqual(answer.readline(), b"2\n")
                saw(f"{self.kind.__name__}: the first line, before the second was made")

    def test_an_import_is_read_as_it_comes(self):
        with folder() as directory, StandIn() as server:
            with self.kind(directory / "proxy", [server.address]) as proxy:
                server.has_first_piece.clear()

                def pieces():
                    yield b"{}\n"
                    self.assertTrue(server.has_first_piece.wait(DEADLINE))
                    yield b"{}\n"

                connection = proxy.connect()
                connection.request("POST", IMPORT, pieces(), encode_chunked=True,
                                   headers={"Transfer-Encoding": "chunked"})
                self.assertEqual(connection.getresponse().status, 200)
                saw(f"{self.kind.__name__}: the first piece, before the second was sent")

    def test_connections_are_kept(self):
        with folder() as directory, StandIn() as server:
            with self.kind(directory / "proxy", [server.address]) as proxy:
                server.connections.clear()
                connection = proxy.connect()
                for _ in range(50):
                    call(connection, "GET", "/v1/echo")
                    local = connection.sock.getsockname()
                self.assertEqual(local, connection.sock.getsockname())
                # nginx has two workers, and HAProxy looks whether the server is alive.
                self.assertLess(len(server.connections), 10)
                saw(f"{self.kind.__name__}: 50 requests, {len(server.connections)} connections")


    def raw(self, proxy, target):
        """The status and the head that a proxy answers to a target as it is written."""
        with proxy.socket() as wire:
            wire.sendall(f"GET {target} HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n"
                         .encode())
            answer = b""
            while piece := wire.recv(65536):
                answer += piece
        head, _, _ = answer.decode("latin-1").partition("\r\n\r\n")
        return int(head.split(" ")[1]), head.lower()

    def test_only_what_is_named_passes_however_it_is_spelled(self):
        inside = [spelled for name in ["metrics", "readyz"] for spelled in [
            f"/{name}", f"/%{ord(name[0]):02x}{name[1:]}", f"/%{ord(name[0]):02X}{name[1:]}",
            f"/{name[:-1]}%{ord(name[-1]):x}", "/" + "".join(f"%{ord(c):x}" for c in name),
            f"//{name}", f"/./{name}", f"/x/../{name}", f"/v1/../{name}", f"/v1/x/../../{name}",
            f"/%2e%2e/{name}", f"/%2E/{name}", f"/v1/%2e%2e/{name}", f"/v1/.%2e/{name}",
            f"/v1/%2E./%{ord(name[0]):x}{name[1:]}", f"/v1%2f..%2f{name}", f"/console/../{name}",
            f"/console/%2e%2e/{name}", f"/docs/../{name}", f"/healthz/..%2f{name}",
            f"/{name.upper()}", f"/{name}/", f"/{name}%2f", f"/{name}?x", f"/{name}?/v1/",
            f"/{name};x", f"/{name};/v1/", f"/;/{name}", f"/%25{ord(name[0]):x}{name[1:]}",
            f"/%252e%252e/{name}", f"https://{NAME}/{name}", f"https://{NAME}//{name}",
            f"http://{NAME}/%{ord(name[0]):x}{name[1:]}", f"https://other/v1/../{name}",
            f"/{name}%00", f"/{name}%20", f"/{name}%3f", f"/{name}%23", f"/\\{name}",
            f"/{name}/v1/", f"/{name}%0a", f"/x/%2e%2e%2f{name}"]]
        others = ["/x", "/v1", "/v2/apps", "/console", "/console/a/b", "/docs/", "/docs2",
                  "/healthz/", "/openapi.yaml/x", "/openapiXyaml", "/index.html", "/%zz", "*"]
        outside = [
            "/", "/?x", "/docs", "/console/main.js", "/openapi.yaml", "/healthz", "/v1/apps",
            "/v1/apps/food?x=/metrics", "/v1/apps/food/users/a%2F%2Fb", "/%761/apps",
            "/v1/apps/food/users/metrics", "/v1/apps/food/messages/a%20b%2Cc",
            f"https://{NAME}/v1/apps"]
        with folder() as directory, StandIn() as server:
            with self.kind(directory / "proxy", [server.address]) as proxy:
                for target in inside + others:
                    server.targets.clear()
                    status, _ = self.raw(proxy, target)
                    self.assertEqual([], [t for t in server.targets if t != "/readyz"], target)
                    self.assertIn(status, [400, 404], target)
                for target in outside:
                    server.targets.clear()
                    self.assertEqual(self.raw(proxy, target)[0], 200, target)
                    passed, = [t for t in server.targets if t != "/readyz"]
                    self.assertIn(passed, [target, target.removeprefix(f"https://{NAME}")])
                saw(f"{self.kind.__name__}: {len(inside + others)} spellings refused")

    def test_every_route_passes_and_its_log_has_no_token_and_nobody(self):
        words = {"token": "feed" * 16, "user": "ada%2Flove%20lace"}
        routes = {line.split()[1] for line in ROUTES.read_text().splitlines()}
        with folder() as directory, StandIn() as server:
            with self.kind(directory / "proxy", [server.address]) as proxy:
                for route in sorted(routes - {"/metrics", "/readyz"}):
                    path = re.sub(r"{(\w+)}", lambda name: words.get(name[1], "x"), route)
                    self.assertEqual(self.raw(proxy, path)[0], 200, path)
                    shown = re.sub(r"{(\w+)}", lambda name: "-" if name[1] in words else "x", route)
                    self.logged(proxy, shown)

    def test_a_path_of_another_spelling_shows_no_token_and_nobody(self):
        secret = "feed" * 16
        with folder() as directory, StandIn() as server:
            with self.kind(directory / "proxy", [server.address]) as proxy:
                for path in [
                    "/v1/apps/food/%74okens/SECRET/history", "/v1/apps/food/tokens/SECRET",
                    "/v1/apps/food/t%6Fkens/%66SECRET/history", "/v1/apps/food/users/a%2FSECRET",
                    "/v1/apps/food/user%73/a%2fSECRET/language", "/v1/apps/food/users/SECRET/tags",
                    "/v1/apps/food/users/a%0ASECRET", "/%761/apps/food/tokens/SECRET/history",
                    "/v1/apps/food/users/-%2FSECRET", "/v1/apps/food/users/SECRET%2Fhistory/x",
                    "/v1/apps/food/%2574okens/SECRET/history", "/V1/apps/food/tokens/SECRET",
                    "//v1/apps/food/tokens/SECRET", "/v1//apps/food/tokens/SECRET",
                    "/v1/apps/food/Tokens/SECRET", "/v1/apps/food/tokens//SECRET",
                    "/v1/apps/food/installations/../tokens/SECRET/history",
                    "/v1/apps/food/./users/SECRET", "/x/tokens/SECRET", "/SECRET",
                    "/metrics/SECRET", f"https://{NAME}/v1/apps/food/%75sers/SECRET",
                    "/v1/apps/food/installations?token=SECRET",
                ]:
                    self.raw(proxy, path.replace("SECRET", secret))
                # The last line is in the log once the lines before it are.
                self.raw(proxy, "/v1/apps/food/stats")
                log = self.logged(proxy, "/v1/apps/food/stats")
                self.assertNotIn(secret, log)
                saw(f"{self.kind.__name__}: " + " ".join(
                    sorted(set(re.findall(r'"path":"([^"]*)"', log)))))

    def logged(self, proxy, path):
        """The log, once it has a path."""
        deadline = time.monotonic() + DEADLINE
        while f'"path":"{path}"' not in (log := proxy.log.read_text().replace("\\/", "/")):
            self.assertLess(time.monotonic(), deadline, path + "\n" + log)
            time.sleep(0.05)
        return log

    def test_browsers_are_told_to_stay_with_tls(self):
        with folder() as directory, StandIn() as server:
            with self.kind(directory / "proxy", [server.address]) as proxy:
                answers = [self.raw(proxy, target) for target in ["/docs", "/v1/x", "/x"]]
            with self.kind(directory / "alone", [f"127.0.0.1:{free_port()}"]) as proxy:
                answers.append(self.raw(proxy, "/v1/x"))
        self.assertEqual([status for status, _ in answers][:3], [200, 200, 404])
        self.assertIn(answers[3][0], [502, 503])
        for _, head in answers:
            self.assertRegex(head, r"\r\nstrict-transport-security: max-age=[1-9][0-9]{7}")


class ServiceTests:
    """The program behind a proxy."""

    def test_large_bodies_pass_and_larger_ones_are_refused_by_the_service(self):
        with folder() as directory, Program(POSTILION_DATA_DIR=directory / "data") as program:
            fill(program, 10)
            with self.kind(directory / "proxy", [program.address]) as proxy:
                text = "".join(f'"KEY_{n}" = "{"Your order is ready. " * 20}";\n'
                               for n in range(4000))
                made = upload(lambda *a: call(proxy.connect(), *a), "2", [("en", text)])
                self.assertEqual(made["key_count"], 4000)
                answer, body = request(
                    proxy.connect(), "PUT", "/v1/apps/food/catalogs/3", b" " * (33 * MEGABYTE),
                    {"Content-Type": "multipart/form-data; boundary=x"})
                self.assertEqual(answer.status, 413)
                self.assertIn("urn:postilion:problem:", json.loads(body)["type"])
                saw(f"{self.kind.__name__}: a catalog of {len(text) / MEGABYTE:.1f} MiB; "
                    "413 of the service for 33 MiB")

                lines = "".join(json.dumps(report(n)) + "\n" for n in range(40_000))
                told = call(proxy.connect(), "POST", IMPORT, lines)
                self.assertEqual(told["rejected"], 0)
                through = self.export(proxy.connect())
                direct = hashlib.sha256(self.body_of_export(program)).hexdigest()
                self.assertEqual(through[0], direct)
                saw(f"{self.kind.__name__}: an import of {len(lines) / MEGABYTE:.1f} MiB, and "
                    f"an export of {through[1] / MEGABYTE:.1f} MiB, byte for byte")

    def export(self, connection):
        _, body = request(connection, "GET", "/v1/apps/food/installations",
                          fields={"Accept": "application/x-ndjson"})
        return hashlib.sha256(body).hexdigest(), len(body)

    def body_of_export(self, program):
        direct = http.client.HTTPConnection(program.address, timeout=DEADLINE)
        return request(direct, "GET", "/v1/apps/food/installations",
                       fields={"Accept": "application/x-ndjson"})[1]

    def test_the_command_line_trusts_the_authorities_that_it_is_given(self):
        with folder() as directory, Program(POSTILION_DATA_DIR=directory / "data") as program:
            program.call("PUT", "/v1/apps/food", {"bundle_id": "com.example.food"})
            with self.kind(directory / "proxy", [program.address]) as proxy:
                command = [PROGRAM, "app", "list", "--url", f"https://127.0.0.1:{proxy.port}"]
                environment = {"HOME": str(directory), "NO_PROXY": "*", "POSTILION_KEY": KEY}
                refused = subprocess.run(
                    command, env=environment, text=True, capture_output=True, timeout=DEADLINE)
                self.assertEqual(refused.returncode, 69)
                self.assertIn("is not trusted: ", refused.stderr)
                chain = str(directory / "proxy/chain.pem")
                self.assertIn("food", run(command + ["--ca-file", chain], env=environment))
                environment["POSTILION_CA_FILE"] = chain
                self.assertIn("food", run(command, env=environment))
                saw(f"{self.kind.__name__}: {refused.stderr.strip()}")

    def test_both_logs_have_the_request_id_and_no_token(self):
        token = f"{7:064x}"
        with folder() as directory, Program(POSTILION_DATA_DIR=directory / "data",
                                            POSTILION_LOG_LEVEL="debug") as program:
            fill(program, 10)
            with self.kind(directory / "proxy", [program.address]) as proxy:
                answer, _ = request(proxy.connect(), "GET",
                                    f"/v1/apps/food/tokens/{token}/history")
                self.assertEqual(answer.status, 200)
                call(proxy.connect(), "GET", f"/v1/apps/food/installations?token={token}")
                identifier = answer.headers["X-Request-Id"]
                for path in ["/metrics", "/readyz"]:
                    self.assertEqual(request(proxy.connect(), "GET", path)[0].status, 404)
                self.assertEqual(request(proxy.connect(), "GET", "/healthz")[0].status, 200)
                log = self.eventually(proxy, identifier)
                line = next(line for line in log.splitlines() if identifier in line)
                self.assertEqual(json.loads(line)["path"], "/v1/apps/food/tokens/-/history")
                for text in [log, "".join(program.log)]:
                    self.assertIn(identifier, text)
                    self.assertNotIn(token, text)
                saw(f"{self.kind.__name__}: {line}")

    def eventually(self, proxy, text):
        deadline = time.monotonic() + DEADLINE
        while text not in (log := proxy.log.read_text()):
            self.assertLess(time.monotonic(), deadline, log)
            time.sleep(0.05)
        return log

    def test_the_proxy_waits_longer_than_the_service(self):
        with folder() as directory, Program(POSTILION_DATA_DIR=directory / "data") as program:
            fill(program, 1)
            with self.kind(directory / "proxy", [program.address]) as proxy:
                started = time.monotonic()
                idle = proxy.connect()
                call(idle, "GET", "/v1/apps")
                local = idle.sock.getsockname()
                # An import that stops in the middle: the service loses patience first.
                stalled = proxy.connect()
                stalled.putrequest("POST", IMPORT)
                stalled.putheader("Authorization", f"Bearer {KEY}")
                stalled.putheader("Transfer-Encoding", "chunked")
                stalled.endheaders(b"5\r\n{\"a\":")
                answer = stalled.getresponse()
                problem = json.loads(answer.read())
                self.assertEqual(answer.status, 408)
                self.assertIn("urn:postilion:problem:", problem["type"])
                saw(f"{self.kind.__name__}: 408 of the service after "
                    f"{time.monotonic() - started:.0f} s")
                # The service closes what is idle for 75 seconds; no client notices.
                time.sleep(max(0, started + 77 - time.monotonic()))
                call(idle, "GET", "/v1/apps")
                self.assertEqual(local, idle.sock.getsockname())
                saw(f"{self.kind.__name__}: answered after 77 s on the same connection")


class DrainTests:
    """Two instances on one database that are restarted in turn, under load."""

    def test_clients_do_not_notice_restarts(self):
        with folder() as directory, Cluster.create(directory / "cluster").start() as cluster:
            settings = {"DATABASE_URL": cluster.url()}
            instances = [Program(**settings) for _ in range(2)]
            try:
                fill(instances[0], 100)
                with self.kind(directory / "proxy", [i.address for i in instances]) as proxy:
                    self.restart_under_load(proxy, instances, settings)
            finally:
                for instance in instances:
                    instance.stop()

    def restart_under_load(self, proxy, instances, settings):
        is_over = threading.Event()
        answers = {}

        def client(number):
            connection = proxy.connect()
            path = f"/v1/apps/food/installations/{installation(number)}"
            turn = 0
            while not is_over.is_set():
                turn += 1
                method = ("PUT", "GET", "POST")[turn % 3]
                try:
                    if method == "POST":
                        answer = request(connection, "POST", "/v1/languages/match", {
                            "preferred": ["fr-CA"], "available": ["en", "fr"]})[0]
                    else:
                        body = registration(number, os_version=f"17.{turn % 9}")
                        answer = request(connection, method, path,
                                         body if method == "PUT" else None)[0]
                    key = (method, answer.status)
                except (OSError, http.client.HTTPException) as error:
                    key = (method, type(error).__name__)
                    connection.close()
                answers[number, *key] = answers.get((number, *key), 0) + 1

        clients = [threading.Thread(target=client, args=(n,), daemon=True) for n in range(8)]
        for thread in clients:
            thread.start()
        try:
            for place in [0, 1, 0, 1]:
                time.sleep(2)
                address = instances[place].address
                status = instances[place].stop(signal.SIGTERM)
                self.assertEqual(status, 0, "".join(instances[place].log[-60:]))
                time.sleep(1)
                instances[place] = Program(listen=address, **settings)
                # HAProxy sends nothing to an instance until it has seen it ready.
                time.sleep(3)
        finally:
            is_over.set()
        for thread in clients:
            thread.join()
        totals = {}
        for (_, *key), count in answers.items():
            totals[tuple(key)] = totals.get(tuple(key), 0) + count
        saw(f"{self.kind.__name__}: 4 restarts under load: " + ", ".join(
            f"{method} {status}: {count}" for (method, status), count in sorted(
                totals.items(), key=str)))
        # A proxy repeats no POST that an instance may have done, so none may meet the end of a kept
        # connection: the service answers what arrives while it ends.
        self.assertEqual({key: n for key, n in totals.items() if key[1] != 200}, {})


class NginxWireTests(WireTests, unittest.TestCase):
    kind = Nginx


class NginxServiceTests(ServiceTests, unittest.TestCase):
    kind = Nginx


class NginxDrainTests(DrainTests, unittest.TestCase):
    kind = Nginx


class NginxGroupTests(unittest.TestCase):
    """Two groups of apps behind one address."""

    def test_an_app_is_in_its_group_however_it_is_spelled(self):
        second = ["/v1/apps/food", "/v1/apps/food?x", "/v1/apps/shop/installations/x",
                  "/v1/apps/f%6Fod/stats", "/%761/apps/food/x", "/v1/apps/x/../food/x",
                  "//v1/apps//shop/x", "/v1/apps/food/render"]
        first = ["/v1/apps", "/v1/apps/foodie/x", "/v1/apps/other/food", "/v1/apps/FOOD/x",
                 "/v1/keys", "/docs", "/v1/apps/other?/v1/apps/food/", "/v1/apps/food/../other/x"]
        with folder() as directory, StandIn() as one, StandIn() as other:
            with GroupedNginx(directory / "proxy", [one.address, other.address]) as proxy:
                for target in second + first:
                    one.targets.clear()
                    other.targets.clear()
                    connection = proxy.connect()
                    connection.request("GET", target)
                    self.assertEqual(connection.getresponse().status, 200, target)
                    connection.close()
                    self.assertEqual((one.targets, other.targets),
                                     ([], [target]) if target in second else ([target], []))
                saw(f"{len(second)} spellings for the second group, {len(first)} for the first")

    def test_each_group_has_its_apps_alone(self):
        with folder() as directory, Program(POSTILION_DATA_DIR=directory / "one") as one, \
                Program(POSTILION_DATA_DIR=directory / "two") as two:
            with GroupedNginx(directory / "proxy", [one.address, two.address]) as proxy:
                for name in ["food", "other"]:
                    body = {"bundle_id": f"com.example.{name}", "name": name}
                    call(proxy.connect(), "PUT", f"/v1/apps/{name}", body)
                    call(proxy.connect(), "PUT",
                         f"/v1/apps/{name}/installations/{installation(1)}", registration(1))
                for program, own, foreign in [(one, "other", "food"), (two, "food", "other")]:
                    connection = http.client.HTTPConnection(program.address, timeout=DEADLINE)
                    path = f"installations/{installation(1)}"
                    self.assertEqual(
                        request(connection, "GET", f"/v1/apps/{own}/{path}")[0].status, 200)
                    self.assertEqual(
                        request(connection, "GET", f"/v1/apps/{foreign}/{path}")[0].status, 404)


class HAProxyWireTests(WireTests, unittest.TestCase):
    kind = HAProxy


class HAProxyServiceTests(ServiceTests, unittest.TestCase):
    kind = HAProxy


class HAProxyDrainTests(DrainTests, unittest.TestCase):
    kind = HAProxy


if __name__ == "__main__":
    unittest.main(verbosity=2)
