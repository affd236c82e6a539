"""No caption of a chart promises what its figures have not: intervals that could not be computed, or several."""

from collections.abc import Callable

import pytest

from annotation_platform.analysis.charts import chart_spec
from annotation_platform.analysis.paper.archive import entries
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables.base import INTERVAL, NO_INTERVALS, Column, FigureTable
from annotation_platform.analysis.tables.rows import with_interval
from annotation_platform.studies.models import Study
from tests.analysis.study_rows import rows_drawn, scored_study
from tests.factories import make_corpus
from tests.some import some

pytestmark = pytest.mark.django_db


def large() -> Study:
    return scored_study(name="Large")


def one_item() -> Study:
    return scored_study(name="One", corpus=make_corpus(questions=1, systems=("alder",)))


@pytest.mark.parametrize("made", [large, one_item])
def test_a_caption_says_when_none_of_its_intervals_could_be_computed(made: Callable[[], Study]) -> None:
    spoken_of = 0
    for entry in some(entries(take_snapshot(study=made(), resamples=20))):
        for name, caption in entry.table.charts.items():
            cells = [cell for rows in rows_drawn(chart_spec(entry.table, name)) for row in rows for cell in row.items()]
            has_some = any(key.endswith("low") and value is not None for key, value in cells)
            spoken_of += INTERVAL in caption
            assert (NO_INTERVALS in caption) == (INTERVAL in caption and not has_some), (entry.stem, name, caption)
    assert spoken_of


def test_a_caption_is_about_what_its_own_chart_draws() -> None:
    table = FigureTable(
        name="llm-alignment",
        title="Against the majority",
        reading="",
        columns=[Column("rho", "ρ", "value", True), Column("accuracy", "Same label", "share", True)],
        rows=[with_interval("rho", 0.1, None, "Too few.") | with_interval("accuracy", 0.5, [0.3, 0.7])],
        charts=dict.fromkeys(("rho", "share", "both"), f"Dots are figures, lines {INTERVAL}s."),
        draws={"rho": ("rho",), "share": ("accuracy",)},
    )
    assert [NO_INTERVALS in table.charts[name] for name in ("rho", "share", "both")] == [True, False, False]


@pytest.mark.parametrize("made", [large, one_item])
def test_captions_are_whole_sentences_without_keys(made: Callable[[], Study]) -> None:
    for entry in some(entries(take_snapshot(study=made(), resamples=20))):
        for text in (entry.table.title, entry.table.reading, *entry.table.charts.values()):
            for nonsense in ("None ", "nan", "  ", "..", " .", "_", " 1 pairs ", " 1 items", " 1 annotators"):
                assert nonsense not in f" {text}".replace("None of", "Some"), (entry.stem, text)
