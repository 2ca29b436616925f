"""What a reader cannot read on the page that is open; `legible.js` looks for it."""

from pathlib import Path

from playwright.sync_api import Page

from tests.browser.driver import UNMOVED

LEAST_CONTRAST = 4.5
LEGIBLE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


# All stands where it stays; a part that is just drawn anew is looked at a moment later.
READY = f"""() => ({UNMOVED})()
  && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]')"""


def unreadable(page: Page) -> list[str]:
    """Text that is cut, lies on other text, or is too pale for its ground; a sentence each.

    The page is asked whether it stands still and looked at in one go: nothing moves in between.
    """
    look = page.wait_for_function(
        f"""least => {{
          if (!({READY})()) return null;
          const {{ cutText, cutFields, cutCharts, pale }} = {LEGIBLE};
          return {{ faults: [...cutText(), ...cutFields(), ...cutCharts(), ...pale(least)] }};
        }}""",
        arg=LEAST_CONTRAST,
        polling=50,
    )
    faults: list[str] = look.json_value()["faults"]
    return faults
