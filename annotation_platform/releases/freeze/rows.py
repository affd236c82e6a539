"""The judgments of a release row by row, read from its own file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from annotation_platform.core.schemes import BestOfAspect, Scheme, build_scheme, read_scheme
from annotation_platform.core.schemes.aspects import TIE
from annotation_platform.corpus.importers.exported import columns_of_slots

JUDGMENTS, SCHEME = "data/judgments.jsonl", "scheme.yaml"


class Row(NamedTuple):
    """The cells about the item and the judgment, and what is said in it by slot: an aspect's key, alone or with
    ``.number`` or ``.tie`` behind it.

    An aspect's columns may be called otherwise than it, and as other columns of a release are.
    """

    cells: dict[str, Any]
    said: dict[str, Any]


def scheme_of(folder: Path) -> Scheme:
    """The scheme that a release has in its files."""
    return build_scheme(read_scheme((folder / SCHEME).read_text(encoding="utf-8")))


def rows_of(folder: Path, scheme: Scheme) -> Iterator[Row]:
    """The rows of a release that is unpacked in a folder, in the order of its file."""
    columns: dict[str, str] = {}
    with (folder / JUDGMENTS).open(encoding="utf-8") as file:
        for cells in map(json.loads, file):
            columns = columns or _columns(scheme, cells)
            said = {slot: cells.pop(column, None) for slot, column in columns.items()}
            yield Row(cells, said)


def _columns(scheme: Scheme, cells: Mapping[str, Any]) -> dict[str, str]:
    """Slot → column. A tie is read also where the scheme does not offer any."""
    columns = columns_of_slots(scheme, cells)
    best = [aspect.key for aspect in scheme.aspects if isinstance(aspect, BestOfAspect)]
    ties = {f"{key}.{TIE}": f"{key}_{TIE}" for key in best if f"{key}_{TIE}" not in columns.values()}
    return ties | columns
