"""Small files that cost much to read: each is refused, or told, after work that its size bounds."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.corpus.importers import ImportFileError, document
from tests.corpus.reading import read_files

HEAD = "format: annotation-platform/1\nstudy: {scheme: equivalence}\n"


def refused(path: Path, text: str) -> ImportFileError:
    path.write_text(text)
    with pytest.raises(ImportFileError) as caught:
        read_files("native", path)
    return caught.value


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Any]:
    calls: list[Any] = []
    wrapped: Callable[..., Any] = getattr(document, name)
    monkeypatch.setattr(document, name, lambda *given: calls.append(given) or wrapped(*given))
    return calls


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_the_lines_of_very_many_mistakes_are_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    looked = counted(monkeypatch, "line_of")
    keys = {f"k{n}": 1 for n in range(3_000)}
    text = json.dumps(keys) if suffix == "json" else "\n".join(f"{key}: 1" for key in keys)
    error = refused(tmp_path / f"t.{suffix}", text)
    assert error.count > 3_000
    assert f"… and {error.count - 20:,} more." in str(error)
    assert len(looked) == len(error.reasons) == 1_000


def test_anchors_unfold_no_further_than_a_file_of_that_length_could_say(tmp_path: Path) -> None:
    lists = "".join(
        f"{name}: &{name} [{', '.join([before] * 10)}]\n"
        for before, name in zip(["{id: 1, text: Why?}", "*a", "*b", "*c", "*d"], "abcde", strict=True)
    )
    error = refused(tmp_path / "t.yaml", f"{HEAD}{lists}")
    assert "has more than 100,000 parts once its anchors are written out" in str(error)


def test_a_doubled_key_among_very_many_is_found_in_one_pass(tmp_path: Path) -> None:
    pairs = ", ".join([*(f'"k{n}": 1' for n in range(20_000)), '"k19999": 2'])
    assert "the key 'k19999' is there twice" in str(refused(tmp_path / "t.json", f"{{{pairs}}}"))


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "\n".join(" " * level + "a:" for level in range(300)), HEAD + "a: &a [*a]"]
)
def test_depth_without_end_is_refused_with_a_sentence(tmp_path: Path, text: str) -> None:
    for suffix in ("yaml", "json"):
        assert refused(tmp_path / f"t.{suffix}", text).reasons
