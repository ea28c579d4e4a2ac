"""What the tests share: a network with Apple's names in it, keys, the service, and its devices.

Environment:

- `POSTILION_PROGRAM`: the program that is tested. `.build/debug/postilion` unless set.
- `SENDERS`: a folder with senders of others, as test_others.py describes it.
"""

import atexit
import datetime
import functools
import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import uuid

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import apns
import rules

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
# Where Debian's libcurl finds the authorities that it trusts.
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
HOSTS = ["api.push.apple.com", "api.sandbox.push.apple.com"]

os.environ.setdefault("POSTILION_PROGRAM", str(ROOT / ".build/debug/postilion"))
sys.path.insert(0, str(ROOT / "Tests/Faults"))

# The folder is on the path only since the line above.
from cluster import await_true, free_port  # noqa: E402, F401
from service import ROOT_KEY, Service  # noqa: E402

# Seconds. Nothing is expected to be slow; this only ends what would never end.
DEADLINE = 120

BUNDLE_ID, TEAM_ID, KEY_ID = "com.example.food", "TEAM123456", "KEY1234567"


def check_network():
    """Makes sure that nothing can leave this machine, before anything is sent to Apple's names."""
    if {name for _, name in socket.if_nameindex()} - {"lo"}:
        raise RuntimeError("Run `make test-senders`: it gives the tests a network of their own.")


class Stage:
    """Everything that the tests share. It is made by `stage()`."""

    def __init__(self):
        check_network()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="postilion-senders-"))
        # The database runs as an account of its own, and must get through.
        self.folder.chmod(0o755)
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        self._name_hosts()
        key = ec.generate_private_key(ec.SECP256R1())
        self.provider = rules.Provider(BUNDLE_ID, TEAM_ID, KEY_ID, key.public_key())
        _write_key(self.folder / "AuthKey.p8", key)
        self._certify()
        self.apns = apns.Server(self.provider, apns.context(
            self.folder / "server.pem", self.folder / "server.key",
            self.folder / "authority.pem")).start()
        # Every caller here has one address; the limits of addresses are no matter of these tests.
        self.service = Service(None, self.folder, settings={
            "POSTILION_LIMIT_ADDRESS": "off", "POSTILION_LIMIT_ADDRESS_GROWTH": "off",
            "POSTILION_WEBHOOK_NETWORKS": "127.0.0.0/8"}).start()

    def _name_hosts(self):
        """Lets Apple's names lead to this machine, for this process and its children only."""
        hosts = self.folder / "hosts"
        hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in ["localhost", *HOSTS]))
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)

    def _certify(self):
        """An authority that this network trusts, certificates for the server and for a client."""
        authority = self.authority = ec.generate_private_key(ec.SECP256R1())
        issuer = self.issuer = _certificate(
            self.folder / "authority.pem", "Authority", authority, None, authority)
        subprocess.run(
            ["mount", "--bind", self.folder / "authority.pem", AUTHORITIES], check=True)
        for name, hosts in [("server", HOSTS), ("client", [])]:
            key = ec.generate_private_key(ec.SECP256R1())
            _certificate(self.folder / f"{name}.pem", name, key, issuer, authority, hosts)
            _write_key(self.folder / f"{name}.key", key)

    def stop(self):
        """Ends the service and the server."""
        subprocess.run(["umount", "/etc/hosts", AUTHORITIES], check=True)
        self.service.terminate()
        self.apns.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def environment(self):
        """The environment of a sender: its key, and the authority that it trusts."""
        authority = str(self.folder / "authority.pem")
        return os.environ | {
            "APNS_KEY": str(self.folder / "AuthKey.p8"), "APNS_KEY_ID": KEY_ID,
            "APNS_TEAM_ID": TEAM_ID, "CURL_CA_BUNDLE": authority, "SSL_CERT_FILE": authority,
            "NODE_EXTRA_CA_CERTS": authority, "HOME": str(self.folder),
            "GOCACHE": str(ROOT / ".build/senders/go"), "GOFLAGS": "-mod=mod", "GOPROXY": "off",
            "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
        }


@functools.cache
def stage():
    """The one stage of a run."""
    made = Stage()
    atexit.register(made.stop)
    return made


def _write_key(path, key):
    path.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()))


def _certificate(path, name, key, issuer, issuer_key, hosts=()):
    """Writes a certificate, and gives it."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder().subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()),
            critical=False))
    if hosts:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), critical=False)
    made = builder.sign(issuer_key, hashes.SHA256())
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return made


class App:
    """An app of the service, with a key of a sender, strings, and devices."""

    def __init__(self, shared, name):
        self.stage, self.name = shared, name
        self.call("PUT", "", {"bundle_id": BUNDLE_ID, "name": name})
        self.sender = self.call("POST", "/keys", {"kind": "sender", "label": "sender"})["key"]
        shared.apns.forget()

    def call(self, method, path, body=None, **more):
        """A call with the root key; gives the answer, read as JSON."""
        answer = self.stage.service.call(
            method, f"/v1/apps/{self.name}{path}", body, key=ROOT_KEY, **more)
        return answer.json() if answer.body else None

    def upload(self, version, files):
        """Stores a catalog from texts by path."""
        line = "a-line-of-no-file"
        parts = "".join(
            f'--{line}\r\nContent-Disposition: form-data; name="file"; filename="{path}"\r\n\r\n'
            f"{text}\r\n" for path, text in files.items())
        self.call("PUT", f"/catalogs/{version}", f"{parts}--{line}--\r\n".encode(),
                  kind=f"multipart/form-data; boundary={line}")

    def token(self, device, kind="apns"):
        """The token of a device: 32 bytes, or 80 as simulators have them."""
        text = f"{self.name}/{device}/{kind}".encode()
        digest = hashlib.sha512 if device == "simulator" else hashlib.sha256
        return digest(text).hexdigest() + ("ab" * 16 if device == "simulator" else "")

    def identity(self, device):
        """The id of a device's installation."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.name}/{device}"))

    def register(self, device, **fields):
        """Registers a device, as its app would."""
        environment = fields.setdefault("environment", "production")
        kinds = fields.pop("kinds", ["apns"])
        tokens = {kind: {"token": self.token(device, kind)} for kind in kinds}
        for kind in kinds:
            self.stage.apns.environments[self.token(device, kind)] = environment
        return self.call("PUT", f"/installations/{self.identity(device)}", {
            "platform": "ios", "app_build": "412", "os_version": "18.1", "credentials": tokens,
            "authorization": {"status": "authorized"}, **fields})

    def status(self, device, kind="apns"):
        """The status of a device's token in the registry."""
        return self.call("GET", f"/installations/{self.identity(device)}")[
            "credentials"][kind]["status"]

    @property
    def environment(self):
        """The environment of the programs: that of a sender, and the address of the service."""
        return self.stage.environment | {
            "POSTILION": f"http://127.0.0.1:{self.stage.service.port}", "APP": self.name,
            "SENDER": self.sender}

    def run(self, command, text=""):
        """Runs a pipeline in the folder of the programs, and gives its output."""
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=PROGRAMS, env=self.environment,
            input=text, capture_output=True, text=True, timeout=DEADLINE)
        if done.returncode:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def write(self, call):
        """A file with the body of a rendering; gives its path."""
        path = self.stage.folder / f"{self.name}.json"
        path.write_text(json.dumps(call))
        return path

    def render(self, message, **call):
        """The lines of a rendering, read as JSON, without the summary."""
        path = self.write({"message": message, "payload_form": "string", **call})
        # Not by `splitlines`, which also cuts at U+2028, and that may stand in a text.
        lines = self.run(f"./render.sh '{path}'").rstrip("\n").split("\n")
        return [json.loads(line) for line in lines][:-1]
