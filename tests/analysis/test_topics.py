"""The topics of the dashboard are what stands in one list; nothing else is to be touched for a new one."""

from pathlib import Path
from types import ModuleType

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse

from annotation_platform.analysis import sections, topics
from annotation_platform.analysis.charts.registry import CHARTS
from annotation_platform.analysis.frame.tabs import all_tabs
from annotation_platform.analysis.snapshots.sections import ASPECT_SECTIONS, LATE_SECTIONS, STUDY_SECTIONS
from annotation_platform.analysis.tables.registry import TABLES, table_named


def test_every_folder_of_a_topic_is_in_the_list() -> None:
    folders = {path.parent.name for path in Path(sections.__path__[0]).glob("*/__init__.py")}
    listed = [topic.rpartition(".")[2] for topic in topics.TOPICS if topic.startswith(topics.SECTIONS)]
    assert sorted(listed) == sorted(folders)


def test_every_chart_has_its_table_and_every_table_needs_sections_that_there_are() -> None:
    for chart in CHARTS:
        assert table_named(chart) in TABLES
    known = {*ASPECT_SECTIONS, *STUDY_SECTIONS, *LATE_SECTIONS, "{pairs}", "{pairs_of_setting}"}
    for name, table in TABLES.items():
        assert set(table.needs) <= known, name


def test_every_tab_leads_to_a_page() -> None:
    assert [tab.title for tab in all_tabs()][:3] == ["Overview", "Annotators", "Pairs"]
    for tab in all_tabs():
        assert reverse(tab.address, kwargs={"slug": "a-study"}).startswith("/studies/a-study/agreement/")


def test_two_topics_cannot_use_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = [ModuleType("one.tables"), ModuleType("other.tables")]
    for module in twice:
        vars(module)["TABLES"] = {"pairs": None}
    monkeypatch.setattr(topics, "modules", lambda kind: iter(twice))
    with pytest.raises(ImproperlyConfigured, match=r"other\.tables has “pairs” in TABLES, which one\.tables has"):
        topics.collected("tables", "TABLES")
