"""What mixing the label's mean into the score does to agreement, and the figures of each part of the corpus."""

from annotation_platform.analysis.figures.counts import count
from annotation_platform.analysis.figures.measured import Measured
from annotation_platform.analysis.figures.table import Figures, Flags, JudgmentTable, Measure
from annotation_platform.core.methods.ebr import hundred_point_numbers, rescale
from annotation_platform.core.statistics import Ratings, Setting, pairwise_tau

MIXTURES = tuple(round(0.1 * step, 1) for step in range(11))
MOST_SOURCES = 12  # beyond that "source" is where each article came from, not a part of the study


def mixtures(measured: Measured) -> list[Figures] | None:
    return _mixtures(measured.table, measured.measure, measured.is_best)


def by_source(measured: Measured) -> list[Figures] | None:
    return _by_source(measured.table, measured.measure, measured.is_best) if measured.measure.is_ordered else None


def _mixtures(table: JudgmentTable, measure: Measure, is_best: Flags | None) -> list[Figures] | None:
    """Mean τ of s' = λ·g + (1 − λ)·f for λ = 0, 0.1, … 1, with g from these judgments alone."""
    if table.f is None or is_best is None or measure.better is None:
        return None
    numbers = hundred_point_numbers(measure.numbers.tolist(), better=measure.better)
    rows: list[Figures] = []
    for mixture in MIXTURES:
        mixed = rescale(table.raters, table.choices, table.explained, table.f, numbers, mixture=mixture)
        ratings = table.ratings(mixed.values, is_best)
        means: Figures = {str(s): _mean_tau(ratings, s) for s in (Setting.ALL, Setting.INCOMPLETE)}
        rows.append({"lambda": mixture} | means)
    return rows


def _mean_tau(ratings: Ratings, setting: Setting) -> float | None:
    return pairwise_tau(ratings, setting).mean.value


def _by_source(table: JudgmentTable, measure: Measure, is_best: Flags | None) -> list[Figures] | None:
    """Mean τ and mixtures for each part of the corpus, where its articles come from a few sources."""
    if not 2 <= len(table.sources) <= MOST_SOURCES:
        return None
    parts = []
    for code, source in enumerate(table.sources):
        rows = table.source_of_item[table.items] == code
        part, best = table.part(rows), None if is_best is None else is_best[rows]
        settings = [s for s in Setting if best is not None or s is not Setting.INCOMPLETE]
        raw = part.ratings(measure.values[part.choices], best)
        rescaled = None if part.scores is None else part.ratings(part.scores, best)
        parts.append(
            {
                "source": source,
                "counts": count(part),
                "mean_tau": {
                    str(s): {
                        "raw": _mean_tau(raw, s),
                        "rescaled": None if rescaled is None else _mean_tau(rescaled, s),
                    }
                    for s in settings
                },
                "mixtures": _mixtures(part, measure, best),
            }
        )
    return parts
