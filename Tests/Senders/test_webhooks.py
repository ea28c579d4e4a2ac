"""What docs/webhooks.md says: deliveries over TLS that an independent library verifies."""

import os
import queue
import subprocess
import sys
import threading
import time
import unittest

from cryptography.hazmat.primitives.asymmetric import ec

import stage as stages
from stage import DEADLINE, PROGRAMS, App, stage

HOST, PORT = "hooks.example.com", 8443
DEVICES = 300


class Receiver:
    """The receiver of the document, as a process of its own."""

    def __init__(self, shared, secret, certificate):
        self.lines = queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, "receiver.py"], cwd=PROGRAMS, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL,
            env=os.environ | {
                "WEBHOOK_SECRET": secret, "CERTIFICATE": str(shared.folder / f"{certificate}.pem"),
                "CERTIFICATE_KEY": str(shared.folder / f"{certificate}.key")})
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(tuple(line.split()))

    def take(self, count):
        """The next deliveries that were verified and dealt with."""
        end = time.monotonic() + DEADLINE
        return [self.lines.get(timeout=end - time.monotonic()) for _ in range(count)]

    def stop(self):
        """Ends it."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class WebhookTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stage = stage()

    def setUp(self):
        self.app = App(self.stage, self._testMethodName.replace("_", "-"))

    def make(self, **fields):
        """An endpoint of the app: its path, and its secret."""
        made = self.app.call("POST", "/webhooks", {"url": f"https://{HOST}:{PORT}/", **fields})
        return f"/webhooks/{made['id']}", made["secret"]

    def receive(self, secret, certificate="hooks"):
        """Starts a receiver; it ends with the test."""
        receiver = Receiver(self.stage, secret, certificate)
        self.addCleanup(receiver.stop)
        return receiver

    def tried(self, path):
        """The end of a trial, once the receiver listens."""
        end = time.monotonic() + DEADLINE
        while True:
            trial = self.app.call("POST", f"{path}/test")
            if trial["failure"] != "connection" or time.monotonic() > end:
                return trial

    def test_every_delivery_is_verified(self):
        path, secret = self.make(events=["registered", "rotated"])
        receiver = self.receive(secret)
        self.assertEqual(self.tried(path)["state"], "delivered")
        self.assertEqual(receiver.take(1)[0][1], "test")
        for number in range(DEVICES):
            self.app.register(f"device-{number}")
            self.app.register(f"device-{number}", kinds=["apns", "voip"])
        verified = receiver.take(2 * DEVICES)
        self.assertEqual({kind for _, kind, _ in verified}, {"registered"})
        told = [(item["installation_id"]) for item in self.changes()]
        self.assertEqual(sorted(name for _, _, name in verified), sorted(told))
        self.assertEqual(len({identity for identity, _, _ in verified}), 2 * DEVICES)
        print(f"\nstandardwebhooks verified {len(verified)} of {len(told)} deliveries")

    def changes(self):
        """All registrations of the feed."""
        items, after = [], ""
        while True:
            page = self.app.call("GET", f"/changes?limit=1000{after}")
            items += [item for item in page["items"] if item["event"] == "registered"]
            if not page["has_more"]:
                return items
            after = f"&after={page['next_cursor']}"

    def test_both_secrets_are_good_while_they_change(self):
        path, old = self.make()
        new = self.app.call("POST", f"{path}/secret", {"overlap_seconds": 3600})["secret"]
        for secret in [old, new]:
            receiver = self.receive(secret)
            self.assertEqual(self.tried(path)["state"], "delivered")
            receiver.stop()
        self.app.call("POST", f"{path}/secret", {"overlap_seconds": 0})
        self.receive(new)
        trial = self.tried(path)
        self.assertEqual((trial["state"], trial["status"]), ("failed", 401), trial)

    def test_another_certificate_is_not_trusted(self):
        path, secret = self.make()
        self.receive(secret, "stranger")
        trial = self.tried(path)
        self.assertEqual((trial["state"], trial["failure"]), ("failed", "trust"))


def setUpModule():
    """Names the receiver, and gives it a certificate; and one that nobody vouches for."""
    shared = stage()
    hosts = shared.folder / "hosts"
    hosts.write_text(hosts.read_text() + f"127.0.0.1 {HOST}\n")
    stranger = ec.generate_private_key(ec.SECP256R1())
    for name, issuer_key in [("hooks", shared.authority), ("stranger", stranger)]:
        key = ec.generate_private_key(ec.SECP256R1())
        issuer = shared.issuer if name == "hooks" else stages._certificate(
            shared.folder / "nobody.pem", "Nobody", stranger, None, stranger)
        stages._certificate(shared.folder / f"{name}.pem", name, key, issuer, issuer_key, [HOST])
        stages._write_key(shared.folder / f"{name}.key", key)


if __name__ == "__main__":
    unittest.main()
