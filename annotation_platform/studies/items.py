"""The texts of a study's items, at once or in blocks; see :func:`annotation_platform.corpus.items.read_texts`."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from hashlib import sha256
from typing import Any

from django.db.models import QuerySet

from annotation_platform.core.collector import uncollected
from annotation_platform.core.items import Answer, ItemTexts
from annotation_platform.core.signature import canonical_encoder
from annotation_platform.corpus.items import read_texts
from annotation_platform.jobs.key_blocks import keys_in_blocks
from annotation_platform.studies.models import Candidate, Item

BLOCK = 200
KEYS_AT_ONCE = 20_000
_NAMES = {kind: [field.name for field in fields(kind)] for kind in (ItemTexts, Answer)}  # most of what is signed
SIGNED_AT_ONCE = 500


def item_texts(items: QuerySet[Item], parts: Collection[str]) -> list[ItemTexts]:
    """The texts of items, as far as these parts show them; candidates in the order of their numbers."""
    return read_texts(items, Candidate.every.all(), parts)


def item_text_blocks(
    items: QuerySet[Item], parts: Collection[str], *, after: int = 0, size: int = BLOCK
) -> Iterator[Sequence[ItemTexts]]:
    """The texts of items in the order of their keys, from the one after ``after`` on, so many items at a time.

    The same number of queries for each block. Which items they are is asked for many blocks at once: where that takes
    joins, as of a run, the database may go through all of them each time.
    """
    for keys in keys_in_blocks(items, "pk", size=KEYS_AT_ONCE, after=after):
        for start in range(0, len(keys), size):
            yield item_texts(Item.every.filter(pk__in=keys[start : start + size]).order_by("pk"), parts)


class TextsSignature:
    """SHA-256 over the texts of items, in the order in which they are added."""

    def __init__(self) -> None:
        self._digest, self._encoded = sha256(), canonical_encoder(default=_signed)

    def add(self, texts: Iterable[ItemTexts]) -> None:
        self._digest.update("".join(map(self._encoded, texts)).encode())

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def texts_signature(items: QuerySet[Item], parts: Collection[str]) -> str:
    """SHA-256 over the texts of items in the order of their keys."""
    signed = TextsSignature()
    with uncollected():
        for block in item_text_blocks(items, parts, size=SIGNED_AT_ONCE):
            signed.add(block)
    return signed.hexdigest()


def _signed(part: Any) -> dict[str, Any]:
    """What is signed of an item, or of a part of one: turns only where there are some, so that texts have the signature
    they always had.

    Raises
    ------
    TypeError
        For anything else.
    """
    names = _NAMES.get(type(part)) or [field.name for field in fields(part)]
    signed = {name: getattr(part, name) for name in names}
    if isinstance(part, (ItemTexts, Answer)) and not part.turns:
        del signed["turns"]
    return signed
