"""Rows of tables are types, and spread into the cells by which columns, files and the API know them."""

import pytest
from django.urls import reverse

from annotation_platform.analysis.sections.annotators.table_rows import MedianTime, OverItems
from annotation_platform.analysis.sections.labels.table_rows import AllRow, GroupRow, ShareOfLabel
from annotation_platform.analysis.sections.variants.table_rows import ClassRow, MeanOfLabel, MixtureRow
from annotation_platform.analysis.snapshots.late import add_late_sections
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.analysis.tables.rows import NOTHING, Estimate, TableRow
from annotation_platform.studies.models import Study
from tests.analysis.sections.explanations.test_explanations import explained_study
from tests.analysis.study_rows import client_of, score
from tests.some import some

NUMBER = Estimate(0.5, 0.4, 0.6, units=9)
CELLS = {"": 0.5, "_low": 0.4, "_high": 0.6, "_why": "", "_units": 9}


def named(name: str) -> dict[str, float | str]:
    return {f"{name}{end}": value for end, value in CELLS.items()}


def test_a_mapping_has_cells_for_each_key_and_a_name_that_python_has_not_stands_in_its_own_cell() -> None:
    settings = {"all": NUMBER, "incomplete": NOTHING, "no_ties": NOTHING}
    row = MixtureRow(
        name="λ = 0.1",
        items=2,
        annotators=3,
        judgments=6,
        undefined_because="",
        **settings,
        mixture=0.1,
        remark="",
        is_good=True,
        spread=NOTHING,
        nuance=NOTHING,
        reversed=NOTHING,
        change=settings,
    )
    assert row.cells["lambda"] == 0.1
    assert "mixture" not in row.cells
    assert row.cells.items() >= (named("all") | named("change_all")).items()
    assert row.by_setting == settings
    assert row.cells is row.cells


def test_a_number_with_more_to_say_has_more_cells() -> None:
    of_class = ClassRow(name="A", is_all=False, label={"a": MeanOfLabel(**vars(NUMBER), count=7)})
    assert of_class.cells == {"name": "A", "is_all": False} | named("label_a") | {"label_a_count": 7}
    group = {"name": "A", "judgments": 7, "items": 7}
    shares = {"a": ShareOfLabel(**vars(NUMBER), count=7)}
    assert GroupRow(**group, label=shares).cells == group | named("label_a") | {"label_a_count": 7}
    assert AllRow(**group, label=shares).cells["is_all"] is True
    assert OverItems(**vars(NUMBER), items=3).cells("tau") == named("tau") | {"tau_items": 3}


def test_quartiles_are_no_interval_and_have_no_reason() -> None:
    time = {"seconds": 60.0, "seconds_low": 50.0, "seconds_high": 70.0, "seconds_items": 9}
    assert MedianTime(60.0, 50.0, 70.0, items=9).cells("seconds") == time


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    found = explained_study()
    score(found)
    assert add_late_sections(take_snapshot(study=found, resamples=10))
    return found


@pytest.mark.django_db
def test_every_column_finds_its_cells_in_every_row(study: Study) -> None:
    """A column that finds none would be an empty one, and nobody would see why."""
    asked = tables.ask(study.snapshots.latest(), "completeness", tables.TABLES, {"annotator": "A", "pair": "A~B"})
    found = tables.tables_of(asked, tables.TABLES)
    assert found.keys() >= {"variants", "pairs", "pair", "changes", "labels-annotator", "annotators", "themes"}
    for name, table in some(found.items()):
        wanted = {column.key for column in table.columns}
        wanted |= {f"{each.key}_{end}" for each in table.columns for end in ("low", "high") if each.has_interval}
        for row in table.rows:
            if isinstance(row, TableRow):
                assert wanted <= row.cells.keys(), (name, wanted - row.cells.keys())


@pytest.mark.django_db
def test_a_page_offers_the_partners_of_an_annotator(study: Study) -> None:
    page = client_of(study).get(reverse("agreement_pairs", args=[study.slug]), {"of": "B"}).content.decode()
    offered = page.split('id="pair-with"')[1].split("</select>")[0]
    assert [f'value="B~{other}"' in offered for other in "ABC"] == [True, False, True]
