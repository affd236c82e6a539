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
