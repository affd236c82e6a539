"""The catalogue has the Japanese of every text that is marked for it, and of no other."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

SOURCES = ("annotation_platform", "frontend_templates", "workers")
IGNORED = shutil.ignore_patterns("vendor", "__pycache__", "*.mo")
needs_gettext = pytest.mark.skipif(shutil.which("msgattrib") is None, reason="needs GNU gettext")


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``makemessages`` makes of the catalogue, somewhere else."""
    root = tmp_path_factory.mktemp("sources")
    for name in SOURCES:
        shutil.copytree(Path(settings.BASE_DIR) / name, root / name, ignore=IGNORED)
    for module in root.rglob("*.py"):  # xgettext takes the escape of a no-break space as it is written
        module.write_text(module.read_text(encoding="utf-8").replace(r"\u00a0", "\u00a0"), encoding="utf-8")
    shutil.copy(Path(settings.BASE_DIR) / "manage.py", root)
    subprocess.run([sys.executable, "manage.py", "makemessages", "-l", "ja"], cwd=root, check=True, capture_output=True)
    return root / "annotation_platform/locale/ja/LC_MESSAGES/django.po"


@needs_gettext
@pytest.mark.parametrize("kind", ["untranslated", "only-fuzzy", "only-obsolete"])
def test_every_marked_text_has_its_japanese_and_no_other_has(catalogue: Path, kind: str) -> None:
    command = ["msgattrib", f"--{kind}", "--no-wrap", str(catalogue)]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # “95 % intervals” looks to gettext like a place for a number, which the Japanese has not: fuzzy, but the same text.
    same = set(re.findall(r'^#,.*\n#\| msgid "(.+)"\n(?:#\|.*\n)*msgid "\1"$', listed, re.MULTILINE))
    assert [each for each in re.findall(r'^(?:#~ )?msgid "(.+)"$', listed, re.MULTILINE) if each not in same] == []
