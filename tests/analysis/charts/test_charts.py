"""Every chart compiles in both themes from the same rows as its table, and says in words what it shows."""

import csv
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import altair
import pytest
from altair.utils.schemapi import validate_jsonschema

from annotation_platform.analysis.charts import DARK, LIGHT, THEMES, Theme, chart_spec, to_png, to_svg
from annotation_platform.analysis.charts.base import LONGEST_WORD, MOST_LINES, number_axis, wrapped
from annotation_platform.analysis.charts.grouped import grouped_dots, points_of
from annotation_platform.analysis.charts.registry import CHARTS
from annotation_platform.analysis.charts.theme import along, contrast
from annotation_platform.analysis.sections.annotators.table_rows import AnnotatorRow, MedianTime, OverItems
from annotation_platform.analysis.sections.systems.table_rows import AspectsRow, MeanOnAspect
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.rows import Cells, Estimate, TableRow, with_interval
from annotation_platform.core.errors import NotThereError
from tests import rests_on
from tests.analysis.study_rows import assert_hovering_tells_the_interval, score, scored_study
from tests.factories import LABELS, make_corpus, study_with_judgments
from tests.some import some

OfName = Callable[[str], FigureTable]

pytestmark = pytest.mark.django_db
SINGLE_JUDGMENTS = {"pair-labels", "pair-raw", "pair-rescaled"}  # what was said; there is nothing to resample


def all_tables(study: Any) -> list[FigureTable]:
    """Every table of the study's first aspect, pairs in the incomplete setting."""
    snapshot = take_snapshot(study=study, resamples=20)
    asked = tables.ask(
        snapshot, snapshot.head.aspects[0].aspect, tables.TABLES, {"setting": "incomplete", "annotator": "A"}
    )
    return list(tables.tables_of(asked, tables.TABLES).values())


def table_of(study: Any, name: str) -> FigureTable:
    return next(table for table in all_tables(study) if table.name == name)


def charts_of(found: list[FigureTable]) -> list[tuple[FigureTable, str]]:
    return [(table, name) for table in found for name in table.charts]


@pytest.fixture(scope="module")
def scored(module_db: None) -> list[FigureTable]:
    """The tables of a study with a run."""
    return all_tables(scored_study())


@pytest.fixture
def scored_table(scored: list[FigureTable]) -> OfName:
    return lambda wanted: next(table for table in scored if table.name == wanted)


@pytest.mark.long(*rests_on.CHARTS)
def test_every_chart_compiles_in_both_themes_and_for_phones(scored: list[FigureTable]) -> None:
    drawn = charts_of(scored)
    # The others need several systems with several aspects, other runs, imported times or a scale without order.
    expected = {"agreement", "pairs-raw", "pairs-rescaled", "pairs-change", "pair-labels", "pair-raw", "pair-rescaled"}
    expected |= {"labels-annotator", "labels-system", "means-label", "means-system", "ranks", "differences"}
    expected |= {"coefficients", "annotators-leniency", "annotators-agreement", "annotators-vacuous", "annotator-pairs"}
    assert expected <= {name for _, name in drawn} <= set(CHARTS)
    for theme in THEMES.values():
        for table, name in drawn:
            if name not in SINGLE_JUDGMENTS:
                assert_hovering_tells_the_interval(chart_spec(table, name, theme))
            spec = chart_spec(table, name, theme, narrow=theme is DARK)
            validate_jsonschema(spec, altair.load_schema())  # left out where people wait
            svg = to_svg(spec)
            assert svg.startswith("<svg")
            assert theme.background in svg
            assert table.reading in chart_spec(table, name, theme)["description"]


def test_before_a_run_the_charts_of_raw_labels_compile_and_the_others_are_not_offered() -> None:
    names = set()
    for table, name in some(charts_of(all_tables(study_with_judgments()))):
        names.add(name)
        assert to_svg(chart_spec(table, name)).startswith("<svg")
    assert {"agreement", "pairs-raw", "labels-annotator", "pair-raw"} <= names
    assert names.isdisjoint({"pairs-rescaled", "pairs-change", "means-label", "pair-rescaled", "pair-labels"})


def test_undefined_values_are_drawn_as_such_and_have_their_reason_in_the_table() -> None:
    study = study_with_judgments(values=lambda member, item: {"completeness": "complete"})
    score(study, lambda annotation: 90.0)
    pairs = table_of(study, "pairs")
    assert pairs.cells[0]["raw"] is None
    assert "share no item" in pairs.all_lines[0][-1][0]
    assert pairs.all_lines[0][3] == ("–", True)
    assert "NaN" not in to_svg(chart_spec(pairs, "pairs-raw"))


def test_a_picture_for_print_is_a_png(scored_table: OfName) -> None:
    table = scored_table("agreement")
    assert to_png(chart_spec(table, "agreement")).startswith(b"\x89PNG\r\n\x1a\n")


def test_a_chart_that_the_figure_does_not_have_is_not_there(scored_table: OfName) -> None:
    with pytest.raises(NotThereError):
        chart_spec(scored_table("agreement"), "pairs-raw")


def test_the_csv_has_every_row_with_full_precision_and_intervals_apart(scored_table: OfName) -> None:
    table = scored_table("agreement")
    rows = list(csv.DictReader(io.StringIO(table.csv())))
    assert len(rows) == len(table.cells)
    assert float(rows[0]["raw"]) == table.cells[0]["raw"]
    assert float(rows[0]["raw_low"]) <= float(rows[0]["raw"]) <= float(rows[0]["raw_high"])
    assert rows[-1]["rescaled"] == ""


@pytest.mark.parametrize("count", [2, 3, 4, 5, 7])
def test_a_scale_of_any_length_gets_its_own_colours_from_best_to_worst(count: int) -> None:
    for theme in (LIGHT, DARK):
        colours = theme.ramp(count)
        assert len(set(colours)) == count
        assert (colours[0], colours[-1]) == (theme.diverging[-1], theme.diverging[0])


SYSTEMS = ("text-davinci-003_few_shot", "text-davinci-003_zero_shot", "gpt4")


def test_names_that_begin_alike_keep_a_row_of_their_own_and_are_written_out() -> None:
    table = table_of(scored_study(corpus=make_corpus(systems=SYSTEMS)), "differences")
    spec = chart_spec(table, "differences")
    drawn = {row["pair"] for rows in spec["datasets"].values() for row in rows if "pair" in row}
    assert drawn == {row["pair"] for row in table.cells}
    svg = to_svg(spec)
    for words in ("few_shot", "zero_", "gpt4"):
        assert words in svg


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("text-davinci-003_few_shot", ["text-davinci-003_few_", "shot"]),
        ("gpt4 → human_1", ["gpt4", "→ human_1"]),
        ("Is it correct?", ["Is it correct?"]),
        ("", [""]),
    ],
)
def test_names_are_broken_where_words_end(name: str, lines: list[str]) -> None:
    assert wrapped(name, LIGHT.longest_line) == lines


@pytest.mark.parametrize("name", ["x" * 200, "word " * 40, "どの文が答えの根拠になりますか" * 5])
def test_the_longest_name_still_fits_its_place(name: str) -> None:
    for theme in (LIGHT, replace(LIGHT, narrow=True)):
        lines = wrapped(name, theme.longest_line)
        assert len(lines) <= MOST_LINES
        assert max(map(len, lines)) <= max(theme.longest_line, LONGEST_WORD)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_numbers_in_cells_stay_readable_on_every_colour(theme: Theme) -> None:
    for stops in (theme.diverging[2:], theme.diverging[2::-1], (theme.diverging[2], theme.diverging[-1])):
        turn = theme.strong_from(*stops)
        for step in range(101):
            colour = along(stops, step / 100)
            inks = [contrast(colour, ink) for ink in (theme.text, theme.on_strong)]
            assert inks[step / 100 >= turn] == max(inks), (stops, step)


def test_the_best_label_is_blue_wherever_the_scale_has_it(scored_table: OfName) -> None:
    table = scored_table("labels-system")
    assert table.meta["best"] == table.meta["labels"][0].key
    turned = replace(table, meta=table.meta | {"labels": table.meta["labels"][::-1]})
    for each in (table, turned):
        scale = chart_spec(each, "labels-system")["encoding"]["color"]["scale"]
        colours = dict(zip(scale["domain"], scale["range"], strict=True))
        assert colours["Complete"] == LIGHT.rescaled


def without_interval(value: Any) -> Any:
    if isinstance(value, Estimate):
        return replace(value, low=None, high=None, why="Nothing to resample.", units=None)
    if isinstance(value, Mapping):
        return {key: without_interval(each) for key, each in value.items()}
    return value


def without_intervals(table: FigureTable) -> FigureTable:
    lost = {f"{column.key}_{end}" for column in table.columns if column.has_interval for end in ("low", "high")}
    whys = {f"{column.key}_why": "Nothing to resample." for column in table.columns if column.has_interval}

    def without(row: TableRow | Cells) -> TableRow | Cells:
        if not isinstance(row, TableRow):
            return row | dict.fromkeys(lost) | whys
        return replace(row, **{each.name: without_interval(getattr(row, each.name)) for each in fields(row)})

    return replace(table, rows=[without(row) for row in table.rows])


def marks_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Every part of a chart that draws something."""
    parts = [*spec.get("layer", []), *([spec["spec"]] if "spec" in spec else [])]
    return [spec] if "mark" in spec else [each for part in parts for each in marks_of(part)]


def test_dots_without_an_interval_are_hollow_in_every_chart_and_say_why() -> None:
    note = "Hollow dots have no interval; the table says why."
    of_estimates = set()
    for table, name in some(charts_of(all_tables(scored_study(corpus=make_corpus(systems=SYSTEMS))))):
        if name in SINGLE_JUDGMENTS or not any(
            part["mark"].get("filled") for part in marks_of(chart_spec(table, name))
        ):
            continue
        of_estimates.add(name)
        for theme in THEMES.values():
            spec = chart_spec(without_intervals(table), name, theme)
            (hollow,) = (part for part in marks_of(spec) if part["mark"].get("style") == "hollow")
            assert hollow["mark"]["fill"] == theme.background
            assert hollow["transform"] == [{"filter": "!isValid(datum.low)"}]
            assert hollow["encoding"]["tooltip"][-1] == {"field": "why", "type": "nominal", "title": "No interval"}
            drawn = [row for rows in spec["datasets"].values() for row in rows if "why" in row]
            assert {row["why"] for row in drawn} == {"Nothing to resample."}
            assert " ".join(spec["title"]["text"]) == note
            assert spec["description"].endswith(note)
            assert "Hollow dots" in to_svg(spec)
    assert of_estimates >= {"agreement", "coefficients", "annotators-agreement", "annotator-pairs", "means-system"}
    assert of_estimates >= {"means-label", "differences"}


def test_where_every_dot_has_its_interval_nothing_is_said_of_hollow_ones(scored_table: OfName) -> None:
    spec = chart_spec(scored_table("means-system"), "means-system")
    assert "title" not in spec
    assert "Hollow" not in spec["description"]
    assert not any(part["mark"].get("style") for part in marks_of(spec))


def test_the_table_says_once_why_a_figure_has_no_interval() -> None:
    reason = "Nothing to resample."
    rows = [{"name": name} | with_interval("mean", 0.5, None, reason) for name in "ABCDEF"]
    columns = [Column("name", "System"), Column("mean", "Mean", "value", True)]
    table = FigureTable("means", "Means", "", columns, rows[:2])
    assert table.without_interval == ["Mean, no interval for A and B: Nothing to resample."]
    assert replace(table, rows=rows).without_interval == ["Mean, no interval for 6 rows: Nothing to resample."]
    remarked = replace(table, columns=[*columns, Column("remark", "Remark")], rows=[rows[0] | {"remark": reason}])
    assert remarked.without_interval == []
    certain = {"name": "A"} | with_interval("mean", 0.5, [0.4, 0.6], reason)
    undefined = {"name": "A"} | with_interval("mean", None, None, reason)
    assert replace(table, rows=[certain, undefined]).without_interval == []


def test_rows_that_share_their_first_column_are_told_apart_by_the_next() -> None:
    reason = "Nothing to resample."
    columns = [Column("judge", "Judge"), Column("system", "System"), Column("mean", "Mean", "value", True)]
    cells = [("tiny", "oak"), ("tiny", "larch"), ("large", "oak")]
    none = [{"judge": j, "system": s} | with_interval("mean", 0.5, None, reason) for j, s in cells]
    few = [row | with_interval("mean", 0.5, [0.4, 0.6]) | {"mean_units": 18} for row in none]
    table = FigureTable("means", "Means", "", columns, none)
    assert table.without_interval == ["Mean, no interval for tiny · oak, tiny · larch and large · oak: " + reason]
    (rough,) = replace(table, rows=few).rough_intervals
    assert rough.endswith(": tiny · oak (18), tiny · larch (18) and large · oak (18).")


def test_a_line_between_quartiles_is_not_said_to_be_an_interval() -> None:
    other = {each.name: OverItems(items=None) for each in fields(AnnotatorRow) if each.type is OverItems}
    seconds = MedianTime(30.0, 20.0, 50.0, items=3)
    row = AnnotatorRow(name="A", judgments=3, seconds=seconds, shift_p=None, remark="", **other)
    table = FigureTable(
        "annotators", "Annotators", "", [Column("name", "Annotator")], [row], {"annotators-seconds": ""}
    )
    titles = [tip["title"] for tip in chart_spec(table, "annotators-seconds")["layer"][1]["encoding"]["tooltip"]]
    assert titles == ["Annotator", "Value", "a quarter below", "a quarter above", "Items", "Judgments"]


def test_the_charts_of_people_on_a_page_have_one_order(scored_table: OfName) -> None:
    people = scored_table("annotators")
    names = [row["name"] for row in people.cells]
    for name in some(people.charts):
        order = people_in(chart_spec(people, name))
        assert order == [each for each in names if each in order], name


@pytest.mark.parametrize("name", ["agreement", "means-system", "differences", "coefficients", "one-more"])
def test_axes_end_with_a_number(scored_table: OfName, name: str) -> None:
    """A scale is made nice for as many numbers as the axis has."""
    axes = [
        encoding
        for part in marks_of(chart_spec(scored_table(name), name))
        for way in ("x", "y")
        if (encoding := part.get("encoding", {}).get(way, {})).get("axis", {}).get("tickCount")
    ]
    assert some(axes)
    assert all(axis["scale"]["nice"] == axis["axis"]["tickCount"] for axis in axes)


def test_a_difference_of_none_has_no_sign_on_an_axis() -> None:
    at = {"field": "at", "type": "quantitative", "axis": number_axis("+.1%").to_dict()}
    spec = {"data": {"values": [{"at": -0.2}, {"at": 0.2}]}, "mark": "point", "encoding": {"x": at}, "width": 300}
    svg = to_svg(spec | {"config": LIGHT.config(legend_columns=1)})
    assert ">0\u00a0%<" in svg
    assert ">+0\u00a0%<" not in svg
    assert ">+10\u00a0%<" in svg


def test_people_have_the_colour_of_raw_labels_alone_and_beside_a_model() -> None:
    point = Estimate(0.5, 0.4, 0.6, units=9)
    for sides in (["People"], ["People", "Model"]):
        rows = points_of([("alder", 9, dict.fromkeys(sides, point))])
        chart = grouped_dots(rows, LIGHT, "Mean", number=".2f", group="System", people="People")
        scale = marks_of(chart.to_dict(validate=False))[0]["encoding"]["color"]["scale"]
        assert scale["domain"] == sides
        assert scale["range"] == [LIGHT.raw, LIGHT.rescaled][: len(sides)]


def test_a_legend_stands_in_one_row_where_there_is_room(scored_table: OfName) -> None:
    labels = scored_table("labels-system")
    assert chart_spec(labels, "labels-system", width=900)["config"]["legend"]["columns"] == len(LABELS)
    assert chart_spec(labels, "labels-system", narrow=True, width=300)["config"]["legend"]["columns"] == 1


def test_differences_say_of_which_means_they_are(scored_table: OfName) -> None:
    titles = [
        part["encoding"]["x"].get("title") for part in marks_of(chart_spec(scored_table("differences"), "differences"))
    ]
    assert "Difference of rescaled means" in titles


def people_in(spec: dict[str, Any]) -> list[str]:
    layers = [spec, *spec.get("layer", [])]
    orders = [layer.get("encoding", {}).get("y", {}).get("sort") for layer in layers]
    return next(order for order in orders if isinstance(order, list))


def test_small_multiples_fill_the_width_of_their_card(scored_table: OfName) -> None:
    labels = scored_table("labels-annotator")
    for width in (280, 640, 1100):
        spec = chart_spec(labels, "labels-annotator", narrow=width < 420, width=width)
        taken = spec["columns"] * (spec["spec"]["width"] + spec["spacing"])
        assert 0.6 * width <= taken <= width


def test_small_multiples_under_long_titles_stand_below_each_other_on_a_phone() -> None:
    """Two beside each other were as wide as their titles, and so the whole was drawn at half its size."""
    assert columns_under("Does it make clear why this answer and not another?") == 1
    assert columns_under("Is it clear?", "Is it true?") == 2


def columns_under(*titles: str) -> int:
    """How many means of aspects stand beside each other on a phone."""
    means = {title: MeanOnAspect(0.5, 0.2, 0.8, units=9, aspect=title, judgments=9) for title in titles}
    table = FigureTable(
        name="means-aspects",
        title="Means",
        reading="",
        columns=[Column("system", "System")],
        rows=[AspectsRow(system=name, means=means) for name in ("careful", "wordy")],
        charts={"means-aspects": "Dots are means."},
    )
    found: int = chart_spec(table, "means-aspects", narrow=True, width=290)["columns"]
    return found


TICK = re.compile(r'translate\(([-\d.]+),[-\d.]+\)"([^>]*)>([−\d.,%+]+)<')


def test_the_numbers_along_an_axis_keep_clear_of_each_other_on_a_phone(scored: list[FigureTable]) -> None:
    """Those that would not are left out (drawn without ink). A figure is 0.56 times as wide as it is high."""
    seen = 0
    for table, name in some(charts_of(scored)):
        svg = to_svg(chart_spec(table, name, narrow=True, width=280))
        for axis in re.findall(r'<g class="mark-text role-axis-label".*?</g>', svg, re.DOTALL):
            shown = [(float(x), text) for x, how, text in TICK.findall(axis) if ' opacity="0"' not in how]
            ticks = sorted(shown) if 'text-anchor="middle"' in axis else []  # others stand below each other
            for (left, before), (right, after) in pairwise(ticks):
                assert right - left > 0.56 * 12 * (len(before) + len(after)) / 2, (name, before, after)
                seen += 1
    assert seen > 20
