"""Which judgments a release has, by their keys in the platform, and what two of them do not share: as sorted arrays, a
tenth of the memory of sets. Loads numpy, and so is imported where releases are compared, not where a server starts.
"""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.arrays import Codes
from annotation_platform.studies.models import Study

PLACE = np.dtype([("assignment", np.int64), ("item", np.int64), ("annotator", np.int64)])
KEYS_ASKED, KEYS_COMPARED = 10_000, 100_000


def keys_in(folder: Path) -> Codes:
    """Of a frozen release; of groups, a judgment has a row there for each candidate."""
    nothing = np.zeros(0, dtype=np.int64)
    with pq.ParquetFile(folder / "data" / "judgments.parquet") as file:
        some = (each["annotation_id"].to_numpy() for each in file.iter_batches(columns=["annotation_id"]))
        return _once(np.concatenate([nothing, *some]))


def keys_of(study: Study) -> Codes:
    """Of the judgments that a release would have now."""
    keys = Annotation.objects.closed().filter(item__study=study).values_list("pk", flat=True)
    return _once(np.fromiter(keys.iterator(), dtype=np.int64))


def added_changed_gone(study_id: int, old: Codes, new: Codes) -> tuple[int, int, int]:
    """How many judgments came, were made anew by the same annotator about the same item and task, and went."""
    gone, come = _places(study_id, _only_in(old, new)), _places(study_id, _only_in(new, old))
    changed = len(np.intersect1d(gone, come, assume_unique=True))
    return len(come) - changed, changed, len(gone) - changed


def _only_in(keys: Codes, others: Codes) -> Codes:
    """Which of the keys are not among the others, some at a time: both are sorted, and may be millions."""
    some = np.array_split(keys, len(keys) // KEYS_COMPARED + 1)
    return np.concatenate([part[~np.isin(part, _between(others, part), assume_unique=True)] for part in some])


def _between(keys: Codes, part: Codes) -> Codes:
    if not len(part):
        return part
    return keys[np.searchsorted(keys, part[0]) : np.searchsorted(keys, part[-1], side="right")]


def _once(keys: Codes) -> Codes:
    """Each key once, in order; sorted in place, for numpy's `unique` holds fifty bytes a key meanwhile."""
    keys.sort()
    return keys[np.flatnonzero(np.diff(keys, prepend=-1))]


def _places(study_id: int, keys: Codes) -> NDArray[np.void]:
    """Who judged what in which task, each once, of judgments that are still in the database."""
    parts = (keys[start : start + KEYS_ASKED].tolist() for start in range(0, len(keys), KEYS_ASKED))
    asked = (Annotation.objects.filter(item__study=study_id, pk__in=part) for part in parts)
    rows = (row for some in asked for row in some.values_list("assignment", "item", "annotator"))
    return np.unique(np.fromiter(rows, dtype=PLACE))
