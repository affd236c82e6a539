"""One format of time on all pages."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from annotation_platform.accounts.templatetags.moments import moment

TEMPLATES = sorted(Path(settings.BASE_DIR, "frontend_templates").rglob("*.html"))
FOR_MACHINES = ("'c'", r"'Y-m-d\TH:i'")  # attributes that scripts and fields of forms read


@pytest.mark.parametrize(("language", "written"), [("en", "7 May 2026, 14:05 UTC"), ("ja", "2026年5月7日 14:05 UTC")])
def test_a_moment_is_written_with_its_zone_in_the_readers_language(language: str, written: str) -> None:
    with translation.override(language):
        shown = moment(datetime(2026, 5, 7, 14, 5, tzinfo=UTC))
    assert shown == f'<time datetime="2026-05-07T14:05:00+00:00">{written}</time>'


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_writes_time_in_another_way(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "timesince" not in text
    assert [form for form in re.findall(r"\|(?:date|time):(\S+?) *[%}]", text) if form not in FOR_MACHINES] == []
