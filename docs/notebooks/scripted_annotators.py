"""Annotators played by a script: each has a browser window of their own, and knows nothing but the pages.

They follow the invitation's link, type a name, read the instructions, and judge question by question until nothing is
left for them. Needs Playwright (``pip install playwright``) and a Chromium: the one that ``CHROMIUM`` names, or the
first of the usual names that the system has, or Playwright's own.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from playwright.async_api import Browser, Locator, Page, Playwright, async_playwright, expect

CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SECONDS = 30


@dataclass(frozen=True)
class Shown:
    """What the page of a question shows."""

    question: str
    answer: str


Judge = Callable[[Shown], Mapping[str, Any]]
"""Gives what to answer: aspect → the value of a choice, the numbers of sentences, or a text."""


class Annotators:
    """``async with Annotators() as annotators: await annotators.work(link, "Ann", judge)``."""

    async def __aenter__(self) -> Self:
        self._playwright: Playwright = await async_playwright().start()
        found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
        self._browser: Browser = await self._playwright.chromium.launch(executable_path=found, chromium_sandbox=False)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._browser.close()
        await self._playwright.stop()

    async def work(self, link: str, name: str, judge: Judge) -> int:
        """Join by an invitation's link, and do all that there is; give how many judgments that made."""
        context = await self._browser.new_context(locale="en-GB")
        context.set_default_timeout(SECONDS * 1_000)
        page = await context.new_page()
        await page.goto(link)
        await page.get_by_role("textbox").fill(name)
        await page.get_by_role("button", name="Join and start the first task").click()
        count = await _tasks(page, judge)
        await context.close()
        return count


async def _tasks(page: Page, judge: Judge) -> int:
    """Everything from the task that is open to the page which says that nothing else waits."""
    on = page.get_by_role("link", name="To the questions")
    done = page.get_by_role("heading", name="Done. Thank you!")
    following = page.get_by_role("button", name="Start the next task")
    form, count = page.locator("#form"), 0
    while True:
        await _seen(on.or_(form).or_(done).first)
        if await on.count():
            await on.click()
        elif await form.count():
            await _question(page, judge)
            count += 1
        elif await following.count():
            await following.click()
            await done.wait_for(state="hidden")
        else:
            return count


async def _question(page: Page, judge: Judge) -> None:
    """Answer one question and submit it; the next one, or the page that says thank you, has come then."""
    question = await page.locator("#judgment-title .question").inner_text()
    answer = await page.locator(".part.answer p").inner_text()
    here = page.locator("#judgment-title .count")
    number = await here.inner_text()
    for aspect, value in judge(Shown(question.strip(), answer.strip())).items():
        await _answer(page, aspect, value)
    await page.locator("#submit").click()
    await _seen(page.locator("#judgment-title .count").filter(has_not_text=number).or_(_thanks(page)).first)


async def _answer(page: Page, aspect: str, value: Any) -> None:
    field = page.locator(f'#form [name="aspect-{aspect}"]')
    choice = page.locator(f'#form [name="aspect-{aspect}"][value="{value}"]')
    if await choice.count():
        await choice.check()
    else:
        await field.fill(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _thanks(page: Page) -> Locator:
    return page.get_by_role("heading", name="Done. Thank you!")


async def _seen(found: Locator) -> None:
    await expect(found).to_be_visible(timeout=SECONDS * 1_000)
