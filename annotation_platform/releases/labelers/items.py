"""The items of a release with what was said of each, made of its own files: what both tools are given.

A *control* is what a tool asks: one for each aspect, of an aspect per candidate one for each candidate
(``rating_2``). Pseudonyms of annotators are the release's own.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from annotation_platform.core.schemes import (
    Aspect,
    BestOfAspect,
    ItemChoiceAspect,
    RatedAspect,
    Scheme,
    SentencesAspect,
    SeveralAspect,
)
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, CHOICE_LETTERS, TIE, SpansAspect
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.corpus.importers.exported import words_of
from annotation_platform.corpus.importers.fields import CANNOT_JUDGE_REASON_COLUMN
from annotation_platform.releases.freeze.rows import Row, rows_of

ALONE = ("question", "choices", "answer", "rationale", "reference_answers")
ALWAYS = ("question", "answer")
"""Columns that every release has; the others are of the item where the scheme shows them, and else of an aspect."""


@dataclass(frozen=True)
class Control:
    """One question of the form; ``choices`` are its keys and labels, none where anything can be said."""

    name: str
    title: str
    aspect: Aspect
    choices: Sequence[tuple[str, str]] = ()


@dataclass
class Judgment:
    """What one annotator said, by control."""

    annotator: str
    replicate: int
    seconds: float | None
    created_at: str
    values: dict[str, Any] = field(default_factory=dict)
    cannot_judge: str | None = None
    """The reason of who could not judge the item."""


@dataclass
class Item:
    """An item: its texts by name, and its judgments."""

    id: str
    system: str
    texts: dict[str, str]
    judgments: dict[tuple[str, int], Judgment] = field(default_factory=dict)


@dataclass(frozen=True)
class Project:
    """All of a release."""

    scheme: Scheme
    items: Sequence[Item]

    @cached_property
    def texts(self) -> list[str]:
        """The names of all texts, in the order in which they are shown."""
        names = {name for item in self.items for name in item.texts}
        answers = sorted((name for name in names - {*ALONE}), key=lambda name: int(name.rpartition("_")[2]))
        return [name for part in ALONE for name in ([part] if part != "answer" else [part, *answers]) if name in names]

    @property
    def about(self) -> str:
        """The text that a judgment of the item is about."""
        return "answer" if "answer" in self.texts else "question"

    @cached_property
    def candidates(self) -> int:
        """The most answers side by side; 0 where answers stand alone."""
        return sum(name.startswith("answer_") for name in self.texts)

    @cached_property
    def controls(self) -> list[Control]:
        most = max((len(_lines(item.texts.get("choices"))) for item in self.items), default=0)
        return [
            Control(name, title, aspect, _choices(aspect, self.candidates, most))
            for aspect in self.scheme.aspects
            for name, title in _named(aspect, self.candidates)
        ]


def project_of(folder: Path, scheme: Scheme) -> Project:
    """The items of a release that is unpacked in a folder, in the order of its file."""
    items: dict[str, Item] = {}
    for judgment in rows_of(folder, scheme):
        _take(judgment, items, scheme)
    return Project(scheme, [*items.values()])


def _take(judgment: Row, items: dict[str, Item], scheme: Scheme) -> None:
    row, given = judgment
    item = items.setdefault(str(row["item_id"]), Item(str(row["item_id"]), "", {}))
    number = int(row["candidate"]) if scheme.judges_candidates else 0
    if not number:
        item.system = row["system"]
    for name in ALONE:
        if (name in ALWAYS or name in scheme.parts) and row.get(name) not in (None, ""):
            item.texts[f"answer_{number}" if number and name == "answer" else name] = str(row[name])
    key = (str(row["annotator"]), int(row.get("replicate") or 0))
    said = item.judgments.setdefault(key, Judgment(*key, row.get("seconds"), str(row.get("created_at") or "")))
    if given.get(CANNOT_JUDGE):
        said.cannot_judge = str(given.get(CANNOT_JUDGE_REASON_COLUMN) or "")
        return
    for aspect in scheme.aspects:
        value = _value(aspect, given, number)
        if value not in (None, ""):
            said.values[f"{aspect.key}_{number}" if aspect.per == "candidate" else aspect.key] = value


def _value(aspect: Aspect, given: Mapping[str, Any], number: int) -> Any:
    """What a row says to an aspect: a key, a list of keys, a text, or spans; None for nothing."""
    value = given[aspect.key]
    if isinstance(aspect, BestOfAspect):
        return TIE if given.get(f"{aspect.key}.{TIE}") == 1 else str(number) if value == 1 else None
    if isinstance(aspect, SpansAspect):
        return json.loads(value) if isinstance(value, str) and value else value
    if isinstance(aspect, SeveralAspect | SentencesAspect) and value is not None:
        words = words_of(value)  # none at all is an answer, too
        return words if isinstance(aspect, SeveralAspect) else " ".join(words) or NONE
    return f"{value:g}" if isinstance(value, float) else value if value is None else str(value)


def _named(aspect: Aspect, candidates: int) -> Iterator[tuple[str, str]]:
    if aspect.per == "item":
        yield aspect.key, aspect.title
        return
    for number in range(1, candidates + 1):
        yield f"{aspect.key}_{number}", f"{aspect.title} (answer {number})"


def _choices(aspect: Aspect, candidates: int, most: int) -> list[tuple[str, str]]:
    if isinstance(aspect, BestOfAspect):
        tie = [(TIE, aspect.tie_label)] if aspect.tie_label else []
        return [(str(n), f"Answer {n}") for n in range(1, candidates + 1)] + tie
    if isinstance(aspect, ItemChoiceAspect):
        none = [("none", aspect.none_label)] if aspect.none_label else []
        return [(letter, letter) for letter in CHOICE_LETTERS[:most]] + none
    if isinstance(aspect, RatedAspect):
        return [(choice.key, choice.label) for choice in aspect.scale.choices]
    if isinstance(aspect, SeveralAspect):
        return [(choice.key, choice.label) for choice in aspect.choices]
    return [(label.key, label.label) for label in aspect.labels] if isinstance(aspect, SpansAspect) else []


def text_marked(span: Mapping[str, Any], control: Control) -> str:
    """The name of the text in which a span is marked: of an aspect per candidate that candidate's answer."""
    number = control.name.rpartition("_")[2] if control.aspect.per == "candidate" else ""
    return f"answer_{number}" if number and span["text"] == "answer" else str(span["text"])


def texts_marked(control: Control, project: Project) -> list[str]:
    """The texts in which a control marks spans; none for a control about the item as a whole."""
    if not isinstance(control.aspect, SpansAspect):
        return []
    names = [text_marked({"text": part}, control) for part in control.aspect.marks]
    return [name for name in names if name in project.texts]


def name_beside(control: Control, text: str, project: Project) -> str:
    """What a control is called: of spans in several texts, by the text too."""
    return f"{control.name}_{text}" if len(texts_marked(control, project)) > 1 else control.name


def _lines(text: str | None) -> list[str]:
    """The texts of a cell of an export: one a line, or a JSON list."""
    if not text:
        return []
    return [str(each) for each in json.loads(text)] if text.startswith('["') else text.split("\n")
