"""An update from the last release to this program and back, while everything goes on.

    make test-update
    PREVIOUS=postilion-1.0 POSTILION_PROGRAM=.build/debug/postilion \\
      python3 -m unittest discover -s Tests/Update

PREVIOUS is the program of the last release, POSTILION_PROGRAM that of this one; RUNS says how often
the update is made, each time with a database of its own.
"""

import contextlib
import os
import subprocess
import time
import unittest
import uuid

from update import Update, last_release  # It finds the modules of Tests/Faults.
import audit
from cluster import DEADLINE, await_true
from load import profile
from service import ROOT_KEY, program
from stage import Stage, Workshop

RUNS = int(os.environ.get("RUNS") or 1)
LAST, THIS = last_release(), program()

# What the two instances run, one after the other; `None` is down.
STEPS = (
    (LAST, LAST),
    (THIS, LAST), (THIS, THIS),                # forwards, one instance after the other,
    (LAST, THIS), (LAST, LAST),                # and back,
    (LAST, THIS), (THIS, THIS),                # and forwards again.
    (None, THIS), (LAST, None), (None, THIS),  # One instance alone, in turn.
    (THIS, LAST), (THIS, THIS),
)

# A step that no program knows yet.
LATER = "m9999_later"


class UpdateTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = cls.enterClassContext(Workshop())

    def test_nothing_is_lost_and_nothing_told_twice(self):
        for _ in range(RUNS):
            began = time.monotonic()
            with Update(self.workshop, "update") as update:
                for programs in STEPS:
                    update.run(*programs)
                result = update.conclude()
            print(f"\n{update.text()}; {time.monotonic() - began:.0f} s", flush=True)
            self.assertEqual(result.broken, [])

    def test_a_program_that_is_too_old_refuses_in_a_sentence(self):
        for name in (LAST, THIS):
            with self.subTest(name), \
                    Stage(self.workshop, "too old", devices=2, programs=[name]) as stage:
                service, database = stage.service, stage.database
                newest, = database.query("SELECT max(name) FROM schema_migration")
                sentence = (f"The schema is for programs that know the step {LATER}, and this one"
                            f" ends with {newest}: install a newer release.")
                least, = database.query("SELECT step FROM least_program")
                database.query(f"UPDATE least_program SET step = '{LATER}'")
                await_true(lambda: self.asked(service, "/readyz")[0] == 503, "it is not ready")
                self.assertEqual(self.refusals(service), [(503, sentence)] * 3)
                self.assertIn(LATER, "".join(service.log_lines()))
                # The last release, before 1.0, has no say about steps.
                for command in ("maintain", "restored", "migrate")[:2 if name == LAST else 3]:
                    done = subprocess.run(
                        [name, command], env={"DATABASE_URL": database.url}, text=True,
                        capture_output=True, timeout=DEADLINE, check=False)
                    self.assertEqual(done.returncode, 69)
                    self.assertIn(sentence, done.stderr)
                # One that starts finds it at once.
                service.terminate()
                service.start()
                self.assertEqual(self.refusals(service), [(503, sentence)] * 3)
                # Back from a backup, say: it is ready by itself.
                database.query(f"UPDATE least_program SET step = '{least}'")
                await_true(lambda: self.asked(service, "/readyz")[0] == 200, "it is ready")
                stage.load.await_more()
                stage.load.stop()
                self.assertEqual(audit.lost(database, stage.app.name, stage.load), set())

    def test_tokens_that_the_last_release_does_not_know_outlive_it(self):
        with Stage(self.workshop, "other tokens", devices=0, programs=[LAST, THIS]) as stage:
            last, this = stage.services
            devices = [stage.app.installation(uuid.uuid4()) for _ in range(2)]
            brought = {"widgets": {"token": uuid.uuid4().hex},
                       "controls": {"Lights": {"porch": {"token": uuid.uuid4().hex}}}}
            report = profile(uuid.uuid4().hex)
            report["credentials"] |= brought
            await_true(lambda: self.asked(this, stage.app.path)[0] == 200, "both know the app")
            this.call("PUT", devices[0], report)
            # What it does not know it leaves alone, passes on, or says that it does not understand.
            last.call("PUT", devices[0], profile(uuid.uuid4().hex, tags=["changed"]))
            await_true(lambda: {"apns", *brought} <= {entry["kind"] for entry in last.call(
                "GET", f"{stage.app.path}/changes").json()["items"]}, "the feed tells of all")
            for path in (devices[0], f"{devices[0]}/history", f"{stage.app.path}/stats",
                         f"{stage.app.path}/installations"):
                self.assertIn(self.asked(last, path)[0], (200, 503), path)
            seen = this.call("GET", devices[0]).json()
            self.assertEqual(seen["tags"], ["changed"])
            self.assertEqual(seen["credentials"]["widgets"]["token"], brought["widgets"]["token"])
            self.assertIn("porch", seen["credentials"]["controls"]["Lights"])
            # Filters find them again by the next report.
            this.call("PUT", devices[0], {"credentials": brought})
            found = this.call("GET", f"{stage.app.path}/installations?credential=widgets").json()
            self.assertEqual(len(found["items"]), 1)
            # It deletes an installation without them: whoever brings them may have them.
            last.call("DELETE", devices[0])
            this.call("PUT", devices[1], report)
            self.assertEqual(audit.broken_invariants(stage.database), {})

    def asked(self, service, path, method="GET", body=None):
        """The status and the detail of an answer."""
        with contextlib.closing(service.connect()) as connection:
            answer = connection.request(method, path, body, key=ROOT_KEY)
        return answer.status, answer.json()["detail"] if answer.status == 503 else None

    def refusals(self, service):
        """The answers to a probe, a read and a change."""
        device = f"/v1/apps/food/installations/{uuid.uuid4()}"
        return [self.asked(service, "/readyz"), self.asked(service, "/v1/apps/food"),
                self.asked(service, device, "PUT", profile(uuid.uuid4().hex * 2))]


if __name__ == "__main__":
    unittest.main(verbosity=2)
