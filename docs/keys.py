"""Write the guide's table of keys and buttons from the Explorer itself: ``python -m docs.keys``."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, sync_playwright

from tests.browser.chromium import chromium
from tests.browser.fixtures import launch
from tests.widget.page import act, open_page

PAGE = Path(__file__).parent / "guide" / "keys.md"

#: What the Explorer is given whose buttons are listed.
SHOWN = {"n": 40, "redo": "label 8 points"}
#: Labels, for which there are suggestions.
LABELED = """
for (const name of ["a", "b", "c", "d"]) k.addClass(name);
for (let i = 0; i < 8; i++) [k.codes[i], k.confidence[i]] = [i % 4, 1];
k.supervised("label 8 points")
"""
#: Buttons that stand for a point or a class.
LISTS = ":is(.nbe-legend, .nbe-doubtful, .nbe-chips) *"

HEAD = """\
# Keys and buttons

Everything works by keyboard while the Explorer has the focus; `?` shows keys and mouse actions.
Letters count by what is written on them; in other alphabets by their place. The toolbar is one tab
stop: arrow keys go along it. The button *Tour* above the list shows the parts of the Explorer one
after the other, in about a minute. In forced colors, such as Windows' contrast themes, controls
have the system's colors, and points keep theirs.

% Written by `python -m docs.keys`.
"""


def text(page: Page) -> str:
    """Return the page of the guide that describes an open Explorer."""
    act(page, LABELED)
    page.get_by_role("button", name="Suggestions", exact=True).click()
    page.get_by_role("list", name="Most doubtful points").wait_for()
    page.get_by_role("group", name="Embedding explorer").focus()
    page.keyboard.press("Control+a")
    parts = [HEAD]
    toolbar = page.get_by_role("toolbar").get_by_role("button")
    parts.append(table("Button of the toolbar", described(toolbar)))
    tabs = page.get_by_role("tab")
    parts.append(table("Tab", described(tabs)))
    for tab in tabs.all():
        tab.click()
        buttons = page.get_by_role("tabpanel").locator(f"button[title]:visible:not({LISTS})")
        if rows := described(buttons):
            parts.append(table(f"Button of the tab *{tab.inner_text()}*", rows))
    page.get_by_role("button", name="Help").click()
    for k, title in enumerate(("Mouse and fingers", "Key")):
        found = page.get_by_role("dialog").locator("dl").nth(k)
        rows = zip(found.locator("dt").all_text_contents(), found.locator("dd").all_text_contents())
        parts.append(table(title, list(rows)))
    return "\n".join(parts)


def described(buttons: Locator) -> list[tuple[str, str]]:
    """Return name and tooltip of each button."""
    found = buttons.evaluate_all("all => all.map(e => [e.innerText || e.ariaLabel, e.title])")
    return [(" ".join(name.split()), tooltip) for name, tooltip in found]


def table(title: str, rows: list[tuple[str, str]]) -> str:
    """Return a table of two columns in Markdown."""
    return "\n".join([f"| {title} | |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows), ""])


def main() -> None:
    """Write the page."""
    with sync_playwright() as playwright:
        browser = launch(playwright, chromium())
        PAGE.write_text(text(open_page(browser, **SHOWN)), encoding="utf-8")
        browser.close()


if __name__ == "__main__":
    main()
