"""A release as Label Studio imports it: a labelling configuration, and tasks with annotations.

Label Studio refuses annotators that it does not know, so that annotations come as those of whoever imports; the
release's pseudonym is an answer of its own, ``annotator``.
"""

import json
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from annotation_platform.core.schemes import RangeAspect, SeveralAspect, StarsAspect
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

ANNOTATOR, CANNOT_JUDGE = "annotator", "cannot_judge"


def label_studio_files(project: Project) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file."""
    yield "config.xml", config_of(project).encode()
    yield "tasks.json", json.dumps([_task(item, project) for item in project.items], ensure_ascii=False).encode()


def config_of(project: Project) -> str:
    """The labelling configuration of a release."""
    view = ElementTree.Element("View")
    for name in project.texts:
        ElementTree.SubElement(view, "Header", value=name)
        ElementTree.SubElement(view, "Text", name=name, value=f"${name}")
    about = project.about
    for control in project.controls:
        for text in texts_marked(control, project) or [about]:
            ElementTree.SubElement(view, "Header", value=control.title)
            _add(view, control, text, project)
    if project.scheme.cannot_judge:
        ElementTree.SubElement(view, "Header", value=project.scheme.cannot_judge)
        ElementTree.SubElement(view, "TextArea", name=CANNOT_JUDGE, toName=about)
    ElementTree.SubElement(view, "Header", value="Annotator in the release")
    ElementTree.SubElement(view, "TextArea", name=ANNOTATOR, toName=about)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _add(view: ElementTree.Element, control: Control, text: str, project: Project) -> None:
    aspect = control.aspect
    named = {"name": name_beside(control, text, project), "toName": text}
    if isinstance(aspect, StarsAspect):
        ElementTree.SubElement(view, "Rating", named, maxRating=str(aspect.points))
    elif isinstance(aspect, RangeAspect):
        steps = {"min": f"{aspect.low:g}", "max": f"{aspect.high:g}", "step": f"{aspect.step:g}"}
        ElementTree.SubElement(view, "Number", named | steps)
    elif isinstance(aspect, SpansAspect):
        labels = ElementTree.SubElement(view, "Labels", named)
        for key, label in control.choices:
            ElementTree.SubElement(labels, "Label", value=label, alias=key)
    elif control.choices:
        how = "multiple" if isinstance(aspect, SeveralAspect) else "single"
        choices = ElementTree.SubElement(view, "Choices", named, choice=how)
        for key, label in control.choices:
            ElementTree.SubElement(choices, "Choice", value=label, alias=key)
    else:
        ElementTree.SubElement(view, "TextArea", named)


def _task(item: Item, project: Project) -> dict[str, Any]:
    blank = dict.fromkeys(project.texts, "")
    annotations = [_annotation(said, item, project) for said in item.judgments.values()]
    return {"data": {**blank, **item.texts, "item_id": item.id, "system": item.system}, "annotations": annotations}


def _annotation(said: Judgment, item: Item, project: Project) -> dict[str, Any]:
    about = project.about
    result = [
        each
        for control in project.controls
        if control.name in said.values
        for each in _results(control, said.values[control.name], item, project)
    ]
    if said.cannot_judge is not None:
        result.append(_result(CANNOT_JUDGE, about, "textarea", text=[said.cannot_judge]))
    result.append(_result(ANNOTATOR, about, "textarea", text=[said.annotator]))
    for number, each in enumerate(result, start=1):
        each["id"] = f"{item.id}-{said.annotator}-{said.replicate}-{number}"
    told: dict[str, Any] = {"result": result, "was_cancelled": False, "ground_truth": False}
    return told | ({} if said.seconds is None else {"lead_time": said.seconds})


def _results(control: Control, value: Any, item: Item, project: Project) -> Iterator[dict[str, Any]]:
    about = project.about
    if isinstance(control.aspect, SpansAspect):
        for span in value:
            text = text_marked(span, control)
            if text in texts_marked(control, project):
                region = _region(span, item.texts.get(text, ""))
                yield _result(name_beside(control, text, project), text, "labels", **region)
    elif isinstance(control.aspect, StarsAspect):
        yield _result(control.name, about, "rating", rating=int(value))
    elif isinstance(control.aspect, RangeAspect):
        yield _result(control.name, about, "number", number=float(value))
    elif control.choices:
        yield _result(control.name, about, "choices", choices=value if isinstance(value, list) else [value])
    else:
        yield _result(control.name, about, "textarea", text=[value])


def _region(span: dict[str, Any], text: str) -> dict[str, Any]:
    """A span as a region; Label Studio counts UTF-16 code units, as browsers do."""
    start, end = (len(text[: span[at]].encode("utf-16-le")) // 2 for at in ("start", "end"))
    return {"start": start, "end": end, "text": text[span["start"] : span["end"]], "labels": [span["label"]]}


def _result(name: str, about: str, kind: str, /, **value: Any) -> dict[str, Any]:
    return {"from_name": name, "to_name": about, "type": kind, "value": value}
