"""A platform with its web server and worker, and people at it, each in a browser window of their own, all at once."""

import asyncio
import csv
import io
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Locator, Page, async_playwright, expect

from tests.conftest import CHROMIUM_FLAGS, chromium
from tests.servers.mail_server import MailServer
from tests.servers.web_server import WebServer
from tests.workers.installation import Installation

expect.set_options(timeout=30_000)
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
CHOOSE = """said => {
  for (const [name, value] of Object.entries(said)) {
    const field = document.querySelector(`#form [name="aspect-${name}"]`);
    const choice = document.querySelector(`#form [name="aspect-${name}"][value="${value}"]`);
    if (choice) choice.click();
    else { field.value = value; field.dispatchEvent(new Event("input", { bubbles: true })); }
  }
}"""


@dataclass(frozen=True)
class Platform:
    """Addresses and doors of a platform that runs: its pages, its mail, and its database for a look behind them."""

    installation: Installation
    url: str
    mail: MailServer
    sessions: Mapping[str, str]


@contextmanager
def running_platform(folder: Path) -> Iterator[Platform]:
    with (
        MailServer() as mail,
        Installation(
            folder,
            EMAIL_BACKEND="annotation_platform.jobs.outbox.smtp.EmailBackend",
            EMAIL_HOST="127.0.0.1",
            EMAIL_PORT=str(mail.port),
        ) as installation,
    ):
        installation.start_worker("--clock")
        sessions = json.loads(installation.run("-m", "tests.journeys.seed_crowd"))
        with WebServer(folder, installation.environment) as web:
            yield Platform(installation, f"http://127.0.0.1:{web.port}", mail, sessions)


def in_browsers(story: Callable[[Browser], Awaitable[None]]) -> None:
    """Tell a story in a browser of its own, in a thread of its own: this one may have an event loop already."""

    async def told() -> None:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=chromium(), args=CHROMIUM_FLAGS, chromium_sandbox=False
            )
            try:
                await story(browser)
            except BaseException:
                for page in (page for context in browser.contexts for page in context.pages):
                    print(f"--- {page.url}\n{await page.evaluate('document.body.innerText')}")
                raise
            finally:
                await browser.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, told()).result()


async def window(browser: Browser, platform: Platform, *, session: str = "", **options: Any) -> Page:
    """A window of somebody; an answer of the server's that is a mistake of its own fails the story at once."""
    options = {"viewport": DESK, "locale": "en-GB", "accept_downloads": True, **options}
    context: BrowserContext = await browser.new_context(base_url=platform.url, **options)
    context.set_default_timeout(30_000)
    if session:
        await context.add_cookies([{"name": "sessionid", "value": session, "url": platform.url}])
    page = await context.new_page()
    mistakes: list[str] = []
    page.on("response", lambda answer: mistakes.append(answer.url) if answer.status >= 500 else None)
    page.on("pageerror", lambda error: mistakes.append(str(error)))
    page.mistakes = mistakes  # type: ignore[attr-defined]
    return page


class Desk:
    """A researcher at the pages of one study."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def make_study(self, name: str, *, preset: str, overlap: int, questions: int, tasks: int) -> None:
        page = self.page
        await page.goto(f"/new-study/?preset={preset}&overlap={overlap}&questions_per_hit={questions}")
        await page.get_by_label("Corpus").select_option(label="Harbour")
        await page.get_by_label("Name").fill(name)
        await page.get_by_label("Tasks per batch").fill(str(tasks))
        await page.get_by_role("button", name="Create the study").click()
        await expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()

    async def tab(self, name: str) -> None:
        await self.page.get_by_role("navigation", name="Study").get_by_role("link", name=name, exact=True).click()

    async def crowd(self, group: str, name: str = "") -> None:
        """To a page of the tab *Crowd*, by its group."""
        pages = self.page.get_by_role("navigation", name="Crowd")
        if not await pages.count():
            await self.tab("Crowd")
        closed, opened = pages.get_by_role("link", name=re.compile(f"^{group}")), pages.locator(".name", has_text=group)
        await expect(closed.or_(opened).first).to_be_visible()
        if not await opened.count():
            await closed.first.click()
        if name:
            await pages.get_by_role("link", name=re.compile(rf"^{name}( \d+)?$")).click()
        await expect(pages.get_by_role("link", name=re.compile(f"^{name or group}")).first).to_have_attribute(
            "aria-current", "page"
        )

    async def invite(self, role: str, *, email: str = "") -> str:
        """Make an invitation; the address of its link, if nobody gets it by mail."""
        page = self.page
        await page.get_by_label("Joins as").select_option(label=role)
        await page.get_by_label("Send it to").fill(email)
        await page.get_by_role("button", name="Make the link").click()
        if email:
            await expect(page.get_by_text(f"on its way to {email}")).to_be_visible()
            return ""
        card = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name=role)).first
        return await card.locator("code").inner_text()

    async def publish_consent(self, text: str) -> None:
        await self.crowd("Annotators", "Consent")
        await self.page.get_by_label("English").fill(text)
        await self.page.get_by_role("button", name="Publish").click()
        await expect(self.page.get_by_text("0 agreed, 0 did not")).to_be_visible()

    async def make_round(self, *, corpus: str, rule: str, fields: Mapping[str, str]) -> None:
        page = self.page
        await self.crowd("Annotators", "Qualification")
        await page.get_by_role("link", name="New round").click()
        await page.get_by_label("Corpus", exact=True).select_option(label=corpus)
        await page.get_by_label(rule).check()
        for label, value in fields.items():
            await page.get_by_label(label).fill(value)
        await page.get_by_role("button", name="Make the round").click()
        await expect(page.get_by_role("heading", name="How it stands")).to_be_visible()

    async def to_round(self, title: str) -> None:
        await self.crowd("Annotators", "Qualification")
        await self.page.get_by_role("heading", level=2).get_by_role("link", name=title).click()

    async def open_round(self) -> None:
        await self.page.get_by_role("button", name="Open the round").click()
        await expect(self.page.get_by_text("Annotators find it among their qualifications")).to_be_visible()

    async def agree_on_pay(self, fields: Mapping[str, str]) -> None:
        await self.crowd("Pay")
        for label, value in fields.items():
            await self.page.get_by_label(label).fill(value)
        await self.page.get_by_role("button", name="Save").click()
        await expect(self.page.get_by_text("version 1")).to_be_visible()

    async def pace(self, limits: Mapping[str, str]) -> None:
        await self.crowd("Work", "Release")
        await self.page.get_by_label("Release batches by the clock").check()
        await self.page.get_by_label("Every how many hours").fill("12")
        for figure, limit in limits.items():
            await self.page.get_by_role("row", name=figure).get_by_role("textbox").fill(limit)
        await self.page.get_by_role("button", name="Save").first.click()
        await expect(self.page.get_by_label("Release batches by the clock")).to_be_checked()


class Annotator:
    """Somebody on a phone who knows nothing but the pages."""

    def __init__(self, page: Page, name: str) -> None:
        self.page, self.name, self.pseudonym = page, name, ""

    @property
    def address(self) -> str:
        return f"{self.name.lower()}@example.org"

    async def agree(self) -> None:
        await self.page.get_by_label("I have read it, and I agree.").check()
        await self.page.get_by_role("button", name="Go on").click()
        known = self.page.get_by_text("You are known here as").first
        self.pseudonym = (await known.inner_text()).removeprefix("You are known here as ").rstrip(".")

    async def begin_round(self, title: str) -> None:
        await self.page.get_by_role("button", name=f"{title}: Begin").click()
        await self.page.get_by_role("link", name="To the questions").click()

    async def start_task(self) -> None:
        """Take the next task from the start page, once there is one; through the instructions before the first."""
        start = self.page.get_by_role("button", name="Start the next task")
        await until(self.page, start)
        await start.click()
        on = self.page.get_by_role("link", name="To the questions")
        await expect(on.or_(self.page.locator("#form")).first).to_be_visible()
        if await on.count():
            await on.click()

    async def judge(self, said: Sequence[Mapping[str, str]]) -> None:
        """Answer the questions of the task that is open, one after the other, to the page that says thank you."""
        for number, values in enumerate(said, start=1):
            await expect(self.page.get_by_text(f"Question {number} of {len(said)}").first).to_be_visible()
            await self.page.evaluate(CHOOSE, dict(values))
            await self.page.locator("#submit").click()
        await expect(self.page.get_by_role("heading", name="Done. Thank you!")).to_be_visible()

    async def home(self) -> None:
        await self.page.goto("/work/")


async def until(page: Page, found: Locator) -> None:
    """Load the page again until something is there: a worker works on it."""
    for _ in range(60):
        if await found.first.is_visible():
            return
        await asyncio.sleep(0.5)
        await page.reload()
    raise AssertionError("It has not appeared.")


async def at_once(*doing: Awaitable[Any]) -> None:
    await asyncio.gather(*doing)


def paid_by_file(content: bytes) -> dict[str, str]:
    """Payee → amount, of a payment file."""
    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    return {row["payee"]: row["amount"] for row in rows}


def owed_by_ledger(platform: Platform, kinds: Sequence[str] = ()) -> dict[str, str]:
    """Pseudonym → sum of the entries in the ledger, as the file writes amounts, read beside the platform's code."""
    chosen = f"WHERE entry.kind IN ({', '.join(map(repr, kinds))})" if kinds else ""
    rows = platform.installation.rows(
        "SELECT member.pseudonym, SUM(entry.amount) FROM crowd_ledgerentry entry "
        f"JOIN studies_member member ON member.id = entry.member_id {chosen} GROUP BY member.pseudonym"
    )
    return {pseudonym: f"{cents / 100:.2f}" for pseudonym, cents in rows}
