"""In production every script has a name of its own content, and so has every script that it imports."""

import re
from pathlib import Path
from typing import Any

from django.core.management import call_command

IMPORT = re.compile(r"""^import [^;]*? from ["']([^"']+)["'];""", re.MULTILINE)
HASHED = re.compile(r"\./[a-z_]+\.[0-9a-f]{12}\.js")


def test_scripts_import_each_other_by_the_names_they_are_served_under(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "annotation_platform.server.statics.ModuleStorage"},
    }
    call_command("collectstatic", interactive=False, verbosity=0)
    imported = [name for script in tmp_path.glob("*.????????????.js") for name in IMPORT.findall(script.read_text())]
    assert len(imported) >= 6
    for name in imported:
        assert HASHED.fullmatch(name), name
        assert (tmp_path / name).is_file(), name
