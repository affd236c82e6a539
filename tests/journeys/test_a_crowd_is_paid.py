"""A study as in EBR's paper and one as in ACORN's, from the invitation to the payment file, by pages alone.

A researcher sets the study up, four annotators come at the same time, a worker runs beside the web server, and a second
admin approves what is paid.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests import rests_on
from tests.journeys.crowd_people import (
    PHONE,
    Annotator,
    Desk,
    Platform,
    at_once,
    in_browsers,
    owed_by_ledger,
    paid_by_file,
    running_platform,
    until,
    window,
)

pytestmark = [pytest.mark.browser, pytest.mark.long(*rests_on.PLATFORM, "tests/journeys/*.py", "tests/servers/*.py")]
EBR_ANSWER = {
    "correct": "yes",
    "completeness": "missing_minor",
    "sentences": "2, 3",
    "reasons": "It leaves out what sentence 3 says about the second matter.",
}
EBR_OTHER = EBR_ANSWER | {"completeness": "complete", "sentences": "2", "reasons": "All of sentence 2 is in it."}
ACORN_ANSWER = {
    "supports": "a",
    "overall": "4",
    "well_written": "yes",
    "related": "yes",
    "factual": "yes",
    "new_information": "some",
    "unnecessary_information": "no",
    "contrastive": "yes",
}
ACORN_STRICT = ACORN_ANSWER | {"supports": "none", "overall": "1"}
ACORN_WRONG = ACORN_ANSWER | {"supports": "b", "overall": "2"}


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    with running_platform(tmp_path) as platform:
        yield platform


def test_as_in_ebr_by_a_link_with_a_round_that_is_reviewed_by_hand(platform: Platform) -> None:
    async def story(browser: Browser) -> None:
        iris, bo, people = await everybody(browser, platform)
        ana, ben, cem, dee = people
        link = await set_up_as_in_ebr(iris, bo)

        async def comes_in(person: Annotator) -> None:
            await person.page.goto(link)
            await person.page.get_by_label("name").fill(person.name)
            await person.page.get_by_role("button", name="Join and start the first task").click()
            await person.agree()
            await person.begin_round("First round")
            await person.judge([EBR_ANSWER, EBR_OTHER])

        await at_once(*(comes_in(person) for person in people))
        await review_round(iris, people, failing=dee)
        await read_why_not_passed(dee)
        await at_once(
            works(ana, [EBR_ANSWER, EBR_ANSWER], [EBR_ANSWER, EBR_OTHER]),
            works(ben, [EBR_ANSWER, EBR_OTHER], [EBR_OTHER, EBR_ANSWER]),
            works(cem, [EBR_OTHER, EBR_ANSWER], [EBR_ANSWER, EBR_ANSWER]),
        )  # all places of the first batch
        await iris.tab("Overview")
        await until(iris.page, iris.page.get_by_text("scored", exact=True))
        await until(iris.page, iris.page.get_by_role("link", name="All figures"))
        await release_in_spite_of_a_gate(iris)
        await works(cem, [EBR_OTHER, EBR_ANSWER])
        await iris.crowd("Work", "Monitor")
        for person in (ana, ben, cem):
            await expect(iris.page.get_by_role("link", name=person.pseudonym)).to_be_visible()
        await reject_and_reconsider(iris, cem)
        await ask_and_answer(iris, ben)
        await iris.crowd("Pay")
        await iris.page.get_by_role("button", name="Approve all 6").click()
        await iris.page.get_by_role("button", name="Credit its bonus").click()
        await pay(platform, iris, bo)
        for person, amount in ((ana, "4.80"), (ben, "4.80"), (cem, "6.80")):
            await expect_earnings(person, amount)
        assert [each.page.mistakes for each in (iris, bo, *people)] == [[]] * 6  # type: ignore[attr-defined]

    in_browsers(story)
    assert sorted(owed_by_ledger(platform, ("reward", "bonus")).values()) == ["4.80", "4.80", "6.80"]
    assert set(owed_by_ledger(platform).values()) == {"0.00"}


def test_as_in_acorn_by_mail_with_six_items_of_which_the_best_pass(platform: Platform) -> None:
    async def story(browser: Browser) -> None:
        iris, bo, people = await everybody(browser, platform)
        ana, ben, cem, dee = people
        await set_up_as_in_acorn(iris, bo, people)
        await asyncio.to_thread(platform.mail.wait_for, len(people))
        links = mailed_links(platform)
        tried = (
            [ACORN_ANSWER] * 5 + [ACORN_STRICT],
            [ACORN_ANSWER] * 5 + [ACORN_STRICT],
            [ACORN_WRONG] + [ACORN_ANSWER] * 4 + [ACORN_STRICT],
            [ACORN_ANSWER] * 6,  # who does not read to the end
        )

        async def comes_in(person: Annotator, said: Sequence[Mapping[str, str]]) -> None:
            await person.page.goto(links[person.address])
            await person.page.get_by_role("button", name="Join and start the first task").click()
            await person.agree()
            await person.begin_round("Six items")
            await person.judge(said)

        await at_once(*map(comes_in, people, tried))
        await end_round_and_pick_one(iris, people, picked=cem)
        await iris.tab("Overview")
        await iris.page.get_by_role("button", name="Open it").first.click()
        await iris.page.get_by_role("dialog").get_by_role("button", name=re.compile("^Open")).click()
        await expect(iris.page.get_by_text("0 of 6 assignments").first).to_be_visible()
        await at_once(*(works(person, [ACORN_ANSWER] * 2, [ACORN_ANSWER] * 2) for person in (ana, ben, cem)))
        await dee.home()
        await expect(dee.page.get_by_role("button", name="Start the next task")).to_have_count(0)
        await iris.tab("Overview")
        await until(iris.page, iris.page.get_by_role("link", name="All figures"))
        await iris.crowd("Pay")
        await expect(iris.page.get_by_text(re.compile(r"^\s*Median"))).to_be_visible()
        await iris.page.get_by_role("button", name="Approve all 6").click()
        await pay(platform, iris, bo)
        for person in (ana, ben, cem):
            await expect_earnings(person, "0.50")
        assert [each.page.mistakes for each in (iris, bo, *people)] == [[]] * 6  # type: ignore[attr-defined]

    in_browsers(story)
    assert sorted(owed_by_ledger(platform, ("reward",)).values()) == ["0.50"] * 3
    assert set(owed_by_ledger(platform).values()) == {"0.00"}


async def everybody(browser: Browser, platform: Platform) -> tuple[Desk, Desk, list[Annotator]]:
    """Two who run the study, at desks, and four annotators with phones."""
    iris, bo = [Desk(await window(browser, platform, session=platform.sessions[name])) for name in ("iris", "bo")]
    names = ("Ana", "Ben", "Cem", "Dee")
    return iris, bo, [Annotator(await window(browser, platform, viewport=PHONE), name) for name in names]


async def second_admin(iris: Desk, bo: Desk) -> None:
    await iris.tab("People")
    await bo.page.goto(await iris.invite("Admin"))
    await bo.page.get_by_role("button", name="Join the study").click()
    await expect(bo.page.get_by_role("navigation", name="Study")).to_be_visible()


async def set_up_as_in_ebr(iris: Desk, bo: Desk) -> str:
    """A round that a person reviews, a bonus, a gate; the address by which annotators come."""
    await iris.make_study("Harbour answers", preset="ebr", overlap=3, questions=2, tasks=2)
    await second_admin(iris, bo)
    link = await iris.invite("Annotator")
    await iris.publish_consent("Your judgments are stored under a pseudonym.")
    await iris.make_round(corpus="First catch", rule="Whoever a person passes", fields={"Title": "First round"})
    await iris.open_round()
    await iris.agree_on_pay(
        {
            "Reward for a task": "2",
            "Bonus after each batch": "20",
            "Least pay for an hour": "15",
            "Second approval above": "1",
        }
    )
    await iris.pace({"How complete is it": "0.99"})
    return link


async def set_up_as_in_acorn(iris: Desk, bo: Desk, people: Sequence[Annotator]) -> None:
    """Six items with sets of accepted answers, of which the last has strict instructions; invitations by mail."""
    await iris.make_study("Why a bridge", preset="acorn", overlap=3, questions=6, tasks=2)
    await second_admin(iris, bo)
    for person in people:
        await iris.invite("Annotator", email=person.address)
    await iris.publish_consent("Your judgments are stored under a pseudonym.")
    fields = {"Title": "Six items", "Least match": "59", "How many of the best": "2"}
    await iris.make_round(corpus="Six items", rule="The best of those", fields=fields)
    accepted = [f'{n},supports,a,,\n{n},overall,"4, 5",,' for n in range(1, 6)]
    strict = ["6,supports,none,yes,The question says so.", "6,overall,1,yes,The question says so."]
    await iris.page.get_by_role("link", name="Accepted answers").click()
    await iris.page.get_by_label("Or paste it").fill(
        "\n".join(["item,aspect,accepted,must_pass,explanation", *accepted, *strict])
    )
    await iris.page.get_by_role("button", name="Store the accepted answers").click()
    await expect(iris.page.get_by_text("of 6 items were stored")).to_be_visible()
    await iris.to_round("Six items")
    await iris.open_round()
    await iris.agree_on_pay(
        {"Reward for a task": "0.25", "Least pay for an hour": "20", "Second approval above": "0.10"}
    )


async def works(person: Annotator, *tasks: Sequence[Mapping[str, str]]) -> None:
    """From the start page, one task after the other, saying these things of its questions."""
    for said in tasks:
        await person.home()
        await person.start_task()
        await person.judge(said)


async def review_round(desk: Desk, people: Sequence[Annotator], *, failing: Annotator) -> None:
    """Every attempt gets a note and a verdict; each verdict leads on to the next who waits."""
    await desk.to_round("First round")
    await desk.page.get_by_role("link", name="Review").first.click()
    waiting = {person.pseudonym: person for person in people}
    while waiting:
        person = waiting.pop(await desk.page.get_by_role("heading", level=1).inner_text())
        await desk.page.get_by_label("Note on item 1").fill(f"Sentence 3, {person.pseudonym}: well seen.")
        verdict = "Do not pass" if person is failing else "Pass"
        await desk.page.get_by_role("button", name=verdict, exact=True).click()
        await expect(desk.page.get_by_text(f"Decided for {person.pseudonym}")).to_be_visible()


async def read_why_not_passed(person: Annotator) -> None:
    await person.home()
    await expect(person.page.get_by_role("button", name="Start the next task")).to_have_count(0)
    await person.page.get_by_role("link", name="My qualifications").first.click()
    await person.page.get_by_role("link", name="First round: What came of it").click()
    await expect(person.page.get_by_text("You have not passed this round.")).to_be_visible()
    await expect(person.page.get_by_text(f"Sentence 3, {person.pseudonym}: well seen.")).to_be_visible()


async def end_round_and_pick_one(desk: Desk, people: Sequence[Annotator], *, picked: Annotator) -> None:
    """The two best pass, the one who missed the strict item does not; another is picked by hand."""
    ana, ben, cem, dee = people
    await desk.to_round("Six items")
    await desk.page.get_by_role("button", name="End the round").click()
    await desk.page.get_by_role("button", name="End it").click()
    await expect(desk.page.get_by_text("must-pass missed")).to_have_count(1)
    for person, verdict in ((ana, "passed"), (ben, "passed"), (cem, "not passed"), (dee, "not passed")):
        row = desk.page.get_by_role("row", name=re.compile(f"^{person.pseudonym}"))
        await expect(row.get_by_text(verdict, exact=True)).to_be_visible()
    await desk.page.get_by_label("Annotators").select_option(label=picked.pseudonym)
    await desk.page.get_by_role("button", name="Pass them", exact=True).click()
    by_hand = desk.page.get_by_role("row", name=re.compile(f"^{picked.pseudonym} by hand"))
    await expect(by_hand.get_by_text("passed", exact=True)).to_be_visible()


async def release_in_spite_of_a_gate(desk: Desk) -> None:
    """Agreement is below the study's limit, which holds the next batch back; a person releases it with a reason."""
    await desk.crowd("Work", "Release")
    await expect(desk.page.get_by_text("holds back")).to_be_visible()
    await desk.page.get_by_label(re.compile("^Release batch 2 now")).fill("We know why they differ.")
    await desk.page.get_by_role("button", name="Release now").click()
    await expect(desk.page.get_by_text("in spite of")).to_be_visible()


def mailed_links(platform: Platform) -> dict[str, str]:
    """Address → link, of the invitations that have arrived."""
    links = {}
    for message in platform.mail.received:
        text = message.decode().replace("=\r\n", "")
        address, link = re.search(r"^To: (\S+)", text, re.M), re.search(r"http://\S+", text)
        assert address is not None
        assert link is not None
        links[address[1]] = link[0].replace("=3D", "=")
    return links


async def reject_and_reconsider(desk: Desk, person: Annotator) -> None:
    """Their newest task is rejected, they appeal, and the appeal is accepted."""
    await desk.crowd("Work", "Review")
    await desk.page.get_by_role("row", name=person.pseudonym).last.get_by_role("link").first.click()
    await desk.page.get_by_label("Why it is rejected").fill("Both answers got the same words.")
    await desk.page.get_by_role("button", name="Reject").click()
    await person.home()
    await person.page.get_by_role("region", name="My submissions").get_by_role("link").last.click()
    await expect(person.page.get_by_text("Both answers got the same words.")).to_be_visible()
    await person.page.get_by_label("What should be looked at again?").fill("They do say the same.")
    await person.page.get_by_role("button", name="Appeal").click()
    await desk.crowd("Work", "Review")
    await desk.page.get_by_role("navigation", name="State").get_by_role("link", name="appeal under way").click()
    await desk.page.get_by_role("row", name=person.pseudonym).get_by_role("link").first.click()
    await expect(desk.page.get_by_text("They do say the same.")).to_be_visible()
    await desk.page.get_by_label("Your answer").fill("You are right.")
    await desk.page.get_by_role("button", name="Accept the appeal").click()
    await person.page.reload()
    await expect(person.page.get_by_text("Your appeal was accepted")).to_be_visible()


async def ask_and_answer(desk: Desk, person: Annotator) -> None:
    await person.home()
    await person.page.get_by_role("link", name="Write to the researchers").click()
    await person.page.get_by_label("Write to the researchers of the study").fill("When is the bonus paid?")
    await person.page.get_by_role("button", name="Send").click()
    await expect(person.page.get_by_role("listitem").filter(has_text="When is the bonus paid?")).to_be_visible()
    await desk.crowd("Talk", "Messages")
    card = desk.page.locator("article", has_text="When is the bonus paid?")
    await card.get_by_role("textbox").fill("Once the batch has closed.")
    await card.get_by_role("button", name="Send").click()
    await expect(card.get_by_text("Once the batch has closed.")).to_be_visible()
    await person.page.reload()
    await expect(person.page.get_by_text("Once the batch has closed.")).to_be_visible()


async def pay(platform: Platform, maker: Desk, second: Desk) -> None:
    """What is owed is collected, approved by somebody else, paid by the file, and recorded from it."""
    owed = owed_by_ledger(platform)
    await maker.page.get_by_role("button", name="Collect what is owed").click()
    await expect(maker.page.get_by_text("an admin who did not make it must approve it")).to_be_visible()
    await expect(maker.page.get_by_role("button", name="Approve it")).to_have_count(0)
    await second.page.goto(maker.page.url)
    await second.page.get_by_role("button", name="Approve it").click()
    async with second.page.expect_download() as download:
        await second.page.get_by_role("link", name="Download the file").click()
    path = await (await download.value).path()
    assert paid_by_file(path.read_bytes()) == owed
    await second.page.get_by_label("The file with what was paid").set_input_files(path)
    await second.page.get_by_role("button", name="Record it").click()
    await expect(second.page.get_by_text(f"Recorded: {len(owed)} paid.")).to_be_visible()


async def expect_earnings(person: Annotator, amount: str) -> None:
    await person.home()
    await person.page.get_by_role("region", name="My earnings").get_by_role("link", name="What for").click()
    facts = person.page.locator("dl.facts").first
    await expect(facts).to_contain_text(re.compile(rf"Earned\s*\D*{re.escape(amount)}"))
    await expect(facts).to_contain_text(re.compile(r"Still to be paid\s*\D*0\.00"))
