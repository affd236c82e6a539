"""Prodigy: a dataset as ``db-out`` writes it, JSON Lines, a task with its answer in each.

Options are a choice, of each task's own or the same for all; a label is an answer that was accepted or rejected; spans
are spans; what was typed is a text. Of what was chosen or marked only accepted tasks come, and ignored ones never do.
A task without an answer, as those that Prodigy is given, is an item that nobody has judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from annotation_platform.corpus.importers.labelers.controls import DATA, SAID, Control, Form
from annotation_platform.corpus.importers.labelers.labelled import Judged, Labelled, Task, tasks_of
from annotation_platform.corpus.importers.mistakes import STRANGE, Mistakes, RowError
from annotation_platform.corpus.importers.rows import Row, RowFile
from annotation_platform.corpus.importers.study import LeftOut

TEXT, LABEL, CHOICES = f"{DATA}text", f"{DATA}label", f"{DATA}options"
HASH = f"{DATA}_input_hash"
TYPED = "user_input"
SOMEBODY = "somebody"  # where a dataset has no sessions
OF_TASKS = ("options", "accept", "answer", "spans", "tokens", "label", "meta", "config", "text", TYPED, "relations")
ACCEPT, REJECT, IGNORE = "accept", "reject", "ignore"


@dataclass
class TaskShape:
    """What the tasks of a dataset ask."""

    options: dict[tuple[tuple[str, str], ...], None] = field(default_factory=dict)
    several: bool = False
    none: bool = False
    """Whether somebody accepted a task with options, and none of these."""
    spans: dict[str, None] = field(default_factory=dict)
    labelled: bool = False
    typed: bool = False
    plain: bool = False


class Prodigy(Labelled):
    key = "prodigy"
    called = "corpus.format_prodigy"
    in_folders: ClassVar[Sequence[str]] = (".jsonl",)

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix in (".jsonl", ".ndjson") and ('"_input_hash"' in beginning or '"_task_hash"' in beginning)

    def form(self, sources: Sequence[RowFile]) -> Form:
        seen = _seen(sources)
        controls = []
        if seen.options:
            choices = next(iter(seen.options)) if len(seen.options) == 1 else ()
            kind = "several" if choices and seen.several else "choice" if choices else "item_choice"
            none = "None of them" if seen.none else ""
            controls.append(Control(ACCEPT, kind, "Which one?", choices=choices, none_label=none))  # type: ignore[arg-type]
        if seen.spans:
            labels = [(label, label) for label in seen.spans]
            controls.append(Control("spans", "spans", "Spans", choices=labels, marks=[TEXT]))
        if seen.labelled:
            controls.append(Control("answer", "yes_no", "Is the label right?"))
        elif seen.plain:
            controls.append(Control("answer", "yes_no", "Is it accepted?"))
        controls += [Control(TYPED, "text", "In words")] * seen.typed
        parts = {TEXT: "question", HASH: "question_id"}
        parts |= {LABEL: "answer", f"{LABEL}.name": "system"} if seen.labelled else {}
        parts |= {CHOICES: "choices"} if len(seen.options) > 1 else {}
        return Form("Prodigy", [TEXT], controls, parts=parts)

    def tasks(self, sources: Sequence[RowFile], mistakes: Mistakes) -> Iterator[tuple[int, Task]]:
        seen = _seen(sources)
        for file, source in enumerate(sources):
            yield from tasks_of(file, source, mistakes, partial(_task, seen=seen))


def _seen(sources: Sequence[RowFile]) -> TaskShape:
    seen = TaskShape()
    for source in sources:
        for row in source.rows(Mistakes()):
            with suppress(*STRANGE):  # what is wrong with it is told where tasks are read
                _see(row.values, seen)
    return seen


def _see(task: Mapping[str, Any], seen: TaskShape) -> None:
    if options := _options(task):
        seen.options[options] = None
        seen.several = seen.several or len(task.get("accept") or ()) > 1
        seen.none = seen.none or (task.get("answer") == ACCEPT and not task.get("accept"))
    elif _is_marked(task):
        seen.spans |= {str(span["label"]): None for span in task.get("spans") or () if "label" in span}
    elif isinstance(task.get("label"), str):
        seen.labelled = True
    elif not task.get(TYPED) and "answer" in task:
        seen.plain = True
    seen.typed = seen.typed or bool(task.get(TYPED))


def _options(task: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    options = task.get("options")
    listed = options if isinstance(options, list) else []
    return tuple((str(each["id"]), str(each.get("text", each["id"]))) for each in listed if isinstance(each, dict))


def _is_marked(task: Mapping[str, Any]) -> bool:
    """Whether spans were marked; of one that a model found, somebody has said whether it is right."""
    view = str(task.get("_view_id") or "")
    return "spans" in task and (view in ("", "blocks") or view.endswith("manual"))


def _task(row: Row, seen: TaskShape) -> Task:
    task = row.values
    if not isinstance(task.get("text"), str):
        raise RowError("corpus.no_text_of_prodigy")
    cells = {f"{DATA}{name}": value for name, value in task.items() if name not in OF_TASKS and name[0] != "_"}
    meta = task.get("meta")
    cells |= {f"{DATA}meta.{name}": value for name, value in (meta if isinstance(meta, dict) else {}).items()}
    cells |= {TEXT: task["text"], HASH: task.get("_input_hash")}
    options = _options(task)
    if len(seen.options) > 1:
        cells[CHOICES] = [text for _, text in options]
    if seen.labelled:
        label = str(task.get("label") or "")
        cells |= {LABEL: label, f"{LABEL}.name": label}
    relations = len(task.get("relations") or ())
    left_out = [LeftOut("corpus.relations", number=relations)] * bool(relations)
    if "answer" not in task:
        suggested = len(task.get("spans") or ())
        left_out += [LeftOut("corpus.spans_suggested", number=suggested)] * bool(suggested)
        return Task(row.line, cells, (), left_out)
    if task["answer"] == IGNORE:
        return Task(row.line, cells, (), [*left_out, LeftOut("corpus.tasks_ignored")])
    said = _said(task, options, seen)
    if said is None:
        return Task(row.line, cells, (), [*left_out, LeftOut("corpus.tasks_rejected")])
    who = str(task.get("_annotator_id") or task.get("_session_id") or SOMEBODY)
    return Task(row.line, cells, [Judged(who, said, judged_at=task.get("_timestamp"))], left_out)


def _said(task: Mapping[str, Any], options: Sequence[tuple[str, str]], seen: TaskShape) -> dict[str, Any] | None:
    """What was said, by column; None where what was chosen or marked was rejected."""
    is_accepted = task["answer"] == ACCEPT
    said: dict[str, Any] = {f"{SAID}{TYPED}": task[TYPED]} if task.get(TYPED) else {}
    if options:
        taken = [str(each) for each in task.get("accept") or ()]
        words = dict(options)
        is_own = len(seen.options) > 1
        chosen = [words.get(each, each) for each in taken] if is_own else taken
        if seen.several and not is_own:
            said[f"{SAID}{ACCEPT}"] = chosen
        elif chosen:
            said[f"{SAID}{ACCEPT}"] = chosen[0]
    elif _is_marked(task):
        given = task["spans"] or ()
        spans = [{"text": TEXT, **{name: span[name] for name in ("start", "end", "label")}} for span in given]
        said[f"{SAID}spans"] = spans
    elif seen.labelled or seen.plain:
        return said | {f"{SAID}answer": "yes" if is_accepted else "no"}
    return said if is_accepted else None
