"""The new topic in docs/how-to/extend.md does what the page says of it, once its line stands in TOPICS."""

import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import clear_url_caches, include, path, reverse

from annotation_platform import urls
from annotation_platform.analysis import sections, topics
from annotation_platform.analysis.charts import registry as charts
from annotation_platform.analysis.frame.tabs import all_tabs
from annotation_platform.analysis.models import SnapshotSection
from annotation_platform.analysis.snapshots import sections as measured
from annotation_platform.analysis.snapshots import stored
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.studies.models import Item, Member, Role, Study
from tests.factories import MemberFactory, study_with_judgments

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/extend.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## A new topic of the dashboard")[2].partition("\n## ")[0]
FILES = re.findall(r"^`(\S+/\S+)`\n\n```\w+\n(.*?)^```", SECTION, re.DOTALL | re.MULTILINE)
[LINE] = re.findall(r'f"\{SECTIONS\}\.(\w+)"', SECTION)
MODULES = f"{sections.__name__}.{LINE}"


@pytest.fixture
def topic(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> Iterator[None]:
    """The folder of the example beside those of the platform, its template, and its line in the list."""
    for name, text in FILES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (tmp_path / "sections" / LINE / "__init__.py").touch()
    monkeypatch.setattr(sections, "__path__", [*sections.__path__, str(tmp_path / "sections")])
    monkeypatch.setattr(topics, "TOPICS", (*topics.TOPICS, f"{topics.SECTIONS}.{LINE}"))
    # What is collected when the platform starts is collected again.
    monkeypatch.setattr(tables, "TABLES", topics.collected("tables", "TABLES"))
    monkeypatch.setattr(charts, "CHARTS", topics.collected("charts", "CHARTS"))
    monkeypatch.setattr(measured, "ASPECT_SECTIONS", topics.collected("measure", "ASPECT_SECTIONS"))
    for key, figures in topics.collected("figures", "FIGURES").items():
        monkeypatch.setitem(stored.FIGURES, key, figures)
    all_tabs.cache_clear()
    site = ModuleType("site_with_the_example")
    pages = import_module(f"{MODULES}.page").urlpatterns
    vars(site)["urlpatterns"] = [path("studies/<slug:slug>/", include(pages)), *urls.urlpatterns]
    monkeypatch.setitem(sys.modules, site.__name__, site)
    settings.ROOT_URLCONF = site.__name__
    templates = settings.TEMPLATES[0]
    directories = [*templates["DIRS"], tmp_path / "frontend_templates"]
    settings.TEMPLATES = [templates | {"DIRS": directories}]
    clear_url_caches()
    yield
    all_tabs.cache_clear()
    clear_url_caches()
    for name in [name for name in sys.modules if name.startswith(MODULES)]:
        del sys.modules[name]


def alike_on_every_other_item(member: Member, item: Item) -> dict[str, str]:
    differs = item.question_id % 2 and member.pseudonym == member.study.members.latest("pk").pseudonym
    return {"completeness": "missing_all" if differs else "complete"}


def test_it_is_measured_shown_drawn_and_reported(
    topic: None, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    study: Study = study_with_judgments(annotators=2, values=alike_on_every_other_item)
    take_snapshot(study=study, resamples=10)
    figures = SnapshotSection.objects.get(key="unanimity", aspect="completeness").figures
    items = Item.objects.filter(study=study).count()
    alike = sum(not pk % 2 for pk in Item.objects.filter(study=study).values_list("question_id", flat=True))
    assert figures == {"items": items, "unanimous": alike}

    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    address = reverse("agreement_unanimity", args=[study.slug])
    page = client.get(address).content.decode()
    assert f"All annotators gave the same label to {alike} of {items} items." in page
    assert 'aria-current="page">Unanimity</a>' in page
    assert ">Unanimity</a>" in client.get(reverse("agreement", args=[study.slug])).content.decode()

    def file(kind: str) -> str:
        return client.get(reverse("chart", args=[study.slug, "completeness", "unanimity", kind])).content.decode()

    assert file("csv").splitlines()[0] == "aspect,share,items"
    assert json.loads(file("json"))["mark"]["type"] == "bar"
    assert file("svg").startswith("<svg")
    call_command("report_study", study.name)
    assert "Unanimous items" in capsys.readouterr().out


def test_every_module_of_the_example_is_one_that_topics_have() -> None:
    names = [Path(name).stem for name, _ in FILES if name.endswith(".py")]
    assert names == ["figures", "measure", "tables", "charts", "page"]
    told = topics.__doc__ or ""
    assert all(f"``{name}.py``" in told for name in names)
