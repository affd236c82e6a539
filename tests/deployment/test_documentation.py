"""Links lead somewhere, every page can be found from the README, and the commands that are named exist."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands
from django.urls import reverse

from annotation_platform.demo.crowd import NAME as CROWD
from annotation_platform.demo.drawn import NAME as DRAWN
from annotation_platform.demo.samples import corpus_name, sample_files
from tests.some import some

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]


def links(page: Path) -> list[Path]:
    """The files that a page's relative links and pictures name."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose)
    return [(page.parent / target).resolve() for target in targets if not re.match(r"\w+:", target)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [str(target) for target in links(page) if not target.exists()] == []


def test_every_page_can_be_found_from_the_readme() -> None:
    found, to_read = {README}, [README]
    while to_read:
        new = {target for target in links(to_read.pop()) if target.suffix == ".md"} - found
        found |= new
        to_read += new
    assert [str(page) for page in PAGES if page not in found] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_that_are_named_exist(page: Path) -> None:
    named = set(re.findall(r"manage\.py ([a-z_]+)", page.read_text(encoding="utf-8")))
    assert named - set(get_commands()) == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_make_targets_that_are_named_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert named - targets == set()


def test_the_readme_counts_the_demos_studies() -> None:
    count = len({*map(corpus_name, sample_files()), CROWD, DRAWN})
    word = {9: "nine", 10: "ten", 11: "eleven"}[count]
    assert f"{word} sample studies in your browser" in README.read_text(encoding="utf-8")


def test_the_proxy_files_have_limits_of_time_and_the_platforms_own_of_size() -> None:
    page = (ROOT / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")
    caddy, nginx = (
        next(text for text in page.split("```") if mark in text) for mark in ("max_size", "client_max_body")
    )
    most, most_of_imports = settings.REQUEST_MAX_BYTES // 1024**2, settings.IMPORT_MAX_MEGABYTES
    for text, size, waits in (
        (caddy, r"max_size (\d+)MB", ("read_header", "read_body", "idle")),
        (nginx, r"client_max_body_size +(\d+)m;", ("client_header_timeout", "client_body_timeout", "send_timeout")),
    ):
        forms, imports = (int(found) for found in re.findall(size, text))
        assert (forms, imports > most_of_imports) == (most, True)
        assert all(re.search(rf"{wait} +\d+[sm]", text) for wait in some(waits))


def test_the_proxy_files_let_large_files_through_where_the_platform_takes_them() -> None:
    page = (ROOT / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")
    (caddy,), (nginx,) = re.findall(r"@imports path (.+)", page), re.findall(r"location ~ (\S+) \{", page)
    assert re.findall(r"@forms not path (.+)", page) == [caddy]
    taken = [reverse("import_study"), reverse("api_imports"), reverse("api_corpora"), reverse("import_job", args=[1])]
    others = ["/api/v1/studies", f"{reverse('api_imports')}/1", "/accounts/login/", "/no/imports/"]
    for path in [*taken, *others]:
        through = [any(fnmatchcase(path, each) for each in caddy.split()), bool(re.search(nginx, path))]
        assert through == [path in taken] * 2, path
