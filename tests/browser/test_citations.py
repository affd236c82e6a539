"""Lists of sentences mean the same in the browser as in the core: those of a table, and many drawn at random."""

import random
from typing import Any

import pytest

from annotation_platform.core.citations import (
    CITATIONS,
    Citable,
    SentenceReference,
    SentenceReferenceError,
    document_and_number,
    format_sentence_references,
    parse_sentence_references,
    says_none,
    says_nothing,
)
from tests.browser.both_sides import in_browser

pytestmark = pytest.mark.browser

SCRIPT = "annotate_citations.js"
CITABLE = Citable(500, documents=[400, 30], turns=[["One."] * 40, ["Two."] * 30])
TYPED = [
    "",
    "3",
    "3, 5-7",
    " 5 – 7 。",
    "３、５〜７",
    "r2:1-3;4",
    "R1 : 2, R1:5~6",
    "T2:1-3, t1:4",
    "none",
    "なし",
    "-",
    "7.",
    "12 3  1",
]


def core(typed: str) -> list[SentenceReference] | None:
    """What the core reads; None: it refuses."""
    try:
        return parse_sentence_references(typed, CITABLE)
    except SentenceReferenceError:
        return None


def as_number(reference: SentenceReference) -> int:
    document, number = document_and_number(reference)
    return document * 1_000_000 + number


def drawn(random_: random.Random) -> str:
    """Something that people might type, mostly right."""
    pieces = []
    for _ in range(random_.randint(0, 6)):
        document = random_.choice(("", "", "", "R1:", "r2:", "R2 : ", "T1:", "t2 :"))
        first = random_.randint(1, 20)
        last = random_.choice(("", "", f"{random_.choice('-–~〜—')}{first + random_.randint(0, 9)}", f" - {first + 1}"))
        wrong = random_.choice(("x", "-1", "R9:1")) if random_.random() < 0.1 else ""
        pieces.append(f"{document}{first}{last}{wrong}")
    wide = str.maketrans("0123456789-", "０１２３４５６７８９－")
    typed = random_.choice((", ", "; ", " ", "、", ",,", "，")).join(pieces) + random_.choice(("", ".", " 。", ","))
    return typed.translate(wide) if random_.random() < 0.2 else typed


def test_what_is_typed_is_read_as_the_core_reads_it(browser: Any) -> None:
    random_ = random.Random(11)
    typed = [*TYPED, *(drawn(random_) for _ in range(2_000))]
    read = {each: found for each in typed if (found := core(each)) is not None}
    assert {*TYPED} <= {*read}
    assert 500 < len(read) < len(typed)
    in_both = in_browser(browser, SCRIPT, "citedIn", [[each, dict(CITATIONS)] for each in read])
    assert in_both == [[as_number(reference) for reference in found] for found in read.values()]


def test_the_words_that_nothing_is_cited_are_those_of_the_core(browser: Any) -> None:
    typed = [*TYPED, "None", " NONE. ", "no", "No", "－", "無し。", "ナシ", "none, 3", "nothing", ".", "3-"]
    found = in_browser(browser, SCRIPT, "saysNone", [[each, dict(CITATIONS)] for each in typed])
    assert found == [says_none(each) for each in typed]
    assert sum(found) == 9


def test_signs_that_say_nothing_are_those_of_the_core(browser: Any) -> None:
    typed = [*TYPED, *".。、，,；;．｡", " . ", "\u3000", "\n", "、。", "3.", ":", "-.", "none.", "・"]
    found = in_browser(browser, SCRIPT, "saysNothing", [[each, dict(CITATIONS)] for each in typed])
    assert found == [says_nothing(each) for each in typed]
    assert sum(found) == 14


def test_what_is_pressed_is_written_as_the_core_writes_it(browser: Any) -> None:
    random_ = random.Random(12)
    cited = [
        {*random_.sample(range(1, 20), k=random_.randint(0, 9))}
        | {
            f"{random_.choice('RT')}{random_.randint(1, 3)}:{random_.randint(1, 9)}"
            for _ in range(random_.randint(0, 9))
        }
        for _ in range(500)
    ]
    written = in_browser(browser, SCRIPT, "asTyped", [[[*map(as_number, each)]] for each in cited])
    assert written == [format_sentence_references(each) for each in cited]
    assert any("-" in each and "R" in each and "T" in each for each in written)
