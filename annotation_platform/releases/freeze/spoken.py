"""The sentences of conversations, in a release whose judgments cite them: a file with a row for each.

So a citation says the same for ever, whatever rules a later version cuts sentences by.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.citations import TURNS
from annotation_platform.core.items import ItemTexts, numbered
from annotation_platform.core.schemes import Scheme
from annotation_platform.releases.models import Release
from annotation_platform.releases.selectors.columns import Kind
from annotation_platform.releases.services.tables import csv_lines
from annotation_platform.studies.items import item_text_blocks
from annotation_platform.studies.models import Item

PATH = "data/turns.csv"
HEADER = ("item_id", "candidate", "turn", "role", "sentence", "text")
KINDS = {name: Kind.INTEGER if name in ("item_id", "candidate") else Kind.TEXT for name in HEADER}


def has_turns(scheme: Scheme) -> bool:
    """Whether a release under this scheme has the file."""
    return scheme.cites_conversation


def turn_rows(release: Release) -> str:
    """CSV: a row for each sentence of the conversations of judged items, as the items have them.

    ``candidate`` is empty for what stands before the candidates, and where an item is one answer.
    """
    study, scheme = release.study, release.study.scheme()
    closed = Annotation.objects.closed().filter(item__study=study)
    judged = Item.objects.filter(study=study, annotations__in=closed).distinct()
    items = chain.from_iterable(item_text_blocks(judged, scheme.parts_of_conversation))
    return "".join(csv_lines(chain([HEADER], chain.from_iterable(map(_rows, items)))))


def _rows(item: ItemTexts) -> Iterator[tuple[Any, ...]]:
    for candidate, turns in enumerate(item.conversation):
        for each in turns:
            for sentence in numbered(TURNS + each.number, each.sentences):
                yield item.id, candidate or "", each.name, each.turn.role, sentence.reference, sentence.text
