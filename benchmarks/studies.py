"""The studies that benchmarks and release tests read: the released EBR annotations, or a synthetic stand-in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RELEASE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ebr"
RELEASE_FILES = ("inq_annotations.json", "inq_extended_annotations.json")
LABELS = ("missing_all", "missing_major", "missing_minor", "complete")
NUMBERS = np.array([0.0, 30.0, 70.0, 100.0])


@dataclass(frozen=True)
class StudyTable:
    """One row a judgment: codes of item, rater, label (into `LABELS`), and the score from its explanation."""

    name: str
    items: NDArray[np.int64]
    raters: NDArray[np.int64]
    labels: NDArray[np.int64]
    scores: NDArray[np.float64]
    systems: tuple[str, ...]
    system_of_item: NDArray[np.int64]
    in_first_file: NDArray[np.bool_]

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The scale's numbers of the raw labels."""
        return NUMBERS[self.labels]

    @property
    def best(self) -> NDArray[np.bool_]:
        return np.equal(self.labels, len(LABELS) - 1)


def released_or_synthetic() -> StudyTable:
    """The release where it is there, else a synthetic study of the same shape; its name says which."""
    return released_study() if RELEASE.is_dir() else synthetic_study()


def released_study(folder: Path = RELEASE) -> StudyTable:
    """The released annotations; the one missing score is its annotator's mean for the label (Algorithm 1)."""
    item_codes: dict[tuple[str, str, str, str], int] = {}
    rows: list[tuple[int, int, int, float, str]] = []
    for file in RELEASE_FILES:
        articles: dict[str, Any] = json.loads((folder / file).read_text(encoding="utf-8"))
        for article_key, article in articles.items():
            for question_key, question in article["question_details"].items():
                for system, answer in question["system"].items():
                    key = (file, article_key, question_key, system)
                    item = item_codes.setdefault(key, len(item_codes))
                    for judgment in answer["annotation_details"].values():
                        score = judgment["ebr_num"]
                        rows.append(
                            (
                                item,
                                int(judgment["workerid"]),
                                LABELS.index(judgment["complete_label"]),
                                np.nan if score is None else float(score),
                                file,
                            )
                        )
    items, raters, labels = (np.array([row[column] for row in rows]) for column in range(3))
    scores = np.array([row[3] for row in rows])
    for row in np.flatnonzero(np.isnan(scores)):
        scores[row] = np.nanmean(scores[(raters == raters[row]) & (labels == labels[row])])
    systems, system_of_item = np.unique([key[3] for key in item_codes], return_inverse=True)
    return StudyTable(
        name="the released EBR annotations",
        items=items,
        raters=raters,
        labels=labels,
        scores=scores,
        systems=tuple(str(system) for system in systems),
        system_of_item=system_of_item,
        in_first_file=np.array([row[4] == RELEASE_FILES[0] for row in rows]),
    )


def synthetic_study(*, n_items: int = 2532, n_raters: int = 8, seed: int = 20) -> StudyTable:
    """A study of the release's shape: 5 judgments an item by raters of very unequal diligence, some repeated.

    An item has a latent quality, a rater a severity; labels are cut from quality plus severity plus noise,
    scores are quality plus smaller noise, rounded to fives.
    """
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.full(n_raters, 0.8))
    items = np.repeat(np.arange(n_items), 5)
    raters = rng.choice(n_raters, size=len(items), p=share)
    quality = rng.normal(70, 35, n_items)[items]
    severity = rng.normal(0, 12, n_raters)[raters]
    seen = quality - severity + rng.normal(0, 20, len(items))
    labels = np.digitize(seen, [25, 35, 50]).astype(np.int64)
    scores = np.clip(np.round((quality + rng.normal(0, 15, len(items))) / 5) * 5, 0, 100)
    return StudyTable(
        name=f"a synthetic study of the release's shape (seed {seed}; the release is not there)",
        items=items,
        raters=raters,
        labels=labels,
        scores=scores,
        systems=("A", "B", "C"),
        system_of_item=rng.integers(0, 3, n_items),
        in_first_file=np.ones(len(items), dtype=np.bool_),
    )
