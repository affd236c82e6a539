"""Every chart compiles in both themes from the same rows as its table, and says in words what it shows."""

import csv
import io
from typing import Any

import pytest

from annotation_platform.analysis.charts import DARK, LIGHT, THEMES, chart_spec, to_png, to_svg
from annotation_platform.analysis.charts.drawings import CHARTS
from annotation_platform.analysis.selectors import tables
from annotation_platform.analysis.services import take_snapshot
from annotation_platform.core.errors import NotThereError
from tests.analysis.study_rows import score, scored_study
from tests.factories import study_with_judgments

pytestmark = pytest.mark.django_db


def all_tables(study: Any) -> list[tables.FigureTable]:
    """Every table of the study's first aspect, pairs in the incomplete setting."""
    snapshot = take_snapshot(study=study, resamples=20)
    asked = tables.ask(
        snapshot, snapshot.head["aspects"][0]["aspect"], tables.TABLES, {"setting": "incomplete", "annotator": "A"}
    )
    return list(tables.tables_of(asked, tables.TABLES).values())


def table_of(study: Any, name: str) -> tables.FigureTable:
    return next(table for table in all_tables(study) if table.name == name)


def every_chart(study: Any) -> list[tuple[tables.FigureTable, str]]:
    return [(table, name) for table in all_tables(study) for name in table.charts]


def test_every_chart_compiles_in_both_themes_and_for_phones() -> None:
    drawn = every_chart(scored_study())
    # The others need several systems with several aspects, other runs, imported times or a scale without order.
    expected = {"agreement", "pairs-raw", "pairs-rescaled", "pairs-change", "pair-labels", "pair-raw", "pair-rescaled"}
    expected |= {"labels-annotator", "labels-system", "means-label", "means-system", "ranks", "differences"}
    expected |= {"annotators-leniency", "annotators-agreement", "annotators-vacuous", "annotator-pairs"}
    assert expected <= {name for _, name in drawn} <= set(CHARTS)
    for theme in THEMES.values():
        for table, name in drawn:
            svg = to_svg(chart_spec(table, name, theme, narrow=theme is DARK))
            assert svg.startswith("<svg")
            assert theme.background in svg
            assert table.reading in chart_spec(table, name, theme)["description"]


def test_before_a_run_the_charts_of_raw_labels_compile_and_the_others_are_not_offered() -> None:
    names = set()
    for table, name in every_chart(study_with_judgments()):
        names.add(name)
        assert to_svg(chart_spec(table, name)).startswith("<svg")
    assert {"agreement", "pairs-raw", "labels-annotator", "pair-raw"} <= names
    assert names.isdisjoint({"pairs-rescaled", "pairs-change", "means-label", "pair-rescaled", "pair-labels"})


def test_undefined_values_are_drawn_as_such_and_have_their_reason_in_the_table() -> None:
    study = study_with_judgments(values=lambda member, item: {"completeness": "complete"})
    score(study, lambda annotation: 90.0)
    pairs = table_of(study, "pairs")
    assert pairs.rows[0]["raw"] is None
    assert "share no item" in pairs.all_lines[0][-1][0]
    assert pairs.all_lines[0][3] == ("–", True)
    assert "NaN" not in to_svg(chart_spec(pairs, "pairs-raw"))


def test_a_picture_for_print_is_a_png() -> None:
    table = table_of(scored_study(), "agreement")
    assert to_png(chart_spec(table, "agreement")).startswith(b"\x89PNG\r\n\x1a\n")


def test_a_chart_that_the_figure_does_not_have_is_not_there() -> None:
    with pytest.raises(NotThereError):
        chart_spec(table_of(scored_study(), "agreement"), "pairs-raw")


def test_the_csv_has_every_row_with_full_precision_and_intervals_apart() -> None:
    table = table_of(scored_study(), "agreement")
    rows = list(csv.DictReader(io.StringIO(table.csv())))
    assert len(rows) == len(table.rows)
    assert float(rows[0]["raw"]) == table.rows[0]["raw"]
    assert float(rows[0]["raw_low"]) <= float(rows[0]["raw"]) <= float(rows[0]["raw_high"])
    assert rows[-1]["rescaled"] == ""


@pytest.mark.parametrize("count", [2, 3, 4, 5, 7])
def test_a_scale_of_any_length_gets_its_own_colours_from_best_to_worst(count: int) -> None:
    for theme in (LIGHT, DARK):
        colours = theme.ramp(count)
        assert len(set(colours)) == count
        assert (colours[0], colours[-1]) == (theme.diverging[-1], theme.diverging[0])
