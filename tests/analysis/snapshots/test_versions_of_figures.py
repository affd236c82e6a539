"""Stored figures have types and versions: what an earlier version stored is said to be out of date and is not shown."""

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse
from pydantic import ValidationError

from annotation_platform.analysis.models import SnapshotSection
from annotation_platform.analysis.sections.preferences.figures import PREFERENCES
from annotation_platform.analysis.snapshots.stored import FIGURES, headline_of, sections_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.studies.models import Role, Study
from tests.analysis.sections.preferences.test_preferences import make, prefers
from tests.factories import MemberFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def measured() -> Study:
    study = make(prefers("alder"), articles=2, questions=2)
    take_snapshot(study=study, resamples=10)
    return study


def test_what_is_stored_is_read_as_what_was_measured(measured: Study) -> None:
    stored = SnapshotSection.objects.get(snapshot__study=measured, key="preferences").figures
    figures = PREFERENCES.from_stored(stored)
    assert figures["better"].pairs[0].systems == ("alder", "birch")
    assert PREFERENCES.to_stored(figures) == stored
    with pytest.raises(ValidationError, match="frozen"):
        figures["better"].forced = 1  # type: ignore[misc]


def test_figures_of_another_version_are_stale_not_shown_and_computed_again(
    measured: Study, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = headline_of(measured)
    assert before is not None
    assert before.stale_because == ""
    assert "preferences" in sections_of(before.snapshot, ["preferences"])
    monkeypatch.setitem(FIGURES, "preferences", replace(PREFERENCES, version=PREFERENCES.version + 1))

    after = headline_of(measured)
    assert after is not None
    assert after.stale_because.startswith("The figures of “Wins, ties and losses” were stored by an earlier version")
    assert sections_of(after.snapshot, ["preferences"]) == {}
    client.force_login(MemberFactory(study=measured, role=Role.RESEARCHER).user)
    page = client.get(reverse("agreement_systems", args=[measured.slug])).content.decode()
    assert "were stored by an earlier version" in page
    assert "alder over birch" not in page

    again = take_snapshot(study=measured, resamples=10)
    assert again != before.snapshot
    assert "preferences" in sections_of(again, ["preferences"])
    now = headline_of(measured)
    assert now is not None
    assert now.stale_because == ""


@pytest.mark.parametrize(
    ("page", "nothing"), [("ranking", "There is no ranking by this aspect"), ("systems", "says nothing about single")]
)
def test_of_systems_whose_figures_are_of_another_version_a_page_does_not_say_that_there_are_none(
    measured: Study, client: Client, monkeypatch: pytest.MonkeyPatch, page: str, nothing: str
) -> None:
    client.force_login(MemberFactory(study=measured, role=Role.RESEARCHER).user)
    for key, figures in [*FIGURES.items()]:
        monkeypatch.setitem(FIGURES, key, replace(figures, version=figures.version + 1))
    said = client.get(reverse(f"agreement_{page}", args=[measured.slug])).content.decode()
    assert "older than this page" in said
    assert nothing not in said


@pytest.mark.parametrize(
    ("section", "page", "nothing_yet"),
    [
        ("human_llm", "human_llm", "Start such a run"),
        ("judges", "judges", "Start such a run"),
        ("rev", "rationales", "start a run"),
        ("equivalence", "equivalence", "Start one"),
    ],
)
def test_a_page_of_figures_of_another_version_does_not_say_that_nothing_has_run(
    measured: Study, client: Client, monkeypatch: pytest.MonkeyPatch, section: str, page: str, nothing_yet: str
) -> None:
    client.force_login(MemberFactory(study=measured, role=Role.RESEARCHER).user)
    address = reverse(f"agreement_{page}", args=[measured.slug])
    said = client.get(address).content.decode()
    assert nothing_yet in said
    assert "older than this page" not in said
    monkeypatch.setitem(FIGURES, section, replace(FIGURES[section], version=FIGURES[section].version + 1))
    said = client.get(address).content.decode()
    assert nothing_yet not in said
    assert "older than this page" in said
