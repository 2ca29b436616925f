"""What a reader cannot read on the page that is open; `legible.js` looks for it."""

from pathlib import Path

from playwright.sync_api import Page

LEAST_CONTRAST = 4.5
LEGIBLE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def unreadable(page: Page) -> list[str]:
    """Text that is cut, lies on other text, or is too pale for its ground; a sentence each."""
    found: list[str] = page.evaluate(
        f"least => {{ const {{ cutText, cutFields, cutCharts, pale }} = {LEGIBLE};"
        " return [...cutText(), ...cutFields(), ...cutCharts(), ...pale(least)]; }",
        LEAST_CONTRAST,
    )
    return found
