"""The tables of docs/localization.md are what the service does."""

import json
import re
import unittest

from stage import App, ROOT, stage

TEXTS = {
    "PLAIN": "Your order is in", "TWO": "%@, your order is ready at %@.",
    "POSITIONS": "Ready at %2$@, %1$@", "NUMBER": "%lld dishes", "PERCENT": "Now 20% off",
    "ONE": "%@ dishes", "DATE": "At %@", "BOTH": "%@ and %@", "SPACE": "Ready at % @",
    "MARKUP": "^[%@ boat](inflect: true)",
}
PLURAL = {"variations": {"plural": {
    name: {"stringUnit": {"state": "translated", "value": value}}
    for name, value in {"one": "%lld dish", "other": "%lld dishes"}.items()}}}
CATALOG = {"sourceLanguage": "en", "version": "1.0", "strings": {
    "PLURAL": {"localizations": {"en": PLURAL, "fr": PLURAL}},
    # It has no `extractionState`.
    "NEW": {"localizations": {"en": {"stringUnit": {"state": "new", "value": "New"}}}},
}}
PARAMETERS = {
    "name": {"type": "string"}, "time": {"type": "string"}, "count": {"type": "integer"},
    "date": {"type": "date"},
}
ARGUMENTS = {"name": "Zoé", "time": "18 h", "count": 2, "date": "2026-05-02T19:32:41Z"}

# First cell of a row → the body of a message that has such a text.
BODIES = {
    "`Your order is in`": {"key": "PLAIN"},
    "`%@, your order is ready at %@.`": {"key": "TWO", "args": ["name", "time"]},
    "`Ready at %2$@, %1$@`": {"key": "POSITIONS", "args": ["name", "time"]},
    "`%lld dishes`, a number": {"key": "NUMBER", "args": ["count"]},
    "`Now 20% off`": {"key": "PERCENT"},
    "`%@ dishes`, with a number": {"key": "ONE", "args": ["count"]},
    "`At %@`, with a date": {"key": "DATE", "args": ["date"]},
    "a plural, or a text by device or width": {"key": "PLURAL", "args": ["count"]},
    "`%@ and %@`, with one argument": {"key": "BOTH", "args": ["name"]},
    "`Ready at % @`": {"key": "SPACE", "args": ["time"]},
    "`^[%@ boat](inflect: true)`": {"key": "MARKUP", "args": ["name"]},
    "one that is empty in the language of the person": {"key": "EMPTY"},
    "one that the language of the person lacks": {"key": "ENGLISH"},
    "one in the state `new`, in the development language": {"key": "NEW"},
    "one in another table than `Localizable`": {"key": "OTHER", "table": "Other"},
    "one of the catalog `server`": {"key": "SERVER", "catalog": "server"},
    "one that the message brings itself": {"text": {"en": "Hello", "fr": "Bonjour"}},
}
# First cell of a row → what is different about the device.
DEVICES = {
    "its build has no catalog": {"app_build": "999"},
    "its app did not declare `loc-key`": {"capabilities": []},
    "its language was set by the backend": {"user": {"id": "overridden"}},
    "its app asked for finished text": {"localization": "server"},
    "its system is not known": {"os_version": None},
}


def table(heading):
    """The rows of the table whose first head cell is this."""
    text = (ROOT / "docs/localization.md").read_text()
    rows = re.search(rf"^\| {re.escape(heading)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)[1]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows.splitlines()]


def words(cell):
    return re.findall("`([^`]+)`", cell)


class LocalizationTests(unittest.TestCase):
    def test_each_language_is_picked_as_the_table_says(self):
        app = App(stage(), "languages")
        rows = table("`languages` of the device")
        self.assertGreater(len(rows), 10)
        for preferred, available, text_in, _ in rows:
            with self.subTest(preferred=preferred, available=available):
                app.upload("412", {
                    f"{language}.lproj/Localizable.strings": f'"KEY" = "in {language}";'
                    for language in words(available)})
                app.register("phone", languages=words(preferred))
                answer = app.call("POST", "/render", {
                    "message": {"alert": {"body": {"key": "KEY"}}}, "localization": "server",
                    "to": {"installation": app.identity("phone")}})
                [expected] = words(text_in)
                self.assertEqual(answer["language"], expected)
                self.assertEqual(answer["payload"]["aps"]["alert"]["body"], f"in {expected}")

    def test_keys_are_sent_where_the_table_says(self):
        app = self.app_of_texts("keys")
        app.register("phone", languages=["fr-CA"], capabilities=["loc-key"])
        app.register("english phone", languages=["en"], capabilities=["loc-key"])
        rows = table("text of the app")
        self.assertEqual({row[0] for row in rows}, set(BODIES))
        for text, keys, code, _ in rows:
            with self.subTest(text=text):
                device = "english phone" if "development language" in text else "phone"
                answer = self.render(app, device, BODIES[text])
                self.assertEqual([answer["explain"]["mode"]], words(code))
                self.assertEqual(answer["mode"], {"yes": "client", "no": "server"}[keys])
                alert = answer["payload"]["aps"]["alert"]
                self.assertEqual("loc-key" in alert, keys == "yes")

    def test_obstacles_are_looked_for_in_the_order_of_the_table(self):
        app = self.app_of_texts("obstacles")
        app.register("phone", languages=["fr-CA"], capabilities=["loc-key"])
        answer = self.render(app, "phone", {"key": "PLAIN"})
        self.assertEqual(answer["explain"]["mode"], "client_possible")
        self.assertEqual(
            [test["test"] for test in answer["explain"]["tests"]],
            [word for row in table("obstacle") for word in words(row[0])])

    def test_keys_are_not_sent_to_the_devices_of_the_table(self):
        app = self.app_of_texts("devices")
        app.call("PUT", "/users/overridden/language", {"language": "en"})
        rows = table("device")
        self.assertEqual({row[0] for row in rows}, set(DEVICES))
        for device, code, _ in rows:
            with self.subTest(device=device):
                app.register(device, **{
                    "languages": ["fr-CA"], "capabilities": ["loc-key"], **DEVICES[device]})
                answer = self.render(app, device, {"key": "PLAIN"})
                self.assertEqual([answer["explain"]["mode"]], words(code))
                self.assertEqual(answer["mode"], "server")

    @staticmethod
    def app_of_texts(name):
        app = App(stage(), f"localization-{name}")
        strings = "".join(f"{json.dumps(key)} = {json.dumps(text)};\n"
                          for key, text in TEXTS.items())
        app.upload("412", {
            "en.lproj/Localizable.strings":
                strings + '"ENGLISH" = "Only here";\n"EMPTY" = "Not here";\n',
            "fr.lproj/Localizable.strings": strings + '"EMPTY" = "";\n',
            "fr.lproj/Other.strings": '"OTHER" = "Ailleurs";\n',
            "Localizable.xcstrings": json.dumps(CATALOG)})
        app.upload("server", {"fr.lproj/Localizable.strings": '"SERVER" = "Du serveur";\n'})
        return app

    @staticmethod
    def render(app, device, body):
        used = body.get("args", [])
        return app.call("POST", "/render", {
            "message": {"alert": {"body": body},
                        "parameters": {name: PARAMETERS[name] for name in used}},
            "arguments": {name: ARGUMENTS[name] for name in used}, "explain": True,
            "to": {"installation": app.identity(device)}})


if __name__ == "__main__":
    unittest.main()
