"""nginx and HAProxy with the files of deploy, and a server that shows what a proxy sends to it."""

import http.client
import http.server
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import threading
import time

from service import DEADLINE, DEPLOY, run

NAME = "push.example.com"


def free_port():
    """A port of the loopback that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def certificate(directory):
    """A certificate for the name in the files of deploy, signed by itself."""
    chain, key = directory / "chain.pem", directory / "key.pem"
    run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-keyout", key, "-out", chain, "-subj", f"/CN={NAME}",
         "-addext", f"subjectAltName=DNS:{NAME},IP:127.0.0.1"])
    both = directory / "both.pem"
    both.write_text(chain.read_text() + key.read_text())
    return chain, key, both


def changed(text, *changes):
    """The text of a file in deploy with what differs on this machine, each of which it has."""
    for old, new in changes:
        assert old in text, f"no {old!r} in the file"
        text = text.replace(old, new)
    return text


class Proxy:
    """One of the two, in front of instances at some addresses."""

    def __init__(self, directory, instances):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir()
        self.port = free_port()
        self.log = self.directory / "log"
        chain, key, both = certificate(self.directory)
        self.trust = ssl.create_default_context(cafile=str(chain))
        command = self.configure(instances, chain, key, both)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                return self.connect().connect()
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(self.log.read_text())
                time.sleep(0.05)

    def connect(self, protocols=("http/1.1",)):
        """A connection of a client, not yet open."""
        trust = self.trust
        trust.set_alpn_protocols(protocols)
        connection = http.client.HTTPSConnection(NAME, context=trust, timeout=DEADLINE)
        connection._create_connection = lambda _, *rest: socket.create_connection(
            ("127.0.0.1", self.port), DEADLINE)
        return connection

    def socket(self):
        """A connection with TLS, for bytes that no library writes."""
        self.trust.set_alpn_protocols(["http/1.1"])
        return self.trust.wrap_socket(
            socket.create_connection(("127.0.0.1", self.port), DEADLINE), server_hostname=NAME)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(DEADLINE)


class Nginx(Proxy):
    """nginx.conf inside of the smallest configuration around it."""

    def configure(self, instances, chain, key, _):
        servers = "".join(f"  server {address} max_fails=0;\n" for address in instances)
        site = changed(
            (DEPLOY / "nginx.conf").read_text(),
            ("  server 127.0.0.1:8080 max_fails=0;\n", servers),
            ("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"),
            ("  listen [::]:443 ssl http2;\n", ""),
            ("/etc/ssl/postilion.pem", str(chain)), ("/etc/ssl/postilion.key", str(key)),
            ("access_log syslog:server=unix:/dev/log,tag=postilion_proxy",
             f"access_log {self.log}"),
            ("error_log syslog:server=unix:/dev/log,tag=postilion_proxy", "error_log stderr"))
        (self.directory / "site.conf").write_text(site)
        places = "".join(
            f"  {name}_temp_path {self.directory}/{name};\n"
            for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        (self.directory / "nginx.conf").write_text(
            f"daemon off;\npid {self.directory}/pid;\nworker_processes 2;\n"
            "events { worker_connections 1024; }\n"
            f"http {{\n{places}  include {self.directory}/site.conf;\n}}\n")
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        return [program, "-p", str(self.directory), "-c", str(self.directory / "nginx.conf"),
                "-e", str(self.directory / "errors")]


class GroupedNginx(Nginx):
    """nginx.conf with its second group of apps, in front of an instance of each group."""

    def configure(self, instances, chain, key, both):
        command = super().configure(instances[:1], chain, key, both)
        site = (self.directory / "site.conf").read_text()
        start, end = site.index("# upstream postilion_second"), site.index("map $uri")
        lines = [line.removeprefix("# ") for line in site[start:end].splitlines(True)]
        (self.directory / "site.conf").write_text(changed(
            site[:start] + "".join(lines) + site[end:],
            ("127.0.0.1:8090", instances[1]), ('  # "~^/v1/apps/', '  "~^/v1/apps/')))
        return command


class HAProxy(Proxy):
    """haproxy.cfg."""

    def configure(self, instances, _, __, both):
        servers = "".join(
            f"  server instance{number} {address}\n" for number, address in enumerate(instances))
        (self.directory / "haproxy.cfg").write_text(changed(
            (DEPLOY / "haproxy.cfg").read_text(),
            ("maxconn 20000", "maxconn 500"),
            ("bind :443 ssl", f"bind 127.0.0.1:{self.port} ssl"),
            ("/etc/haproxy/postilion.pem", str(both)),
            ("  server first 127.0.0.1:8080\n", servers)))
        program = shutil.which("haproxy") or "/usr/sbin/haproxy"
        return [program, "-db", "-f", str(self.directory / "haproxy.cfg")]


class StandIn:
    """In place of an instance: shows the fields it gets, and waits where a test wants it to."""

    def __init__(self):
        stand_in = self
        # A stream's second line leaves when the test has the first.
        self.has_first_line = threading.Event()
        # An upload's first piece is here before the test sends the second.
        self.has_first_piece = threading.Event()
        self.connections = set()
        # What was asked for, as it was written.
        self.targets = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, body):
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                stand_in.connections.add(self.client_address)
                stand_in.targets.append(self.requestline.split(" ")[1])
                fields = {name.lower(): value for name, value in self.headers.items()}
                if self.path != "/v1/stream":
                    return self.answer(json.dumps(fields).encode())
                self.send_response(200)
                self.send_header("Content-Type", "application/x-ndjson")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.wfile.write(b"2\r\n1\n\r\n")
                self.wfile.flush()
                stand_in.has_first_line.wait(DEADLINE)
                self.wfile.write(b"2\r\n2\n\r\n0\r\n\r\n")

            def do_POST(self):
                self.rfile.readline()
                stand_in.has_first_piece.set()
                while self.rfile.readline().strip() != b"0":
                    pass
                self.rfile.readline()
                self.answer(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = "127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
