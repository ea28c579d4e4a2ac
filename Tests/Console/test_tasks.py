"""Ten tasks of people, each by the keyboard alone: what it takes is counted and printed."""

import csv
import io
import json
import time
import unittest
from datetime import datetime, timedelta, timezone

import console as harness
from console import APP, ConsoleTest, Keys
from test_actions import CATALOG, device, unique


class Tasks(ConsoleTest):
    """Each task begins on the overview. Nothing is clicked, and no script moves the focus."""

    rows = []

    @classmethod
    def tearDownClass(cls):
        harness.report("Tasks by the keyboard alone",
                       [("task", "keys pressed", "seconds"), *sorted(cls.rows)])

    def begin(self, task):
        """Opens the overview and begins to count."""
        self.console.open("overview")
        self.task, self.pressed, self.began = task, 0, time.monotonic()

    def end(self):
        """Notes what the task took."""
        seconds = time.monotonic() - self.began
        self.rows.append((self.task, self.pressed, f"{seconds:.1f}"))

    # MARK: Keys

    def press(self, *keys):
        """Presses keys, one after the other."""
        self.pressed += len(keys)
        self.console.press(*keys)

    def chord(self, modifier, key):
        """Presses two keys at once."""
        self.pressed += 1
        self.console.chord(modifier, key)

    def type(self, text):
        """Types a text where the focus is."""
        self.pressed += len(text)
        self.console.press(text)

    def go(self, letter, title):
        """Goes to a page by its shortcut."""
        self.press("g", letter)
        self.console.wait_heading(title)

    def tab_to(self, role, name, is_exact=True, within=None, backwards=False, limit=80):
        """Presses Tab until an element has the focus."""
        for _ in range(limit):
            if self.console.has_focus(role, name, is_exact, within):
                return
            if backwards:
                self.chord(Keys.SHIFT, Keys.TAB)
            else:
                self.press(Keys.TAB)
        self.fail(f"The {role} “{name}” is not reached with {limit} times Tab.")

    def option(self, label, text):
        """Goes to a choice and types the beginning of an option."""
        self.tab_to("control", label)
        self.type(text)
        chosen = "return document.activeElement.selectedOptions[0].text"
        self.console.wait(lambda: self.console.script(chosen).startswith(text),
                          f"the option “{text}” of “{label}”")

    def find_device(self, text):
        """Searches on the page of devices."""
        self.go("d", "Devices")
        self.press("/")
        self.type(text)
        self.press(Keys.ENTER)
        self.console.wait(lambda: "?" in self.console.hash, "the search in the address")
        self.console.settle()

    # MARK: The tasks

    def test_01_language_of_a_person(self):
        console = self.console
        self.begin("01 Find why u42 got English")
        self.find_device("u42")
        self.press(Keys.ARROW_DOWN)
        self.tab_to("link", "iPhone17,1 11d9c2ac")
        self.press(Keys.ENTER)
        console.wait_heading("iPhone17,1")
        self.press("/")
        self.option("Message", "food_r")
        console.wait_text("The language is English", "German (Germany) (de-DE) – not there",
                          "English (Germany) (en-DE) – there is en")
        self.end()
        self.assertLessEqual(self.pressed, 20)

    def test_02_build_that_lost_a_key(self):
        console = self.console
        self.begin("02 Find the build that lost a key")
        self.go("c", "Catalogs")
        self.tab_to("link", "412")
        self.press(Keys.ENTER)
        console.wait_heading("Catalog 412")
        self.press("/")
        self.type("COURIER")
        self.press(Keys.ENTER)
        console.wait_heading("COURIER")
        self.assertIn("lost here", console.row("415"))
        self.assertIn("there", console.row("412"))
        self.end()

    def test_03_catalog_with_an_error(self):
        self.expect_status(422)
        version = unique("9")
        self.addCleanup(lambda: self.api("DELETE", f"/catalogs/{version}"))
        console = self.console
        good = json.dumps(CATALOG, indent=2)
        faulty = good.replace('"value": "Bonjour"', '"value" "Bonjour"')
        path = console.write_file("Localizable.xcstrings", faulty)
        self.begin("03 Upload a catalog with an error, mend it")
        self.go("c", "Catalogs")
        self.tab_to("link", "Upload a catalog")
        self.press(Keys.ENTER)
        console.wait_heading("Upload a catalog")
        self.tab_to("control", "Version")
        self.type(version)
        self.give_file(path)
        self.tab_to("button", "Upload")
        self.press(Keys.ENTER)
        console.wait_text("Expected a colon", '"value" "Bonjour"')
        path.write_text(good, encoding="utf-8")
        self.give_file(path, backwards=True)
        console.wait_no_text("1 error")
        self.tab_to("button", "Upload")
        self.press(Keys.ENTER)
        console.wait_text(f"Stored as {version}")
        self.end()
        self.api("GET", f"/catalogs/{version}")

    def give_file(self, path, backwards=False):
        """Asks for files; the path stands for what is typed into the dialog of the system."""
        self.tab_to("button", "Choose files", backwards=backwards)
        self.console.script("watch.chooser = undefined")
        self.press(Keys.ENTER)
        self.console.give_files(path)
        self.pressed += len(path.name) + 1
        self.console.wait_text(path.name)
        self.console.settle()

    def test_04_message_with_a_plural(self):
        name = unique("cart")
        self.addCleanup(lambda: self.api("DELETE", f"/messages/{name}"))
        console = self.console
        self.begin("04 Write a message with a plural, check Arabic")
        self.go("m", "Messages")
        self.tab_to("link", "New message")
        self.press(Keys.ENTER)
        console.wait_heading("New message")
        self.tab_to("control", "Name")
        self.type(name)
        self.tab_to("control", "JSON")
        self.chord(Keys.CONTROL, "a")
        self.type('{"alert":{"body":{"key":"DISHES","args":["count"]}},'
                  '"parameters":{"count":{"type":"integer"}}}')
        console.wait_text("No faults.")
        console.find("control", "count (whole number)")
        self.option("Build", "412")
        console.settle()
        self.option("Try all numbers in", "Arabic")
        console.wait_text("لا أطباق في سلتك", "طبق واحد في سلتك", "طبقان في سلتك")
        direction = console.script("""
          const found = [...document.querySelectorAll('main p')]
            .find((element) => element.textContent.includes('طبقان'));
          return getComputedStyle(found).direction;
        """)
        self.assertEqual(direction, "rtl")
        self.chord(Keys.CONTROL, "s")
        console.wait_toast("Saved as version 1.")
        self.end()
        self.assertEqual(self.api("GET", f"/messages/{name}")["message"]["alert"]["body"]["key"],
                         "DISHES")

    def test_05_leaked_key(self):
        label = unique("leaked")
        key = self.api.make_key("sender", label)
        console = self.console
        self.begin("05 Revoke a leaked key")
        self.go("k", "Keys")
        self.tab_to("button", f"Revoke {label}")
        self.press(Keys.ENTER)
        console.find("dialog", f"Revoke {label}?")
        self.tab_to("button", "Revoke")
        self.press(Keys.ENTER)
        console.wait_toast("The key is revoked.")
        self.end()
        keys = {item["id"]: item for item in self.api("GET", "/keys")["items"]}
        self.assertTrue(keys[key["id"]]["revoked_at"])

    def test_06_failures_of_yesterday(self):
        self.fail_yesterday()
        console = self.console
        self.begin("06 See whether yesterday's failures are one cause")
        self.go("f", "Failures")
        self.tab_to("button", "Yesterday")
        self.press(Keys.ENTER)
        console.wait(lambda: "until=" in console.hash, "yesterday in the address")
        console.settle()
        verdict = console.text_of("status", "One cause is behind", False)
        self.assertIn("aps-environment entitlement", verdict)
        self.assertIn("in 3.3.0", verdict)
        self.end()

    def fail_yesterday(self):
        """Reports failures of one cause at noon of yesterday, by the clock of the browser."""
        noon = self.console.script("return new Date().setHours(12, 0, 0, 0) - 864e5") / 1000
        for number in range(20):
            at = datetime.fromtimestamp(noon, timezone.utc) + timedelta(minutes=number)
            self.api("POST", "/failures", {
                "kind": "apns", "environment": "production", "platform": "ios",
                "error": {"domain": "NSCocoaErrorDomain", "code": 3000, "message": "no valid "
                          "“aps-environment” entitlement string found for application"},
                "app_version": "3.3.0", "os_version": "26.1", "device_model": "iPhone17,1",
                "occurred_at": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            }, key=self.api.key_of("client"))

    def test_07_erasure_of_a_person(self):
        user = unique("person")
        self.api.add_devices([device(user={"id": user})])
        console = self.console
        self.begin("07 Erase a person")
        self.find_device(user)
        self.tab_to("button", "Erase this person…")
        self.press(Keys.ENTER)
        console.find("dialog", "Erase this person?")
        self.tab_to("control", f"Type {user} to go on")
        self.type(user)
        self.press(Keys.ENTER)
        console.wait_toast("The person is erased in a moment.")
        console.wait_toast("Erased: 1 device, 1 token.")
        self.end()
        self.assertEqual(self.api("GET", f"/installations?user={user}")["items"], [])

    def test_08_export_of_german_ipads(self):
        console = self.console
        self.begin("08 Export German iPads")
        self.find_device("language:de platform:ipados")

        def save():
            self.tab_to("button", "Export as CSV", backwards=True)
            self.press(Keys.ENTER)

        text = console.saved(f"{APP}-devices.csv", save)
        self.end()
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertGreater(len(rows), 5)
        self.assertEqual({row["platform"] for row in rows}, {"ipados"})
        self.assertTrue(all("de" in row["languages"] for row in rows))

    def test_09_coverage_of_two_builds(self):
        console = self.console
        self.begin("09 Compare the coverage of two builds")
        self.go("c", "Catalogs")
        self.tab_to("link", "415")
        self.press(Keys.ENTER)
        console.wait_heading("Catalog 415")
        self.option("Other catalog", "410")
        self.tab_to("button", "Compare")
        self.press(Keys.ENTER)
        console.wait_heading("415 beside 410")
        console.wait_text("Keys only in 410: 1", "COURIER")
        self.end()

    def test_10_breaker(self):
        if self.api.breaker("sandbox")["state"] != "open":
            self.api.open_breaker("sandbox")
        console = self.console
        self.begin("10 Close a breaker")
        self.go("b", "Feedback")
        self.tab_to("button", "Believe refusals again", within=("region", "Breaker of sandbox"))
        self.press(Keys.ENTER)
        console.find("dialog", "Believe refusals of sandbox?")
        self.tab_to("button", "Believe refusals")
        self.press(Keys.ENTER)
        console.wait_toast("Refusals are believed again.")
        self.end()
        self.assertEqual(self.api.breaker("sandbox")["state"], "closed")


if __name__ == "__main__":
    unittest.main()
