"""The checker of pushes takes what Apple's pages show, and refuses every mutant with its reason."""

import json
import unittest

import apns_rules
import mutants
from samples import BUNDLE_ID, NOW, SAMPLES

# At least so many mutants, all different.
FEWEST_MUTANTS = 500


def refusal(request):
    return apns_rules.refusal(request, BUNDLE_ID, NOW)


class RuleTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mutants = list(mutants.all_mutants())

    def test_every_sample_is_taken(self):
        for name, sample in SAMPLES.items():
            with self.subTest(sample=name):
                self.assertIsNone(refusal(sample))

    def test_there_is_a_sample_of_every_kind_and_event(self):
        found = set()
        for sample in SAMPLES.values():
            event = json.loads(sample["payload"]).get("aps", {}).get("event")
            found.add((sample["headers"]["apns-push-type"], event))
        expected = {(name, event) for name, kind in apns_rules.KINDS.items()
                    for event in kind.events or [None]}
        self.assertEqual(found, expected)

    def test_every_mutant_is_refused_with_its_reason(self):
        for mutant in self.mutants:
            with self.subTest(sample=mutant.sample, fault=mutant.fault):
                self.assertEqual(refusal(mutant.request), mutant.refusal)

    def test_the_mutants_are_many_and_different(self):
        texts = {json.dumps(mutant.request, sort_keys=True) for mutant in self.mutants}
        texts -= {json.dumps(sample, sort_keys=True) for sample in SAMPLES.values()}
        self.assertGreaterEqual(len(texts), FEWEST_MUTANTS)
        print(f"  saw: {len(texts)} different mutants of {len(SAMPLES)} requests", flush=True)

    def test_every_reason_is_that_of_a_mutant(self):
        self.assertEqual({mutant.refusal[0] for mutant in self.mutants}, set(apns_rules.REASONS))

    def test_every_member_of_every_kind_is_that_of_a_mutant(self):
        """A rule for a member that no mutant breaks would be a rule that nobody has tried."""
        places = {(mutant.request["headers"].get("apns-push-type"), mutant.refusal[1])
                  for mutant in self.mutants}
        members = {
            (name, f"/aps/{member}") for name, kind in apns_rules.KINDS.items()
            for names in [kind.members, *kind.events.values()] for member in names}
        # Of a call nothing is asked but what is asked of an alert.
        members -= {("voip", f"/aps/{name}") for name in apns_rules.NOTIFICATION}
        self.assertEqual(members - places, set())

    def test_what_lies_at_the_edge_is_taken(self):
        """The largest payloads, the longest expiration, and what may be left out."""
        for name, sample in SAMPLES.items():
            text = sample["payload"]
            limit = 5120 if name == "voip" else 4096
            full = text + " " * (limit - len(text.encode()))
            headers = sample["headers"]
            latest = str(NOW + 30 * 86_400)
            for change in [
                    {"payload": full, "payload_bytes": limit},
                    {"environment": "sandbox"},
                    {"headers": {**headers, "apns-collapse-id": "x" * 64}},
                    {"headers": {key: value for key, value in headers.items() if key not in (
                        "apns-id", "apns-collapse-id")}},
                    {} if name == "pushtotalk" else
                    {"headers": {**headers, "apns-expiration": latest}}]:
                with self.subTest(sample=name, change=str(change)[:60]):
                    self.assertIsNone(refusal({**sample, **change}))


if __name__ == "__main__":
    unittest.main()
