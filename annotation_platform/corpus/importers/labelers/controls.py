"""The controls of another tool's labelling form, and the scheme that asks the same.

A control is what the tool calls a question, a schema or a tag. What it asks becomes an aspect; its choices keep their
words as labels and get keys of their own, and what the tool wrote for a choice is told apart from both.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from annotation_platform.core.schemes import build_scheme
from annotation_platform.core.schemes.mistakes import POINT_PATTERN
from annotation_platform.corpus.importers.columns import suggested
from annotation_platform.corpus.importers.fields import MOST_BESIDE, fields_of
from annotation_platform.corpus.importers.spelling import as_written
from annotation_platform.corpus.importers.study import LeftOut

DATA, SAID = "data.", "result."
"""Before the columns of an item, and of what was said to a control."""
LONGEST_KEY, LONGEST_TEXT = 40, 20_000
MOST_STARS, MOST_LABELS = 10, 9
CLOSED = ("choice", "several", "spans")
MARKABLE = ("question", "answer", "rationale")
Kind = Literal["choice", "several", "stars", "range", "text", "best", "rank", "item_choice", "yes_no", "spans"]
NAMES_OF_PARTS = {
    **dict.fromkeys(("question", "prompt", "query", "instruction", "input"), "question"),
    **dict.fromkeys(("answer", "response", "output", "completion", "generation", "candidate"), "answer"),
    **dict.fromkeys(("article", "context", "passage", "document"), "article"),
    **dict.fromkeys(("reference", "references", "reference_answers", "gold"), "reference_answers"),
    **dict.fromkeys(("system", "model"), "system"),
    **dict.fromkeys(("id", "question_id"), "question_id"),
}
ORDER = ("article", "question", "choices", "answer", "candidates", "reference_answers")


@dataclass(frozen=True)
class Control:
    """One control. ``choices``: what the file writes for each, and its words; ``low`` to ``high`` of numbers.

    ``beside``: of a comparison the columns of the texts compared, in order.
    """

    name: str
    kind: Kind
    title: str = ""
    help: str = ""
    choices: Sequence[tuple[str, str]] = ()
    low: float = 1
    high: float = 5
    step: float = 1
    labels: Mapping[float, str] = field(default_factory=dict)
    required: bool = False
    is_conditional: bool = False
    """Whether the tool shows it under a condition, so that who left it empty need not have seen it."""
    beside: Sequence[str] = ()
    tie_label: str = ""
    none_label: str = ""
    """Of several choices what it is called that none of them was chosen; "" where that is no answer."""
    marks: Sequence[str] = ()
    """The columns of the texts in which spans are marked."""
    notes: bool = False
    """Whether something can be written about each span."""

    @property
    def is_unclear(self) -> str:
        """Why no aspect can ask this, as a code; "" where one can."""
        if self.kind not in CLOSED:
            return ""
        if len(self.choices) < (1 if self.kind == "spans" else 2):
            return "corpus.control_of_one_choice"
        if self.kind == "spans" and len(self.choices) > MOST_LABELS:
            return "corpus.control_of_many_labels"
        written = {as_written(each) for each, _ in self.choices}
        return "" if len(written) == len(self.choices) else "corpus.control_of_like_choices"


@dataclass(frozen=True)
class Form:
    """A labelling form: the columns of its texts in order, its controls, and what of it cannot come."""

    title: str
    texts: Sequence[str]
    controls: Sequence[Control]
    left_out: Sequence[LeftOut] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    """Column → field, where the tool itself says so."""


@dataclass(frozen=True)
class Derived:
    """A form as a scheme: its definition, which column is what, and what is written there for each choice.

    The definition is empty of a form that asks nothing, as of a file in which nobody has labelled anything yet.
    """

    definition: Mapping[str, Any]
    columns: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]]
    left_out: Sequence[LeftOut]


def derive(form: Form) -> Derived:
    """The scheme of a form."""
    left_out = [*form.left_out]
    controls = []
    for control in form.controls:
        if why := control.is_unclear:
            left_out.append(LeftOut(why, {"control": control.name}))
        else:
            controls.append(control)
    columns = parts_of(form, controls)
    for control in [each for each in controls if each.kind == "spans" and not _marked(each, columns)]:
        controls.remove(control)
        left_out.append(LeftOut("corpus.control_of_other_texts", {"control": control.name}))
    if not controls:
        return Derived({}, columns, {}, left_out)
    keys: list[str] = []
    aspects: list[dict[str, Any]] = []
    for control in controls:
        keys.append(key_of(control.name, keys, "aspect"))
        aspect = {"key": keys[-1], "title": control.title.strip() or control.name, "required": control.required}
        aspects.append(aspect | {"help": control.help} | _asks(control, columns))
    definition = {
        "key": key_of(form.title, (), "imported"),
        "title": form.title.strip() or "Imported",
        "shown": _shown(columns, aspects),
        "aspects": aspects,
    }
    known = {each.key for each in fields_of(build_scheme(definition))}
    for control, key in zip(controls, keys, strict=True):
        field = f"aspect.{key}" if f"aspect.{key}" in known else key
        numbers = [f".{n}" for n in range(1, len(control.beside) + 1)] if control.kind == "rank" else [""]
        columns |= {f"{SAID}{control.name}{number}": f"{field}{number}" for number in numbers}
    values = {
        f"{SAID}{control.name}": dict(zip([each for each, _ in control.choices], _keys(control), strict=True))
        for control in controls
        if control.kind in CLOSED
    }
    return Derived(definition, columns, values, left_out)


def parts_of(form: Form, controls: Sequence[Control]) -> dict[str, str]:
    """Column → part of the item: what the tool says, then names that are known, then the texts in their order.

    Texts in which spans are marked are no articles, whose sentences are cut.
    """
    beside = next((each.beside for each in controls if each.beside), ())
    columns = {column: f"answer.{n}" for n, column in enumerate(beside, start=1)} | dict(form.parts)
    known = {*NAMES_OF_PARTS.values()} - ({"answer"} if beside else set())
    marked = {column for each in controls for column in each.marks}
    for column in form.texts:
        if column not in columns:
            free = known - {*columns.values()} - ({"article", "reference_answers"} if column in marked else set())
            columns[column] = suggested(column, free, NAMES_OF_PARTS)
    texts = [column for column in form.texts if column not in beside and column not in form.parts]
    unnamed = [column for column in texts if not columns[column]]
    if not {"question", "conversation"} & {*columns.values()} and texts:  # every item has one
        asked = unnamed.pop(0) if unnamed else texts[0]
        columns[asked] = "question"
    if unnamed and not beside and "answer" not in columns.values():
        columns[unnamed[0]] = "answer"
    return columns


def key_of(name: str, taken: Sequence[str], otherwise: str) -> str:
    """A key like a name, which nothing before it has."""
    key = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")[:LONGEST_KEY].strip("_")
    if not re.match("[a-z]", key):
        key = f"{otherwise}_{key}".strip("_")[:LONGEST_KEY]
    numbers = range(2, len(taken) + 2)
    return next(each for each in (key, *(f"{key[: LONGEST_KEY - 4]}_{n}" for n in numbers)) if each not in taken)


def _keys(control: Control) -> list[str]:
    keys: list[str] = []
    for written, label in control.choices:
        if re.fullmatch(POINT_PATTERN, written) and written not in (*keys, "none"):
            keys.append(written)
            continue
        word = written if re.search("[a-z]", written.casefold()) else label
        keys.append(key_of(word if key_of(word, (), "choice") != "none" else "choice none", keys, "choice"))
    return keys


def _marked(control: Control, columns: Mapping[str, str]) -> list[str]:
    """The parts in which a control marks spans."""
    return [columns[column] for column in control.marks if columns.get(column) in MARKABLE]


def _asks(control: Control, columns: Mapping[str, str]) -> dict[str, Any]:
    """What an aspect of each kind says beside its title."""
    choices = [
        {"key": key, "label": label.strip() or key}
        for key, (_, label) in zip(_keys(control), control.choices, strict=True)
    ]
    steps = {"low": control.low, "high": control.high, "step": control.step}
    asked: dict[str, dict[str, Any]] = {
        "choice": {"scale": {"level": "nominal", "choices": choices}},
        "several": {"choices": choices, "none_label": control.none_label},
        "stars": {"points": int(control.high)},
        "range": {**steps, "labels": {each: label for each, label in control.labels.items() if label}},
        "text": {"max_length": LONGEST_TEXT},
        "rank": {"low": 1, "high": max(len(control.beside), 2), "level": "ordinal", "better": "low"},
        "best": {"tie_label": control.tie_label},
        "spans": {"marks": _marked(control, columns), "labels": choices, "notes": control.notes},
    }
    kinds = {"rank": {"kind": "range", "per": "candidate"}, "best": {"kind": "best_of"}}
    return {"kind": control.kind} | kinds.get(control.kind, {}) | asked.get(control.kind, {})


def _shown(columns: Mapping[str, str], aspects: Sequence[Mapping[str, Any]]) -> list[str]:
    fields = {field.partition(".")[0] if field.startswith("answer.") else field for field in columns.values()}
    if any(field.startswith("answer.") for field in columns.values()):
        fields = fields - {"answer"} | {"candidates"}
    if "conversation" in fields:
        fields |= {"question", "answer"}
    if any(aspect["kind"] == "item_choice" for aspect in aspects):
        fields.add("choices")
    return [part for part in ORDER if part in fields]


def numbered(control: str, ranks: Mapping[int, Any]) -> Iterator[tuple[str, Any]]:
    """What a ranking says, by the columns of the candidates' places."""
    return ((f"{SAID}{control}.{n}", rank) for n, rank in ranks.items() if n <= MOST_BESIDE)
