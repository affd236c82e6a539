"""INCEpTION: annotated documents as UIMA CAS JSON, one file for each annotator of each document.

The document is the item, layers of spans are aspects; the first text that a layer's span says is its label, further
ones are its note. Who annotated is the document's ``documentId``, or else the file's name. Relations, chains and what
the tool itself needs stay out.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

from annotation_platform.corpus.importers.labelers.controls import DATA, SAID, Control, Form
from annotation_platform.corpus.importers.labelers.labelled import Judged, Labelled, Task, code_points, offset_of
from annotation_platform.corpus.importers.mistakes import (
    ImportFileError,
    Mistakes,
    RowError,
    in_json_words,
    place,
    unstorable,
    wrong_at,
)
from annotation_platform.corpus.importers.rows import RowFile
from annotation_platform.corpus.importers.study import LeftOut

TEXT = f"{DATA}text"
TYPE, STRUCTURES, TYPES = "%TYPE", "%FEATURE_STRUCTURES", "%TYPES"
SOFA, METADATA = "uima.cas.Sofa", ".DocumentMetaData"
OF_THE_TOOL = (
    "uima.",
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.",
    "de.tudarmstadt.ukp.clarin.webanno.api.type.",
    "de.tudarmstadt.ukp.inception.",
    "org.dkpro.core.api.xml.",
)
NOT_SAID = ("identifier", "order")
LARGEST = 200_000_000  # bytes of a file, which is read as a whole


@dataclass
class Document:
    """One annotator's document: its title and text, spans by layer, and what stays out."""

    title: str
    annotator: str
    text: str
    spans: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)


class Inception(Labelled):
    key = "inception"
    called = "corpus.format_inception"
    in_folders = (".json",)

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix == ".json" and (f'"{TYPES}"' in beginning or f'"{STRUCTURES}"' in beginning)

    def form(self, sources: Sequence[RowFile]) -> Form:
        labels: dict[str, dict[str, None]] = {}
        for source in sources:
            for layer, spans in _document(source).spans.items():
                labels.setdefault(layer, {}).update({span["label"]: None for span in spans})
        controls = [
            Control(layer, "spans", layer, choices=[(each, each) for each in sorted(said)], marks=[TEXT], notes=True)
            for layer, said in labels.items()
        ]
        return Form("INCEpTION", [TEXT], controls, parts={f"{DATA}id": "question_id"})

    def tasks(self, sources: Sequence[RowFile], mistakes: Mistakes) -> Iterator[tuple[int, Task]]:
        for file, source in enumerate(sources):
            document = _document(source)
            said = {f"{SAID}{layer}": spans for layer, spans in document.spans.items()}
            judged = [Judged(document.annotator, said)] if said else []
            cells = {TEXT: document.text, f"{DATA}id": document.title}
            yield file, Task(0, cells, judged, document.left_out)


def _document(source: RowFile) -> Document:
    """A file's document.

    Raises
    ------
    ImportFileError
        When it is no UIMA CAS JSON.
    """
    return _read(source.path, source.name, source.path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read(path: Path, name: str, changed: int) -> Document:
    if path.stat().st_size > LARGEST:
        raise ImportFileError(
            [wrong_at(name, "corpus.log_too_large", size=path.stat().st_size / 1e6, most=LARGEST / 1e6)]
        )
    try:
        cas = json.loads(path.read_text(encoding="utf-8-sig"))
        why = unstorable(cas)
    except (ValueError, RecursionError) as error:
        raise ImportFileError([wrong_at(name, "corpus.json_unread", why=in_json_words(error))]) from None
    if why is not None:
        raise ImportFileError([wrong_at(name, why)])
    structures = cas.get(STRUCTURES) if isinstance(cas, dict) else None
    if not isinstance(structures, list) or not all(isinstance(each, dict) for each in structures):
        raise ImportFileError([wrong_at(name, "corpus.no_uima_json")])
    sofa: dict[str, Any] = next((each for each in structures if each.get(TYPE) == SOFA), {})
    about: dict[str, Any] = next((each for each in structures if str(each.get(TYPE)).endswith(METADATA)), {})
    stem = PurePath(name).stem
    document = Document(
        title=str(about.get("documentTitle") or stem),
        annotator=str(about.get("documentId") or stem),
        text=str(sofa.get("sofaString") or ""),
    )
    for number, each in enumerate(structures):
        try:
            _take(each, document)
        except RowError as error:
            raise ImportFileError([wrong_at(place(name, STRUCTURES, number), error.reason)]) from None
    return document


def _take(structure: Mapping[str, Any], document: Document) -> None:
    """Note what a feature structure of a layer says."""
    kind = str(structure.get(TYPE))
    if kind.startswith(OF_THE_TOOL):
        return
    layer = kind.rpartition(".")[2]
    if "begin" not in structure or any(name in structure for name in ("@Governor", "@Dependent", "@next", "@source")):
        document.left_out.append(LeftOut("corpus.annotations_of_layer", {"layer": layer}))
        return
    texts = [
        value.strip()
        for name, value in structure.items()
        if isinstance(value, str) and value.strip() and name[:1] not in "%@^#" and name not in NOT_SAID
    ]
    start, end = (code_points(document.text, offset_of(structure[at], at)) for at in ("begin", "end"))
    if start == end:
        document.left_out.append(LeftOut("corpus.annotations_of_layer", {"layer": layer}))
        return
    span = {"text": TEXT, "start": start, "end": end, "label": texts[0] if texts else layer}
    document.spans.setdefault(layer, []).append(span | ({"note": "; ".join(texts[1:])} if texts[1:] else {}))
