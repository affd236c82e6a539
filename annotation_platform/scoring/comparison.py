"""Two runs of one method side by side: what they were told, and how far what they found lies apart."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from django.db.models import Avg, Case, Count, F, FloatField, IntegerField, Q, QuerySet, Sum, When
from django.db.models.functions import Abs, Cast
from django.utils.translation import gettext

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.methods import run_method, scorer_title
from annotation_platform.scoring.models import ItemScore, Method, Score, ScoringRun
from annotation_platform.scoring.options import title_of

MISSING = "–"


@dataclass(frozen=True)
class Setting:
    """A parameter of two runs."""

    name: str
    first: str
    second: str

    @property
    def differs(self) -> bool:
        return self.first != self.second


@dataclass(frozen=True)
class AspectCompared:
    """One aspect or measure in two runs, over what both have a value (or, for labels, a label) for.

    Attributes
    ----------
    n : int
        Judgments, or items and candidates, with a value in both.
    first, second : float or None
        Mean values.
    apart : float or None
        Mean of the absolute differences.
    pearson : float or None
        None where fewer than two are shared or one of the runs gave a single value.
    n_labels : int
        With a label in both.
    same_label : float or None
        Share of these with the same label.
    """

    aspect: str
    n: int
    first: float | None
    second: float | None
    apart: float | None
    pearson: float | None
    n_labels: int = 0
    same_label: float | None = None


def compare_settings(first: ScoringRun, second: ScoringRun) -> list[Setting]:
    """Everything that two runs were told, in the reader's language, those that differ on top."""
    told = [_told(run) for run in (first, second)]
    names = dict.fromkeys([*told[0], *told[1]])
    found = [Setting(name, *(values.get(name, MISSING) for values in told)) for name in names]
    return sorted(found, key=lambda setting: not setting.differs)


def compare_scores(first: ScoringRun, second: ScoringRun) -> list[AspectCompared]:
    """Each aspect that both runs scored; one query, whose cost grows with the scores of a run.

    Raises
    ------
    InvalidInputError
        When they are of different methods, or the keys of one may be those of other aspects than the other's.
    """
    if first.method != second.method:
        raise InvalidInputError("scoring.runs_not_comparable")
    if first.is_outdated or second.is_outdated:
        raise InvalidInputError("scoring.run_outdated")
    if first.method == Method.EBR:
        of_same = Q(annotation__scores__aspect=F("aspect"))
        rows = Score.objects.filter(of_same, run=first, annotation__scores__run=second)
        return [_compared(row) for row in _sums(rows.annotate(other=F("annotation__scores__value")))]
    same = Q(item__item_scores__aspect=F("aspect"), item__item_scores__candidate=F("candidate"))
    both = ItemScore.objects.filter(same, run=first, item__item_scores__run=second).annotate(
        other=F("item__item_scores__value"), other_label=F("item__item_scores__label")
    )
    labelled = both.exclude(label="").exclude(other_label="").values("aspect").order_by("aspect")
    equal = Sum(Case(When(label=F("other_label"), then=1), default=0, output_field=IntegerField()))
    labels = {row["aspect"]: row for row in labelled.annotate(n=Count("pk"), equal=equal)}
    values = {row["aspect"]: row for row in _sums(both.filter(value__isnull=False, other__isnull=False))}
    aspects = sorted({*values, *labels})
    return [_compared(values.get(aspect, {"aspect": aspect, "n": 0}), labels.get(aspect)) for aspect in aspects]


def _sums(rows: QuerySet[Any]) -> Iterable[Mapping[str, Any]]:
    x, y = Cast("value", FloatField()), Cast("other", FloatField())
    sums: Iterable[Mapping[str, Any]] = (
        rows.values("aspect")
        .order_by("aspect")
        .annotate(n=Count("pk"), x=Avg(x), y=Avg(y), xx=Avg(x * x), yy=Avg(y * y), xy=Avg(x * y), apart=Avg(Abs(x - y)))
    )
    return sums


def _compared(row: Mapping[str, Any], labels: Mapping[str, Any] | None = None) -> AspectCompared:
    n_labels = labels["n"] if labels else 0
    return AspectCompared(
        aspect=row["aspect"],
        n=row["n"],
        first=row.get("x"),
        second=row.get("y"),
        apart=row.get("apart"),
        pearson=_pearson(row),
        n_labels=n_labels,
        same_label=labels["equal"] / n_labels if labels and n_labels else None,
    )


def _pearson(row: Mapping[str, Any]) -> float | None:
    """Pearson's r from means: (E[xy] − E[x]E[y]) / (σ_x σ_y)."""
    if row["n"] < 2:
        return None
    spread_x, spread_y = row["xx"] - row["x"] ** 2, row["yy"] - row["y"] ** 2
    smallest = 1e-9 * max(row["xx"], row["yy"], 1e-300)  # what rounding leaves of a constant
    if spread_x <= smallest or spread_y <= smallest:
        return None
    r: float = (row["xy"] - row["x"] * row["y"]) / sqrt(spread_x * spread_y)
    return max(-1.0, min(1.0, r))


def _told(run: ScoringRun) -> dict[str, str]:
    kind = run_method(run.method).parameters(run.scorer)
    parameters = {title_of(kind, path): value for path, value in _flat(run.parameters).items()}
    version = {gettext("Version of the platform"): run.code_version}
    return {gettext("Who scores"): scorer_title(run.scorer), **parameters, **version}


def _flat(told: dict[str, Any], before: str = "") -> dict[str, str]:
    """Nested parameters as one line each."""
    found: dict[str, str] = {}
    for name, value in told.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{before}{name}.")
        else:
            found[f"{before}{name}"] = _written(value)
    return found


def _written(value: Any) -> str:
    if value is None or value == "":
        return MISSING
    return {True: gettext("yes"), False: gettext("no")}[value] if isinstance(value, bool) else str(value)
