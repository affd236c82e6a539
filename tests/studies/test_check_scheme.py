"""Scheme files checked in a terminal."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation_platform.core.schemes.loading import PRESETS
from tests.core.whole_schemes import GROUP, ONE_ANSWER

pytestmark = pytest.mark.pages


def check(*files: Path) -> tuple[str, str, bool]:
    """What is printed, what is complained of, and whether the command succeeds."""
    out, err = StringIO(), StringIO()
    try:
        call_command("check_scheme", *map(str, files), stdout=out, stderr=err)
    except CommandError as error:
        assert error.returncode == 1  # noqa: PT017
        return out.getvalue(), err.getvalue() + str(error), False
    return out.getvalue(), err.getvalue(), True


@pytest.mark.parametrize("path", sorted(PRESETS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_preset_passes_in_both_languages(path: Path) -> None:
    printed, complaints, is_right = check(path)
    assert is_right
    assert complaints == ""
    assert "  en: all " in printed
    assert "  ja: all " in printed


def test_what_is_in_a_scheme_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "dish.yaml"
    file.write_text(ONE_ANSWER)
    printed, _, _ = check(file)
    assert "dish: judges one answer; shows article, documents" in printed
    assert "6. flaws (several), shown_when asks for taste, warm" in printed
    assert "9. remark (text), optional, shown_when asks for why" in printed
    assert "ja: 1 of 27 texts; shown in en instead: shown[1].title, aspects[0].title" in printed
    file.write_text(GROUP)
    printed, _, _ = check(file)
    assert "duel: judges a group of candidates" in printed
    assert "1. truth (stars), per candidate" in printed


def test_mistakes_are_printed_with_their_lines_and_the_other_files_are_checked_too(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(GROUP)
    bad.write_text(GROUP.replace("key: why", "kee: why").replace("kind: best_of", "kind: best"))
    printed, complaints, is_right = check(bad, good, tmp_path / "missing.yaml")
    assert not is_right
    assert f"{bad}, line 16: aspects[2].kind: there is no kind 'best'; did you mean 'best_of'?" in complaints
    assert f"{bad}, line 19: aspects[3].kee: there is no key 'kee' here; did you mean 'key'?" in complaints
    assert "missing.yaml: cannot be read (No such file or directory)" in complaints
    assert "2 of 3 files cannot be used." in complaints
    assert f"{good}: ok" in printed


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_bytes(b"key: \xff")
    _, complaints, is_right = check(file)
    assert not is_right
    assert "is not UTF-8 text (byte 5)" in complaints
