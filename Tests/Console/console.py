"""The console in a browser, for its tests: a demo of the service, Chromium, and how to find things.

Environment:

- `POSTILION_PROGRAM`: the program that serves the demo. `.build/debug/postilion` unless set.
- `CONSOLE_URL`: test a console that already runs, at this address with its key, as
  `postilion demo` prints it (`http://…/#key=…`). The tests change what it serves.
"""

import atexit
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
import zipfile

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, NoSuchElementException,
    StaleElementReferenceException)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Seconds. Nothing is expected to be fast; this only ends a run that would never end.
DEADLINE = 60

# What happens to an element that the page draws anew while a test uses it, or that something else
# still covers. A step that meets one is tried again from the search of its element on.
PASSING = (ElementClickInterceptedException, ElementNotInteractableException,
           NoSuchElementException, StaleElementReferenceException)

# The app of the demo.
APP = "food"


# MARK: The service


class Program:
    """The demo of the service, as a process of its own."""

    def __init__(self):
        program = os.environ.get("POSTILION_PROGRAM", str(ROOT / ".build/debug/postilion"))
        self.process = subprocess.Popen(
            [program, "demo", "--listen", "127.0.0.1:0"],
            env={**os.environ, "POSTILION_DATABASE_TIMEOUT_SECONDS": "60"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def address(self):
        """The address of the console, with its key."""
        said = []
        deadline = time.monotonic() + 5 * DEADLINE
        while True:
            try:
                line = self.lines.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                raise RuntimeError("The demo did not start:\n" + "".join(said))
            said.append(line)
            if found := re.search(r"http://\S+/#key=\S+", line):
                return found[0]

    def stop(self):
        """Ends the demo, which removes its database."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class API:
    """The service's own API, for what a test needs beforehand and for what it asserts."""

    def __init__(self, base, key):
        self.base, self.key = base, key
        self.keys = {}

    def send(self, method, path, body=None, *, key=None, kind="application/json", headers=None):
        """Sends a request and gives the `http.client.HTTPResponse`, read into `response.body`."""
        if body is not None and not isinstance(body, bytes):
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        request = urllib.request.Request(
            f"{self.base}/v1/apps/{APP}{path}", body, method=method, headers={
                "Authorization": f"Bearer {key or self.key}",
                **({"Content-Type": kind} if body is not None else {}), **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE) as response:
                response.body = response.read()
                return response
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            raise AssertionError(f"{method} {path}: {error.code} {text}") from error

    def __call__(self, method, path, body=None, **more):
        """Sends a request and gives the answer, read as JSON."""
        text = self.send(method, path, body, **more).body
        return json.loads(text) if text else None

    def make_key(self, kind, label):
        """A new key: its record with the key itself."""
        return self("POST", "/keys", {"kind": kind, "label": label})

    def key_of(self, kind):
        """A key of a kind, made once."""
        if kind not in self.keys:
            self.keys[kind] = self.make_key(kind, f"tests of the console ({kind})")["key"]
        return self.keys[kind]

    def add_devices(self, records):
        """Adds devices; gives their ids."""
        lines = "".join(json.dumps({**DEVICE, **record}) + "\n" for record in records)
        answer = self("POST", "/installations/import", lines, kind="application/x-ndjson")
        assert answer["rejected"] == 0, answer
        return [record["installation_id"] for record in records]

    def upload(self, version, files):
        """Stores a catalog from texts by path."""
        line = "a-line-of-no-file"
        parts = "".join(
            f'--{line}\r\nContent-Disposition: form-data; name="file"; filename="{path}"\r\n\r\n'
            f"{text}\r\n" for path, text in files.items())
        return self("PUT", f"/catalogs/{version}", parts + f"--{line}--\r\n",
                    kind=f"multipart/form-data; boundary={line}")

    def open_breaker(self, environment):
        """Reports a burst of refused tokens, so that the breaker of an environment opens."""
        page = self("GET", f"/installations?environment={environment}&status=active&limit=40")
        results = [
            {"token": item["credentials"]["apns"]["token"], "status": 400,
             "reason": "BadDeviceToken", "environment": environment} for item in page["items"]]
        self("POST", "/feedback", {"results": results}, key=self.key_of("sender"))
        assert self.breaker(environment)["state"] == "open", self.breaker(environment)

    def breaker(self, environment):
        """The breaker of an environment."""
        items = self("GET", "/feedback/breakers")["items"]
        return next((item for item in items if item["environment"] == environment), None)


# What devices of the tests have in common.
DEVICE = {
    "platform": "ios", "environment": "production", "languages": ["fr-FR"],
    "app_version": "3.2.0", "app_build": "412", "os_version": "26.1",
    "device_model": "iPhone17,1", "capabilities": ["loc-key"],
    "authorization": {"status": "authorized"}, "background_refresh": "available",
}


# MARK: The browser

# Counts requests under way, adds up layout shifts, and remembers the first paint, file choosers and
# whether something was pressed.
WATCH = """
(() => {
  const watch = window.watch = { pending: 0, shift: 0, paint: undefined, chooser: undefined };
  const send = window.fetch;
  window.fetch = (...values) => {
    watch.pending += 1;
    return send(...values).finally(() => { watch.pending -= 1; });
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) watch.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) {
      if (name === 'first-paint') watch.paint = startTime;
    }
  }).observe({ type: 'paint', buffered: true });
  addEventListener('click', ({ target }) => {
    if (target.matches?.('input[type=file]')) watch.chooser = target;
    if (target.closest?.('button, summary, a[href]')) watch.isPressed = true;
  }, true);
})();
"""

# Elements by what a person sees or hears: role and name. An open dialog is all that counts.
FIND = r"""
const [role, name, isExact, within] = arguments;
const roles = {
  button: 'button, summary', link: 'a[href]', press: 'button, summary, a[href]',
  control: 'input, select, textarea', heading: 'h1, h2, h3', dialog: 'dialog[open]',
  region: 'section, fieldset, [role=group]', row: 'tbody tr', item: 'li',
  status: '[role=status], [role=alert], .toast',
};
const plain = (text) => text.replace(/\s+/g, ' ').trim();
const labelled = (element) => (element.getAttribute('aria-labelledby') ?? '').split(' ')
  .filter(Boolean).map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
const nameOf = (element) => plain(labelled(element) || element.getAttribute('aria-label')
  || [...element.labels ?? []].map((label) => label.textContent).join(' ')
  || (element.matches('input, select, textarea')
    ? element.placeholder ?? '' : element.textContent));
const isShown = (element) => element.getClientRects().length > 0
  && getComputedStyle(element).visibility !== 'hidden';
const root = within ?? [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
const found = [...(role === 'dialog' ? document : root).querySelectorAll(roles[role])]
  .filter(isShown);
const wanted = plain(name);
return found.filter((element) =>
  isExact ? nameOf(element) === wanted : nameOf(element).includes(wanted));
"""

SETTLED = """
const done = arguments[0];
const isQuiet = () => watch.pending === 0 && !document.querySelector('[aria-busy=true]')
  && Boolean(document.querySelector('main h1'));
if (!isQuiet()) done(false);
else requestAnimationFrame(() => requestAnimationFrame(() => done(isQuiet())));
"""


def program(*names):
    """The first of some programs that is installed."""
    for name in names:
        if path := shutil.which(name):
            return path
    raise RuntimeError(f"None of these is installed: {', '.join(names)}")


class Console:
    """The console, in one browser for all tests."""

    def __init__(self):
        self.program = None
        address = os.environ.get("CONSOLE_URL")
        if not address:
            self.program = Program()
            address = self.program.address()
        self.base, self.key = address.split("/#key=")
        self.api = API(self.base, self.key)
        self.folder = tempfile.TemporaryDirectory(prefix="postilion-console-")
        self.downloads = pathlib.Path(self.folder.name, "downloads")
        self.downloads.mkdir()
        options = Options()
        options.binary_location = program("chromium", "chromium-browser", "google-chrome")
        for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "lang=en",
                         "window-size=1280,1000", "force-device-scale-factor=1"):
            options.add_argument(f"--{argument}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(
            options=options, service=Service(program("chromedriver", "chromium-chromedriver")))
        # axe-core reads every element of the reference of the API.
        self.driver.set_script_timeout(10 * DEADLINE)
        self.driver.command_executor.client_config.timeout = 11 * DEADLINE
        self.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.command("Page.setInterceptFileChooserDialog", enabled=True)
        self.command("Browser.setDownloadBehavior", behavior="allow",
                     downloadPath=str(self.downloads))

    def stop(self):
        """Ends the browser and the demo."""
        self.driver.quit()
        if self.program:
            self.program.stop()
        self.folder.cleanup()

    def command(self, name, **parameters):
        """A command of Chromium's own protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def script(self, text, *values):
        """Runs JavaScript in the page."""
        return self.driver.execute_script(text, *values)

    # MARK: Waiting

    def wait(self, condition, what):
        """Waits until a condition holds, and gives its value.

        A condition may find an element and use it: it is asked again when the element has gone.
        """
        deadline = time.monotonic() + DEADLINE
        while True:
            fault = None
            try:
                if value := condition():
                    return value
            except PASSING as error:
                fault = error
            if time.monotonic() > deadline:
                raise AssertionError(f"Not within {DEADLINE} s: {what}. Address: {self.hash}. "
                                     f"The page shows:\n{self.text[:3000]}") from fault
            time.sleep(0.03)

    def settle(self):
        """Waits until the page is drawn and no request is under way."""
        self.wait(lambda: self.driver.execute_async_script(SETTLED), "the page is drawn")

    def wait_text(self, *texts):
        """Waits until the page shows some texts."""
        for text in texts:
            self.wait(lambda: text in self.text, f"the text “{text}”")

    def wait_no_text(self, text):
        """Waits until the page does not show a text."""
        self.wait(lambda: text not in self.text, f"the text “{text}” is gone")

    def wait_heading(self, text):
        """Waits until the page has a title, and is drawn."""
        self.wait(lambda: self.title == text, f"the title “{text}”, instead of “{self.title}”")
        self.settle()

    def wait_toast(self, text):
        """Waits until something is said at the foot of the page."""
        self.wait(lambda: self.all("status", text, False), f"the remark “{text}”")

    # MARK: What the page shows

    @property
    def text(self):
        """The visible text of the page."""
        return self.script("return document.body.innerText")

    @property
    def title(self):
        """The title of the page."""
        return self.script("return document.querySelector('main h1')?.innerText ?? ''")

    @property
    def hash(self):
        """What stands behind the number sign in the address."""
        return self.script("return decodeURIComponent(location.hash)")

    def all(self, role, name, is_exact=True, within=None):
        """The visible elements of a role with a name.

        `within` is the role and the name of the element that they are in.
        """
        if within is None:
            return self.script(FIND, role, name, is_exact, None)
        return [element for outer in self.all(*within)[:1]
                for element in self.script(FIND, role, name, is_exact, outer)]

    def use(self, action, role, name, is_exact=True, within=None):
        """Finds the first visible element of a role with a name, and does something with it.

        Both are one step: when the page draws the element anew in between, both are tried again.
        """
        return self.wait(
            lambda: [action(element) for element in self.all(role, name, is_exact, within)[:1]],
            f"the {role} “{name}”")[0]

    def find(self, role, name, is_exact=True, within=None):
        """Waits for the first visible element of a role with a name."""
        return self.use(lambda element: element, role, name, is_exact, within)

    def text_of(self, role, name, is_exact=True, within=None):
        """The visible text of an element."""
        return self.use(lambda element: element.text, role, name, is_exact, within)

    def row(self, text):
        """The text of the row of a table that has some text."""
        return self.text_of("row", text, False)

    def value(self, label):
        """What is in the input with a label."""
        return self.use(lambda element: element.get_attribute("value"), "control", label)

    def can_press(self, name):
        """Whether a button can be pressed."""
        return self.use(lambda element: element.is_enabled(), "button", name)

    def has_focus(self, role, name, is_exact=True, within=None):
        """Whether an element has the focus."""
        return self.use(
            lambda element: self.script("return document.activeElement === arguments[0]", element),
            role, name, is_exact, within)

    def errors(self):
        """The errors that the browser has logged since the last call.

        Only the empty page between the tests makes the browser ask for `favicon.ico`.
        """
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "/favicon.ico" not in entry["message"]]

    # MARK: What a person does

    def reset(self, key=None):
        """Leaves the page; signs in, with the look of a new visitor, for the next one."""
        self.driver.get(f"{self.base}/console/icon.svg")
        self.script("""
          localStorage.clear(); sessionStorage.clear();
          sessionStorage.setItem('postilion.key', arguments[0]);
        """, key or self.key)
        self.command("Emulation.clearDeviceMetricsOverride")

    def open(self, address):
        """Loads a page of the app, such as `devices`, and waits until it is drawn."""
        self.driver.get(f"{self.base}/console/icon.svg")
        self.driver.get(f"{self.base}/#/{APP}/{address}")
        self.settle()

    def reload(self):
        """Loads the present page again, and waits until it is drawn."""
        self.driver.refresh()
        self.settle()

    def click(self, name, is_exact=True, within=None):
        """Clicks a button or a link once it can be pressed."""
        def press(element):
            if not element.is_enabled():
                raise ElementNotInteractableException(f"“{name}” cannot be pressed yet")
            self.script("""
              arguments[0].scrollIntoView({ block: 'center' });
              watch.isPressed = false;
            """, element)
            element.click()
            # A page that the click has loaded knows nothing of it.
            if self.script("return watch.isPressed === false"):
                raise StaleElementReferenceException(f"“{name}” was drawn anew between the two "
                                                     "halves of a click, so it got none")
        self.use(press, "press", name, is_exact, within)

    def fill(self, label, text):
        """Writes into an input, in the place of what is there; Enter or Tab may be the last key."""
        words = text.rstrip(Keys.ENTER + Keys.TAB)

        def write(element):
            element.send_keys(Keys.CONTROL, "a")
            element.send_keys(Keys.BACKSPACE)
            element.send_keys(words)
            if element.get_attribute("value") != words:
                raise StaleElementReferenceException(f"“{label}” was drawn anew beneath the keys")
            if words != text:
                element.send_keys(text[len(words):])
        self.use(write, "control", label)

    def attach(self, label, path):
        """Gives a file to the input with a label."""
        self.use(lambda element: element.send_keys(str(path)), "control", label)

    def choose(self, label, option):
        """Chooses by the text of an option, with both events of a browser; the driver makes one."""
        self.wait(lambda: any(self.script("""
          const [select, text] = arguments;
          const option = [...select.options].find((option) => option.text.trim() === text);
          if (!option) return false;
          select.focus();
          select.value = option.value;
          for (const type of ['input', 'change']) {
            select.dispatchEvent(new Event(type, { bubbles: true }));
          }
          return true;
        """, select, option) for select in self.all("control", label)[:1]),
            f"the option “{option}” of “{label}”")

    def press(self, *keys):
        """Presses keys, one after the other, wherever the focus is."""
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def chord(self, modifier, key):
        """Presses a key together with another one."""
        ActionChains(self.driver, duration=0).key_down(modifier).send_keys(key).key_up(
            modifier).perform()

    @property
    def focused(self):
        """The text of the element with the focus."""
        return self.script("return document.activeElement.innerText")

    def write_file(self, name, text):
        """A file for an upload: its path."""
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text, encoding="utf-8")
        return path

    def write_archive(self, name, files):
        """A zip archive of texts by path, for an upload: its path."""
        path = pathlib.Path(self.folder.name, name)
        with zipfile.ZipFile(path, "w") as archive:
            for file, text in files.items():
                archive.writestr(file, text)
        return path

    def choose_files(self, button, *paths):
        """Chooses files by the button that asks for them, as the dialog of the system would."""
        self.script("watch.chooser = undefined")
        self.click(button)
        self.give_files(*paths)

    def give_files(self, *paths):
        """Gives files to the input that has asked for them."""
        def give():
            chooser = self.script("return watch.chooser")
            if chooser:
                chooser.send_keys("\n".join(map(str, paths)))
            return chooser
        self.wait(give, "a choice of files")

    def saved(self, name, action):
        """Does something that saves a file, and gives the text of the file."""
        path = self.downloads / name
        path.unlink(missing_ok=True)
        action()
        self.wait(path.exists, f"the file {name}")
        return path.read_text(encoding="utf-8")


# MARK: The run

_console = None
_result = None
_tables = []


def started():
    """The console, which starts with the first test."""
    global _console
    if _console is None:
        _console = Console()
    return _console


def report(title, rows):
    """Adds a table to the end of the run; the first row has the names of the columns."""
    _tables.append((title, [[str(cell) for cell in row] for row in rows]))


class ConsoleTest(unittest.TestCase):
    """A test of the console. Errors in the browser's log fail it."""

    def run(self, result=None):
        """Remembers the result, which is told at the end."""
        global _result
        _result = result
        return super().run(result)

    def setUp(self):
        """Begins on an empty page, signed in."""
        self.console = started()
        self.api = self.console.api
        self.expected = []
        self.console.reset()
        self.console.errors()

    def expect_status(self, *statuses):
        """Names answers that this test provokes: the browser logs each as an error."""
        self.expected += [f"status of {status}" for status in statuses]

    def tearDown(self):
        """Looks into the browser's log."""
        errors = [error for error in self.console.errors()
                  if not any(words in error for words in self.expected)]
        self.assertEqual(errors, [], "errors in the browser's log")


def _finish():
    """Stops what was started; prints the tables, and how many tests passed as the last line."""
    if _console is not None:
        _console.stop()
    for title, rows in _tables:
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        print(f"\n{title}")
        for row in rows:
            cells = [cell.ljust(width) if index == 0 else cell.rjust(width)
                     for index, (cell, width) in enumerate(zip(row, widths))]
            print("  " + "  ".join(cells))
    if _result is not None:
        faults = [getattr(test, "test_case", test) for test, _ in _result.failures + _result.errors]
        failed = len({fault.id() for fault in faults} | {
            test.id() for test in _result.unexpectedSuccesses})
        ran = len({fault.id() for fault in faults if isinstance(fault, unittest.TestCase)})
        print(f"\n{_result.testsRun - ran - len(_result.skipped)} passed, {failed} failed")
    sys.stdout.flush()


atexit.register(_finish)
