"""The steps that the other tests are made of, on a page that is drawn anew all the time."""

import unittest

from console import ConsoleTest

# Draws its elements anew, first after 10 ms, then with ever longer pauses: a step is interrupted
# many times, and comes through on any machine. `seen` tells what was done.
RESTLESS = """
clearTimeout(window.drawing);
window.seen = { presses: 0, text: '', choice: '' };
const draw = (pause) => {
  const main = document.querySelector('main');
  main.innerHTML = `<h1>Restless</h1><section aria-label="Inner"><button>Press me</button></section>
    <input aria-label="Text"><select aria-label="Choice"><option>one<option>two</select>
    <table><tbody><tr><td>a row</table>`;
  main.querySelector('button').onclick = () => { seen.presses += 1; };
  main.querySelector('input').oninput = ({ target }) => { seen.text = target.value; };
  main.querySelector('select').onchange = ({ target }) => { seen.choice = target.value; };
  window.drawing = setTimeout(draw, pause, pause * 1.1);
};
draw(10);
"""


class Steps(ConsoleTest):
    """To find an element and to use it is one step."""

    def seen(self, step):
        """What was done on the restless page by a step."""
        self.console.script(RESTLESS)
        step()
        return self.console.script("return seen")

    def setUp(self):
        super().setUp()
        self.console.open("keys")

    def test_press(self):
        for within in (None, ("region", "Inner")) * 5:
            seen = self.seen(lambda: self.console.click("Press me", within=within))
            self.assertEqual(seen["presses"], 1)

    def test_write(self):
        for text in ("a", "bc") * 5:
            self.assertEqual(self.seen(lambda: self.console.fill("Text", text))["text"], text)

    def test_choose(self):
        for option in ("two", "one") * 5:
            seen = self.seen(lambda: self.console.choose("Choice", option))
            self.assertEqual(seen["choice"], option)

    def test_read(self):
        for _ in range(10):
            self.console.script(RESTLESS)
            self.assertEqual(self.console.row("row"), "a row")
            self.assertEqual(self.console.value("Text"), "")
            self.assertTrue(self.console.can_press("Press me"))
            self.assertFalse(self.console.has_focus("button", "Press me"))


if __name__ == "__main__":
    unittest.main()
