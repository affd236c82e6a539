"""A release as Argilla 2 reads it: ``settings.json`` and ``records.json``, as ``Dataset.from_disk`` takes them.

A user of Argilla is named by a UUID: each pseudonym has one, the same in every file of the release.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from annotation_platform.core.schemes import RatedAspect, SeveralAspect
from annotation_platform.core.schemes.aspects import SpansAspect
from annotation_platform.releases.labelers.items import (
    Control,
    Item,
    Judgment,
    Project,
    name_beside,
    text_marked,
    texts_marked,
)

RATINGS = range(11)  # what a rating of Argilla can be
JUDGED, CANNOT_JUDGE = "judged", "cannot_judge"


def argilla_files(project: Project) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file."""
    yield "settings.json", json.dumps(settings_of(project), ensure_ascii=False).encode()
    yield "records.json", json.dumps([_record(item, project) for item in project.items], ensure_ascii=False).encode()


def settings_of(project: Project) -> dict[str, Any]:
    """Fields and questions of a release."""
    fields = [
        {"name": name, "title": name, "required": not number, "settings": {"type": "text", "use_markdown": False}}
        for number, name in enumerate(project.texts)
    ]
    options = [{"value": "yes", "text": "Yes"}, {"value": "no", "text": "No"}]
    judged = _question(JUDGED, "Could it be judged?", {"type": "label_selection", "options": options})
    questions = [judged | {"required": True}]  # Argilla asks for one that every response has
    questions += [each for control in project.controls for each in _questions(control, project)]
    if project.scheme.cannot_judge:
        questions.append(_question(CANNOT_JUDGE, project.scheme.cannot_judge, {"type": "text", "use_markdown": False}))
    return {
        "guidelines": project.scheme.guidelines or None,
        "questions": questions,
        "fields": fields,
        "vectors": [],
        "metadata": [],
        "allow_extra_metadata": True,
        "distribution": {"strategy": "overlap", "min_submitted": project.scheme.judgments_per_item},
    }


def _question(name: str, title: str, settings: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "title": title, "description": None, "required": False, "settings": settings}


def _questions(control: Control, project: Project) -> Iterator[dict[str, Any]]:
    """A control as a question; of spans one for each text."""
    if isinstance(control.aspect, SpansAspect):
        options = [{"value": key, "text": label} for key, label in control.choices]
        for text in texts_marked(control, project):
            named = name_beside(control, text, project)
            more = {"allow_overlapping": True, "field": text, "options": options}
            yield _question(named, control.title, {"type": "span", **more})
        return
    yield _question(control.name, control.title, _settings(control))


def _settings(control: Control) -> dict[str, Any]:
    options = [{"value": key, "text": label} for key, label in control.choices]
    if _is_rating(control):
        return {"type": "rating", "options": [{"value": int(key)} for key, _ in control.choices]}
    if isinstance(control.aspect, SeveralAspect):
        return {"type": "multi_label_selection", "options": options, "options_order": "natural"}
    if len(options) > 1:
        return {"type": "label_selection", "options": options}
    return {"type": "text", "use_markdown": False}


def _is_rating(control: Control) -> bool:
    """Whether all that can be said are whole numbers that Argilla knows."""
    numbers = [key for key, _ in control.choices]
    is_rated = isinstance(control.aspect, RatedAspect) and len(numbers) > 1
    return is_rated and all(key.isdecimal() and int(key) in RATINGS for key in numbers)


def _record(item: Item, project: Project) -> dict[str, Any]:
    responses: dict[str, list[dict[str, Any]]] = defaultdict(list)
    controls = {control.name: control for control in project.controls}
    for said in item.judgments.values():
        user = _user(said)
        given = {name: value for name, value in said.values.items() if name in controls}
        answers = [each for name, value in given.items() for each in _answers(controls[name], value, project)]
        answers.append((JUDGED, "yes" if said.cannot_judge is None else "no"))
        if said.cannot_judge:
            answers.append((CANNOT_JUDGE, said.cannot_judge))
        for question, value in answers:
            responses[question].append({"value": value, "user_id": user})
    return {
        "id": item.id,
        "fields": item.texts,
        "metadata": {"system": item.system} if item.system else {},
        "suggestions": {},
        "responses": responses,
        "vectors": {},
        "status": "completed",
        "_server_id": None,
    }


def _user(said: Judgment) -> str:
    """Who said it; a second judgment of an item is another user's, for each has one answer to a question."""
    return str(uuid5(NAMESPACE_OID, f"{said.annotator} {said.replicate}" if said.replicate else said.annotator))


def _answers(control: Control, value: Any, project: Project) -> Iterator[tuple[str, Any]]:
    if isinstance(control.aspect, SpansAspect):
        for text in texts_marked(control, project):
            spans = [
                {"start": span["start"], "end": span["end"], "label": span["label"]}
                for span in value
                if text_marked(span, control) == text
            ]
            yield name_beside(control, text, project), spans
    else:
        yield control.name, int(value) if _is_rating(control) else value
