"""Who judged what in a release, and what each judgment says, out of its own files: sorted arrays, some rows at a time.

Loads numpy and Arrow, and so is imported where releases are compared, not where a server starts.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from numpy.typing import NDArray

from annotation_platform.core.arrays import Codes

ROWS_READ = 32_000
WHO_AND_WHERE = ("item_id", "annotator", "replicate")
BESIDE = {*WHO_AND_WHERE, "presented", "seconds", "revision", "created_at", "scheme_version", "annotation_id"}
OF_A_SCORE = ("score", "source", "explanation_score", "run")
Digests = NDArray[np.uint64]


@dataclass(frozen=True)
class Judged:
    """A row of a release's files each: ``units`` are item, annotator (by the platform's key) and repetition in three
    columns, ``said`` digests of what the judgment says of the row's candidate; and the items, judged or not."""

    units: NDArray[np.int64]
    said: Digests
    items: Codes


@dataclass(frozen=True)
class Differences:
    """Judgments that came, that say something else, and that went, by why they did; and items that came and went."""

    added: int
    changed: int
    gone: dict[str, int]
    items_added: int
    items_gone: int


def read_judged(folder: Path, members: Mapping[str, int]) -> Judged:
    """``members``: the release's name of each annotator → their key in the platform."""
    items = pq.read_table(folder / "data" / "items.parquet", columns=["item_id"])["item_id"].to_numpy()
    with pq.ParquetFile(folder / "data" / "judgments.parquet") as file:
        said = [name for name in file.schema_arrow.names if name in _columns_of_judgments(folder, file)]
        candidate = ["candidate"] if "candidate" in file.schema_arrow.names else []
        columns = [*WHO_AND_WHERE, *candidate, *said]
        parts = [_part(each, said, members) for each in file.iter_batches(batch_size=ROWS_READ, columns=columns)]
    units = np.concatenate([np.zeros((0, 3), dtype=np.int64), *(units for units, _ in parts)])
    digests = np.concatenate([np.zeros(0, dtype=np.uint64), *(digests for _, digests in parts)])
    return Judged(units, digests, np.unique(items))


def differences(before: Judged, after: Judged, *, excluded: Iterable[int], rejected: Iterable[Any]) -> Differences:
    """How two releases of one study differ.

    A judgment is known by its item, annotator and repetition. It went because its ``item`` did, because its annotator
    was ``excluded``, because it was ``rejected`` (pairs of annotator and item), or for an ``other`` reason.
    """
    old_units, new_units = _ranked(before.units, after.units)
    old, new = _whole(old_units, before.said), _whole(new_units, after.said)
    _, in_old, in_new = np.intersect1d(old.keys, new.keys, assume_unique=True, return_indices=True)
    left = np.ones(len(old.keys), dtype=bool)
    left[in_old] = False
    return Differences(
        added=len(new.keys) - len(in_new),
        changed=int(np.count_nonzero(old.said[in_old] != new.said[in_new])),
        gone=_why_gone(before.units[old.rows[left]], after.items, excluded, rejected),
        items_added=int(np.count_nonzero(~np.isin(after.items, before.items, assume_unique=True))),
        items_gone=int(np.count_nonzero(~np.isin(before.items, after.items, assume_unique=True))),
    )


@dataclass(frozen=True)
class _Whole:
    """Judgments in the order of their keys, with a row of each, and the digest over all rows."""

    keys: Codes
    rows: Codes
    said: Digests


def _whole(units: Codes, said: Digests) -> _Whole:
    """A judgment of a group has a row for each candidate."""
    keys, rows, of_key = np.unique(units, return_index=True, return_inverse=True)
    sums = np.zeros(len(keys), dtype=np.uint64)
    np.add.at(sums, of_key, said)
    return _Whole(keys, rows, sums)


def _ranked(*units: NDArray[np.int64]) -> list[Codes]:
    """One number for each unit, the same where all three columns are, smaller than their product."""
    numbers = np.zeros(sum(map(len, units)), dtype=np.int64)
    for column in np.concatenate(units).T:
        known, ranks = np.unique(column, return_inverse=True)
        numbers = numbers * max(len(known), 1) + ranks
    return np.split(numbers, np.cumsum([len(each) for each in units])[:-1])


def _why_gone(
    units: NDArray[np.int64], items: Codes, excluded: Iterable[int], rejected: Iterable[Any]
) -> dict[str, int]:
    of_item, of_member = units[:, 0], units[:, 1]
    is_item = ~np.isin(of_item, items)
    is_excluded = ~is_item & np.isin(of_member, np.fromiter(excluded, dtype=np.int64))
    pairs = {(int(member), int(item)) for member, item in rejected}
    others = np.flatnonzero(~is_item & ~is_excluded)
    is_rejected = sum((int(of_member[n]), int(of_item[n])) in pairs for n in others) if pairs else 0
    counts = {
        "excluded": int(np.count_nonzero(is_excluded)),
        "rejected": is_rejected,
        "item": int(np.count_nonzero(is_item)),
    }
    return counts | {"other": len(units) - sum(counts.values())}


def _columns_of_judgments(folder: Path, file: pq.ParquetFile) -> set[str]:
    """Those that hold what judgments say: neither of the item, nor scores, nor when and how fast it was made."""
    of_items = set(pq.read_schema(folder / "data" / "items.parquet").names)
    scheme = yaml.safe_load((folder / "scheme.yaml").read_text(encoding="utf-8"))
    runs = json.loads((folder / "runs.json").read_text(encoding="utf-8"))
    scores = {
        f"{rescaled['aspect']}_{run['scorer']}_{what}"
        for rescaled in scheme.get("rescale") or ()
        for run in runs
        for what in OF_A_SCORE
    }
    return set(file.schema_arrow.names) - of_items - BESIDE - scores - {"under_earlier_rule"}


def _part(batch: pa.RecordBatch, said: list[str], members: Mapping[str, int]) -> tuple[NDArray[np.int64], Digests]:
    names = batch["annotator"].dictionary_encode()
    keys = np.array([members[name] for name in names.dictionary.to_pylist()], dtype=np.int64)
    units = np.column_stack(
        [
            batch["item_id"].to_numpy(zero_copy_only=False),
            keys[names.indices.to_numpy(zero_copy_only=False)],
            batch["replicate"].to_numpy(zero_copy_only=False),
        ]
    )
    digests = np.zeros(batch.num_rows, dtype=np.uint64)
    for name in said:
        digests += _digests(name, batch[name])
    if "candidate" in batch.schema.names:  # odd, so that what is said of one candidate is not taken for another's
        digests *= 2 * batch["candidate"].to_numpy(zero_copy_only=False).astype(np.uint64) + 1
    return units, digests


def _digests(name: str, column: pa.Array) -> Digests:
    """Of each cell with its column's name; 0 where it is empty, as in a release without the column."""
    if pa.types.is_list(column.type):
        return np.array([_digest(name, each) for each in column.to_pylist()], dtype=np.uint64)
    encoded = column.dictionary_encode()
    known = np.array([*(_digest(name, each) for each in encoded.dictionary.to_pylist()), 0], dtype=np.uint64)
    indices = encoded.indices.fill_null(len(known) - 1).to_numpy(zero_copy_only=False)
    found: Digests = known[indices]
    return found


def _digest(name: str, value: Any) -> int:
    if value is None:
        return 0
    return int.from_bytes(blake2b(f"{name}\0{value!r}".encode(errors="surrogatepass"), digest_size=8).digest())
