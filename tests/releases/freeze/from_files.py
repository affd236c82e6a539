"""A release as somebody has it who has its files and the statistics of ``core``, and nothing else."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from annotation_platform.core.statistics import Bootstrap, Ratings
from annotation_platform.core.statistics.units import Unit, unit_of

ORDER = ["article_id", "question_id", "system", "item_id"]


@dataclass(frozen=True)
class OneAspect:
    """The judgments of one aspect, in the order in which the platform measures them."""

    rows: pd.DataFrame
    item: np.ndarray
    rater: np.ndarray
    items: pd.DataFrame
    unit: Unit
    best: np.ndarray | None

    def ratings(self, values: Any, *, repeated: Any = "cross", ends: tuple[float, float] | None = None) -> Ratings:
        return Ratings.from_arrays(
            self.item,
            self.rater,
            np.asarray(values, dtype=np.float64),
            best=self.best,
            n_items=len(self.items),
            units=self.unit.of_item,
            ends=ends,
            repeated=repeated,
        )


@dataclass(frozen=True)
class Released:
    folder: Path

    @cached_property
    def judgments(self) -> pd.DataFrame:
        return pd.read_parquet(self.folder / "data" / "judgments.parquet")

    @cached_property
    def scores(self) -> pd.DataFrame:
        return pd.read_parquet(self.folder / "data" / "scores.parquet")

    @cached_property
    def items(self) -> pd.DataFrame:
        return pd.read_parquet(self.folder / "data" / "items.parquet")

    @cached_property
    def figures(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "figures.json").read_text())
        return found

    @cached_property
    def scheme(self) -> dict[str, Any]:
        found: dict[str, Any] = yaml.safe_load((self.folder / "scheme.yaml").read_text())
        return found

    def of_aspect(self, key: str) -> dict[str, Any]:
        return next(each for each in self.figures["aspects"] if each["aspect"] == key)

    def bootstrap(self, unit: str) -> Bootstrap:
        how = self.figures["intervals"]
        return Bootstrap(resamples=how["resamples"], seed=how["seed"], unit=unit)  # type: ignore[arg-type]

    def aspect(self, key: str, *, best: str | None = None) -> OneAspect:
        rows = self.judgments[self.judgments[key].notna()]
        items = rows[ORDER].drop_duplicates().sort_values(ORDER).reset_index(drop=True)
        place = {item: code for code, item in enumerate(items["item_id"])}
        item = rows["item_id"].map(place).to_numpy()
        rater = pd.factorize(rows["annotator"], sort=True)[0]
        is_best = None if best is None else (rows[key] == best).to_numpy()
        return OneAspect(rows, item, rater, items, unit_among(items), is_best)

    def given(self, aspect: str, items: pd.DataFrame, column: str = "value") -> np.ndarray:
        """What runs say of these items; NaN, or None, where nothing."""
        said = self.scores[self.scores["aspect"] == aspect].set_index("item_id")[column]
        return said.reindex(items["item_id"]).to_numpy()


def unit_among(items: pd.DataFrame) -> Unit:
    """What figures about these speak for."""
    return unit_of(codes_of(items["article_id"]), codes_of(items["article_id"], items["question_id"]))


def codes_of(*columns: pd.Series) -> np.ndarray:
    """A number for each row, the same where all columns are."""
    return np.unique(["\x1f".join(row) for row in zip(*columns, strict=True)], return_inverse=True)[1]
