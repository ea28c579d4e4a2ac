"""How people write a message without knowing its JSON: keys with texts, plurals, parameters."""

import unittest

from console import ConsoleTest, Keys
from test_actions import unique


class Writing(ConsoleTest):
    """The form of a message."""

    def setUp(self):
        super().setUp()
        # The preview is asked while something is typed, too.
        self.expect_status(422)
        self.name = unique("written")
        self.addCleanup(self.remove)
        self.console.open("messages?new=1")
        self.console.fill("Name", self.name)

    def remove(self):
        """Removes what a test has stored."""
        for path in ("/messages", "/catalogs"):
            for item in self.api("GET", f"{path}?limit=1000")["items"]:
                name = item.get("name") or item["version"]
                if name in (self.name, "server"):
                    self.api("DELETE", f"{path}/{name}")

    def save(self):
        """Saves the message, and gives it as the service has it."""
        self.console.click("Save")
        self.console.wait_heading(self.name)
        return self.api("GET", f"/messages/{self.name}")["message"]

    def test_keys_come_with_their_texts(self):
        console = self.console
        console.choose("Body", "key of the app’s strings")
        offered = console.wait(lambda: console.script(
            "return [...document.querySelectorAll('#keys option')].map((one) => one.label)"),
            "the keys")
        self.assertIn("Your order is ready", offered)
        console.fill("Key of the body", "READY_BODY")
        console.wait_text("“…, your order from … is ready.”")
        console.fill("Arguments, in their order of the body", "name")
        console.wait_text("“{name}, your order from … is ready.”")
        console.fill("Key of the body", "NO_SUCH_KEY")
        console.wait_text("The newest build has no text for this key.")

    def test_key_of_another_table_brings_its_table(self):
        self.api.upload("server", {"en.lproj/Offers.strings": '"LUNCH" = "Lunch is ready";'})
        console = self.console
        console.reload()
        console.fill("Name", self.name)
        console.choose("Body", "key of the app’s strings")
        console.wait(lambda: "Lunch is ready" in console.script(
            "return [...document.querySelectorAll('#keys option')].map((one) => one.label)"),
            "the key of the other table")
        console.fill("Key of the body", "LUNCH")
        console.wait_text("“Lunch is ready”")
        self.assertEqual(self.save()["alert"]["body"], {"key": "LUNCH", "table": "Offers"})

    def test_text_that_depends_on_a_number(self):
        console = self.console
        key = unique("LEFT")
        console.choose("Body", "text that depends on a number")
        console.fill("Key", key)
        console.fill("For 1 in English", "100% gone soon: one dish")
        console.click("Store the texts")
        console.wait_text("Write the text “For 0, 2, 3 and so on” in English, too.")
        console.fill("For 0, 2, 3 and so on in English", "Dishes, {nmae}")
        console.click("Store the texts")
        console.wait_text("The message has no parameter nmae.")
        console.fill("For 0, 2, 3 and so on in English", "{count} dishes, {name}")
        console.click("Arabic")
        console.fill("For 2 in Arabic", "طبقان")
        console.fill("For 100, 101, 102 and so on in Arabic", "{count} طبق")
        console.click("Store the texts")
        console.wait_text("count (whole number)")
        console.click("count: 1")
        console.wait_text("100% gone soon: one dish")
        console.click("count: 2")
        console.wait_text("2 dishes, name", "طبقان")
        self.assertEqual(self.save()["alert"]["body"], {
            "key": key, "args": ["count", "name"], "table": key, "catalog": "server"})
        console.click("Change the texts of the body")
        self.assertEqual(console.value("For 0, 2, 3 and so on in English"),
                         "{count} dishes, {name}")
        console.fill("For 1 in English", "The last dish")
        console.click("Store the texts")
        console.wait(lambda: not console.all("dialog", ""), "the end of the dialog")
        console.click("count: 1")
        console.wait_text("The last dish")

    def test_texts_of_two_messages_do_not_meet(self):
        self.api.upload("server", {"TAKEN.xcstrings": '{"sourceLanguage": "en", "version": "1.0",'
                                   '"strings": {"TAKEN": {"localizations": {}}}}'})
        console = self.console
        console.choose("Body", "text that depends on a number")
        console.fill("Key", "TAKEN")
        console.fill("For 0, 2, 3 and so on in English", "{count} dishes")
        console.click("Store the texts")
        console.wait_text("There is a text TAKEN already.")

    def test_renamed_parameter_keeps_what_was_typed(self):
        console = self.console
        console.fill("Value if none is given of name", "Zoé")
        console.fill("Text of the body in en", "Hello!")
        console.fill("Text of the body in fr", "Bonjour !")
        console.fill("Name of a parameter", "person" + Keys.TAB)
        console.wait(lambda: console.all("control", "Value if none is given of person"), "the name")
        self.assertEqual(console.value("Value if none is given of person"), "Zoé")
        self.assertEqual(self.save()["parameters"],
                         {"person": {"type": "string", "default": "Zoé"}})

    def test_long_names_of_parameters_are_read_in_full(self):
        console = self.console
        console.fill("Name of a parameter", "name_of_the_restaurant_that_cooks" + Keys.TAB)
        for width in (1280, 390):
            console.command("Emulation.setDeviceMetricsOverride", width=width, height=900,
                            deviceScaleFactor=1, mobile=False)
            console.settle()
            [element] = console.all("control", "Name of a parameter")
            self.assertTrue(console.script(
                "return arguments[0].scrollWidth <= arguments[0].clientWidth", element), width)

    def test_state_of_a_live_activity(self):
        console = self.console
        console.fill("JSON", '{"live_activity": {"event": "update", "type": "Delivery", '
                     '"content_state": {"step": {"key": "READY_TITLE"}}, '
                     '"alert": {"title": "Soon", "body": "There"}}}')
        console.wait_text("The Live Activity gets:", "Votre commande est prête",
                          "The state of the Live Activity is in the JSON below.")
        console.fill("Text of the body", "Here")
        console.wait(lambda: '"body": "Here"' in console.value("JSON"), "the text in the JSON")

    def test_languages(self):
        console = self.console
        for words, shown, hidden in (
                ("Japan, Egypt", ("Japanese (Japan)", "Arabic (Egypt)"), "French"),
                ("French, ar", ("French", "Arabic"), "Japanese"),
                ("ar-EG", ("Arabic (Egypt)",), "French"),
                ("Arabic (Egypt)", ("Arabic (Egypt)",), "French"),
                ("fr, xyz", ("No language matches “xyz”. The app has texts in Arabic, ", "Bonjour"),
                 "“fr”")):
            console.fill("Languages", words)
            console.settle()
            console.wait_text(*shown)
            console.wait_no_text(hidden)


class Words(ConsoleTest):
    """What the service says is shown in words of people."""

    def test_code_between_backticks(self):
        self.expect_status(422)
        console = self.console
        console.open("messages?new=1")
        console.fill("JSON", '{"alert": {"body": {"txt": "Hello"}}}')
        console.wait_text("A text has a key, or a text per language.")
        self.assertNotIn("`", console.text)


if __name__ == "__main__":
    unittest.main()
