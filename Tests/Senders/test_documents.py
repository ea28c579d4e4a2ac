"""The programs in the documents are those that the tests run."""

import re
import unittest

from stage import PROGRAMS, ROOT

# Document → the languages whose blocks are programs.
DOCUMENTS = {
    "docs/sending.md": {"sh"},
    "docs/senders.md": {"sh", "js", "python", "go", "swift", "yaml"},
    "docs/moving.md": {"python"},
    "docs/webhooks.md": {"python"},
}


class DocumentTests(unittest.TestCase):
    def test_every_program_stands_in_a_document_as_it_is(self):
        blocks = {}
        for path, languages in DOCUMENTS.items():
            text = (ROOT / path).read_text()
            for language, program in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
                if language in languages:
                    blocks[program] = path
        programs = {path.read_text(): path.name for path in PROGRAMS.iterdir() if path.is_file()}
        self.assertEqual({blocks[text] for text in blocks if text not in programs}, set())
        self.assertEqual({programs[text] for text in programs if text not in blocks}, set())

    def test_every_program_is_called_by_its_name(self):
        text = "".join((ROOT / path).read_text() for path in DOCUMENTS)
        for program in PROGRAMS.iterdir():
            if program.is_file():
                self.assertIn(f"`{program.name}`", text)


if __name__ == "__main__":
    unittest.main()
