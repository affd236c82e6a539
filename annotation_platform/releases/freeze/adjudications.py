"""What adjudicators decided, in a release: a file beside the judgments, under names of the release."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import QuerySet

from annotation_platform.crowd.adjudication.models import Adjudication
from annotation_platform.crowd.adjudication.selectors import HEADER, decided_rows, decisions_that_count
from annotation_platform.releases.freeze.annotators import in_drawn_order
from annotation_platform.releases.models import Release
from annotation_platform.releases.selectors.columns import Kind
from annotation_platform.releases.selectors.query import REMOVED
from annotation_platform.releases.services.tables import csv_lines
from annotation_platform.studies.models import FINISHED_STATES, Study

PATH = "data/adjudications.csv"
KINDS = {name: Kind.INTEGER if name == "item_id" else Kind.TEXT for name in HEADER} | {"decided_at": Kind.TIME}
DISGUISED = HEADER.index("adjudicator")
WRITTEN = frozenset({"value", "note"})  # columns with what adjudicators typed


def decided_in(study: Study) -> QuerySet[Adjudication]:
    """The decisions on items of closed batches, whose judgments a release has."""
    return decisions_that_count(study).filter(item__hit__batch__state__in=FINISHED_STATES)


def adjudication_rows(release: Release, removed: Iterable[str]) -> str:
    """CSV: a row for each value that an adjudicator decided, with the texts of ``removed`` replaced."""
    decided = decided_in(release.study)
    named = dict(decided.values_list("adjudicator", "adjudicator__pseudonym"))
    names = {named[pk]: f"adjudicator-{number:02}" for number, pk in enumerate(in_drawn_order(release, named), start=1)}
    texts, rows = list(removed), list[Sequence[Any]]([HEADER])
    for row in decided_rows(decided):
        told = [_without(each, texts) if name in WRITTEN else each for name, each in zip(HEADER, row, strict=True)]
        told[DISGUISED] = names[row[DISGUISED]]
        rows.append(told)
    return "".join(csv_lines(rows))


def texts_of(study: Study, keys: set[str]) -> Iterator[str]:
    """What adjudicators wrote: their notes, and what they typed under these keys."""
    for values, note in decided_in(study).order_by("pk").values_list("values", "note").iterator():
        if note:
            yield note
        for key, value in values.items():
            if key.partition(".")[0] in keys:
                yield from written_in(value)


def written_in(value: Any) -> Iterator[str]:
    """What somebody wrote in a value: the text itself, or the notes on marked spans."""
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, list):
        yield from (each["note"] for each in value if isinstance(each, dict) and each.get("note"))


def _without(cell: Any, removed: Iterable[str]) -> Any:
    if isinstance(cell, str):
        for text in removed:
            cell = cell.replace(text, REMOVED).replace(json.dumps(text, ensure_ascii=False)[1:-1], REMOVED)
    return cell
