"""Every page and main state: axe-core finds nothing, nothing shifts or is too wide.

How soon something is painted is printed at the end of the run, and is no condition.
"""

import importlib.util
import json
import pathlib
import unittest

import console as harness
from console import ConsoleTest, Keys

# Theme and direction of each look.
LOOKS = (("light", "ltr"), ("dark", "ltr"), ("light", "rtl"))

# The pages by their addresses, each with a text that shows that it is complete.
PAGES = {
    "overview": "Counted",
    "devices": "50 devices so far",
    "devices?user=u42": "Language on all devices",
    "devices?user=nobody": "No device fits.",
    "messages": "lunch_offer",
    "messages/food_ready?app_version=412": "ご注文の準備ができました",
    "messages/basket?app_version=412&counts=ar": "count = 1,000,000",
    "messages?new=1": "Bonjour name !",
    "catalogs": "Upload its strings",
    "catalogs?upload=1": "Choose files",
    "catalogs/415": "4 strings",
    "catalogs/412?key=DISHES": "طبقان في سلتك",
    "catalogs/412?with=415": "COURIER",
    "failures": "Reports",
    "failures?domain=NSCocoaErrorDomain&code=3000": "Show all causes",
    "feedback": "Tokens out of use",
    "webhooks": "Webhooks of this app",
    "keys": "console of the demo",
    "audit": "List keys",
    "data": "Delete stale devices",
    "nonsense": "There is no such page.",
}

# A key that sees several apps has a list of them. The key of the demo sees one: the answer of the
# service gets a second one here, before the page reads it.
SECOND_APP = """
(() => {
  const send = window.fetch;
  window.fetch = async (address, options) => {
    const response = await send(address, options);
    if (!/\\/v1\\/apps\\?/.test(address)) return response;
    const page = await response.json();
    page.items.push({ ...page.items[0], app: 'other', name: 'Other app' });
    return Response.json(page);
  };
})();
"""

AXE = """
const done = arguments[0];
axe.run().then(({ violations }) => done(violations.map(({ id, help, nodes }) =>
  `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(' ')}`)));
"""


def axe():
    """The text of axe-core, from the package that brings it."""
    found = importlib.util.find_spec("axe_playwright_python")
    return pathlib.Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8")


class Accessibility(ConsoleTest):
    """axe-core in light, dark and from right to left."""

    def check(self, name):
        """Runs axe-core on what is shown, in each look."""
        console = self.console
        console.script(self.axe + "; window.axe = axe;")
        for theme, direction in LOOKS:
            console.script("""
              const root = document.documentElement;
              root.dataset.theme = arguments[0];
              root.dir = arguments[1];
            """, theme, direction)
            with self.subTest(page=name, theme=theme, direction=direction):
                self.assertEqual(console.driver.execute_async_script(AXE), [])

    @classmethod
    def setUpClass(cls):
        cls.axe = axe()

    def test_pages(self):
        for address, text in PAGES.items():
            self.console.open(address)
            self.console.wait_text(text)
            self.console.settle()
            self.check(address)

    def test_reference(self):
        console = self.console
        console.driver.get(f"{console.base}/docs#operation-render")
        console.wait_heading("Postilion API")
        self.check("reference")

    def test_device(self):
        device = self.api("GET", "/installations?user=u42")["items"][0]
        self.console.open(f"devices/{device['installation_id']}?message=food_ready")
        self.console.wait_text("The language is English")
        self.check("device")
        self.console.open(f"devices/token/{device['credentials']['apns']['token']}")
        self.check("history of a token")

    def test_device_that_is_not_there(self):
        self.expect_status(404)
        self.console.open("devices/00000000-0000-4000-8000-000000000000")
        self.check("device that is not there")

    def test_faults_of_a_message(self):
        self.expect_status(422)
        console = self.console
        console.open("messages/basket")
        console.fill("JSON", '{"alert": {"body": "Hello {name}"}}')
        console.wait_text("is not among the message's parameters", "from before them")
        console.settle()
        self.check("faults of a message")
        console.fill("JSON", '{"alert": {"body": "Hello"}}')
        console.wait_text("No faults.")
        console.settle()
        console.click("Differences to the stored version")
        self.check("differences of a message")

    def test_text_that_depends_on_a_number(self):
        console = self.console
        console.open("messages?new=1")
        console.choose("Body", "text that depends on a number")
        console.click("Cancel")
        self.check("a new message with a plural")
        console.click("Write the texts of the body")
        console.click("Arabic")
        console.click("Store the texts")
        self.check("the texts of a plural")
        console.click("Cancel")

    def test_faults_of_a_catalog(self):
        self.expect_status(422)
        console = self.console
        console.open("catalogs?upload=1&version=faulty")
        console.choose_files("Choose files", console.write_file(
            "Localizable.xcstrings", '{\n  "sourceLanguage": "en"\n  "version": "1.0"\n}'))
        console.click("Upload")
        console.wait_text("The catalog has errors")
        self.check("faults of a catalog")

    def test_language_of_a_file(self):
        console = self.console
        console.open("catalogs?upload=1&version=faulty")
        console.choose_files("Choose files", console.write_file("Menu.strings", '"A" = "a";'))
        console.choose("Language of this file", "Another language")
        self.check("the language of a file")

    def test_result_of_an_import(self):
        console = self.console
        console.open("data")
        console.attach("File", console.write_file(
            "devices.ndjson", json.dumps({"platform": "toaster"}) + "\n"))
        console.click("Try it first")
        console.wait_text("1 rejected")
        self.check("result of an import")

    def test_dialogs(self):
        console = self.console
        console.open("keys")
        console.click("Settings")
        self.check("settings")
        console.click("Close")
        console.click("New key")
        self.check("new key")
        console.click("Cancel")
        console.click("Revoke console of the demo")
        self.check("a question before what cannot be undone")
        console.click("Cancel")

    def test_sign_in(self):
        console = self.console
        console.script("sessionStorage.clear()")
        console.driver.get(f"{console.base}/")
        console.fill("API key", "pst_sender_something" + Keys.ENTER)
        console.wait_text("This is a sender key")
        self.check("sign-in")

    def test_list_of_apps(self):
        console = self.console
        script = console.command("Page.addScriptToEvaluateOnNewDocument", source=SECOND_APP)
        self.addCleanup(lambda: console.command(
            "Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"]))
        console.driver.get(f"{console.base}/#/")
        console.wait_heading("Apps")
        console.find("link", "Other app", False)
        self.check("list of apps")


class Layout(ConsoleTest):
    """Pages stand still, fit a narrow window, and load nothing from elsewhere."""

    def test_pages(self):
        console = self.console
        rows = [("page", "first paint, ms", "layout shift")]
        for address, text in PAGES.items():
            console.open(address)
            console.wait_text(text)
            console.settle()
            with self.subTest(page=address):
                paint, shift = console.script("return [watch.paint, watch.shift]")
                self.assertLess(shift, 0.1, "layout shift")
                origins = console.script("""
                  return [...new Set(performance.getEntriesByType('resource')
                    .map(({ name }) => new URL(name).origin))];
                """)
                self.assertEqual(origins, [console.base])
            rows.append((address, round(paint), f"{shift:.4f}"))
        harness.report("First paint and layout shift", rows)

    def test_narrow_window(self):
        console = self.console
        device = self.api("GET", "/installations?user=u42")["items"][0]["installation_id"]
        console.command("Emulation.setDeviceMetricsOverride", width=420, height=900,
                        deviceScaleFactor=1, mobile=False)
        for address, text in {**PAGES, f"devices/{device}?message=food_ready":
                              "The language is English"}.items():
            console.open(address)
            console.wait_text(text)
            with self.subTest(page=address):
                width, over = console.script("""
                  const width = document.documentElement.clientWidth;
                  return [document.documentElement.scrollWidth - width,
                    [...document.querySelectorAll('body *')].filter((element) =>
                      element.getBoundingClientRect().right > width + 1
                        && !element.closest('.table, .code, pre, nav, .hidden, .skip'))
                      .slice(0, 3).map((element) => element.outerHTML.slice(0, 120))];
                """)
                self.assertLessEqual(width, 0, over)

    def test_head_of_a_phone(self):
        """The name of the app and the way to the reference are read in full on a phone."""
        console = self.console
        console.command("Emulation.setDeviceMetricsOverride", width=390, height=800,
                        deviceScaleFactor=1, mobile=False)
        console.open("keys")
        app, reference = console.find("control", "App"), console.find("link", "API")
        self.assertGreater(app.rect["width"], 100)
        self.assertLess(reference.rect["x"] + reference.rect["width"], 390)

    def test_no_element_hides_the_focus(self):
        """What is reached by the keyboard is in view, not behind the head of the page."""
        console = self.console
        console.open("keys")
        console.press(*[Keys.TAB] * 3)
        for _ in range(5):
            console.chord(Keys.SHIFT, Keys.TAB)
            top, is_in_head = console.script("""
              const element = document.activeElement;
              return [element.getBoundingClientRect().top,
                Boolean(element.closest('header.top, .skip'))];
            """)
            self.assertTrue(is_in_head or top >= 56, console.focused)


if __name__ == "__main__":
    unittest.main()
