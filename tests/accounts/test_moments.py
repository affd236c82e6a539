"""One format of time on all pages."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone, translation

from annotation_platform.accounts.templatetags.moments import moment
from annotation_platform.accounts.zones import zone_named

TEMPLATES = sorted(Path(settings.BASE_DIR, "frontend_templates").rglob("*.html"))
FOR_MACHINES = ("'c'", r"'Y-m-d\TH:i'")  # attributes that scripts and fields of forms read


@pytest.mark.parametrize(("language", "written"), [("en", "7 May 2026, 14:05 UTC"), ("ja", "2026年5月7日 14:05 UTC")])
def test_a_moment_is_written_with_its_zone_in_the_readers_language(language: str, written: str) -> None:
    with translation.override(language):
        shown = moment(datetime(2026, 5, 7, 14, 5, tzinfo=UTC))
    assert shown == f'<time datetime="2026-05-07T14:05:00+00:00">{written}</time>'


@pytest.mark.parametrize(
    ("zone", "written"),
    [
        ("Asia/Tokyo", "7 May 2026, 23:05 UTC+9"),
        ("America/St_Johns", "7 May 2026, 11:35 UTC−2:30"),
        ("Asia/Kathmandu", "7 May 2026, 19:50 UTC+5:45"),
        ("Europe/London", "7 May 2026, 15:05 UTC+1"),
        ("", "7 May 2026, 14:05 UTC"),
        ("America", "7 May 2026, 14:05 UTC"),
        ("../../etc/passwd", "7 May 2026, 14:05 UTC"),
        ("x" * 5000, "7 May 2026, 14:05 UTC"),
    ],
)
def test_a_moment_is_written_in_the_readers_zone_and_names_it(zone: str, written: str) -> None:
    with timezone.override(zone_named(zone)):
        shown = moment(datetime(2026, 5, 7, 14, 5, tzinfo=UTC))
    assert shown == f'<time datetime="2026-05-07T14:05:00+00:00">{written}</time>'


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_writes_time_in_another_way(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "timesince" not in text
    assert [form for form in re.findall(r"\|(?:date|time):(\S+?) *[%}]", text) if form not in FOR_MACHINES] == []
