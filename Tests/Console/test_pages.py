"""Every page opens and shows what it is for; sign-in and the frame around the pages."""

import unittest
from datetime import datetime, timedelta, timezone

from console import APP, ConsoleTest, Keys


class Pages(ConsoleTest):
    """Each page by its address: its title, and what it must show."""

    def shows(self, address, title, *texts):
        """Opens a page and waits for its title and for texts of it."""
        self.console.open(address)
        self.console.wait_heading(title)
        self.console.wait_text(*texts)

    def test_overview(self):
        self.shows("overview", "Food to go", "devices · com.example.food", "What needs care",
                   "1 build without a catalog: 380", "New devices", "Devices by first language",
                   "American English", "No texts in Portuguese",
                   "Message courier shows nothing in build 415, in all languages, ")

    def test_devices(self):
        self.shows("devices", "Devices", "50 devices so far", "Last seen")

    def test_device(self):
        device = self.api("GET", "/installations?user=u42")["items"][0]["installation_id"]
        self.shows(f"devices/{device}", "iPhone17,1", "Person u42", "German (Germany) (de-DE)",
                   "Token for notifications", "A token came", "What would it get, and why?")

    def test_device_that_is_not_there(self):
        self.expect_status(404)
        self.shows("devices/00000000-0000-4000-8000-000000000000",
                   "This device is not registered", "It never was.")

    def test_history_of_a_token(self):
        device = self.api("GET", "/installations?user=u42")["items"][0]
        token = device["credentials"]["apns"]["token"]
        self.shows(f"devices/token/{token}", "Token", token, "A token came")

    def test_messages(self):
        self.shows("messages", "Messages", "basket", "courier", "food_ready", "lunch_offer",
                   "Message courier shows nothing in build 415, in all languages, ")

    def test_newest_build_is_the_highest_version(self):
        for version in ("9", "hotfix"):
            self.api.upload(version, {"en.lproj/Localizable.strings": '"READY_BODY" = "Ready";'})
            self.addCleanup(self.api, "DELETE", f"/catalogs/{version}")
        lacks = "Message courier shows nothing in build 415, in all languages, "
        self.shows("overview", "Food to go", lacks)
        self.shows("messages", "Messages", lacks)
        self.shows("messages/basket", "basket", "4 languages, strings of build 415")

    def test_message(self):
        self.shows("messages/basket", "basket", "Version 1", "No faults.", "Preview",
                   "3 dishes in your basket", "カートに3品あります")

    def test_new_message(self):
        self.shows("messages?new=1", "New message", "Not saved yet", "Bonjour name !")

    def test_catalogs(self):
        self.shows("catalogs", "Catalogs", "Builds without a catalog", "380", "412", "415",
                   "Japanese 1 and 1 more")

    def test_catalog_that_lacks_languages(self):
        self.api.upload("9", {"fr.lproj/Localizable.strings": '"READY_BODY" = "Bon";'})
        self.addCleanup(self.api, "DELETE", "/catalogs/9")
        self.shows("catalogs", "Catalogs", "lacks Arabic, English, Japanese", "1 language French ")
        self.assertNotIn("false", self.console.text)

    def test_catalog(self):
        self.shows("catalogs/415", "Catalog 415", "Languages that the catalog lacks", "Portuguese",
                   "4, and 1 more that messages use: COURIER",
                   "Missing texts", "States of translation", "4 strings",
                   "Messages without a text", "Message courier shows nothing in build 415")

    def test_key_of_a_catalog(self):
        self.shows("catalogs/412?key=DISHES", "DISHES", "Texts of 412", "طبقان في سلتك",
                   "Builds that have the key")

    def test_key_that_no_catalog_has(self):
        self.shows("catalogs/412?key=NOTHING", "NOTHING", "No catalog has this key.")

    def test_comparison_of_catalogs(self):
        self.shows("catalogs/412?with=415", "412 beside 415", "Keys only in 412: 1", "COURIER")

    def test_failures(self):
        self.shows("failures", "Failures", "NSCocoaErrorDomain 3000", "Cure:",
                   "Failures by app version", "Reports")

    def test_feedback(self):
        self.shows("feedback", "Feedback", "Breaker of production", "Tokens out of use",
                   "BadDeviceToken")

    def test_webhooks(self):
        self.shows("webhooks", "Webhooks", "Webhooks of this app", "New webhook")

    def test_keys(self):
        self.shows("keys", "Keys", "iOS app", "order service", "console of the demo")

    def test_audit_log(self):
        self.shows("audit", "Audit log", "console of the demo", "List keys")

    def test_import_and_export(self):
        self.shows("data", "Import and export", "Import devices", "Delete stale devices")

    def test_page_that_is_not_there(self):
        self.shows("nonsense", "Not found", "There is no such page.", "To all apps")

    def test_app_that_is_not_there(self):
        """A key of one app leads to this app."""
        console = self.console
        console.driver.get(f"{console.base}/#/elsewhere/keys")
        console.wait_heading("Food to go")
        self.assertEqual(console.hash, f"#/{APP}/overview")


class SignIn(ConsoleTest):
    """The way in and out."""

    def out(self):
        """The page of somebody who is not signed in."""
        self.console.script("sessionStorage.clear()")
        self.console.driver.get(f"{self.console.base}/")
        self.console.wait_text("Sign in with an admin key")

    def sign_in(self, key):
        """Writes a key and presses Enter."""
        self.console.fill("API key", key + Keys.ENTER)

    def test_wrong_key(self):
        self.expect_status(401)
        self.out()
        self.sign_in("pst_admin_" + "x" * 32)
        role = self.console.use(lambda element: element.get_attribute("role"), "status",
                                "does not know this key", is_exact=False)
        self.assertEqual(role, "alert")
        self.assertNotIn("signed out", self.console.text)
        self.assertFalse(self.console.script("return sessionStorage.length"))
        self.assertEqual(self.console.title, "Postilion")

    def test_sender_key(self):
        self.out()
        self.sign_in(self.api.key_of("sender"))
        self.console.wait_text("This is a sender key", "Use an admin key.")

    def test_client_key(self):
        self.out()
        self.sign_in(self.api.key_of("client"))
        self.console.wait_text("This is a client key", "Use an admin key.")

    def test_sign_in_and_out(self):
        self.out()
        self.sign_in(self.console.key)
        self.console.wait_heading("Food to go")
        self.console.click("Sign out")
        self.console.wait_text("Sign in with an admin key")
        self.assertFalse(self.console.script("return sessionStorage.length"))
        self.console.driver.refresh()
        self.console.wait_text("Sign in with an admin key")

    def test_key_in_the_address(self):
        """The address that the demo prints signs in who says so; nothing of the key stays in it."""
        self.out()
        for blank in (True, False):
            if blank:
                self.console.driver.get("about:blank")
            self.console.driver.get(f"{self.console.base}/#key={self.console.key}")
            self.console.wait_text("Sign in by this link?", "You are not signed in.",
                                   "The link holds an admin key of the app Food to go (food).")
            self.assertNotIn("key", self.console.driver.current_url)
            self.assertIsNone(self.key_in_use())
            # What is chosen by itself changes nothing.
            self.console.press(Keys.ENTER)
            self.console.wait_no_text("Sign in by this link?")
            self.console.wait_text("Sign in with an admin key")
            self.assertIsNone(self.key_in_use())
        self.console.driver.get(f"{self.console.base}/#key={self.console.key}")
        self.console.click("Use the key of the link")
        self.console.wait_heading("Food to go")
        self.assertNotIn("key", self.console.driver.current_url)
        self.console.driver.back()
        self.assertNotIn("key", self.console.driver.current_url)

    def test_wrong_key_in_the_address(self):
        self.expect_status(401)
        self.out()
        self.console.driver.get(f"{self.console.base}/#key=pst_admin_{'x' * 32}")
        self.console.wait_text("The service does not know this key", "Sign in with an admin key")
        self.assertNotIn("signed out", self.console.text)
        self.assertNotIn("key", self.console.driver.current_url)

    def follow(self, key):
        """Follows a link with a key where somebody is signed in, in both ways: the page is loaded, or
        is there already."""
        for blank in (True, False):
            self.console.open("keys")
            if blank:
                self.console.driver.get("about:blank")
            self.console.driver.get(f"{self.console.base}/#key={key}")
            self.console.wait_text("Sign in by this link?", "You are signed in with an admin key")
            self.assertNotIn("key=", self.console.driver.current_url)
            yield

    def key_in_use(self):
        """The key of the session."""
        return self.console.script("return sessionStorage.getItem('postilion.key')")

    def test_link_that_would_replace_the_session(self):
        """A link of somebody else has nobody work with the key of somebody else."""
        other = self.api.make_key("admin", "of a link")["key"]
        for _ in self.follow(other):
            self.console.wait_text("The link holds an admin key of the app Food to go (food).")
            # What is chosen by itself changes nothing.
            self.console.press(Keys.ENTER)
            self.console.wait_no_text("Sign in by this link?")
            self.assertEqual(self.key_in_use(), self.console.key)
        for _ in self.follow(other):
            self.console.press(Keys.ESCAPE)
            self.console.wait_no_text("Sign in by this link?")
            self.assertEqual(self.key_in_use(), self.console.key)
        for _ in self.follow(other):
            self.console.click("Use the key of the link")
            self.console.wait_heading("Food to go")
            self.assertEqual(self.key_in_use(), other)
            self.console.reset()

    def test_link_with_a_wrong_key(self):
        self.expect_status(401)
        for _ in self.follow("pst_admin_" + "x" * 32):
            self.console.wait_text("The service does not know this key")
            self.console.click("Stay signed in as now")
            self.console.wait_no_text("Sign in by this link?")
            self.assertEqual(self.key_in_use(), self.console.key)

    def test_link_with_the_key_of_the_session(self):
        self.console.open("keys")
        self.console.driver.get(f"{self.console.base}/#key={self.console.key}")
        self.console.wait_heading("Food to go")
        self.assertNotIn("Sign in by this link?", self.console.text)

    def test_sign_in_leads_to_the_wanted_page(self):
        self.console.script("sessionStorage.clear()")
        self.console.driver.get(f"{self.console.base}/#/{APP}/keys")
        self.console.wait_text("Sign in with an admin key")
        self.sign_in(self.console.key)
        self.console.wait_heading("Keys")

    def test_revoked_key(self):
        self.expect_status(401)
        key = self.api.make_key("admin", "soon revoked")
        self.console.reset(key["key"])
        self.console.open("overview")
        self.api("DELETE", f"/keys/{key['id']}")
        self.console.click("Devices")
        self.console.wait_text("You were signed out.", "Sign in with an admin key")


class Tables(ConsoleTest):
    """Tables that the console itself writes, by the rule of the service's (`CSVTextTests`)."""

    def test_formulas(self):
        rows = {
            "=1": "'=1", "+1": "'+1", "-1+1": "'-1+1", "-5": "-5", "@a": "'@a", "＝1": "'＝1",
            "＠a": "'＠a", "'a": "''a", " =1": " '=1", '"=1': "\"\"'=1", "\ta": "'\ta", "\r\n": "'\r\n",
            "a;=1": "a;'=1", "a| -b": "a| '-b", "a\n+": "a\n'+", "a;'b": "a;''b", "\t=1": "'\t'=1",
            "a;;＝1": "a;;'＝1", "a,=1": "a,=1", "a=1": "a=1", 'say "hi"': 'say ""hi""', "": "",
        }
        self.console.open("data")
        text = self.console.driver.execute_async_script("""
          const [rows, done] = arguments;
          import('/console/csv.js').then(({ asCSV }) => done(rows.map((cell) => asCSV([[cell]]))));
        """, list(rows))
        self.assertEqual(text, [f'"{cell}"' for cell in rows.values()])


class Frame(ConsoleTest):
    """Navigation, the keyboard, settings."""

    def test_navigation(self):
        console = self.console
        console.open("overview")
        for page, title in (("Devices", "Devices"), ("Messages", "Messages"),
                            ("Catalogs", "Catalogs"), ("Failures", "Failures"),
                            ("Feedback", "Feedback"), ("Keys", "Keys"),
                            ("Audit log", "Audit log"),
                            ("Import and export", "Import and export"),
                            ("Overview", "Food to go")):
            console.click(page)
            console.wait_heading(title)
            current = console.use(
                lambda element: element.get_attribute("aria-current"), "link", page)
            self.assertEqual(current, "page")
            self.assertTrue(console.driver.title.startswith(title), console.driver.title)

    def test_keys_lead_to_pages(self):
        console = self.console
        console.open("overview")
        for letter, title in (("d", "Devices"), ("m", "Messages"), ("c", "Catalogs"),
                              ("f", "Failures"), ("b", "Feedback"), ("k", "Keys"),
                              ("a", "Audit log"), ("i", "Import and export"),
                              ("o", "Food to go")):
            console.press("g", letter)
            console.wait_heading(title)

    def test_title_is_focused_and_skip_link_leads_to_the_content(self):
        console = self.console
        console.open("overview")
        console.press("g", "k")
        console.wait_heading("Keys")
        self.assertEqual(console.focused, "Keys")
        for _ in range(40):
            console.chord(Keys.SHIFT, Keys.TAB)
            if console.focused == "Skip to the content":
                break
        self.assertEqual(console.focused, "Skip to the content")
        console.press(Keys.ENTER)
        console.wait(lambda: console.script("return document.activeElement.matches('main')"),
                     "the content is focused")
        self.assertEqual(console.hash, f"#/{APP}/keys")
        console.settle()
        self.assertEqual(console.title, "Keys")
        console.press(Keys.TAB)
        self.assertTrue(console.focused.startswith("Revoke"), console.focused)

    def test_theme_and_direction(self):
        console = self.console
        console.open("keys")
        root = console.driver.find_element("tag name", "html")
        background = "return getComputedStyle(document.body).backgroundColor"
        light = console.script(background)
        console.press("?")
        console.choose("Colours", "Dark")
        console.choose("Direction", "Right to left")
        console.wait(lambda: console.script(background) != light, "dark colours")
        self.assertEqual(root.get_attribute("dir"), "rtl")
        console.press(Keys.ESCAPE)
        console.wait(lambda: not console.all("dialog", "Settings"), "the dialog is closed")
        console.reload()
        root = console.driver.find_element("tag name", "html")
        self.assertEqual((root.get_attribute("data-theme"), root.get_attribute("dir")),
                         ("dark", "rtl"))
        console.click("Settings")
        console.choose("Colours", "Light")
        console.choose("Direction", "Left to right")
        console.click("Close")
        self.assertEqual((root.get_attribute("data-theme"), root.get_attribute("dir")),
                         ("light", "ltr"))


class Addresses(ConsoleTest):
    """What a page shows is in its address: it is the same after a reload."""

    def survives(self, *texts):
        """Loads the page again and waits for the same texts."""
        before = self.console.hash
        self.console.reload()
        self.console.wait_text(*texts)
        self.assertEqual(self.console.hash, before)

    def test_filters_of_devices(self):
        console = self.console
        console.open("devices")
        console.choose("Platform", "iPadOS")
        console.wait_text("Platform: ipados")
        console.choose("Order", "Oldest")
        console.settle()
        first = console.script("return document.querySelector('tbody tr').innerText")
        self.survives("Platform: ipados", first.split("\t")[0])
        self.assertEqual(console.value("Platform"), "ipados")
        self.assertEqual(console.value("Order"), "created_at")

    def test_question_to_a_device(self):
        console = self.console
        device = self.api("GET", "/installations?user=u42")["items"][0]["installation_id"]
        console.open(f"devices/{device}")
        console.choose("Message", "food_ready")
        console.fill("name", "Noor")
        console.choose("Who writes the text", "the service")
        texts = "Noor, your order from Chez Léon is ready.", "The service writes the text"
        console.wait_text(*texts)
        self.survives(*texts)

    def test_arguments_of_a_preview(self):
        console = self.console
        console.open("messages/basket?app_version=412")
        console.fill("count (whole number)", "7")
        console.fill("Languages", "fr")
        console.wait_text("7 plats dans votre panier")
        console.wait_no_text("カート")
        self.survives("7 plats dans votre panier")
        self.assertEqual(console.value("count (whole number)"), "7")

    def test_filters_of_failures(self):
        console = self.console
        console.open("failures")
        console.choose("Kind", "Notifications")
        console.fill("App version", "3.3.0" + Keys.TAB)
        console.wait_no_text("NSURLErrorDomain")
        self.survives("NSCocoaErrorDomain 3000")
        self.assertEqual(console.value("App version"), "3.3.0")
        self.assertEqual(console.value("Kind"), "apns")

    def test_period_of_the_audit_log(self):
        console = self.console
        console.open("audit")
        console.click("Yesterday")
        console.wait(lambda: "since=" in console.hash, "the period in the address")
        self.survives("Audit log")
        since = datetime.fromisoformat(
            console.value("From")).astimezone(timezone.utc)
        self.assertLess(since, datetime.now(timezone.utc) - timedelta(hours=22))

    def test_language_of_strings(self):
        console = self.console
        console.open("catalogs/412")
        console.choose("Language", "Japanese")
        console.wait_text("カートに%lld品あります")
        self.survives("カートに%lld品あります")


if __name__ == "__main__":
    unittest.main()


class Reference(ConsoleTest):
    """The reference of the API."""

    def found(self):
        return self.console.script("""
          return [...document.querySelectorAll('#contents a')].filter((link) => link.offsetParent)
            .map((link) => link.querySelector('code')?.textContent ?? link.textContent);
        """)

    def test_search(self):
        console = self.console
        console.driver.get(f"{console.base}/docs")
        console.wait_heading("Postilion API")
        everything = self.found()
        console.press("/", *"claim code", Keys.ENTER)
        console.wait(lambda: len(self.found()) < 20, "few are found")
        self.assertIn("createClaimCode", self.found())
        self.assertEqual(console.hash, "#operation-createClaimCode")
        console.fill("Search the reference", "environment_needs_tokens")
        console.wait(lambda: "Problems" in self.found(), "the code is found")
        console.fill("Search the reference", "xyzzy")
        console.wait_text("Nothing has these words.")
        console.press(Keys.ESCAPE)
        console.wait(lambda: self.found() == everything, "everything is shown again")
