"""Potato: its configuration (YAML), its data files, and each annotator's ``user_state.json``.

The configuration names what the items' id and text are, and what was asked. A state has what one annotator said to
each item; an item that nobody has labelled yet comes, too.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from annotation_platform.core.unreadable import why_no_yaml
from annotation_platform.core.yaml_trees import Loader
from annotation_platform.corpus.importers.cells import finite_number
from annotation_platform.corpus.importers.labelers.controls import DATA, SAID, Control, Form
from annotation_platform.corpus.importers.labelers.labelled import (
    Judged,
    Labelled,
    Task,
    code_points,
    of_config,
    offset_of,
    seconds_of,
    tasks_of,
)
from annotation_platform.corpus.importers.mistakes import (
    STRANGE,
    ImportFileError,
    Mistakes,
    RowError,
    in_json_words,
    place,
    reason_of,
    wrong_at,
)
from annotation_platform.corpus.importers.rows import Row, RowFile
from annotation_platform.corpus.importers.study import LeftOut

LABELS, SPANS = "instance_id_to_label_to_value", "instance_id_to_span_to_value"
BEHAVIOUR = "instance_id_to_behavioral_data"
LARGEST = 100_000_000  # bytes of a state, which is read as a whole


class Potato(Labelled):
    key = "potato"
    called = "corpus.format_potato"
    in_folders = (".yaml", ".yml", ".json", ".jsonl", ".csv", ".tsv")

    def fits(self, beginning: str, suffix: str) -> bool:
        if suffix in (".yaml", ".yml"):
            return "annotation_schemes:" in beginning
        return suffix == ".json" and f'"{LABELS}"' in beginning

    def form(self, sources: Sequence[RowFile]) -> Form | None:
        found = next(filter(_is_config, sources), None)
        if found is None:
            return None
        with of_config(found):
            return _form(found)

    def tasks(self, sources: Sequence[RowFile], mistakes: Mistakes) -> Iterator[tuple[int, Task]]:
        config = next(filter(_is_config, sources), None)
        settings = _settings(config) if config else {}
        keys = settings.get("item_properties") or {}
        id_key, text = str(keys.get("id_key") or "id"), f"{DATA}{keys.get('text_key') or 'text'}"
        kinds = {str(each.get("name")): each for each in settings.get("annotation_schemes") or ()}
        items: dict[str, dict[str, Any]] = {}
        states = []
        for file, source in enumerate(sources):
            if _is_config(source):
                continue
            if (state := _state(source)) is not None:
                states.append((file, state))
                continue
            for number, task in tasks_of(file, source, mistakes, lambda row: _item(row, id_key)):
                items[str(task.cells[f"{DATA}id"])] = dict(task.cells)
                yield number, task
        for file, state in states:
            yield from _of_state(file, state, items, kinds, text, sources[file], mistakes)


def _is_config(source: RowFile) -> bool:
    return source.name.lower().endswith((".yaml", ".yml"))


def _settings(source: RowFile) -> Mapping[str, Any]:
    try:
        settings = yaml.load(source.path.read_text(encoding="utf-8-sig"), Loader=Loader)  # a safe one
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = place(source.name, line=mark.line + 1 if mark else 0)
        raise ImportFileError([wrong_at(where, "corpus.no_yaml", why=why_no_yaml(error))]) from None
    except (ValueError, RecursionError) as error:
        raise ImportFileError([wrong_at(source.name, "corpus.yaml_unread", why=reason_of(error))]) from None
    if not isinstance(settings, dict) or not isinstance(settings.get("annotation_schemes"), list):
        raise ImportFileError([wrong_at(source.name, "corpus.no_potato_config")])
    return settings


def _form(source: RowFile) -> Form:
    settings = _settings(source)
    schemes = [each for each in settings["annotation_schemes"] if isinstance(each, dict)]
    text = f"{DATA}{(settings.get('item_properties') or {}).get('text_key') or 'text'}"
    controls, left_out = [], []
    for scheme in schemes:
        control = _control(scheme, text)
        if control is None:
            tag = f"{scheme.get('name')} ({scheme.get('annotation_type')})"
            left_out.append(LeftOut("corpus.control_not_read", {"tag": tag, "where": source.name}))
        else:
            controls.append(control)
    title = str(settings.get("annotation_task_name") or "")
    return Form(title, [text], controls, left_out, {f"{DATA}id": "question_id"})


def _control(scheme: Mapping[str, Any], text: str) -> Control | None:
    """A scheme of the configuration as a control; None for what cannot be asked here."""
    labels = [each if isinstance(each, dict) else {"name": each} for each in scheme.get("labels") or ()]
    written = [(str(each.get("name")), str(each.get("title") or each.get("name"))) for each in labels]
    common: dict[str, Any] = {
        "name": str(scheme.get("name")),
        "title": str(scheme.get("description") or ""),
        "required": bool((scheme.get("label_requirement") or {}).get("required")),
    }
    kind = scheme.get("annotation_type")
    if kind in ("radio", "select", "multiselect") and written:
        return Control(**common, kind="several" if kind == "multiselect" else "choice", choices=written)
    if kind == "likert":
        size = finite_number(scheme["size"], f"{common['name']}.size")
        ends = {1.0: str(scheme.get("min_label") or ""), size: str(scheme.get("max_label") or "")}
        return Control(**common, kind="range", high=size, labels=ends)
    if kind in ("slider", "number") and {"min_value", "max_value"} <= scheme.keys():
        given = {"low": ("min_value", scheme["min_value"]), "high": ("max_value", scheme["max_value"])}
        given |= {"step": ("step", scheme.get("step") or 1)}
        steps: dict[str, Any] = {
            each: finite_number(written, f"{common['name']}.{name}") for each, (name, written) in given.items()
        }
        return Control(**common, kind="range", **steps)
    if kind in ("text", "textbox", "number"):
        return Control(**common, kind="text")
    if kind == "span":
        return Control(**common, kind="spans", choices=written, marks=[text])
    return None


def _item(row: Row, id_key: str) -> Task:
    if id_key not in row.values:
        raise RowError("corpus.item_without_id", key=id_key)
    cells = {f"{DATA}{name}": value for name, value in row.values.items() if name != id_key}
    return Task(row.line, cells | {f"{DATA}id": str(row.values[id_key])})


def _state(source: RowFile) -> Mapping[str, Any] | None:
    """What one annotator said; None for a file of items."""
    if not source.name.lower().endswith(".json") or source.path.stat().st_size > LARGEST:
        return None
    with source.path.open(encoding="utf-8-sig") as file:
        if file.read(1) != "{":
            return None
    try:
        state = json.loads(source.path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":  # JSON Lines
            return None
        where = place(source.name, line=error.lineno)
        raise ImportFileError([wrong_at(where, "corpus.no_json", why=in_json_words(error))]) from None
    except (ValueError, RecursionError) as error:
        raise ImportFileError([wrong_at(source.name, "corpus.json_unread", why=reason_of(error))]) from None
    return state if isinstance(state, dict) and LABELS in state else None


def _of_state(
    file: int,
    state: Mapping[str, Any],
    items: Mapping[str, dict[str, Any]],
    schemes: Mapping[str, Mapping[str, Any]],
    text: str,
    source: RowFile,
    mistakes: Mistakes,
) -> Iterator[tuple[int, Task]]:
    who = str(state.get("user_id") or "")
    labels, spans = state.get(LABELS) or {}, state.get(SPANS) or {}
    if not isinstance(labels, dict) or not isinstance(spans, dict):
        mistakes.add(wrong_at(source.name, "corpus.task_strange"))
        return
    for instance in dict.fromkeys([*labels, *spans]):
        if instance not in items:
            mistakes.add(wrong_at(source.name, "corpus.no_item_of_id", id=instance))
            continue
        inside = (LABELS, instance)
        try:
            said = _said(labels.get(instance) or [], schemes) | _spans(spans.get(instance) or (), items[instance], text)
            seconds = _seconds((state.get(BEHAVIOUR) or {}).get(instance))
        except STRANGE as error:
            strange = error.reason if isinstance(error, RowError) else "corpus.task_strange"
            mistakes.add(wrong_at(place(source.name, *inside), strange))
            continue
        judged = [Judged(who, said, inside, seconds)] if said else []
        yield file, Task(0, items[instance], judged)


def _spans(spans: Any, item: Mapping[str, Any], text: str) -> dict[str, list[dict[str, Any]]]:
    """Control → its spans. Potato counts as browsers do."""
    found: dict[str, list[dict[str, Any]]] = {}
    for span, _ in spans:
        column = f"{DATA}{span['target_field']}" if span.get("target_field") else text
        start, end = (code_points(item.get(column, ""), offset_of(span[at], at)) for at in ("start", "end"))
        marked = {"text": column, "start": start, "end": end, "label": span["name"]}
        found.setdefault(f"{SAID}{span['schema']}", []).append(marked)
    return found


def _seconds(behaviour: Any) -> float | None:
    milliseconds = seconds_of(behaviour.get("total_time_ms") if isinstance(behaviour, dict) else None)
    return milliseconds / 1_000 if milliseconds else None


def _said(labels: Any, schemes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Control → what was said: the label's name where labels are chosen, else its value."""
    said: dict[str, list[Any]] = {}
    for label, value in labels:
        kind = (schemes.get(label["schema"]) or {}).get("annotation_type")
        if value in (None, "", False, "false"):
            continue
        is_chosen = kind in ("radio", "multiselect") or (kind is None and value in (True, "true", label["name"]))
        said.setdefault(label["schema"], []).append(label["name"] if is_chosen else value)
    several = {name for name, scheme in schemes.items() if scheme.get("annotation_type") == "multiselect"}
    return {
        f"{SAID}{name}": values if name in several or len(values) > 1 else values[0] for name, values in said.items()
    }
