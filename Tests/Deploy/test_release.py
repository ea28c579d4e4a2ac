"""`make release`: packages, images, notes, the list of parts, and checksums of all of it."""

import json
import os
import unittest

from debian import made, version
from service import run, saw


@unittest.skipUnless(os.geteuid() == 0, "needs root: images are built")
class ReleaseTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made("package")
        made("image")
        # Both are there: what else a release has is made.
        cls.dist = made("-o", "package", "-o", "image", "release")

    def path(self, end):
        return self.dist / f"postilion_{version()}{end}"

    def test_the_checksums_hold_for_all_files(self):
        lines = (self.dist / "SHA256SUMS").read_text().splitlines()
        names = {line.split()[1] for line in lines}
        of_release = {f"{name}_{version()}_amd64.{kind}" for name, kind in [
            ("postilion", "deb"), ("postilion-dbgsym", "deb"), ("postilion", "oci.tar"),
            ("postilion-postgresql", "oci.tar"), ("postilion-demo", "oci.tar")]}
        of_release |= {self.path(".md").name, self.path(".spdx.json").name}
        self.assertEqual(names, of_release)
        run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.dist)
        saw(f"{len(names)} files, their checksums hold")

    def test_the_notes_are_those_of_the_version(self):
        notes = self.path(".md").read_text()
        self.assertIn("### Added\n", notes)
        self.assertNotIn("\n## ", notes)

    def test_the_list_of_parts(self):
        document = json.loads(self.path(".spdx.json").read_text())
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        parts = {part["SPDXID"]: part for part in document["packages"]}
        for part in parts.values():
            for member in ["name", "versionInfo", "downloadLocation", "licenseConcluded"]:
                self.assertTrue(part[member], part)
        for relation in document["relationships"]:
            self.assertIn(relation["relatedSpdxElement"], parts)
        names = {part["name"]: part["versionInfo"] for part in parts.values()}
        for name in ["swift", "swift-foundation-icu", "libpq5", "libcurl4", "postgresql-15"]:
            self.assertIn(name, names)
        self.assertEqual(names["postilion"], version())
        program, = [part for part in parts.values() if part["name"] == "postilion"]
        digest = run(["sha256sum", str(self.dist.parent / "install/postilion")]).split()[0]
        self.assertEqual(program["checksums"][0]["checksumValue"], digest)
        saw(f"{len(parts)} parts")


if __name__ == "__main__":
    unittest.main(verbosity=2)
