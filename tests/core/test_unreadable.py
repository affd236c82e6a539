"""What the operating system and the parsers of YAML say is known, whichever parser reads."""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from annotation_platform.core.reasons import Reason
from annotation_platform.core.unreadable import why_no_yaml, why_not_opened

WRONG = {
    "a: b: c": "yaml.colon_in_value",
    "a: 1\n b: 2": "yaml.colon_in_value",
    "a: [1, 2": "yaml.bracket_open",
    "a: {b": "yaml.bracket_open",
    "a: 'x": "yaml.quote_open",
    "\tb: c": "yaml.wrong_beginning",
    "a: @b": "yaml.wrong_beginning",
    "a: *y": "yaml.unknown_alias",
    'a: "\\q"': "yaml.unknown_escape",
    "--- a\n--- b": "yaml.several_documents",
    "- a\n - b\n-c": "yaml.colon_missing",
    "x: !!foo 1": "yaml.unknown_tag",
    "a: \x01": "yaml.control_character",
    "a: ]": "yaml.value_missing",
    "- a\nb: c": "yaml.indentation",
    "a:\n  - b\n c: d": "yaml.indentation",
}
LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("text", WRONG)
def test_what_is_usually_wrong_with_yaml_is_known(text: str, loader: Any) -> None:
    with pytest.raises(yaml.YAMLError) as caught:
        yaml.load(text, Loader=loader)
    reason = why_no_yaml(caught.value)
    assert isinstance(reason, Reason)
    assert reason.code == WRONG[text]


def test_other_words_of_a_parser_stay_as_they_are() -> None:
    with pytest.raises(yaml.YAMLError) as caught:
        yaml.safe_load("%YAML 3.0\n---\na")
    assert why_no_yaml(caught.value).startswith("found incompatible YAML document")


def test_what_usually_keeps_a_file_from_being_opened_is_known(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, code in {
        "none": "files.missing",
        "": "files.folder",
        "file/inside": "files.no_folder",
        "x" * 300: "files.name_too_long",
    }.items():
        with pytest.raises(OSError) as caught:  # noqa: PT011
            (tmp_path / path).read_text()
        reason = why_not_opened(caught.value)
        assert isinstance(reason, Reason)
        assert reason.code == code
    assert why_not_opened(OSError(999, "strange")) == "strange"
    assert why_not_opened(OSError(28, os.strerror(28))) == "the disk is full"
