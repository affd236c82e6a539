"""Who judged what in a release, and what each judgment says, out of its own files: two numbers for each judgment.

Loads numpy and Arrow, and so is imported where releases are compared, not where a server starts. Arrow's arrays become
numpy's by DLPack, since ``to_numpy`` loads pandas.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml
from numpy.typing import NDArray

from annotation_platform.core.arrays import Codes
from annotation_platform.core.schemes.aspects import FORCED, TIE
from annotation_platform.corpus.importers.exported import COUNT, NUMBER, columns_of_slots
from annotation_platform.releases.freeze.rows import scheme_of

ROWS_READ = 4_000  # what is read of a file at a time takes most of the memory here
REPETITIONS = 100_000  # of one item by one annotator; an item has fewer places
WHO_AND_WHERE = ("item_id", "annotator", "replicate")
BESIDE = {*WHO_AND_WHERE, "presented", "seconds", "revision", "created_at", "scheme_version", "annotation_id"}
OF_A_SCORE = ("score", "source", "explanation_score", "run")
LARGEST = 2**64 - 1
Names = Mapping[str, tuple[str, Mapping[Any, Any]]]
"""Name → what it is called in the later release, and those of its choices that have another key there."""
NONE: Names = MappingProxyType({})
AS_THEY_ARE: Mapping[str, str] = MappingProxyType({})
NOT_MARKED: Mapping[int, None] = MappingProxyType({0: None})
"""What says nothing of a mark beside the best of a group: it may not have been offered yet."""
Digests = NDArray[np.uint64]


@dataclass(frozen=True)
class Units:
    """One number for each item, annotator and repetition, the same in two releases; ``items`` and ``members``
    (annotators by the platform's keys) are all that either has, ascending."""

    items: Codes
    members: Codes

    def numbers(self, items: Codes, members: Codes, repetitions: Codes) -> Codes:
        found: Codes = (_places(items, self.items) * len(self.members) + _places(members, self.members)) * REPETITIONS
        return found + repetitions

    def items_and_members(self, numbers: Codes) -> tuple[Codes, Codes]:
        items, members = np.divmod(numbers // REPETITIONS, max(len(self.members), 1))
        return self.items[items], self.members[members]


def _looked_up(values: Codes, among: Codes) -> tuple[Codes, NDArray[np.bool_]]:
    """Where each value stands in ascending ones, and whether it does."""
    places: Codes = np.searchsorted(among, values)
    is_there = places < len(among)
    is_there[is_there] = among[places[is_there]] == values[is_there]
    return places, is_there


def _places(values: Codes, among: Codes) -> Codes:
    places, are_there = _looked_up(values, among)
    if not are_there.all():
        raise LookupError("A judgment is of an item, or by an annotator, that its release does not list.")
    return places


@dataclass(frozen=True)
class Differences:
    """Judgments that came, that say something else, and that went, by why they did; and items that came and went."""

    added: int
    changed: int
    gone: dict[str, int]
    items_added: int
    items_gone: int


Source = tuple[Path, Mapping[str, int]]
"""The folder of a release, and its name of each annotator → their key in the platform."""


def differences(
    before: Source, after: Source, renamed: Names = NONE, *, excluded: Iterable[int], rejected: Iterable[Any]
) -> Differences:
    """How two releases of one study differ; ``renamed``: what has another name in the later one.

    A judgment is known by its item, annotator and repetition. It went because its ``item`` did, because its annotator
    was ``excluded``, because it was ``rejected`` (pairs of annotator and item), or for an ``other`` reason.
    """
    old_items, new_items = (_items_in(folder) for folder, _ in (before, after))
    members = {*before[1].values(), *after[1].values()}
    units = Units(np.union1d(old_items, new_items), np.array(sorted(members), dtype=np.int64))
    known, unlike = _all_judgments(*before, units, renamed)
    is_left, added = np.ones(len(known), dtype=bool), [np.zeros(0, dtype=np.int64)]
    for numbers, said in _judgments(*after, units):  # a block at a time: both releases whole would take twice as much
        places, are_known = _looked_up(numbers, known)
        np.subtract.at(unlike, places[are_known], said[are_known])
        is_left[places[are_known]] = False
        added.append(numbers[~are_known])
    unlike_now = known[~is_left & (unlike != 0)]
    if renamed:  # what a migration alone made of a judgment keeps the time of that, and nobody corrected it
        then, now = (_judged_at(*source, units, unlike_now) for source in (before, after))
        unlike_now = unlike_now[then != now]
    return Differences(
        added=len(np.unique(np.concatenate(added))),
        changed=len(unlike_now),
        gone=_why_gone(*units.items_and_members(known[is_left]), new_items, excluded, rejected),
        items_added=int(np.count_nonzero(~np.isin(new_items, old_items, assume_unique=True))),
        items_gone=int(np.count_nonzero(~np.isin(old_items, new_items, assume_unique=True))),
    )


def _items_in(folder: Path) -> Codes:
    with pq.ParquetFile(folder / "data" / "items.parquet", pre_buffer=False) as file:
        parts = [np.from_dlpack(each["item_id"]) for each in _batches(file, ["item_id"])]
    found: Codes = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
    return found


def _all_judgments(folder: Path, members: Mapping[str, int], units: Units, renamed: Names) -> tuple[Codes, Digests]:
    """By the ascending numbers of units; a judgment of a group has a row for each candidate, whose digests are added
    up."""
    rows = pq.read_metadata(folder / "data" / "judgments.parquet").num_rows
    numbers, said, start = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.uint64), 0
    for some, of_some in _judgments(folder, members, units, renamed):
        end = start + len(some)
        numbers[start:end], said[start:end] = some, of_some
        start = end
    order = np.argsort(numbers)
    numbers = numbers[order]  # one after the other, each lets go of the array that it replaces
    said = said[order]
    del order
    return _added_up(numbers, said)


def _added_up(numbers: Codes, said: Digests) -> tuple[Codes, Digests]:
    """Each unit once, of rows in their order."""
    is_first = np.ones(len(numbers), dtype=bool)
    is_first[1:] = numbers[1:] != numbers[:-1]
    if is_first.all():
        return numbers, said
    starts = np.flatnonzero(is_first)
    return numbers[starts], np.add.reduceat(said, starts)


def _judgments(
    folder: Path, members: Mapping[str, int], units: Units, renamed: Names = NONE
) -> Iterator[tuple[Codes, Digests]]:
    """For each row, some at a time, the number of its unit and a digest of what it says."""
    with pq.ParquetFile(folder / "data" / "judgments.parquet", pre_buffer=False) as file:
        names = file.schema_arrow.names
        are_said = _columns_of_judgments(folder, names)
        said = [name for name in names if name in are_said]
        slots = {column: slot for slot, column in columns_of_slots(scheme_of(folder), names).items()}
        named = {name: now for name in said if (now := _now(slots.get(name, name), renamed)) is not None}
        columns = [*WHO_AND_WHERE, *(name for name in names if name == "candidate"), *said]
        for batch in _batches(file, columns):
            yield _numbers(batch, members, units), _said(batch, named)


def _judged_at(folder: Path, members: Mapping[str, int], units: Units, wanted: Codes) -> Codes:
    """When these judgments, by the ascending numbers of their units, were made, in microseconds."""
    found = np.zeros(len(wanted), dtype=np.int64)
    with pq.ParquetFile(folder / "data" / "judgments.parquet", pre_buffer=False) as file:
        for batch in _batches(file, [*WHO_AND_WHERE, "created_at"]):
            places, are_wanted = _looked_up(_numbers(batch, members, units), wanted)
            times = batch["created_at"].cast(pa.timestamp("us", "UTC")).cast(pa.int64())
            found[places[are_wanted]] = np.from_dlpack(times)[are_wanted]
    return found


def _batches(file: pq.ParquetFile, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """One after the other: threads of Arrow's own would read all columns at once, and keep what each needs."""
    return file.iter_batches(batch_size=ROWS_READ, columns=columns, use_threads=False)  # type: ignore[no-any-return]


def _why_gone(
    of_item: Codes, of_member: Codes, items: Codes, excluded: Iterable[int], rejected: Iterable[Any]
) -> dict[str, int]:
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
    return counts | {"other": len(of_item) - sum(counts.values())}


def _columns_of_judgments(folder: Path, names: Iterable[str]) -> set[str]:
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
    return set(names) - of_items - BESIDE - scores - {"under_earlier_rule"}


def _now(slot: str, renamed: Names) -> tuple[str, Mapping[Any, Any]] | None:
    """What a slot is called in the later release, and those of its choices that have another key there, or (None) none.

    None where it did not go along, or is worked out from what was said by the scheme of then: a number, or how many.
    """
    aspect, dot, part = slot.partition(".")
    new, choices = renamed.get(aspect, (aspect, {}))
    if not new or part in (NUMBER, COUNT):
        return None
    return f"{new}{dot}{part}", NOT_MARKED if part in (TIE, FORCED) else choices


def _numbers(batch: pa.RecordBatch, members: Mapping[str, int], units: Units) -> Codes:
    names = batch["annotator"].dictionary_encode()
    keys = np.array([members[name] for name in names.dictionary.to_pylist()], dtype=np.int64)
    items, repetitions = (np.from_dlpack(batch[name]).astype(np.int64) for name in ("item_id", "replicate"))
    return units.numbers(items, keys[np.from_dlpack(names.indices)], repetitions)


def _said(batch: pa.RecordBatch, said: Names) -> Digests:
    digests = np.zeros(batch.num_rows, dtype=np.uint64)
    for column, (name, choices) in said.items():
        digests += _digests(name, batch[column], choices)
    if "candidate" in batch.schema.names:  # odd, so that what is said of one candidate is not taken for another's
        digests *= 2 * np.from_dlpack(batch["candidate"]).astype(np.uint64) + 1
    return digests


def _digests(name: str, column: pa.Array, choices: Mapping[Any, Any] = AS_THEY_ARE) -> Digests:
    """Of each cell with its column's name, choices by the keys that they have in the later release; 0 where it is
    empty, as in a release without the column.

    They hold within one process only: so does Python's hash of a text, which takes a tenth of a checksum's time.
    """
    if pa.types.is_list(column.type):
        return _digests_of_lists(name, column, choices)
    encoded = column.dictionary_encode("encode")  # what is missing is one of its values, too
    values = [_as_later(each, choices) if choices else each for each in encoded.dictionary.to_pylist()]
    known = np.array([_digest(name, each) for each in values], dtype=np.uint64)
    found: Digests = known[np.from_dlpack(encoded.indices)]
    return found


def _as_later(value: Any, choices: Mapping[Any, Any]) -> Any:
    """A mark, a choice, or marked spans as JSON, in their order, with the keys that they have in the later release;
    None where one of them did not go along, with which all that was said went."""
    if not isinstance(value, str) or not value.startswith("["):  # as no key does
        return choices.get(value, value)
    marked = [each | {"label": choices.get(each["label"], each["label"])} for each in json.loads(value)]
    if any(each["label"] is None for each in marked):
        return None
    marked.sort(key=itemgetter("text", "start", "end", "label"))
    return json.dumps(marked, ensure_ascii=False, separators=(",", ":"))  # as the export writes them


def _digests_of_lists(name: str, column: pa.Array, choices: Mapping[Any, Any]) -> Digests:
    """Of what each list has: sentences and choices, in an order that is the scheme's, and may be another later."""
    is_there = np.from_dlpack(pc.is_valid(column).cast(pa.uint8())).astype(bool)
    counts = np.diff(np.from_dlpack(column.offsets)).astype(np.int64) * is_there
    ends = np.cumsum(counts)
    of_elements = _digests(name, column.flatten(), choices)
    found: Digests = _of_each(of_elements, ends, counts) + np.uint64(_digest(name, "list"))
    went = _of_each((of_elements == 0).astype(np.uint64), ends, counts) > 0  # with a choice that did not go along
    return np.where(is_there & ~went, found, np.uint64(0))


def _of_each(of_elements: Digests, ends: Codes, counts: Codes) -> Digests:
    """The sum of each list's elements."""
    sums = np.append(np.zeros(1, dtype=np.uint64), np.cumsum(of_elements))
    return sums[ends] - sums[ends - counts]  # type: ignore[no-any-return]


def _digest(name: str, value: Any) -> int:
    return 0 if value is None else hash((name, value if isinstance(value, str) else repr(value))) & LARGEST
