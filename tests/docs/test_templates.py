"""Templates stay readable."""

from django.conf import settings

LONGEST_LINE = 160


def test_no_line_of_a_template_is_too_long_to_be_read():
    folder = settings.BASE_DIR / "frontend_templates"
    templates = sorted(folder.rglob("*.html"))
    too_long = [
        f"{template.relative_to(folder)}:{number}"
        for template in templates
        for number, line in enumerate(template.read_text().splitlines(), start=1)
        if len(line) > LONGEST_LINE
    ]
    assert templates
    assert not too_long


def test_no_template_says_by_itself_how_a_worker_is_started() -> None:
    """It differs between a server, which has a clock beside the worker, and one machine without: `start_command`."""
    folder = settings.BASE_DIR / "frontend_templates"
    assert [path.name for path in folder.rglob("*.html") if "celery" in path.read_text(encoding="utf-8")] == []


def test_pages_of_a_list_are_turned_in_one_way() -> None:
    """“Later” in a list of people told nobody what would come."""
    folder = settings.BASE_DIR / "frontend_templates"
    turning = [path.name for path in folder.rglob("*.html") if ".has_next " in path.read_text(encoding="utf-8")]
    assert turning == ["_pages.html"]
