"""Argilla 2: ``settings.json`` and ``records.json`` as ``Dataset.to_disk`` writes them, or rows of ``to_datasets``.

A record is an item; its responses are judgments, one of each user, who is named by their UUID. Suggestions are no
people's, and stay out.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from annotation_platform.corpus.importers.cells import whole_number
from annotation_platform.corpus.importers.labelers.controls import DATA, SAID, Control, Form, numbered
from annotation_platform.corpus.importers.labelers.labelled import Judged, Labelled, Task, of_config, tasks_of
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, in_json_words, wrong_at
from annotation_platform.corpus.importers.rows import Row, RowFile
from annotation_platform.corpus.importers.study import LARGEST, LeftOut

SETTINGS = "settings.json"
RESPONSES, USERS, STATUS = ".responses", ".responses.users", ".responses.status"
OF_RECORDS = ("id", "status", "_server_id", "metadata", "vectors", "suggestions")
COUNTED = ("suggestions", "vectors")
SUGGESTION = ".suggestion"


class Argilla(Labelled):
    key = "argilla"
    called = "corpus.format_argilla"
    in_folders = (".json", ".parquet")

    def fits(self, beginning: str, suffix: str) -> bool:
        is_settings = '"questions"' in beginning and '"fields"' in beginning and '"allow_extra_metadata"' in beginning
        is_records = '"responses"' in beginning and '"suggestions"' in beginning and '"fields"' in beginning
        return suffix == ".json" and (is_settings or is_records)

    def form(self, sources: Sequence[RowFile]) -> Form | None:
        found = next((source for source in sources if _is_about_dataset(source)), None)
        if found is None:
            return None
        with of_config(found):
            return _form(found)

    def tasks(self, sources: Sequence[RowFile], mistakes: Mistakes) -> Iterator[tuple[int, Task]]:
        form = self.form(sources)
        marks = {each.name: each.marks[0] for each in form.controls if each.marks} if form else {}
        ranked = [column.removeprefix(DATA) for column in (_candidates(form.controls) if form else ())]
        for file, source in enumerate(sources):
            if not _is_about_dataset(source):
                yield from tasks_of(file, source, mistakes, partial(_task, marks=marks, ranked=ranked))


def _is_about_dataset(source: RowFile) -> bool:
    """Whether a file of the folder is no records: the settings, or the name of the dataset."""
    return source.name.rpartition("/")[2] in (SETTINGS, "dataset.json")


def _form(source: RowFile) -> Form | None:
    try:
        settings = json.loads(source.path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ImportFileError([wrong_at(source.name, "corpus.json_unread", why=in_json_words(error))]) from None
    if not isinstance(settings, dict) or not isinstance(settings.get("questions"), list):
        return None
    fields = {each["name"]: each.get("type") or each["settings"]["type"] for each in settings["fields"]}
    controls = _about_one_list([(each, _control(each, fields)) for each in settings["questions"]])
    left_out = [
        LeftOut("corpus.control_not_read", {"tag": f"{each['name']} ({_kind(each)})", "where": source.name})
        for each, control in controls
        if control is None
    ]
    left_out += [
        LeftOut("corpus.control_not_read", {"tag": f"{name} ({kind})", "where": source.name})
        for name, kind in fields.items()
        if kind not in ("text", "chat")
    ]
    texts = [f"{DATA}{name}" for name, kind in fields.items() if kind == "text"]
    chats = {f"{DATA}{name}": "conversation" for name, kind in fields.items() if kind == "chat"}
    asked = [control for _, control in controls if control]
    systems = {f"{column}.name": f"system.{n}" for n, column in enumerate(_candidates(asked), start=1)}
    return Form("Argilla", texts, asked, left_out, chats | systems)


def _about_one_list(
    controls: Sequence[tuple[Mapping[str, Any], Control | None]],
) -> list[tuple[Mapping[str, Any], Control | None]]:
    """Questions with their controls, without those of rankings of other fields than the first one's, be they more or
    fewer: an item has one list of candidates, which every ranking ranks."""
    candidates = _candidates([control for _, control in controls if control])
    return [
        (each, control if control and {*control.beside} in (set(), {*candidates}) else None)
        for each, control in controls
    ]


def _candidates(controls: Sequence[Control]) -> Sequence[str]:
    """The columns of the candidates as they are numbered: in the order of the first ranking."""
    return next((control.beside for control in controls if control.beside), ())


def _kind(question: Mapping[str, Any]) -> str:
    return str(question.get("type") or question["settings"]["type"])


def _control(question: Mapping[str, Any], fields: Mapping[str, str]) -> Control | None:
    """A question as a control; None for what cannot be asked here."""
    options = question["settings"].get("options") or []
    written = [(str(each["value"]), str(each.get("text") or each["value"])) for each in options]
    common: dict[str, Any] = {
        "name": str(question["name"]),
        "title": str(question.get("title") or ""),
        "help": str(question.get("description") or ""),
        "required": bool(question.get("required")),
    }
    kind = _kind(question)
    if kind in ("label_selection", "multi_label_selection"):
        return Control(**common, kind="choice" if kind == "label_selection" else "several", choices=written)
    if kind == "text":
        return Control(**common, kind="text")
    if kind == "rating":
        numbers = sorted(whole_number(each["value"], f"{question['name']}.options", least=-LARGEST) for each in options)
        if numbers and numbers == [*range(numbers[0], numbers[-1] + 1)]:
            return Control(**common, kind="range", low=numbers[0], high=numbers[-1])
        return Control(**common, kind="choice", choices=written)
    if kind == "span":
        column = f"{DATA}{question['settings'].get('field')}"
        return Control(**common, kind="spans", choices=written, marks=[column])
    if kind == "ranking" and {value for value, _ in written} <= fields.keys():
        return Control(**common, kind="rank", beside=[f"{DATA}{value}" for value, _ in written])
    return None


def _task(row: Row, marks: Mapping[str, str], ranked: Sequence[str]) -> Task:
    """A record; ``ranked`` are the fields that are candidates, as these are numbered."""
    record = row.values
    fields = record.get("fields")
    responses = record.get("responses")
    left_out = _left_out(record)
    if not isinstance(fields, dict):  # a row of to_datasets
        responses, not_submitted = _flat(record)
        left_out += [LeftOut("corpus.responses_not_submitted", number=not_submitted)] * bool(not_submitted)
        questions = responses.keys() | (record.get("suggestions") or {}).keys()
        fields = {
            name: value
            for name, value in record.items()
            if name not in OF_RECORDS and not any(name == q or name.startswith(f"{q}.") for q in questions)
        }
    cells = {f"{DATA}{name}": value for name, value in fields.items()}
    cells |= {f"{DATA}{name}.name": name for name in ranked if name in fields}
    cells[f"{DATA}id"] = record.get("id")
    metadata = record.get("metadata")
    cells |= {f"{DATA}metadata.{name}": value for name, value in (metadata or {}).items()}
    said: dict[str, dict[str, Any]] = {}
    for question, given in (responses or {}).items():
        for each in given or ():
            if each["value"] is not None:
                of_user = said.setdefault(str(each["user_id"]), {})
                of_user |= _said(question, each["value"], ranked, [*fields], marks)
    judged = [Judged(user, values, inside=("responses",)) for user, values in said.items()]
    return Task(row.line, cells, judged, left_out)


def _left_out(record: Mapping[str, Any]) -> list[LeftOut]:
    """What no people said: suggestions and vectors, by their number."""
    suggested = sum(value is not None for name, value in record.items() if name.endswith(SUGGESTION))
    counts = {name: len(record.get(name) or ()) for name in COUNTED}
    counts["suggestions"] += suggested
    return [LeftOut("corpus.part_of_records", {"part": name}, count) for name, count in counts.items() if count]


def _flat(record: Mapping[str, Any]) -> tuple[dict[str, list[dict[str, Any]]], int]:
    """The responses of a row of ``to_datasets``, and how many stay out: drafts and what was discarded."""
    found = {}
    not_submitted = 0
    for column, values in record.items():
        question = column.removesuffix(RESPONSES)
        if question != column and values:
            users, status = record[f"{question}{USERS}"], record.get(f"{question}{STATUS}") or [None] * len(values)
            found[question] = [
                {"value": value, "user_id": user}
                for value, user, state in zip(values, users, status, strict=True)
                if state in (None, "submitted")
            ]
            not_submitted += len(values) - len(found[question])
    return found, not_submitted


def _said(
    question: str, value: Any, ranked: Sequence[str], fields: Sequence[str], marks: Mapping[str, str]
) -> dict[str, Any]:
    """A response by column; of a ranking the place of each field, as the candidates are numbered."""
    if isinstance(value, list) and value and all(isinstance(each, dict) and "rank" in each for each in value):
        ranks = {each["value"]: each["rank"] for each in value}
        ordered = ranked or [name for name in fields if name in ranks]
        return dict(numbered(question, {n: ranks[name] for n, name in enumerate(ordered, start=1) if name in ranks}))
    if question in marks:
        return {f"{SAID}{question}": [{"text": marks[question], **_span(each)} for each in value]}
    return {f"{SAID}{question}": value}


def _span(span: Mapping[str, Any]) -> dict[str, Any]:
    return {name: span[name] for name in ("start", "end", "label")}
