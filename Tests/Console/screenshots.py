"""Pictures of the console's pages: `python Tests/Console/screenshots.py DIRECTORY`.

Each page in light and in dark, some from right to left, 1280 pixels wide; each on a phone, 390
pixels wide. A picture is as high as its page.
"""

import pathlib
import sys

import console as harness

# The pictures by name: the address, and a text that shows that the page is complete.
PAGES = {
    "overview": ("overview", "Counted"),
    "devices": ("devices", "50 devices so far"),
    "person": ("devices?user=u42", "Language on all devices"),
    "device": ("devices/{device}?message=food_ready", "The language is English"),
    "token": ("devices/token/{token}", "A token came"),
    "messages": ("messages", "lunch_offer"),
    "message": ("messages/food_ready", "ご注文の準備ができました"),
    "message-arabic-counts": ("messages/basket?counts=ar", "count = 1,000,000"),
    "message-japanese": ("messages/food_ready?find=ja&expanded=1", "ご注文の準備ができました"),
    "message-new": ("messages?new=1", "Bonjour name !"),
    "catalogs": ("catalogs", "Upload its strings"),
    "catalog-upload": ("catalogs?upload=1", "Choose files"),
    "catalog": ("catalogs/415", "4 strings"),
    "catalog-key": ("catalogs/412?key=COURIER", "Builds that have the key"),
    "catalog-comparison": ("catalogs/412?with=415", "COURIER"),
    "failures": ("failures", "Reports"),
    "failures-cause": ("failures?domain=NSCocoaErrorDomain&code=3000", "Show all causes"),
    "feedback": ("feedback", "Tokens out of use"),
    "webhooks": ("webhooks", "Webhooks of this app"),
    "keys": ("keys", "console of the demo"),
    "audit": ("audit", "List keys"),
    "data": ("data", "Delete stale devices"),
}
FROM_RIGHT_TO_LEFT = ("overview", "devices", "device", "message", "catalog", "failures")

WIDTH = 1280
PHONE = 390
HEIGHTS = (700, 2000)


def picture(console, path, address, text, theme, direction="ltr", width=WIDTH):
    """Opens a page and saves a picture of it."""
    console.reset()
    console.script("""
      localStorage.setItem('postilion.theme', arguments[0]);
      localStorage.setItem('postilion.direction', arguments[1]);
    """, theme, direction)
    window(console, HEIGHTS[0], width)
    console.open(address)
    console.wait_text(text)
    console.settle()
    height = console.script("return document.documentElement.scrollHeight")
    window(console, min(max(height, HEIGHTS[0]), HEIGHTS[1]), width)
    console.settle()
    console.driver.save_screenshot(str(path))
    print(path)


def window(console, height, width=WIDTH):
    """Makes the window of the browser so high and so wide."""
    console.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                    deviceScaleFactor=1, mobile=False)


def sign_in_picture(console, path, theme):
    """Saves a picture of the page of somebody who is not signed in."""
    console.reset()
    console.script("""
      localStorage.setItem('postilion.theme', arguments[0]);
      sessionStorage.clear();
    """, theme)
    window(console, HEIGHTS[0])
    console.driver.get(f"{console.base}/")
    console.wait_text("Sign in with an admin key")
    console.driver.save_screenshot(str(path))
    print(path)


def main():
    """Makes all pictures."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    console = harness.started()
    device = console.api("GET", "/installations?user=u42")["items"][0]
    parts = {"device": device["installation_id"],
             "token": device["credentials"]["apns"]["token"]}
    for theme in ("light", "dark"):
        sign_in_picture(console, folder / f"sign-in-{theme}.png", theme)
        for name, (address, text) in PAGES.items():
            picture(console, folder / f"{name}-{theme}.png", address.format(**parts), text, theme)
    for name, (address, text) in PAGES.items():
        picture(console, folder / f"{name}-phone.png", address.format(**parts), text, "light",
                width=PHONE)
    for name in FROM_RIGHT_TO_LEFT:
        address, text = PAGES[name]
        picture(console, folder / f"{name}-rtl.png", address.format(**parts), text, "light", "rtl")


if __name__ == "__main__":
    main()
