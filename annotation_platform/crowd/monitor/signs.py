"""What in people's work is worth a look of a person: each sign by a stated rule, with what it rests on.

None of them says that anybody did anything wrong, and nothing follows from them by itself.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log
from statistics import median
from typing import Any

from rapidfuzz import fuzz

from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.monitor.models import SignKind

LEAST_TIMED = 5  # judgments of a person that others judged with a time as well
HASTY_SHARE = 1 / 3  # of the others' median on the same item
LEAST_LABELS = 8  # labels of a person of one aspect, on items that others labelled
UNLIKELY = 0.001
LEAST_AGAINST = 0.2  # of the cases, in which most others gave another label
LEAST_LENGTH = 40  # characters of an explanation that is compared
NEARLY_SAME = 90  # percent of similarity, by the length of the longest common subsequence
REPEATED_ITEMS = 3
PASTED_SHARE = 0.8  # of an explanation's length
EXAMPLES = 10
_MARKS_AND_SPACES = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class FoundSign:
    """A sign about a member, before it is stored."""

    member: int
    kind: SignKind
    words: Reason
    evidence: list[dict[str, Any]]


@dataclass(frozen=True)
class Timed:
    member: int
    item: int
    annotation: int
    seconds: float


@dataclass(frozen=True)
class Labelled:
    member: int
    unit: tuple[int, str, int]
    choice: str


@dataclass(frozen=True)
class Explained:
    """An explanation as it is compared: without case, marks and spaces that differ.

    ``characters``: how many it had as it was submitted.
    """

    member: int
    item: int
    annotation: int
    slot: str
    text: str
    characters: int


def comparable(text: str) -> str:
    """A text without what two people may type differently by chance.

    >>> comparable("It  OMITS the “date”.")
    'it omits the date'
    """
    return _MARKS_AND_SPACES.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def hasty(rows: Iterable[Timed]) -> Iterator[FoundSign]:
    """Who takes less than a third of what the others took for the same items, by the median."""
    by_item: defaultdict[int, list[Timed]] = defaultdict(list)
    for row in rows:
        by_item[row.item].append(row)
    shares: defaultdict[int, list[tuple[float, Timed, float]]] = defaultdict(list)
    for given in by_item.values():
        for row in given:
            others = [each.seconds for each in given if each.member != row.member]
            usual = median(others) if others else 0.0
            if usual > 0:
                shares[row.member].append((row.seconds / usual, row, usual))
    for member, found in shares.items():
        typical = median(share for share, _, _ in found)
        if len(found) < LEAST_TIMED or typical >= HASTY_SHARE:
            continue
        words = Reason("crowd.sign_haste", items=len(found), typical=typical, below=HASTY_SHARE, least=LEAST_TIMED)
        fastest = sorted(found, key=lambda each: each[0])[:EXAMPLES]
        evidence = [
            {"annotation": row.annotation, "said": Reason("crowd.case_haste", seconds=row.seconds, others=usual)}
            for _, row, usual in fastest
        ]
        yield FoundSign(member, SignKind.HASTE, words, evidence)


def one_label(rows: Sequence[Labelled], titles: Mapping[str, str]) -> Iterator[FoundSign]:
    """Who gave one label throughout, where the others' labels of the same items make that unlikely."""
    given: defaultdict[tuple[int, str, int], list[Labelled]] = defaultdict(list)
    by_member: defaultdict[tuple[int, str], list[Labelled]] = defaultdict(list)
    for row in rows:
        given[row.unit].append(row)
        by_member[row.member, row.unit[1]].append(row)
    for (member, aspect), own in by_member.items():
        if len({row.choice for row in own}) != 1:
            continue
        total, n, against = 0.0, 0, 0
        for row in own:
            others = Counter(each.choice for each in given[row.unit] if each.member != member)
            if others:
                total += log((others[row.choice] + 1) / (others.total() + 2))
                n += 1
                against += others[row.choice] < max(others.values())
        if n < LEAST_LABELS or exp(total) >= UNLIKELY or against < LEAST_AGAINST * n:
            continue
        words = Reason(
            "crowd.sign_one_label",
            aspect=titles.get(aspect, aspect),
            cases=n,
            against=against,
            probability=exp(total),
            below=UNLIKELY,
            least=LEAST_LABELS,
            share=LEAST_AGAINST,
        )
        items = list(dict.fromkeys(row.unit[0] for row in own))[:EXAMPLES]
        yield FoundSign(member, SignKind.ONE_LABEL, words, [{"item": item, "said": own[0].choice} for item in items])


def copied(rows: Iterable[Explained]) -> Iterator[FoundSign]:
    """Whose explanations of an item are nearly another person's of the same item."""
    by_slot: defaultdict[tuple[int, str], list[Explained]] = defaultdict(list)
    for row in rows:
        if len(row.text) >= LEAST_LENGTH:
            by_slot[row.item, row.slot].append(row)
    pairs: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for given in by_slot.values():
        for one, other in combinations(given, 2):
            if one.member == other.member:
                continue
            alike = fuzz.ratio(one.text, other.text, score_cutoff=NEARLY_SAME)
            if alike:
                for a, b in ((one, other), (other, one)):
                    case = {"annotation": a.annotation, "other": b.annotation, "slot": a.slot}
                    pairs[a.member].append({**case, "said": Reason("crowd.case_copied", percent=alike)})
    for member, found in pairs.items():
        words = Reason("crowd.sign_copied", count=len(found), least=LEAST_LENGTH, percent=NEARLY_SAME)
        yield FoundSign(member, SignKind.COPIED, words, found[:EXAMPLES])


def repeated(rows: Iterable[Explained]) -> Iterator[FoundSign]:
    """Who wrote the same explanation under several items."""
    said: defaultdict[tuple[int, str], dict[int, Explained]] = defaultdict(dict)
    for row in rows:
        if len(row.text) >= LEAST_LENGTH // 2:
            said[row.member, row.text].setdefault(row.item, row)
    most: dict[int, list[Explained]] = {}
    for (member, _), found in said.items():
        if len(found) >= REPEATED_ITEMS and len(found) > len(most.get(member, [])):
            most[member] = list(found.values())
    for member, found_rows in most.items():
        words = Reason("crowd.sign_repeated", items=len(found_rows), least=REPEATED_ITEMS)
        evidence = [{"annotation": each.annotation, "slot": each.slot, "said": ""} for each in found_rows[:EXAMPLES]]
        yield FoundSign(member, SignKind.REPEATED, words, evidence)


def from_text(rows: Iterable[Explained], texts: Mapping[int, str]) -> Iterator[FoundSign]:
    """Whose explanations stand word for word in what is judged. ``texts``: item → its texts, comparable."""
    cases: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if len(row.text) >= LEAST_LENGTH and row.text in texts.get(row.item, ""):
            case = {"annotation": row.annotation, "slot": row.slot, "source": "text"}
            cases[row.member].append({**case, "said": Reason("crowd.case_from_text")})
    for member, found in cases.items():
        words = Reason("crowd.sign_from_text", count=len(found), least=LEAST_LENGTH)
        yield FoundSign(member, SignKind.FROM_TEXT, words, found[:EXAMPLES])


def pasted(rows: Iterable[Explained], lengths: Mapping[tuple[int, int, str], int]) -> Iterator[FoundSign]:
    """Whose explanations were pasted for the most part. ``lengths``: member, item and slot → the longest paste."""
    cases: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        length = lengths.get((row.member, row.item, row.slot), 0)
        if length >= LEAST_LENGTH and length >= PASTED_SHARE * row.characters:
            case = {"annotation": row.annotation, "slot": row.slot}
            said = Reason("crowd.case_pasted", pasted=length, submitted=row.characters)
            cases[row.member].append({**case, "said": said})
    for member, found in cases.items():
        words = Reason("crowd.sign_pasted", count=len(found), least=LEAST_LENGTH, share=PASTED_SHARE)
        yield FoundSign(member, SignKind.PASTED, words, found[:EXAMPLES])
