"""Every view of the studio: its pages, their sections and views, at any width."""

from dataclasses import dataclass
from pathlib import PurePath

from playwright.sync_api import Page

from pages.common.explore.views import VIEWS
from pages.common.frame.navigation import PAGES
from tests.browser.driver import a_run, still, visit

SECTIONS = ("import", "suggest", "history", "fixed", "pool")
TYPED = "from=typed&typed=How+do+I+reset+my+password%3F&answers=By+mail&incorrect=Never"
BAR = 30
"""What a window may be taller than what it shows, pixels."""


@dataclass(frozen=True)
class View:
    """What is opened by an address, then by pressing a button."""

    name: str
    address: str
    button: str = ""


def views() -> list[View]:
    """All of them; a page that is added is among them by itself."""
    found = []
    for path, *_ in PAGES:
        name = PurePath(path).stem
        found.append(View(name, name))
        if name == "demonstrations":
            found += [View(f"{name}-{each}", f"{name}?section={each}") for each in SECTIONS]
            found.append(View(f"{name}-own-answers", f"{name}?section=suggest&source=own"))
        if name == "review":
            begin = "Read what nobody has reviewed"
            found.append(View(f"{name}-reading", name, button=begin))
            found.append(View(f"{name}-coverage", f"{name}?part=coverage"))
            found.append(View(f"{name}-worth", f"{name}?part=worth"))
            found.append(View(f"{name}-by-tag", f"{name}?part=by_tag&measured=length"))
        if name == "programs":
            found.append(View(f"{name}-passages", f"{name}?do=passages"))
        if name == "explore":
            found += [View(f"{name}-{each}", f"{name}?view={each}") for each in VIEWS]
            found.append(View(f"{name}-typed", f"{name}?{TYPED}"))
    return found


def show(page: Page, url: str, view: View) -> None:
    """Open the view anew."""
    visit(page, f"{url}/{view.address}")
    if view.button:
        with a_run(page):
            page.get_by_role("button", name=view.button).click()


class Resizable:
    """A window whose width changes while its page stays open."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def to(self, width: int, *, height: int = 800, whole: bool = False) -> int:
        """Make the window so wide, and as tall as its page if `whole`; the page's height."""
        page = self._page
        page.set_viewport_size({"width": width, "height": height})
        still(page)
        tall = int(
            page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollHeight")
        )
        if whole:
            page.set_viewport_size({"width": width, "height": min(max(tall, height) + BAR, 8_000)})
            still(page)
        return tall
