"""Every section's figures have a frozen type with a version, and no module but the type's own looks into plain data."""

import ast
import json
from functools import partial
from pathlib import Path
from typing import get_type_hints

import pytest
from django.db import models
from django.db.models.functions import Cast
from django.test import Client
from django.urls import reverse

import annotation_platform
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.snapshots.late import add_late_sections
from annotation_platform.analysis.snapshots.sections import ASPECT_SECTIONS, LATE_SECTIONS, STUDY_SECTIONS
from annotation_platform.analysis.snapshots.stored import FIGURES, finished_batches, why_stale
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.studies.models import Study
from tests.analysis.study_rows import client_of, scored_study
from tests.some import some

ROOT = Path(annotation_platform.__file__).parent
OWNERS = ("asked", "snapshot", "section")
# What a snapshot is made of and read from, and the report that prints it whole.
PLAIN = {
    "analysis/models/snapshots.py",
    "analysis/tables/registry.py",
    "analysis/paper/report.py",
}
PAGES = ("", "_annotators", "_pairs", "_systems", "_raters", "_human_llm", "_variants")


def test_every_section_measures_the_type_that_is_stored() -> None:
    assert set(FIGURES) == {*ASPECT_SECTIONS, *STUDY_SECTIONS, *LATE_SECTIONS}
    measuring = ASPECT_SECTIONS | {key: section.measure for key, section in (STUDY_SECTIONS | LATE_SECTIONS).items()}
    for key, measure in some(measuring.items()):
        function = measure.func if isinstance(measure, partial) else measure
        assert get_type_hints(function)["return"] == FIGURES[key].type, key


@pytest.mark.parametrize("root", ["analysis", "workspace", "releases"])
def test_only_types_know_how_figures_are_stored(root: str) -> None:
    """Elsewhere they are read by ``asked.section`` and ``section_by_aspect``, whose types mypy knows."""
    found = {
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / root).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if str(path.relative_to(ROOT)) not in PLAIN and "migrations" not in path.parts and _is_plain(node)
    }
    assert not found


def _is_plain(node: ast.AST) -> bool:
    """``asked.figures`` and the like, which are dictionaries of anything."""
    return isinstance(node, ast.Attribute) and node.attr == "figures" and _name(node.value) in OWNERS


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


@pytest.mark.django_db
class TestOfAStudy:
    @pytest.fixture
    def study(self) -> Study:
        study = scored_study()
        take_snapshot(study=study, resamples=20)
        return study

    def test_what_is_stored_is_read_as_a_type_that_is_stored_the_same(self, study: Study) -> None:
        assert add_late_sections(study.snapshots.latest())
        sections = list(study.snapshots.latest().sections.filter(key__in=FIGURES))
        assert {section.key for section in sections} == set(FIGURES)
        for section in sections:
            figures = FIGURES[section.key].from_stored(section.figures)
            again = json.loads(json.dumps(FIGURES[section.key].to_stored(figures), allow_nan=False))
            assert again == section.figures, section.key

    def test_a_head_is_read_as_it_was_stored(self, study: Study) -> None:
        taken = take_snapshot(study=study, resamples=30)
        (stored,) = AgreementSnapshot.objects.filter(pk=taken.pk).values_list(Cast("head", models.TextField()))
        assert json.loads(stored[0]) == taken.head.model_dump(mode="json", exclude_unset=True)
        assert AgreementSnapshot.objects.get(pk=taken.pk).head == taken.head

    def test_figures_of_an_earlier_version_are_stale_and_measured_again(self, study: Study) -> None:
        snapshot = study.snapshots.latest()
        for key, figures in FIGURES.items():
            versions = {each: FIGURES[each].version for each in FIGURES} | {key: 0}
            snapshot.head = snapshot.head.model_copy(update={"versions": versions})
            assert f"“{figures.title}” were stored by an earlier version" in why_stale(
                study, snapshot, finished_batches(study)
            )
        self._of_no_version(snapshot)
        told = why_stale(study, snapshot, finished_batches(study))
        assert told.startswith("The figures of “")
        assert told.count("“") == 2
        assert f" and {len(FIGURES) - 2} other kinds were stored" in told
        snapshot.signature = "earlier"
        snapshot.save()
        again = take_snapshot(study=study, resamples=20)
        assert again != snapshot
        assert why_stale(study, again, finished_batches(study)) == ""

    def test_pages_of_figures_of_an_earlier_version_say_so(self, study: Study) -> None:
        self._of_no_version(study.snapshots.latest())
        client: Client = client_of(study)
        for name in PAGES:
            page = client.get(reverse(f"agreement{name}", args=[study.slug]))
            assert page.status_code == 200, name
            assert "were stored by an earlier version" in page.content.decode(), name

    def _of_no_version(self, snapshot: AgreementSnapshot) -> None:
        snapshot.head = snapshot.head.model_copy(update={"versions": {}})
        snapshot.save()
        snapshot.sections.filter(key__in=FIGURES).update(figures={"an": "older shape"}, fingerprint="")
