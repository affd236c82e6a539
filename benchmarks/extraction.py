"""How well labels are read from awkward replies: ``python -m benchmarks.extraction``.

The replies, and what a careful reader takes from them, are in tests/core/replies.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from annotation_platform.core.items import Document, ItemTexts, answers_of
from annotation_platform.core.methods.extraction import LabelReading, read_labels
from annotation_platform.core.methods.judging import Call, Calling, Question, calls, questions
from annotation_platform.core.schemes import Scheme, build_scheme, preset

REPLIES = Path(__file__).resolve().parents[1] / "tests" / "core" / "replies"
NOTHING, FAILURE = "n/a", "!"


@dataclass(frozen=True)
class Case:
    """One reply, and what is to be read from it: a label, n/a, or a failure ("!", "!missing", …) for each slot."""

    source: str
    kind: str
    note: str
    scheme: Scheme
    item: ItemTexts
    questions: tuple[Question, ...]
    reply: str
    expected: dict[str, str]
    not_read: tuple[str, ...] = ()
    """Labels that the rules are known to miss."""

    def __str__(self) -> str:
        return f"{self.source}: {self.kind}{f' ({self.note})' if self.note else ''}"

    @cached_property
    def read(self) -> dict[str, str]:
        """What is read, in the same words."""
        readings = read_labels(self.scheme, self.item.shape, self.questions, self.reply)
        return {key: in_words(reading) for key, reading in readings.items()}

    def outcomes(self) -> Iterator[tuple[str, str]]:
        """Of each aspect: read, n/a or failure where that is right; else failed, or wrong."""
        for key, expected in self.expected.items():
            yield key, outcome(expected, self.read[key])


def in_words(reading: LabelReading) -> str:
    if reading.failure is not None:
        return f"{FAILURE}{reading.failure}"
    return NOTHING if reading.value is None else reading.value


def outcome(expected: str, read: str) -> str:
    if expected.startswith(FAILURE):
        return "rightly no label" if read.startswith(FAILURE) else "wrong label"
    if read.startswith(FAILURE):
        return "label not read"
    return "label read" if read == expected else "wrong label"


def cases(folder: Path = REPLIES) -> list[Case]:
    """All replies of the corpus."""
    return [case for path in sorted(folder.glob("*.yaml")) for case in _cases_in(path)]


def _cases_in(path: Path) -> Iterator[Case]:
    data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    language = data["language"]
    scheme = build_scheme(preset(data["scheme"]), language)
    item = item_of(data["item"])
    for number, entry in enumerate(data["replies"], start=1):
        candidate = int(entry.get("candidate", data.get("candidate", 0)))
        asked = questions(scheme, _call(scheme, item, entry, candidate), item, language)
        expected = {**data["base"], **entry.get("expect", {})}
        yield Case(
            source=f"{path.stem} {number}",
            kind=entry["kind"],
            note=entry.get("note", ""),
            scheme=scheme,
            item=item,
            questions=asked,
            reply=entry["reply"],
            expected={question.slot_key: expected[question.slot_key] for question in asked},
            not_read=tuple(entry.get("not_read", ())),
        )


def item_of(data: dict[str, Any]) -> ItemTexts:
    """An item from its texts by name, as the corpus of replies has them."""
    return ItemTexts(
        question=data.get("question", ""),
        choices=tuple(data.get("choices", ())),
        answers=answers_of(data.get("answer", ""), data.get("rationale", ""), data.get("candidates", ())),
        article=Document(0, tuple(data.get("sentences", ()))),
    )


def _call(scheme: Scheme, item: ItemTexts, entry: dict[str, Any], candidate: int) -> Call:
    """The compound call of the item or candidate, cut down to the aspects that a reply is said to be about."""
    explain = entry.get("explain") == "true"
    compound = calls(scheme, item.shape, Calling.COMPOUND, explain=explain)
    call = next(call for call in compound if call.candidate == candidate)
    keys = entry.get("asked", [slot.aspect.key for slot in call.slots])
    explained = [slot for slot in call.slots if slot.aspect.kind == "text"]
    return Call(tuple(slot for slot in call.slots if slot.aspect.key in keys or slot in explained), candidate)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=REPLIES)
    parser.add_argument("--list", action="store_true", help="list what is not read as expected")
    options = parser.parse_args()
    corpus = cases(options.folder)
    times = []
    for case in corpus:
        start = time.process_time()
        assert case.read is not None
        times.append(1000 * (time.process_time() - start))
    print_table("all", corpus)
    for name in dict.fromkeys(case.source.partition(" ")[0] for case in corpus):
        print_table(name, [case for case in corpus if case.source.partition(" ")[0] == name])
    for kind in dict.fromkeys(case.kind for case in corpus):
        print_table(kind, [case for case in corpus if case.kind == kind])
    print(f"\none reply: median {median(times):.2f} ms, slowest {max(times):.1f} ms")
    if options.list:
        print_differences(corpus)


def print_table(name: str, corpus: Sequence[Case]) -> None:
    counts = Counter(outcome for case in corpus for _, outcome in case.outcomes())
    total = counts.total()
    right = counts["label read"] + counts["rightly no label"]
    print(
        f"{name:22} {len(corpus):4} replies {total:5} aspects: {right:5} right ({right / total:.3f}), "
        f"{counts['label not read']:3} labels not read, {counts['wrong label']:2} wrong labels"
    )


def print_differences(corpus: Sequence[Case]) -> None:
    for case in corpus:
        for key, result in case.outcomes():
            if result in ("wrong label", "label not read"):
                print(f"\n{case} {key}: expected {case.expected[key]}, read {case.read[key]}\n{case.reply}")


if __name__ == "__main__":
    main()
