"""What was marked in texts, in a release: a file with a row for each span, beside the judgments."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import ItemShape, Scheme, spans_given
from annotation_platform.core.schemes.spans import name_in_shape
from annotation_platform.releases.freeze.facts import without
from annotation_platform.releases.models import Release
from annotation_platform.releases.selectors.columns import Kind
from annotation_platform.releases.selectors.query import Disguise
from annotation_platform.releases.services.tables import csv_lines
from annotation_platform.studies.items import item_text_blocks
from annotation_platform.studies.models import Item

PATH = "data/spans.csv"
_NUMBERS = ("item_id", "candidate", "start", "end")
HEADER = (
    "annotation_id",
    "item_id",
    "candidate",
    "annotator",
    "aspect",
    "text",
    "start",
    "end",
    "label",
    "words",
    "note",
)
KINDS = {name: Kind.INTEGER if name in _NUMBERS else Kind.TEXT for name in HEADER}


def has_spans(scheme: Scheme) -> bool:
    """Whether a release under this scheme has the file."""
    return bool(scheme.spans_aspects)


def span_rows(release: Release, disguise: Disguise) -> str:
    """CSV: a row for each span that the judgments mark, with its words, as the release says them.

    Texts that a person had removed are replaced in notes: the words are those of the item, which has them in full.
    """
    rows = ([disguise.judgment(pk), *row, without(note, disguise.removed)] for pk, *row, note in _rows(release))
    return "".join(csv_lines(chain([HEADER], rows)))


def _rows(release: Release) -> Iterator[tuple[Any, ...]]:
    study, scheme = release.study, release.study.scheme()
    names = dict(release.pseudonyms.values_list("member", "pseudonym"))
    closed = Annotation.objects.closed().filter(item__study=study)
    judged = Item.objects.filter(study=study, annotations__in=closed).distinct()
    for block in item_text_blocks(judged, scheme.marked_parts):
        found = {each.id: each for each in block}
        rows = closed.filter(item__in=found).order_by("item", "pk")
        for pk, item, annotator, values in rows.values_list("pk", "item", "annotator", "values"):
            shown = found[item]
            for each in spans_given(scheme, values, ItemShape(candidates=len(shown.candidates))):
                text = shown.named.get(name_in_shape(each.text, each.candidate), "")
                yield (
                    *(pk, item, each.candidate or "", names[annotator], each.aspect),
                    *(each.text, each.start, each.end, each.label, text[each.start : each.end], each.note),
                )
