"""What people do on the pages: each action works, can be undone if it says so, and tells faults."""

import csv
import io
import json
import unittest
import uuid
import zipfile

from console import APP, ConsoleTest, Keys

CATALOG = {
    "sourceLanguage": "en", "version": "1.0",
    "strings": {"HELLO": {"localizations": {
        "en": {"stringUnit": {"state": "translated", "value": "Hello"}},
        "fr": {"stringUnit": {"state": "translated", "value": "Bonjour"}},
    }}},
}


def device(number=1, **more):
    """The record of a device: a person and a token of its own."""
    return {"installation_id": str(uuid.uuid4()),
            "credentials": {"apns": {"token": uuid.uuid4().hex * 2}}, **more}


def unique(word):
    """A name that no other test has."""
    return f"{word}-{uuid.uuid4().hex[:8]}"


class Devices(ConsoleTest):
    """The list of devices."""

    def search(self, text):
        """Searches for a text."""
        self.console.fill("Find devices", text + Keys.ENTER)
        self.console.settle()

    def test_filters_and_chips(self):
        console = self.console
        console.open("devices")
        self.search("language:fr tag:beta app_version>=3.2")
        for chip in ("Language: French (fr)", "Tag: beta", "App version from: 3.2"):
            console.find("button", f"Remove {chip}")
        for row in self.all_rows():
            self.assertIn("fr-", row)
        console.click("Remove Tag: beta")
        console.wait(lambda: "tag=beta" not in console.hash, "the address without the tag")
        self.assertIn("language=fr", console.hash)
        self.search("language:xh")
        console.wait_text("No device fits.")
        console.click("Remove all filters")
        console.wait_text("50 devices so far")
        self.assertEqual(console.hash, f"#/{APP}/devices")

    def test_filter_by_an_attribute(self):
        console = self.console
        console.open("devices")
        self.search("plan:pro tag:beta")
        console.find("button", "Remove Plan: pro")
        console.wait_text("devices so far")
        self.assertTrue(self.all_rows())

    def all_rows(self):
        """The texts of all rows."""
        rows = self.console.script(
            "return [...document.querySelectorAll('tbody tr')].map((row) => row.innerText)")
        self.assertTrue(rows)
        return rows

    def test_controls(self):
        console = self.console
        console.open("devices")
        console.choose("Environment", "sandbox")
        console.choose("Token", "active")
        console.fill("App version", "3.1.0" + Keys.ENTER)
        console.find("button", "Remove App version: 3.1.0")
        console.settle()
        for row in self.all_rows():
            self.assertIn("sandbox", row)
            self.assertIn("3.1.0", row)

    def test_search_by_token_and_by_id(self):
        record = device(device_model="iPhone18,3")
        self.api.add_devices([record])
        console = self.console
        console.open("devices")
        token = record["credentials"]["apns"]["token"]
        self.search(f"<{token[:32]} {token[32:]}>".upper())
        self.assertEqual(len(self.all_rows()), 1)
        self.assertIn("iPhone18,3", self.all_rows()[0])
        self.search(record["installation_id"])
        console.wait_heading("iPhone18,3")

    def test_endless_list(self):
        console = self.console
        console.open("devices")
        console.wait_text("50 devices so far")
        console.script("scrollTo(0, document.body.scrollHeight)")
        console.wait_text("100 devices so far")
        rows = len(self.all_rows())
        console.click("Load more")
        console.wait(lambda: len(self.all_rows()) > rows, "more rows")
        names = console.script("return [...document.querySelectorAll('tbody tr td:first-child a')]"
                               ".map((link) => link.href)")
        self.assertEqual(len(names), len(set(names)))

    def test_every_filter_of_the_api(self):
        console = self.console
        console.open("devices")
        self.search("visits>=10 app_build<500 tags[any]:beta,news updated_since:2026-05-02")
        for chip in ("Visits from: 10", "App build before: 500", "Tags any: beta, news",
                     "Updated since: 2026-05-02…"):
            console.find("button", f"Remove {chip}")
        for part in ("attributes[visits][gte]=10", "app_build[lt]=500"):
            self.assertIn(part, console.hash)
        console.click("Remove Tags any: beta, news")
        console.wait(lambda: "tags" not in console.hash, "the address without the tags")

    def test_arrow_keys(self):
        console = self.console
        console.open("devices")
        console.script("document.querySelector('tbody a').focus()")
        links = console.script("""
          return [...document.querySelectorAll('tbody tr td:first-child a')]
            .map((link) => link.innerText);
        """)
        console.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        self.assertEqual(console.focused, links[2])
        console.press(Keys.ARROW_UP)
        self.assertEqual(console.focused, links[1])
        model = links[1].split()[0]
        console.press(Keys.ENTER)
        console.wait_heading(model)

    def test_export(self):
        console = self.console
        console.open("devices?platform=ipados&language=ja")
        text = console.saved(f"{APP}-devices.csv", lambda: console.click("Export as CSV"))
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertGreater(len(rows), 5)
        self.assertEqual({row["platform"] for row in rows}, {"ipados"})
        text = console.saved(f"{APP}-devices.ndjson", lambda: console.click("NDJSON"))
        records = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(len(records), len(rows))
        self.assertTrue(all(record["languages"][0].startswith("ja") for record in records))


class Device(ConsoleTest):
    """The page of a device."""

    def test_what_happened(self):
        record = device()
        path = f"/installations/{record['installation_id']}"
        self.api.add_devices([record])
        self.api("PATCH", path, {"credentials": {"apns": {"token": uuid.uuid4().hex * 2}}})
        console = self.console
        console.open(f"devices/{record['installation_id']}")
        console.wait_text("A new token came in the place of the last one", "A token came")
        console.click("its history")
        console.wait_heading("Token")
        console.find("press", record["installation_id"][:8])

    def test_what_it_would_get(self):
        user = unique("person")
        record = device(user={"id": user}, languages=["de-DE", "fr-FR"])
        self.api.add_devices([record])
        console = self.console
        console.open(f"devices/{record['installation_id']}")
        console.wait_text("Choose a message.")
        console.choose("Message", "food_ready")
        console.wait_text("The device writes the text", "The language is French",
                          "German (Germany) (de-DE) – not there",
                          "French (France) (fr-FR) – there is fr",
                          "Votre commande est prête")
        console.choose("Who writes the text", "the service")
        console.wait_text("The service writes the text, because finished text is asked for")
        console.choose("Token", "for calls (VoIP)")
        console.wait_text("It would get nothing.", "There is no active token of this kind.")
        self.expect_status(422, 404, 409)

    def test_chosen_language_explains_itself(self):
        user = unique("person")
        record = device(user={"id": user}, languages=["de-DE", "fr-FR"])
        self.api.add_devices([record])
        self.api("PUT", f"/users/{user}/language", {"language": "ja"})
        console = self.console
        console.open(f"devices/{record['installation_id']}?message=food_ready")
        console.wait_text("Japanese (ja) was chosen for the person.", "The language is Japanese",
                          "because a language was chosen for the person")

    def test_erase(self):
        record = device(device_model="iPhone18,4")
        self.api.add_devices([record])
        console = self.console
        self.expect_status(404)
        console.open(f"devices/{record['installation_id']}")
        console.click("Erase…")
        console.click("Cancel")
        console.click("Erase…")
        console.click("Erase")
        console.wait_toast("The device is erased in a moment.")
        console.click("Undo")
        console.wait_toast("Nothing was changed.")
        self.api("GET", f"/installations/{record['installation_id']}")
        console.click("Erase…")
        console.click("Erase")
        console.wait_heading("Devices")
        console.open(f"devices/{record['installation_id']}")
        console.wait_text("This device is not registered", "The token was given up")


class Person(ConsoleTest):
    """A person with two devices."""

    def setUp(self):
        super().setUp()
        self.user = unique("person")
        self.ids = self.api.add_devices([device(user={"id": self.user}) for _ in range(2)])
        self.console.open(f"devices?user={self.user}")

    def count(self):
        """The devices of the person."""
        return len(self.api("GET", f"/installations?user={self.user}")["items"])

    def test_language(self):
        console = self.console
        console.wait_text("The devices decide.", "2 devices")
        console.fill("Language on all devices", "ja")
        console.wait_text("Japanese")
        console.click("Set")
        console.wait_toast("Japanese is set on 2 devices.")
        chosen = self.api("GET", f"/installations?user={self.user}")["items"]
        self.assertEqual({item["language_override"] for item in chosen}, {"ja"})
        console.click("Let the devices decide")
        console.wait_toast("No language is set any more on 2 devices.")
        console.wait_text("The devices decide.")

    def test_language_that_is_none(self):
        self.expect_status(422)
        console = self.console
        console.fill("Language on all devices", "not a language")
        console.click("Set")
        console.wait(lambda: console.driver.find_elements("css selector", ".toast.bad"),
                     "a remark on the fault")

    def test_erase(self):
        console = self.console
        console.click("Erase this person…")
        self.assertFalse(console.can_press("Erase"))
        console.fill(f"Type {self.user} to go on", self.user)
        console.click("Erase")
        console.click("Undo")
        console.wait_toast("Nothing was changed.")
        self.assertEqual(self.count(), 2)
        console.click("Erase this person…")
        console.fill(f"Type {self.user} to go on", self.user + Keys.ENTER)
        console.wait_toast("Erased: 2 devices, 2 tokens.")
        self.assertEqual(self.count(), 0)
        console.wait_text("No device fits.")

    def test_leaving_the_page_erases_at_once(self):
        console = self.console
        console.click("Erase this person…")
        console.fill(f"Type {self.user} to go on", self.user + Keys.ENTER)
        console.wait_toast("The person is erased in a moment.")
        console.driver.refresh()
        console.wait(lambda: self.count() == 0, "the person is erased")


class Messages(ConsoleTest):
    """The editor of a message."""

    def setUp(self):
        super().setUp()
        self.name = unique("trial")
        self.path = f"/messages/{self.name}"
        self.addCleanup(self.remove)

    def remove(self):
        """Removes the message of the test, if it is there."""
        names = [item["name"] for item in self.api("GET", "/messages?limit=1000")["items"]]
        if self.name in names:
            self.api("DELETE", self.path)

    def edit(self, text):
        """Makes the message, opens it, and writes other JSON into its editor."""
        self.api("PUT", self.path, {"alert": {"body": "Hello"}})
        self.console.open(f"messages/{self.name}")
        self.console.wait_text("No faults.")
        self.write(text)

    def write(self, text):
        """Writes JSON in the place of what is in the editor."""
        self.console.fill("JSON", text)

    def stored(self):
        """The message as the service has it."""
        return self.api("GET", self.path)["message"]

    def test_faults_while_typing(self):
        self.expect_status(422)
        console = self.console
        self.edit('{"alert": {"body" "Hello"}}')
        console.wait_text("Line 1, column 19: expected a colon")
        self.assertFalse(console.can_press("Save"))
        console.settle()
        self.write('{"alert": {"body": "Hello {name}"}}')
        console.wait_text("alert → body", "is not among the message's parameters")
        console.settle()
        console.click("alert → body")
        self.assertTrue(console.has_focus("control", "JSON"))
        self.write('{"alert": {"body": "Hello there"}}')
        console.wait_text("No faults.", "not saved yet")

    def test_save(self):
        console = self.console
        self.edit('{"alert": {"body": "Good evening"}}')
        console.wait_text("Differences to the stored version")
        console.click("Save")
        console.wait_toast("Saved as version 2.")
        self.assertEqual(self.stored(), {"alert": {"body": "Good evening"}})
        console.fill("Sound", "bell.caf")
        console.chord(Keys.CONTROL, "s")
        console.wait_toast("Saved as version 3.")
        self.assertEqual(self.stored()["sound"], "bell.caf")

    def test_new_message(self):
        console = self.console
        console.open("messages")
        console.click("New message")
        console.wait_heading("New message")
        console.fill("Name", self.name)
        console.wait_text("No faults.")
        console.click("Save")
        console.wait_heading(self.name)
        self.assertEqual(console.hash, f"#/{APP}/messages/{self.name}")
        console.wait_text("Version 1")

    def test_name_that_is_taken(self):
        self.expect_status(412)
        console = self.console
        console.open("messages?new=1")
        console.fill("Name", "basket")
        console.wait_text("There is already a message of this name.")

    def test_somebody_else_was_first(self):
        self.expect_status(412)
        console = self.console
        self.edit('{"alert": {"body": "Mine"}}')
        self.api("PUT", self.path, {"alert": {"body": "Theirs"}})
        console.click("Save")
        console.find("dialog", "The message was changed meanwhile")
        console.click("See the differences")
        console.wait_text("not saved yet", "Theirs")
        console.click("Save")
        console.wait_toast("Saved as version 3.")
        self.assertEqual(self.stored(), {"alert": {"body": "Mine"}})

    def test_take_the_version_of_somebody_else(self):
        self.expect_status(412)
        console = self.console
        self.edit('{"alert": {"body": "Mine"}}')
        self.api("PUT", self.path, {"alert": {"body": "Theirs"}})
        console.click("Save")
        console.click("Drop mine and reload")
        console.wait(lambda: "Theirs" in console.value("JSON"),
                     "their version")
        console.wait_text("Version 2")

    def test_leave_without_saving(self):
        console = self.console
        self.edit('{"alert": {"body": "Mine"}}')
        console.wait_text("not saved yet")
        console.click("Keys")
        console.find("dialog", "Leave without saving?")
        console.click("Cancel")
        self.assertIn("Mine", console.value("JSON"))
        console.click("Keys")
        console.click("Leave")
        console.wait_heading("Keys")

    def test_delete(self):
        console = self.console
        self.edit('{"alert": {"body": "Hello"}}')
        for is_undone in (True, False):
            console.open(f"messages/{self.name}")
            console.click("Delete")
            console.find("dialog", f"Delete {self.name}?")
            console.click("Delete")
            console.wait_heading("Messages")
            console.wait_toast(f"{self.name} will be deleted.")
            if is_undone:
                console.click("Undo")
                console.wait_toast("Nothing was changed.")
                self.assertTrue(self.stored())
        console.driver.refresh()
        console.wait(lambda: self.name not in [
            item["name"] for item in self.api("GET", "/messages?limit=1000")["items"]], "deleted")


class Preview(ConsoleTest):
    """What people of each language see."""

    def texts(self, text):
        """The nearest element around a text that says its language: language and direction."""
        return self.console.wait(lambda: self.console.script("""
          const found = [...document.querySelectorAll('main p')]
            .find((element) => element.textContent.includes(arguments[0]));
          const written = found?.closest('[lang]');
          return written && [written.lang, getComputedStyle(found).direction];
        """, text), f"the text “{text}”")

    def test_arabic_from_right_to_left(self):
        self.console.open("messages/food_ready?app_version=412&find=ar")
        self.assertEqual(self.texts("طلبك جاهز"), ["ar", "rtl"])

    def test_japanese(self):
        self.console.open("messages/food_ready?app_version=412&find=ja")
        self.assertEqual(self.texts("ご注文の準備ができました"), ["ja", "ltr"])

    def test_missing_texts(self):
        self.api.upload("9", {"en.lproj/Localizable.strings": '"READY_BODY" = "Ready";',
                              "ja.lproj/Localizable.strings": '"OTHER" = "...";'})
        self.addCleanup(self.api, "DELETE", "/catalogs/9")
        console = self.console
        console.open("messages/food_ready?app_version=9&find=ja")
        console.wait_text("No Japanese text: English is shown.")
        console.open("messages/courier?app_version=9&find=ja")
        console.wait_text("Nothing to read")
        console.wait_no_text("The push has the text.")

    def test_plural_in_arabic(self):
        console = self.console
        console.open("messages/basket?app_version=412&find=Arabic")
        for number, text in (("0", "لا أطباق في سلتك"), ("1", "طبق واحد في سلتك"),
                             ("2", "طبقان في سلتك"), ("5", "5 أطباق في سلتك"),
                             ("1,000,000", "طبق في سلتك")):
            console.click(f"count: {number.replace(',', '')}")
            console.wait_text(text)
            self.assertEqual(self.texts(text), ["ar", "rtl"])
            console.settle()
        console.wait_no_text("أطباق")

    def test_all_counts_at_once(self):
        console = self.console
        console.open("messages/basket?app_version=412")
        console.choose("Try all numbers in", "Arabic")
        console.wait_text("count = 0", "لا أطباق في سلتك", "count = 1,000,000", "طبقان في سلتك")


class Catalogs(ConsoleTest):
    """Catalogs: upload, faults, comparison, removal."""

    def setUp(self):
        super().setUp()
        self.version = unique("9")
        self.addCleanup(self.remove)

    def remove(self):
        """Removes the catalog of the test, if it is there."""
        if self.version in [item["version"] for item in self.api("GET", "/catalogs")["items"]]:
            self.api("DELETE", f"/catalogs/{self.version}")

    def test_upload_with_an_error_that_is_mended(self):
        self.expect_status(422)
        console = self.console
        good = json.dumps(CATALOG, indent=2)
        line = next(line for line in good.splitlines() if '"Bonjour"' in line)
        faulty = line.replace(":", "", 1)
        path = console.write_file("Localizable.xcstrings", good.replace(line, faulty))
        console.open("catalogs")
        console.click("Upload a catalog")
        console.wait_heading("Upload a catalog")
        console.fill("Version", self.version)
        console.choose_files("Choose files", path)
        console.wait_text("1 file")
        console.click("Upload")
        console.wait_text("The catalog has errors", "Expected a colon",
                          "Localizable.xcstrings, line", faulty.strip())
        path.write_text(good, encoding="utf-8")
        console.choose_files("Choose files", path)
        console.wait_no_text("1 error")
        console.wait_no_text("The catalog has errors")
        console.click("Upload")
        console.wait_text(f"Stored as {self.version}", "2 languages, 1 key.")
        self.assertFalse(console.can_press("Upload"))
        console.wait_no_text("there is a catalog")
        console.click("Open the catalog")
        console.wait_heading(f"Catalog {self.version}")
        console.wait_text("Hello")

    def test_replace(self):
        console = self.console
        self.api.upload(self.version, {"Localizable.xcstrings": json.dumps(CATALOG)})
        console.open(f"catalogs/{self.version}")
        console.click("Upload again")
        console.wait_heading("Upload a catalog")
        self.assertEqual(console.value("Version"), self.version)
        text = json.dumps(CATALOG).replace("Bonjour", "Salut")
        console.choose_files("Choose files", console.write_file("Localizable.xcstrings", text))
        console.wait_text("there is a catalog")
        console.click("Upload")
        console.find("dialog", f"Replace {self.version}?")
        console.wait_text("No language and no key is removed.")
        console.click("Replace everything")
        console.wait_text(f"Stored as {self.version}")
        strings = self.api("GET", f"/catalogs/{self.version}/strings?language=fr")["items"]
        self.assertEqual(strings[0]["value"], "Salut")

    def test_replace_of_one_language(self):
        """What would be lost is named before, and other files can stay."""
        console = self.console
        texts = {"en": '"A" = "a"; "B" = "b";', "fr": '"A" = "un";', "ja": '"A" = "一";'}
        files = {f"{language}.lproj/T.strings": text for language, text in texts.items()}
        self.api.upload(self.version, files)
        archive = console.write_archive("one.zip", {"fr.lproj/T.strings": '"A" = "deux";'})
        for choice, left in [("Cancel", ["en", "fr", "ja"]),
                             ("Update these, keep the rest", ["en", "fr", "ja"]),
                             ("Replace everything", ["fr"])]:
            console.open(f"catalogs?upload=1&version={self.version}")
            console.choose_files("Choose files", archive)
            console.wait_text("1 file")
            console.click("Upload")
            console.find("dialog", f"Replace {self.version}?")
            console.wait_text("2 languages would be lost:", "English, Japanese.",
                              "1 key would be lost:", "B")
            console.click(choice)
            if choice != "Cancel":
                console.wait_text(f"Stored as {self.version}")
            catalog = self.api("GET", f"/catalogs/{self.version}")
            self.assertEqual(catalog["languages"], left)
        texts = self.api("GET", f"/catalogs/{self.version}/strings")["items"]
        self.assertEqual([text["value"] for text in texts], ["deux"])

    def test_files_without_the_folder_of_their_language(self):
        """The page asks for it; the file in such a folder takes the place of the one without."""
        console = self.console
        path = console.write_file("Localizable.strings", '"A" = "un";')
        folder = path.parent / "fr.lproj"
        folder.mkdir(exist_ok=True)
        (folder / path.name).write_text('"A" = "deux";', encoding="utf-8")
        console.open(f"catalogs?upload=1&version={self.version}")
        console.choose_files("Choose files", path)
        console.wait_text("First choose the language of Localizable.strings")
        console.choose_files("Choose a folder", folder)
        console.wait_text("fr.lproj/Localizable.strings")
        self.assertEqual(len(console.all("control", "Language of this file")), 0)
        console.choose_files("Choose files", path)
        console.wait_text("2 files")
        self.assertFalse(console.can_press("Upload"))
        console.choose("Language of this file", "French (fr)")
        console.wait_text("fr.lproj/Localizable.strings is in the list twice")
        self.assertFalse(console.can_press("Upload"))
        console.choose("Language of this file", "Another language")
        console.fill("Language tag", "sw")
        console.wait_text("sw.lproj/Localizable.strings")
        console.click("Upload")
        console.wait_text(f"Stored as {self.version}")
        texts = self.api("GET", f"/catalogs/{self.version}/strings")["items"]
        self.assertEqual([(text["language"], text["value"]) for text in texts],
                         [("fr", "deux"), ("sw", "un")])

    def test_a_result_with_findings(self):
        console = self.console
        archive = console.write_archive("two.zip", {
            "Localizable.xcstrings": json.dumps(CATALOG), "fr.lproj/Localizable.strings":
            '"HELLO" = "Salut"; "NEXT" = "\\Uzz12";'})
        console.open(f"catalogs?upload=1&version={self.version}")
        console.choose_files("Choose files", archive)
        console.click("Upload")
        console.wait_text(f"Stored as {self.version}, but 1 text could not be read",
                          "1 error and 1 warning", "there must be four hexadecimal digits",
                          "Change that file instead, or upload an XLIFF.")
        console.open("catalogs")
        self.assertIn("1 error 1 warning", console.row(self.version))

    def test_download_of_the_files(self):
        console = self.console
        text = json.dumps(CATALOG, indent=2)
        self.api.upload(self.version, {"App/Localizable.xcstrings": text})
        console.open(f"catalogs/{self.version}")
        path = console.downloads / f"strings-{self.version}.zip"
        console.click("Download the files")
        console.wait(path.exists, "the archive")
        with zipfile.ZipFile(path) as archive:
            self.assertEqual(archive.testzip(), None)
            self.assertEqual(archive.read("App/Localizable.xcstrings").decode(), text)

    def test_delete(self):
        console = self.console
        self.api.upload(self.version, {"Localizable.xcstrings": json.dumps(CATALOG)})
        for is_undone in (True, False):
            console.open(f"catalogs/{self.version}")
            console.click("Delete")
            console.fill(f"Type {self.version} to go on", self.version + Keys.ENTER)
            console.wait_heading("Catalogs")
            if is_undone:
                console.click("Undo")
                console.wait_toast("Nothing was changed.")
                self.api("GET", f"/catalogs/{self.version}")
        console.wait_toast(f"Catalog {self.version} is deleted.")
        console.wait(lambda: not console.all("link", self.version), "the list without it")

    def test_comparison(self):
        console = self.console
        console.open("catalogs/415")
        console.choose("Other catalog", "412")
        console.click("Compare")
        console.wait_heading("415 beside 412")
        console.wait_text("Keys only in 412: 1")
        console.click("Swap")
        console.wait_heading("412 beside 415")
        console.click("COURIER")
        console.wait_heading("COURIER")
        self.assertIn("lost here", console.row("415"))

    def test_search_of_a_key(self):
        console = self.console
        console.open("catalogs/412")
        console.fill("Key, in full", "COURIER" + Keys.ENTER)
        console.wait_heading("COURIER")
        console.wait_text("%@ عند الباب.")


class Failures(ConsoleTest):
    """Failures of registrations, and refusals of APNs."""

    def test_causes(self):
        console = self.console
        console.open("failures")
        console.wait_text("One cause is behind", "all in 3.3.0", "Cure:")
        console.click("NSURLErrorDomain -1009")
        console.wait_text("This cause by app version")
        console.wait(lambda: "domain=NSURLErrorDomain" in console.hash, "the cause in the address")
        console.click("Show all causes")
        console.wait_no_text("This cause by app version")
        console.choose("Kind", "Permission")
        console.wait_text("No failure fits.")

    def test_export(self):
        console = self.console
        console.open("failures?domain=NSCocoaErrorDomain&code=3000")
        text = console.saved("failures.csv", lambda: console.click("Export CSV"))
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertGreaterEqual(len(rows), 120)
        self.assertEqual({row["app_version"] for row in rows}, {"3.3.0"})

    def test_closing_a_breaker(self):
        self.api.open_breaker("production")
        console = self.console
        console.open("overview")
        console.wait_text("APNs refused many tokens of production at once")
        console.open("feedback")
        panel = ("region", "Breaker of production")
        console.click("Believe refusals again", within=panel)
        console.find("dialog", "Believe refusals of production?")
        console.click("Believe refusals")
        console.wait_toast("Refusals are believed again.")
        console.wait(lambda: "An admin said that" in console.text_of(*panel),
                     "the breaker is closed")
        self.assertEqual(self.api.breaker("production")["state"], "closed")
        console.open("overview")
        console.wait_text("What needs care")
        self.assertNotIn("APNs refuses tokens of production", console.text)


class WebhooksPage(ConsoleTest):
    """Webhooks are made, tried, changed and forgotten."""

    # A name that leads to this machine, which is refused: no attempt needs a network.
    URL = "https://localhost:1/postilion"

    def test_life_of_a_webhook(self):
        self.expect_status(422)
        console = self.console
        about = unique("segments")
        console.open("webhooks")
        console.click("New webhook")
        console.fill("Address", "https://127.0.0.1/")
        console.click("Make")
        console.wait_text("The address is not one of the public internet")
        console.fill("Address", f"{self.URL}/{about.replace(' ', '-')}")
        console.fill("About", about)
        console.fill("Events", "registered deleted")
        console.click("Make")
        console.find("dialog", "The secret")
        secret = next(word for word in console.text.split() if word.startswith("whsec_"))
        console.click("I have stored it")
        console.wait_text(about)
        console.reload()
        console.wait_text(about)
        self.assertNotIn(secret, console.text)
        self.assertIn("registered, deleted", console.row(about))
        self.assertIn("active", console.row(about))

        console.click(f"{self.URL}/{about.replace(' ', '-')}")
        console.wait_heading("Webhook")
        console.click("Send test")
        console.wait_toast("The test failed: not a public address.")
        console.wait_text("not a public address,")
        console.click("Disable")
        console.wait_toast("The webhook is disabled, and keeps its place.")
        console.click("Enable")
        console.wait_toast("The webhook gets what it missed.")
        console.click("New secret", within=("region", "How it stands"))
        console.click("New secret", within=("dialog", "Give it a new secret?"))
        console.find("dialog", "The secret")
        console.click("I have stored it")
        console.wait_text("signs, too, until")
        console.click("Delete", within=("region", "How it stands"))
        console.click("Delete", within=("dialog", "Delete the webhook?"))
        console.wait_heading("Webhooks")
        console.wait_no_text(about)

    def test_replay(self):
        hook = self.api("POST", "/webhooks", {
            "url": self.URL, "events": ["deleted"], "enabled": False})
        place = f"webhooks/{hook['id']}"
        console = self.console
        console.open(place)
        console.wait_heading("Webhook")
        console.wait_text("There is no delivery.")
        console.click("Skip what waits")
        console.click("Skip")
        console.wait_toast("What waited is skipped.")
        # A page that is still read when the webhook goes would be answered 404.
        console.open("webhooks")
        console.wait_heading("Webhooks")
        self.api("DELETE", f"/{place}")


class KeysPage(ConsoleTest):
    """Keys are made, shown once, and revoked."""

    def test_life_of_a_key(self):
        console = self.console
        label = unique("order service")
        console.open("keys")
        console.click("New key")
        console.choose("Kind", "sender")
        console.wait_text("For the backend; renders notifications")
        console.fill("Label", label)
        console.click("Make")
        console.find("dialog", f"The sender key {label}")
        key = next(word for word in console.text.split() if word.startswith("pst_sender_"))
        self.api("POST", "/feedback", {"results": [
            {"token": uuid.uuid4().hex * 2, "status": 200, "environment": "production"},
        ]}, key=key)
        console.click("I have stored it")
        console.find("button", f"Revoke {label}")
        console.wait_no_text(key)
        console.reload()
        console.wait_no_text(key)
        console.click(f"Revoke {label}")
        console.click("Revoke")
        console.wait_toast("The key is revoked.")
        console.wait(lambda: "revoked" in console.row(label), "the key is shown as revoked")
        with self.assertRaisesRegex(AssertionError, "401"):
            self.api("POST", "/feedback", {"results": []}, key=key)

    def test_end_of_an_admin_key_is_confirmed_by_its_label(self):
        label = unique("helper")
        self.api.make_key("admin", label)
        console = self.console
        console.open("keys")
        console.click(f"Revoke {label}")
        self.assertFalse(console.can_press("Revoke"))
        console.fill(f"Type {label} to go on", label)
        console.click("Revoke")
        console.wait_toast("The key is revoked.")


class Audit(ConsoleTest):
    """The log of what admin keys did."""

    def test_log(self):
        label = unique("audited")
        key = self.api.make_key("client", label)
        self.api("DELETE", f"/keys/{key['id']}")
        console = self.console
        console.open("audit")
        console.fill("Operation", "revokeKey" + Keys.TAB)
        console.wait(lambda: "operation=revokeKey" in console.hash, "the filter in the address")
        console.settle()
        console.wait_text(key["id"])
        console.fill("Status", "403" + Keys.TAB)
        console.wait_text("No call fits.")

    def test_export(self):
        console = self.console
        console.open("audit")
        text = console.saved("audit.csv", lambda: console.click("Export CSV"))
        self.assertIn("console of the demo", text)


class Data(ConsoleTest):
    """Import and export."""

    def test_import(self):
        good, other = device(), device()
        lines = [{**good, "platform": "ios", "environment": "production", "languages": ["fr-FR"]},
                 {**other, "platform": "toaster", "environment": "production"}]
        console = self.console
        path = console.write_file("devices.ndjson", "".join(
            json.dumps(line) + "\n" for line in lines))
        console.open("data")
        console.attach("File", path)
        self.assertFalse(console.can_press("Import now"))
        console.click("Try it first")
        console.wait_text("1 new device, 0 changed, 0 unchanged, 1 rejected.",
                          "This was a trial: nothing is stored yet.")
        row = console.row("platform")
        self.assertIn("rejected", row)
        self.assertTrue(row.startswith("2"), row)
        with self.assertRaisesRegex(AssertionError, "404"):
            self.api("GET", f"/installations/{good['installation_id']}")
        console.click("Import now")
        console.wait_text("It is stored.")
        self.api("GET", f"/installations/{good['installation_id']}")

    def test_file_that_is_none(self):
        self.expect_status(400, 422)
        console = self.console
        console.open("data")
        console.attach("File", console.write_file("devices.json", "no JSON"))
        console.click("Try it first")
        console.wait(lambda: console.driver.find_elements("css selector", "main [role=alert]")
                     or "rejected" in console.text, "what is wrong")

    def test_exports(self):
        console = self.console
        console.open("data?platform=ipados")
        console.wait_text("Devices with platform: ipados.")
        text = console.saved("installations.csv", lambda: console.click("Devices as CSV"))
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual({row["platform"] for row in rows}, {"ipados"})
        console.choose("Catalog", "412")
        text = console.saved("strings 412.csv", lambda: console.click("Strings as CSV"))
        self.assertIn("READY_TITLE", text)
        console.saved("failures.csv", lambda: console.click("Failures as CSV"))
        console.saved("audit.csv", lambda: console.click("Audit log as CSV"))

    def test_stale_devices_are_counted_first(self):
        console = self.console
        console.open("data")
        self.assertFalse(console.can_press("Delete them…"))
        console.fill("Days without a call", "3000")
        console.click("Count them")
        console.wait_text("0 devices with 0 tokens did not call for 3000 days.")
        self.assertFalse(console.can_press("Delete them…"))


if __name__ == "__main__":
    unittest.main()
